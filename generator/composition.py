"""Composing a scope: right products, decoys that break exactly one condition, sold-out ones, and others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.constraints import Node, evaluate

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Sorted:
    """What each product of a page is, for a list of conditions; arrays have one entry per product.

    Attributes:
        right: an option in stock meets all conditions.
        sold_out: an option meets all conditions, but none in stock, and nothing else would make it right.
        decoy: index of the one condition without which it would be right, or -1.
        offer: place (among the page's variants) of the cheapest option in stock that meets all, or -1.
        met: for each condition and variant, whether it is met; shape (conditions, variants).
    """

    right: Bools
    sold_out: Bools
    decoy: NDArray[np.int64]
    offer: NDArray[np.int64]
    met: Bools


def sort_products(page: Page, conditions: Sequence[Node]) -> Sorted:
    """Sort a page's products by how many conditions they break.

    A product is judged by its options: it is right if one option in stock meets every condition.
    """
    met = np.stack([evaluate(node, page)[0] for node in conditions])
    stock = page.catalog.stock[page.variants] > 0
    broken = len(conditions) - met.sum(axis=0)
    whole = broken == 0
    # Row 0: right; row 1: would be right but for stock; row 2 + c: would be right but for condition c.
    ways = np.empty((2 + len(conditions), len(page)), dtype=bool)
    ways[0] = whole & stock
    ways[1] = whole & ~stock
    ways[2:] = ~met & (stock & (broken == 1))
    by_product = np.logical_or.reduceat(ways, page.starts, axis=1)
    right = by_product[0]
    near = by_product[2:]
    count = near.sum(axis=0)
    sold_out = by_product[1] & ~right & (count == 0)
    decoy = np.where(~right & ~by_product[1] & (count == 1), near.argmax(axis=0), -1)
    offer = np.full(len(page.rows), -1, dtype=np.int64)
    places = np.flatnonzero(ways[0])
    if len(places):
        price = page.catalog.price[page.variants[places]]
        order = np.lexsort((places, price, page.products[places]))
        products = page.products[places][order]
        first = np.concatenate([[True], products[1:] != products[:-1]])
        offer[products[first]] = places[order][first]
    return Sorted(right, sold_out, decoy, offer, met)


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many products of each sort a scope should hold; ``total`` in all, ``sold_out_total`` of them not for sale."""

    total: int
    right: int
    decoys: int
    sold_out: int


def compose(
    page: Page,
    found: Sorted,
    wanted: Wanted,
    must_show: Sequence[tuple[str, str]],
    barred: frozenset[int],
    draws: Draws,
) -> list[int] | None:
    """Places of the products to show, in random order, or None where the page cannot fill the scope.

    Args:
        page: the shelf to choose from.
        found: its products, sorted.
        wanted: how many of each sort; decoys and sold-out ones may fall short, the total may not.
        must_show: (key, value) that the goal mentions and the page must hold.
        barred: places that may not be shown.
        draws: randomness.
    """

    def pool(mask: Bools) -> list[int]:
        return [place for place in np.flatnonzero(mask).tolist() if place not in barred]

    right = pool(found.right)
    if len(right) < wanted.right or (wanted.right and not right):
        return None
    chosen = draws.sample(right, wanted.right)
    sold_out = draws.sample(pool(found.sold_out), wanted.sold_out)
    near = pool(found.decoy >= 0)
    # Where too few are sold out, other near misses take their place.
    decoys = _spread(near, found.decoy, wanted.decoys + wanted.sold_out - len(sold_out), draws)
    others = pool(~found.right & ~found.sold_out & (found.decoy < 0))
    rest = wanted.total - len(chosen) - len(sold_out) - len(decoys)
    if rest < 0:
        decoys = decoys[: len(decoys) + rest]
        rest = 0
    fill = draws.sample(others, rest)
    if len(fill) < rest:
        taken = set(decoys)
        fill += draws.sample([place for place in near if place not in taken], rest - len(fill))
    if len(fill) < rest:
        return None
    scope = chosen + sold_out + decoys + fill
    if not _show(page, found, scope, len(chosen) + len(sold_out), must_show, barred):
        return None
    return draws.shuffle(scope)


def _spread(places: list[int], broken: NDArray[np.int64], count: int, draws: Draws) -> list[int]:
    """Decoys that break each condition about equally often."""
    by_condition: dict[int, list[int]] = {}
    for place in draws.shuffle(places):
        by_condition.setdefault(int(broken[place]), []).append(place)
    chosen: list[int] = []
    while len(chosen) < count and by_condition:
        for condition in sorted(by_condition):
            chosen.append(by_condition[condition].pop())
            if not by_condition[condition]:
                del by_condition[condition]
            if len(chosen) == count:
                break
    return chosen


def _show(
    page: Page,
    found: Sorted,
    scope: list[int],
    fixed: int,
    must_show: Sequence[tuple[str, str]],
    barred: frozenset[int],
) -> bool:
    """Swap products from the end of the scope, where it must be, so that every value mentioned is on the page."""
    at = len(scope) - 1
    for key, value in must_show:
        attribute = page.attribute(key)
        if attribute is None:
            return False
        holders = set(page.products[page.codes(key) == attribute.values.index(value)].tolist())
        if holders & set(scope):
            continue
        able = sorted(place for place in holders - barred - set(scope) if not found.right[place])
        if not able or at < fixed:
            return False
        scope[at] = able[0]
        at -= 1
    return True
