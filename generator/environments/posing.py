"""What the poses of all environments draw alike: the best of several tries, changes of mind, what is left unsaid."""

from collections.abc import Callable
from typing import TypeVar

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.randomness import Draws

T = TypeVar("T")


def best_of(
    attempt: Callable[[int], tuple[int, T] | None], *, near: int, patience: int, most: int, settle: bool
) -> tuple[T | None, int]:
    """The first try that is near enough, else the best of a few; and how many tries there were.

    Args:
        attempt: from the number of the try, at least 1, how far it is from what was wanted and what came of it; None
            where luck found nothing. Of two as far, the earlier is kept.
        near: the greatest distance that is near enough.
        patience: after so many tries the best so far will do.
        most: after so many tries nothing was found.
        settle: whether patience ends with a try that finds nothing; else the next one that does is waited for.

    >>> distances = {1: 9, 2: 5, 3: 7}
    >>> best_of(lambda at: (distances[at], f"try {at}"), near=1, patience=3, most=9, settle=True)
    ('try 2', 3)
    """
    best: tuple[int, T] | None = None
    for number in range(1, most + 1):
        made = attempt(number)
        if made is not None and (best is None or made[0] < best[0]):
            best = made
        if best is None or (made is None and not settle):
            continue
        if number >= patience or (made is not None and made[0] <= near):
            return best[1], number
    return (None if best is None else best[1]), most


def changes_of_mind(axes: Axes, draws: Draws) -> int:
    """How often the customer corrects themselves: once as often as the axis says, a second time half as often.

    >>> from ecomrlve.difficulty.axes import axes_at
    >>> changes_of_mind(axes_at(0), Draws(0, "example"))
    0
    """
    return int(draws.chance(axes.switching)) + int(draws.chance(axes.switching // 2))


def unsaid(axes: Axes, count: int, draws: Draws) -> int:
    """How many of so many things are not said: the axis's share, a part of one rounded by chance.

    >>> from ecomrlve.difficulty.axes import axes_at
    >>> unsaid(axes_at(0, {"omission": 0.5}), 4, Draws(0, "example"))
    2
    """
    return (axes.omission * count + draws.below(1000)) // 1000
