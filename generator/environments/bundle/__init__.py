"""BUNDLE: a set of products for a project, within budget, whose parts fit each other."""
