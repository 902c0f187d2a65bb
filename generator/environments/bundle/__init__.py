"""BUNDLE: a set of products for a project, within budget, whose parts fit each other."""

from ecomrlve.generator.environments.bundle.pose import ENVIRONMENT

__all__ = ["ENVIRONMENT"]
