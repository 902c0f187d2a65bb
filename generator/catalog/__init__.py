"""The catalog graph, synthetic shops, and importers of real product data."""
