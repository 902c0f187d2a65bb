"""A shop's rules as drawn, and the situations that they decide."""
