"""STATUS: where an order, or one line of it, is, and when it arrives."""

from ecomrlve.generator.environments.status.pose import ENVIRONMENT

__all__ = ["ENVIRONMENT"]
