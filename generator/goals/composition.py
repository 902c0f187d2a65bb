"""Composing a scope: right products, decoys that break exactly one condition, sold-out ones, and others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.conditions.constraints import Node, evaluate

Bools = NDArray[np.bool_]

# The share (thousandths) of a shelf that one of m conditions should let through, so that enough of the shelf breaks
# exactly one condition for the decoys that m's levels ask for, and enough breaks more for the rest of the page.
_SHARE = (1000, 300, 230, 520, 660, 750, 790, 830)


def share_of(conditions: int) -> int:
    """The share of a shelf, in thousandths, that each of so many conditions should let through.

    >>> share_of(1)
    300
    """
    return _SHARE[min(conditions, len(_SHARE) - 1)]


@dataclass(frozen=True, slots=True)
class Classification:
    """What each product of a page is, for a list of conditions; arrays have one entry per product.

    Attributes:
        right: an option in stock meets all conditions.
        sold_out: an option meets all conditions, but none in stock, and nothing else would make it right.
        decoy: index of the one condition without which it would be right, or -1.
        met: for each condition and variant, whether it is met; shape (conditions, variants).
    """

    right: Bools
    sold_out: Bools
    decoy: NDArray[np.int64]
    met: Bools


def classify(page: Page, conditions: Sequence[Node]) -> Classification:
    """Sort a page's products by how many conditions they break.

    A product is judged by its options: it is right if one option in stock meets every condition.
    """
    met = np.empty((len(conditions), len(page)), dtype=bool)
    for place, node in enumerate(conditions):
        met[place] = evaluate(node, page)[0]
    stock = page.in_stock
    broken = len(conditions) - np.add.reduce(met, axis=0, dtype=np.int64)
    whole = broken == 0
    # Of booleans, a < b is "b and not a".
    # Row 0: right; row 1: would be right but for stock; row 2 + c: right but for condition c.
    ways = np.empty((2 + len(conditions), len(page)), dtype=bool)
    ways[0] = whole & stock
    ways[1] = whole > stock
    ways[2:] = met < (stock & (broken == 1))
    by_product = np.logical_or.reduceat(ways, page.starts, axis=1)
    right, whole, near = by_product[0], by_product[0] | by_product[1], by_product[2:]
    count = np.add.reduce(near, axis=0, dtype=np.int64)
    sold_out = (count == 0) & (whole > right)
    decoy = np.where((count == 1) & ~whole, near.argmax(axis=0), -1)
    return Classification(right, sold_out, decoy, met)


def offer(page: Page, found: Classification, product: int) -> int:
    """Place, among the page's variants, of a right product's cheapest option in stock that meets all conditions."""
    start = int(page.starts[product])
    own = slice(start, start + int(page.counts[product]))
    stock, prices = page.in_stock[own].tolist(), page.of_variants(page.catalog.price)[own].tolist()
    fits: list[bool] = np.logical_and.reduce(found.met[:, own], axis=0).tolist()
    return min((price, start + at) for at, price in enumerate(prices) if fits[at] and stock[at])[1]


@dataclass(frozen=True, slots=True)
class ScopeMakeup:
    """How many products of each sort a scope should hold.

    Args:
        total: products in all.
        right: right ones.
        decoys: those that break exactly one condition.
        sold_out: those that meet all conditions but are sold out.
        gone: products of which nothing is in stock, whatever their sort: the same whether or not anything fits, so
            that the number of sold-out lines tells nothing.
    """

    total: int
    right: int
    decoys: int
    sold_out: int
    gone: int


def sold_out_beside(right: int, share: int) -> int:
    """How many sold-out products stand beside the right ones, so that they are a share of both.

    Args:
        right: how many are right.
        share: in thousandths.

    >>> sold_out_beside(3, 250)
    1
    """
    return (right * share * 2 // max(1, 1000 - share) + 1) // 2


def makeup(total: int, right: int, axes: Axes, draws: Draws, impossible: bool) -> ScopeMakeup:
    """The makeup of a scope by the axes.

    Args:
        total: products in all.
        right: right ones wanted, where something is to fit.
        axes: out_of_stock and decoys, and whether one condition is all there is.
        draws: randomness.
        impossible: nothing is to fit; as many are sold out as would be, and those that would fit as well.
    """
    right = max(1, min(right, total // 2))
    sold_out = sold_out_beside(right, axes.out_of_stock)
    gone = right + sold_out + draws.between(total // 12, total // 5)
    if impossible:
        right, sold_out = 0, sold_out + right
    decoys = max(0, min(total - right, (total * axes.decoys + 500) // 1000 - sold_out))
    if axes.constraints == 1:
        decoys = 0
    return ScopeMakeup(total, right, decoys, min(sold_out, total - right - decoys), min(gone, total - right))


def compose(
    page: Page,
    found: Classification,
    wanted: ScopeMakeup,
    must_show: Sequence[tuple[str, str | None]],
    barred: frozenset[int],
    draws: Draws,
) -> list[int] | None:
    """Places of the products to show, in random order, or None where the page cannot fill the scope.

    Args:
        page: the shelf to choose from.
        found: its products, sorted.
        wanted: how many of each sort; decoys and sold-out ones may fall short, the total may not.
        must_show: (key, value) that the goal mentions and the page must hold; None stands for any value.
        barred: places that may not be shown.
        draws: randomness.
    """
    shelf = _Shelf(found, page.for_sale, barred)
    # Fewer right ones than wanted will do: then all that fit are asked for, and fewer are named.
    if wanted.right and not shelf.right:
        return None
    chosen = draws.sample(shelf.right, wanted.right)
    sold_out = draws.sample(shelf.sold_out, wanted.sold_out)
    # Where too few are sold out, other near misses take their place.
    decoys = _spread(shelf.near, wanted.decoys + wanted.sold_out - len(sold_out), draws)
    scope = chosen + sold_out + decoys[: wanted.total - len(chosen) - len(sold_out)]
    missing = max(0, wanted.gone - sum(not page.for_sale[place] for place in scope))
    scope += draws.sample(shelf.dead, min(missing, wanted.total - len(scope)))
    scope += draws.sample(shelf.live, wanted.total - len(scope))
    if len(scope) < wanted.total:
        # Too little breaks several conditions: more near misses, then whatever there is.
        known = set(scope)
        near = sorted(place for held in shelf.near.values() for place in held if place not in known)
        scope += draws.sample(near, wanted.total - len(scope))
        scope += draws.sample([place for place in shelf.dead if place not in known], wanted.total - len(scope))
    fixed = len(chosen) + len(sold_out)
    if len(scope) < wanted.total or not _show(page, found, scope, fixed, must_show, barred):
        return None
    return draws.shuffle(scope)


class _Shelf:
    """Places of a page's products by sort.

    Attributes:
        right: those that fit.
        sold_out: those that would fit, were they in stock.
        near: those that break one condition, by condition.
        live: others of which something is in stock.
        dead: others of which nothing is.
    """

    def __init__(self, found: Classification, for_sale: Bools, barred: frozenset[int]) -> None:
        conditions = len(found.met)
        sorts = np.where(for_sale, 2, 3)
        if conditions > 1:
            # With a single condition everything else breaks just that one, and nothing is a near miss.
            near = found.decoy >= 0
            sorts[near] = 4 + found.decoy[near]
        sorts[found.sold_out] = 1
        sorts[found.right] = 0
        sorts[list(barred)] = 4 + conditions
        places: list[int] = sorts.argsort(kind="stable").tolist()
        ends = np.bincount(sorts, minlength=5 + conditions).cumsum().tolist()
        parts = [places[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        self.right, self.sold_out, self.live, self.dead, *by_condition, _ = parts
        self.near = dict(enumerate(by_condition))


def _spread(near: Mapping[int, list[int]], count: int, draws: Draws) -> list[int]:
    """Decoys that break each condition about equally often."""
    if count <= 0:
        return []
    left = [draws.sample(held, count) for _, held in sorted(near.items()) if held]
    chosen: list[int] = []
    while left:
        for held in left:
            chosen.append(held.pop())
            if len(chosen) == count:
                return chosen
        left = [held for held in left if held]
    return chosen


def holders(page: Page, key: str, value: str | None) -> Bools:
    """Which products give a detail: the value, or any where it is None."""
    codes = page.codes(key)
    attribute = page.attribute(key)
    given = codes != MISSING if value is None or attribute is None else codes == attribute.code_of(value)
    found = np.zeros(len(page.rows), dtype=bool)
    found[page.products[given]] = True
    return found


def _show(
    page: Page,
    found: Classification,
    scope: list[int],
    fixed: int,
    must_show: Sequence[tuple[str, str | None]],
    barred: frozenset[int],
) -> bool:
    """Swap products from the end of the scope, where it must be, so that everything mentioned is on the page."""
    at = len(scope) - 1
    wanted = list(dict.fromkeys(must_show))
    if not page.lacking(scope, wanted):
        return True
    for pair in wanted:
        if not page.lacking(scope, [pair]):
            continue
        able = holders(page, *pair) & ~found.right
        able[[*barred, *scope]] = False
        places = np.flatnonzero(able)
        if not len(places) or at < fixed:
            return False
        scope[at] = int(places[0])
        at -= 1
    # A swap can have taken away what was shown before.
    return not page.lacking(scope, wanted)
