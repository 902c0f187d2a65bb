"""Checks of arguments at the public door; every message shows ``name=value`` and the rule."""

from typing import TypeGuard

from ecomrlve.errors import InvalidArgument


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number; True and False are none.

    >>> is_whole(3), is_whole(True), is_whole(3.0)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number; True and False are none.

    >>> is_number(0.5), is_number(False)
    (True, False)
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_whole(name: str, value: object, low: int, high: int | None = None) -> int:
    """The value; refused where it is no whole number within its bounds, both ends included.

    Raises:
        InvalidArgument: with the rule.

    >>> check_whole("count", 0, 1)
    Traceback (most recent call last):
        ...
    ecomrlve.generator.verifiers.errors.InvalidArgument: count=0: must be a whole number of at least 1
    """
    if not is_whole(value) or value < low:
        raise InvalidArgument(name, value, f"must be a whole number of at least {low}")
    if high is not None and value > high:
        raise InvalidArgument(name, value, f"must be at most {high:,}")
    return value


def check_share(name: str, value: object) -> None:
    """Refuse what is no number between 0 and 1.

    Raises:
        InvalidArgument: with the rule.

    >>> check_share("impossible", 0.1)
    """
    if not is_number(value) or not 0 <= value <= 1:
        raise InvalidArgument(name, value, "must lie between 0 and 1")
