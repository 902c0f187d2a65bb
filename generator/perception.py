"""How a solver takes in what it reads: faithfully, or with slips; a simulated agent is a solver that slips.

Every solver that answers from a prompt alone asks here at each point where a reader could go wrong: whether a row
meets a condition, whether a rule covers a case, which of the saved preferences and corrections are noticed. The
faithful perception changes nothing, so one solver serves as proof and as yardstick.
"""

from collections.abc import Sequence
from typing import TypeVar

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.randomness import Draws

Item = TypeVar("Item")

PARTS = 1_000_000
"""Slip rates are whole numbers of millionths."""


class Perception:
    """What a solver makes of what it reads.

    Args:
        slip: the probability that one thing is misread, in millionths.
        draws: where slips come from; none are needed where ``slip`` is 0.

    Raises:
        InvalidArgument: for a rate outside [0, 1,000,000], or slips without draws.

    >>> Perception().sees(True), Perception(PARTS, Draws(0, "slips")).sees(True)
    (True, False)
    """

    __slots__ = ("_draws", "_slip")

    def __init__(self, slip: int = 0, draws: Draws | None = None) -> None:
        if not 0 <= slip <= PARTS:
            raise InvalidArgument("slip", slip, f"must lie between 0 and {PARTS:,} millionths")
        if slip and draws is None:
            raise InvalidArgument("draws", draws, "must be given where slip is above 0")
        self._slip, self._draws = slip, draws

    @property
    def is_faithful(self) -> bool:
        """Whether nothing is ever misread."""
        return not self._slip

    def slips(self) -> bool:
        """Whether the next thing is misread.

        >>> FAITHFUL.slips()
        False
        """
        return self._draws is not None and self._slip > 0 and self._draws.chance(self._slip, PARTS)

    def sees(self, fact: bool) -> bool:
        """A fact as it is taken in: whether a row meets a condition, a rule covers a case, a day is a holiday.

        >>> FAITHFUL.sees(False)
        False
        """
        return fact != self.slips()

    def notices(self, items: Sequence[Item]) -> list[Item]:
        """The things that are not overlooked: saved preferences, corrections, remarks.

        >>> FAITHFUL.notices("ab")
        ['a', 'b']
        """
        return [item for item in items if not self.slips()]


FAITHFUL = Perception()
"""Nothing is misread."""
