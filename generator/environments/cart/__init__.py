"""CART: a cart of described items, each one exact variant in stock, with quantities."""

from ecomrlve.generator.environments.cart.pose import ENVIRONMENT

__all__ = ["ENVIRONMENT"]
