"""All errors of the package in one tree.

    EcomrlveError
    ├── TruthError        a ground_truth that is not one of ours
    ├── InvalidArgument   an argument that breaks a rule; the message shows name=value and the rule
    ├── ReplyShapeError   a judge's word for an answer of the wrong shape; `verify` makes it the outcome "invalid"
    ├── CatalogError      product data that cannot become a shop; the message says what is missing
    ├── CannotPose        a world that cannot carry a task; the message says which level it can
    ├── PromptTooLong     a task of which no prompt keeps to the budget; the message says what it needs
    ├── TooManyReadings   a text with more readings than a grammar keeps
    └── ShardError        a folder of shards that cannot be written or read as asked

Fuzzing adds `Falsified`, an AssertionError: a property of a verifier that does not hold.

The first three live with the verifiers, which import nothing else of ours, `TooManyReadings` with the grammars' engine.
Falsified (in `outputs.fuzzing`) is an AssertionError, as it fails the test of whoever's verifier it speaks of.
"""

from ecomrlve.generator.verifiers.errors import EcomrlveError, InvalidArgument, ReplyShapeError, TruthError

__all__ = [
    "CannotPose",
    "CatalogError",
    "EcomrlveError",
    "InvalidArgument",
    "PromptTooLong",
    "ReplyShapeError",
    "ShardError",
    "TruthError",
]


class CatalogError(EcomrlveError):
    """Product data cannot become a shop; the message says what is missing and how to name it."""


class ShardError(EcomrlveError):
    """A folder of shards cannot be written or read as asked."""


class CannotPose(EcomrlveError):
    """A world cannot carry a task of an environment at this level; the message says which level it can."""


class PromptTooLong(EcomrlveError):
    """No prompt of a task keeps to the budget; the message begins with the budget and its value."""
