"""All errors of the package in one tree.

    EcomrlveError
    ├── TruthError        a ground_truth that is not one of ours
    ├── InvalidArgument   an argument that breaks a rule; the message shows name=value and the rule
    ├── CatalogError      product data that cannot become a shop; the message says what is missing
    └── ShardError        a folder of shards that cannot be written or read as asked

The first two live with the verifiers, which import nothing else of ours.
"""

from ecomrlve.generator.verifiers.errors import EcomrlveError, InvalidArgument, TruthError

__all__ = ["CatalogError", "EcomrlveError", "InvalidArgument", "ShardError", "TruthError"]


class CatalogError(EcomrlveError):
    """Product data cannot become a shop; the message says what is missing and how to name it."""


class ShardError(EcomrlveError):
    """A folder of shards cannot be written or read as asked."""
