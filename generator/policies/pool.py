"""The policies of a world: many, each drawn alone when a task asks for it, so that none can be learnt by heart."""

from collections.abc import Sequence
from datetime import date

from ecomrlve.generator.policies.draw import draw_policy
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.policy.policy import Policy

POOL = 600
"""How many policies of each size a world has."""

MOST_BRANCHES = 5
"""Policies are drawn so that as many rules can bear on a case; more where more are asked for, as it comes."""


class PolicyPool:
    """The return policies of a world.

    Args:
        seed: the world's seed.
        split: the world's split.
        classes: return classes of the shop's goods.
        currency: of the fees.
        today: the world's date.
        own: the one policy of a shop that brings it; then there is no other.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> pool = PolicyPool(0, "train", ("clothing", "media"), CURRENCIES["USD"], date(2026, 3, 11))
    >>> pool.policy(17, 2) == pool.policy(17, 2) != pool.policy(18, 2)
    True
    """

    def __init__(
        self,
        seed: int,
        split: str,
        classes: Sequence[str],
        currency: Currency,
        today: date,
        own: Policy | None = None,
    ) -> None:
        self._where = (seed, split, tuple(classes), currency, today)
        self.own = own

    def __len__(self) -> int:
        return POOL if self.own is None else 1

    def number(self, draws: Draws) -> int:
        """The number of a policy, each as likely."""
        return draws.below(len(self))

    def policy(self, number: int, branches: int) -> Policy:
        """One policy; drawing it takes no other.

        Args:
            number: from 0 to below the pool's length.
            branches: how many rules are to bear on its cases: it has as many rules as that takes.
        """
        if self.own is not None:
            return self.own
        return draw_policy(*self._where, number, max(1, min(branches, MOST_BRANCHES)))
