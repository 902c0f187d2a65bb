"""A shop's rules: what they decide, as a readable document, and as JSON."""
