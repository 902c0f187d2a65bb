"""One policy ready for use: its document, its situations, and the goods of the shop as its price window parts them."""

from datetime import date

import numpy as np

from ecomrlve.generator.catalog.columns import Catalog, Int64
from ecomrlve.generator.policies.situations import Situations
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.policy.policy import Policy
from ecomrlve.grammars.policy.rules import Postage, Restocking
from ecomrlve.grammars.policy.text import render_policy

# A type has a side of the price window where at least this share of its versions, per thousand, lies there.
_SIDE = 40


class Goods:
    """The goods of a shop by return class, on each side of a price.

    Args:
        catalog: the shop.
        over: the price above which a policy has a window of its own; None where it has none.

    Attributes:
        types: (return class, side) to the product types with goods there.
        prices: return class to its least and greatest price.
        several: (return class, side) whose goods come in several versions.
    """

    def __init__(self, catalog: Catalog, over: int | None) -> None:
        self._catalog = catalog
        self.over = over
        self._starts: list[int] = catalog.type_start.tolist()
        self.types: dict[tuple[str, bool | None], list[int]] = {}
        self.prices: dict[str, tuple[int, int]] = {}
        for kind, product_type in enumerate(catalog.types):
            for side, low, high in self._sides(kind):
                self.types.setdefault((product_type.return_class, side), []).append(kind)
                known = self.prices.get(product_type.return_class, (low, high))
                self.prices[product_type.return_class] = min(low, known[0]), max(high, known[1])
        counts = np.diff(catalog.variant_start)
        self.several = {
            (return_class, side)
            for (return_class, side), kinds in self.types.items()
            for first, end in map(self._rows_of, kinds)
            if (counts[first:end] > 1).mean() * 1000 >= _SIDE
        }
        self._rare_versions: dict[tuple[int, bool], Int64 | None] = {}

    def _sides(self, kind: int) -> list[tuple[bool | None, int, int]]:
        """The sides of the price window on which a type has goods, with the least and greatest price there."""
        first, end = self._catalog.variant_start[[self._starts[kind], self._starts[kind + 1]]].tolist()
        if first == end:
            return []
        prices = self._catalog.price[first:end]
        if self.over is None:
            return [(None, int(prices.min()), int(prices.max()))]
        found: list[tuple[bool | None, int, int]] = []
        # What was paid can be half of today's price.
        for side, part in ((False, prices[prices <= self.over]), (True, prices[prices > self.over * 2])):
            if len(part) * 1000 >= len(prices) * _SIDE:
                found.append((side, int(part.min()), int(part.max())))
        return found

    def _rows_of(self, kind: int) -> tuple[int, int]:
        """First product row of a type, and the row after its last."""
        return self._starts[kind], self._starts[kind + 1]

    def is_on(self, side: bool | None, price: int) -> bool:
        """Whether what was paid for something with this price today lies on a side, whatever it cost then."""
        return side is None or self.over is None or (price > 2 * self.over if side else price <= self.over)

    def any_of(self, draws: Draws, kind: int, side: bool | None) -> tuple[int, int]:
        """A variant of a type, likely on a side of the price, and its product row."""
        rare = self._rare(kind, side)
        if rare is None:
            start, end = self._rows_of(kind)
            row = start + draws.below(end - start)
            first, last = self._catalog.variant_start[row : row + 2].tolist()
            return first + draws.below(last - first), row
        variant = int(rare[draws.below(len(rare))])
        return variant, self._catalog.product_of(variant)

    def _rare(self, kind: int, side: bool | None) -> Int64 | None:
        """The versions of a type on a side of the price window; None where most are there, and any draw finds them."""
        if side is None or self.over is None:
            return None
        key = (kind, side)
        if key not in self._rare_versions:
            first, end = self._catalog.variant_start[[self._starts[kind], self._starts[kind + 1]]].tolist()
            prices = self._catalog.price[first:end]
            there = np.flatnonzero(prices > 2 * self.over if side else prices <= self.over).astype(np.int64)
            self._rare_versions[key] = None if 2 * len(there) >= len(prices) else there + first
        return self._rare_versions[key]


class Rulebook:
    """A policy ready for use.

    Args:
        policy: the shop's.
        goods: of the shop, parted at the policy's price.
        currency: of the document.
        today: the world's date.

    Attributes:
        text: the policy as a document.
        situations: of the policy.
        worth: below about this price a refund comes to nothing.
    """

    __slots__ = ("goods", "policy", "situations", "text", "worth")

    def __init__(self, policy: Policy, goods: Goods, currency: Currency, today: date) -> None:
        self.policy = policy
        self.goods = goods
        self.text = render_policy(policy, currency)
        self.situations = Situations(policy, today, goods.prices, goods.several)
        self.worth = 2 * max(
            (rule.amount or 0 for rule in policy.rules if isinstance(rule, Restocking | Postage)), default=0
        )
