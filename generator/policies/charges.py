"""How many amount rules bear on what is paid, for a whole grid of facts at once.

It follows what `ecomrlve.grammars.policy.policy` pays, case by case; a task is held to that, and this only says where
to look for one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecomrlve.grammars.policy.policy import Policy
from ecomrlve.grammars.policy.rules import (
    CONDITIONS,
    REASONS,
    TIERS,
    Discount,
    ExchangePostage,
    Postage,
    PostageWaiver,
    Restocking,
    ShippingRefund,
)

Counts = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Bearing:
    """How many amount rules bear on one way to settle a case.

    Args:
        grid: by goods, tier, condition and reason, where the order has no discount and not all of it comes back.
        discount: how many more bear where the order had a discount.
        whole: how many more bear where all of the order comes back.
    """

    grid: Counts
    discount: int = 0
    whole: int = 0

    def total(self, place: Sequence[int], discounted: bool, whole: bool) -> int:
        """How many bear at a place of the grid."""
        return int(self.grid[tuple(place)]) + discounted * self.discount + whole * self.whole

    def extras(self) -> set[int]:
        """What the discount and the rest of the order can add."""
        return {0, self.discount, self.whole, self.discount + self.whole}


def count_bearing(policy: Policy, classes: Sequence[str]) -> Mapping[str, Bearing]:
    """`Bearing` by the way a case is settled: refund, exchange, either after a fault rule, a share, a refusal,
    a refund in place of an exchange that cannot be had.

    Args:
        policy: the shop's.
        classes: the goods of the grid's first axis, by their return class.

    >>> from ecomrlve.grammars.policy.rules import FeeWaiver, Window
    >>> rules = (Window(30), Restocking(("opened",), percent=10), FeeWaiver(("gold",)))
    >>> count_bearing(Policy(rules, (0,)), ["toys"])["refund"].grid[0, :, 1, 0].tolist()
    [1, 1, 1]
    """
    rules = policy.rules
    shape = (len(classes), len(TIERS), len(CONDITIONS), len(REASONS))
    nothing = np.zeros(shape, dtype=np.int8)
    fee = np.broadcast_to(_fees(policy, classes), shape).astype(np.int8)
    postage, on_exchange = _postage(policy, classes, shape)
    discount = int(any(isinstance(rule, Discount) for rule in rules))
    shipping = int(any(isinstance(rule, ShippingRefund) for rule in rules))
    if not any(isinstance(rule, ExchangePostage) for rule in rules):
        on_exchange = nothing
    return {
        "refund": Bearing(fee + postage, discount, shipping),
        "refund after fault": Bearing(nothing + np.int8(shipping), discount),
        "share": Bearing(nothing, discount),
        # In exchange the discount moves over to the new units.
        "exchange": Bearing(on_exchange),
        "exchange after fault": Bearing(nothing),
        "sold out": Bearing(nothing, discount, shipping),
        "refuse": Bearing(nothing),
    }


def _named(axis: int, values: Sequence[str], names: Sequence[str]) -> NDArray[Any]:
    """Which values of an axis are named; all where none are."""
    shape = [1, 1, 1, 1]
    shape[axis] = len(values)
    return np.array([not names or value in names for value in values]).reshape(shape)


def _fees(policy: Policy, classes: Sequence[str]) -> NDArray[Any]:
    """Where a restocking fee is due: there it bears, or what waives it does."""
    due = np.zeros((1, 1, 1, 1), dtype=bool)
    for rule in policy.rules:
        if isinstance(rule, Restocking):
            due = due | (_named(0, classes, rule.classes) & _named(2, CONDITIONS, rule.conditions))
    return due


def _postage(policy: Policy, classes: Sequence[str], shape: tuple[int, ...]) -> tuple[Counts, Counts]:
    """How many postage rules bear on a refund, and on an exchange where postage is charged on one."""
    by_class = by_reason = np.zeros((1, 1, 1, 1), dtype=np.int64)
    waived = np.zeros((1, 1, 1, 1), dtype=bool)
    for rule in policy.rules:
        if isinstance(rule, Postage) and rule.classes:
            by_class = by_class + rule.amount * _named(0, classes, rule.classes)
        elif isinstance(rule, Postage):
            by_reason = by_reason + rule.amount * _named(3, REASONS, rule.reasons)
        elif isinstance(rule, PostageWaiver):
            waived = waived | _named(1, TIERS, rule.tiers)
    due = np.where(by_class > 0, by_class, by_reason) > 0
    charged = due & ~waived & (by_class != by_reason)
    postage = np.broadcast_to(charged | (due & waived), shape).astype(np.int8)
    # On an exchange the rule that charges it there bears as well, unless it is waived.
    return postage, postage + np.broadcast_to(due & ~waived, shape).astype(np.int8)
