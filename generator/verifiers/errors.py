"""The errors that judging needs; it may import nothing else of ours.

EcomrlveError
├── TruthError        a ground_truth that is not one of ours
├── InvalidArgument   an argument that breaks a rule; the message shows name=value and the rule
└── ReplyShapeError   a judge's word for an answer of the wrong shape; `verify` makes it the outcome "invalid"
"""


class EcomrlveError(Exception):
    """Base of every error that this package raises on purpose."""


class TruthError(EcomrlveError, ValueError):
    """A ``ground_truth`` is not one of ours: a fault of the data, never of the reply.

    >>> from ecomrlve import verify
    >>> verify("not json", "{}")
    Traceback (most recent call last):
        ...
    ecomrlve.generator.verifiers.errors.TruthError: ground_truth is not JSON text: 'not json'
    """


class InvalidArgument(EcomrlveError, ValueError):
    """An argument breaks a rule.

    Args:
        name: the argument as its caller spells it.
        value: what was given.
        rule: the rule it breaks, and what to do next.

    >>> raise InvalidArgument("count", 0, "must be at least 1")
    Traceback (most recent call last):
        ...
    ecomrlve.generator.verifiers.errors.InvalidArgument: count=0: must be at least 1
    """

    def __init__(self, name: str, value: object, rule: str) -> None:
        super().__init__(f"{name}={value!r}: {rule}")
        self.name = name
        self.value = value
        self.rule = rule

    def __reduce__(self) -> tuple[type["InvalidArgument"], tuple[str, object, str]]:
        return (type(self), (self.name, self.value, self.rule))


class ReplyShapeError(EcomrlveError):
    """An answer has its key, but not the shape asked for; the message is one sentence for the verdict.

    >>> raise ReplyShapeError('The "products" of the reply are not a list.')
    Traceback (most recent call last):
        ...
    ecomrlve.generator.verifiers.errors.ReplyShapeError: The "products" of the reply are not a list.
    """
