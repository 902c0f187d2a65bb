"""All errors of the package in one tree.

    EcomrlveError
    ├── TruthError        a ground_truth that is not one of ours
    ├── InvalidArgument   an argument that breaks a rule; the message shows name=value and the rule
    ├── CatalogError      product data that cannot become a shop; the message says what is missing
    └── ShardError        a folder of shards that cannot be written or read as asked

The first two live with the verifiers, which import nothing else of ours.
"""

from ecomrlve.generator.verifiers.errors import EcomrlveError, TruthError

__all__ = ["CatalogError", "EcomrlveError", "InvalidArgument", "ShardError", "TruthError"]


class InvalidArgument(EcomrlveError, ValueError):
    """An argument breaks a rule.

    Args:
        name: the argument as its caller spells it.
        value: what was given.
        rule: the rule it breaks, and what to do next.

    >>> raise InvalidArgument("count", 0, "must be at least 1")
    Traceback (most recent call last):
        ...
    ecomrlve.errors.InvalidArgument: count=0: must be at least 1
    """

    def __init__(self, name: str, value: object, rule: str) -> None:
        super().__init__(f"{name}={value!r}: {rule}")
        self.name = name
        self.value = value
        self.rule = rule

    def __reduce__(self) -> tuple[type["InvalidArgument"], tuple[str, object, str]]:
        return (type(self), (self.name, self.value, self.rule))


class CatalogError(EcomrlveError):
    """Product data cannot become a shop; the message says what is missing and how to name it."""


class ShardError(EcomrlveError):
    """A folder of shards cannot be written or read as asked."""
