"""SUB, substitutes: one product in place of what was wanted and cannot be had."""

from ecomrlve.generator.environments.sub.pose import ENVIRONMENT

__all__ = ["ENVIRONMENT"]
