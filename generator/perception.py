"""How a solver takes in what it reads: faithfully, or with slips; a simulated agent is a solver that slips.

Every solver that answers from a prompt alone asks here at each point where a reader could go wrong. Three things can be
misread, each with one probability: a condition (said, saved or corrected) is overlooked, a row (a product, an order
line) is judged the other way, a rule is overlooked or wrongly preferred. A typing error that is undone wrongly costs
one of the conditions. The faithful perception changes nothing, so one solver serves as proof and as yardstick.
"""

from collections.abc import Sequence
from typing import TypeVar

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.randomness import Draws

Item = TypeVar("Item")

PARTS = 1_000_000
"""Slip rates are whole numbers of millionths."""

ASIDE = 5
"""What does not stand in the request itself is overlooked so many times as often: preferences, later turns, stock.

Our judgement: readers miss what they have to look for far more often than what they are told."""


class Perception:
    """What a solver makes of what it reads.

    Args:
        slip: the probability that one thing is misread, in millionths.
        draws: where slips come from; none are needed where ``slip`` is 0.

    Raises:
        InvalidArgument: for a rate outside [0, 1,000,000], or slips without draws.

    >>> Perception().judge(True), Perception(PARTS, Draws(0, "slips")).judge(True)
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

    def judge(self, fact: bool) -> bool:
        """A judgement on one row as it is taken in: whether a product fits, whether a line is the one described.

        One row is misread as a whole: were each of its conditions misread for itself, more conditions would make a
        page of near misses easier.

        >>> FAITHFUL.judge(False)
        False
        """
        return fact != self.slips()

    def overlooks(self) -> bool:
        """Whether something that stands aside of the request is overlooked, such as that a product is sold out.

        >>> FAITHFUL.overlooks()
        False
        """
        return self._draws is not None and self._slip > 0 and self._draws.chance(min(PARTS, self._slip * ASIDE), PARTS)

    def filter_asides(self, items: Sequence[Item]) -> list[Item]:
        """The things that stand aside of the request and are not overlooked: saved preferences, facts on a form.

        >>> FAITHFUL.filter_asides("ab")
        ['a', 'b']
        """
        return [item for item in items if not self.overlooks()]

    def filter_conditions(self, items: Sequence[Item]) -> list[Item]:
        """The things said that are not overlooked: conditions, rules.

        >>> FAITHFUL.filter_conditions("ab")
        ['a', 'b']
        """
        return [item for item in items if not self.slips()]

    def filter_turns(self, turns: Sequence[str]) -> list[str]:
        """A customer's turns, the later ones where they are noticed.

        >>> FAITHFUL.filter_turns(["A lamp, please.", "Make that two."])
        ['A lamp, please.', 'Make that two.']
        """
        return [*turns[:1], *self.filter_asides(turns[1:])]

    def drop_mistyped(self, items: Sequence[Item], undone: int) -> list[Item]:
        """What is left of the conditions in a message with typing errors: each undone wrongly costs one of them.

        Args:
            items: the conditions understood.
            undone: how many words with typing errors there were.

        >>> FAITHFUL.drop_mistyped("ab", 5)
        ['a', 'b']
        """
        kept = list(items)
        if self._draws is not None:
            for _ in range(undone):
                if kept and self.slips():
                    del kept[self._draws.below(len(kept))]
        return kept


FAITHFUL = Perception()
"""Nothing is misread."""
