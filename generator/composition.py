"""Composing a scope: right products, decoys that break exactly one condition, sold-out ones, and others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.attributes import MISSING
from ecomrlve.grammars.constraints import Node, evaluate

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Sorted:
    """What each product of a page is, for a list of conditions; arrays have one entry per product.

    Attributes:
        right: an option in stock meets all conditions.
        sold_out: an option meets all conditions, but none in stock, and nothing else would make it right.
        buyable: something of it is in stock.
        decoy: index of the one condition without which it would be right, or -1.
        met: for each condition and variant, whether it is met; shape (conditions, variants).
    """

    right: Bools
    sold_out: Bools
    buyable: Bools
    decoy: NDArray[np.int64]
    met: Bools


def sort_products(page: Page, conditions: Sequence[Node]) -> Sorted:
    """Sort a page's products by how many conditions they break.

    A product is judged by its options: it is right if one option in stock meets every condition.
    """
    met = np.empty((len(conditions), len(page)), dtype=bool)
    for place, node in enumerate(conditions):
        met[place] = evaluate(node, page)[0]
    stock = page.of_variants(page.catalog.stock) > 0
    broken = len(conditions) - np.add.reduce(met, axis=0, dtype=np.int64)
    whole = broken == 0
    # Of booleans, a < b is "b and not a".
    # Row 0: right; row 1: would be right but for stock; row 2: for sale; row 3 + c: right but for condition c.
    ways = np.empty((3 + len(conditions), len(page)), dtype=bool)
    ways[0] = whole & stock
    ways[1] = whole > stock
    ways[2] = stock
    ways[3:] = met < (stock & (broken == 1))
    by_product = np.logical_or.reduceat(ways, page.starts, axis=1)
    right, whole, near = by_product[0], by_product[0] | by_product[1], by_product[3:]
    count = np.add.reduce(near, axis=0, dtype=np.int64)
    sold_out = (count == 0) & (whole > right)
    decoy = np.where((count == 1) & ~whole, near.argmax(axis=0), -1)
    return Sorted(right, sold_out, by_product[2], decoy, met)


def offer(page: Page, found: Sorted, product: int) -> int:
    """Place, among the page's variants, of a right product's cheapest option in stock that meets all conditions."""
    start = int(page.starts[product])
    own = slice(start, start + int(page.counts[product]))
    stock, prices = (page.of_variants(column)[own].tolist() for column in (page.catalog.stock, page.catalog.price))
    fits: list[bool] = np.logical_and.reduce(found.met[:, own], axis=0).tolist()
    return min((price, start + at) for at, price in enumerate(prices) if fits[at] and stock[at])[1]


@dataclass(frozen=True, slots=True)
class Wanted:
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


def compose(
    page: Page,
    found: Sorted,
    wanted: Wanted,
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
    shelf = _Shelf(found, barred)
    # Fewer right ones than wanted will do: then all that fit are asked for, and fewer are named.
    if wanted.right and not shelf.right:
        return None
    chosen = draws.sample(shelf.right, wanted.right)
    sold_out = draws.sample(shelf.sold_out, wanted.sold_out)
    # Where too few are sold out, other near misses take their place.
    decoys = _spread(shelf.near, wanted.decoys + wanted.sold_out - len(sold_out), draws)
    scope = chosen + sold_out + decoys[: wanted.total - len(chosen) - len(sold_out)]
    near = sorted(place for held in shelf.near.values() for place in held)
    fill_up(scope, wanted.total, wanted.gone, (shelf.others, near), shelf.buyable, draws)
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
        others: the rest.
        buyable: for each place, whether anything of the product is in stock.
    """

    def __init__(self, found: Sorted, barred: frozenset[int]) -> None:
        self.right: list[int] = []
        self.sold_out: list[int] = []
        self.near: dict[int, list[int]] = {condition: [] for condition in range(len(found.met))}
        self.others: list[int] = []
        self.buyable: list[bool] = found.buyable.tolist()
        # With a single condition everything else breaks just that one, and nothing is a near miss.
        several = len(found.met) > 1
        sorts = zip(found.right.tolist(), found.sold_out.tolist(), found.decoy.tolist(), strict=True)
        for place, (right, sold_out, decoy) in enumerate(sorts):
            if place in barred:
                continue
            if right:
                self.right.append(place)
            elif sold_out:
                self.sold_out.append(place)
            elif several and decoy >= 0:
                self.near[decoy].append(place)
            else:
                self.others.append(place)


def fill_up(
    scope: list[int], total: int, gone: int, pools: Sequence[list[int]], buyable: Sequence[bool], draws: Draws
) -> None:
    """Add places from the pools in turn until the scope has ``total``, ``gone`` of which have nothing in stock."""
    missing = max(0, gone - sum(not buyable[place] for place in scope))
    for pool in pools:
        if len(scope) >= total:
            return
        known = set(scope)
        left = [place for place in pool if place not in known]
        sold = draws.sample([place for place in left if not buyable[place]], min(missing, total - len(scope)))
        missing -= len(sold)
        scope += sold
        scope += draws.sample([place for place in left if buyable[place]], total - len(scope))
    for pool in pools:
        # Fewer can be bought than the page needs: the rest is sold out.
        known = set(scope)
        scope += draws.sample([place for place in pool if place not in known], max(0, total - len(scope)))


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
    found: Sorted,
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
