"""Conditions on products: attributes, units, expression trees, and their words, rendered and parsed."""
