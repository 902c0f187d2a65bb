"""The errors that judging needs; it may import nothing else of ours.

    EcomrlveError
    ├── TruthError        a ground_truth that is not one of ours
    └── InvalidArgument   an argument that breaks a rule (in `ecomrlve.errors`)
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
