"""DAPO's soft overlong penalty, for trainers that have none of their own."""


def overlong_penalty(length: int, most: int, buffer: int, factor: float = 1.0) -> float:
    """What is added to the reward of a response of some length: 0, then down in a line, then ``-factor``.

    Args:
        length: of the response, in tokens (or in characters, if the others are).
        most: the longest response that is generated.
        buffer: over so many before ``most`` the penalty grows.
        factor: the largest penalty.

    Raises:
        ValueError: where the buffer is not between 1 and ``most``.

    >>> [overlong_penalty(length, most=100, buffer=20) for length in (80, 90, 100, 120)]
    [0.0, -0.5, -1.0, -1.0]
    """
    if not 1 <= buffer <= most:
        raise ValueError(f"buffer={buffer!r}: must lie between 1 and most={most!r}")
    return 0.0 - factor * min(1.0, max(0.0, (length - (most - buffer)) / buffer))
