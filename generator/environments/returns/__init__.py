"""RETURN: something bought goes back; the shop's rules decide refund, exchange or refusal, and the amount."""

from ecomrlve.generator.environments.returns.pose import ENVIRONMENT

__all__ = ["ENVIRONMENT"]
