"""POLICY: what the shop's rules say of a case described in words, and the rule that decides."""

from ecomrlve.generator.environments.policy.pose import ENVIRONMENT

__all__ = ["ENVIRONMENT"]
