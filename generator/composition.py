"""Composing a scope: right products, decoys that break exactly one condition, sold-out ones, and others."""

from collections.abc import Sequence
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
        offer: place (among the page's variants) of the cheapest option in stock that meets all, or -1.
        met: for each condition and variant, whether it is met; shape (conditions, variants).
    """

    right: Bools
    sold_out: Bools
    buyable: Bools
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
    # Row 0: right; row 1: would be right but for stock; row 2: for sale; row 3 + c: right but for condition c.
    ways = np.empty((3 + len(conditions), len(page)), dtype=bool)
    ways[0] = whole & stock
    ways[1] = whole & ~stock
    ways[2] = stock
    ways[3:] = ~met & (stock & (broken == 1))
    by_product = np.logical_or.reduceat(ways, page.starts, axis=1)
    right = by_product[0]
    near = by_product[3:]
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
    return Sorted(right, sold_out, by_product[2], decoy, offer, met)


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
    free = np.ones(len(page.rows), dtype=bool)
    free[list(barred)] = False
    right = np.flatnonzero(found.right & free).tolist()
    # Fewer right ones than wanted will do: then all that fit are asked for, and fewer are named.
    if wanted.right and not right:
        return None
    chosen = draws.sample(right, wanted.right)
    sold_out = draws.sample(np.flatnonzero(found.sold_out & free).tolist(), wanted.sold_out)
    # With a single condition everything else breaks just that one, and nothing is a near miss.
    near = (found.decoy >= 0) & free & (len(found.met) > 1)
    # Where too few are sold out, other near misses take their place.
    decoys = _spread(near, found.decoy, wanted.decoys + wanted.sold_out - len(sold_out), draws)
    scope = chosen + sold_out + decoys[: wanted.total - len(chosen) - len(sold_out)]
    others = ~found.right & ~found.sold_out & ~near & free
    fill_up(scope, wanted.total, wanted.gone, [others, near], found.buyable, draws)
    fixed = len(chosen) + len(sold_out)
    if len(scope) < wanted.total or not _show(page, found, scope, fixed, must_show, barred):
        return None
    return draws.shuffle(scope)


def fill_up(scope: list[int], total: int, gone: int, pools: Sequence[Bools], buyable: Bools, draws: Draws) -> None:
    """Add places from the pools in turn until the scope has ``total``, ``gone`` of which have nothing in stock."""
    missing = max(0, gone - sum(not buyable[place] for place in scope))
    for pool in pools:
        if len(scope) >= total:
            return
        left = pool.copy()
        left[scope] = False
        sold = draws.sample(np.flatnonzero(left & ~buyable).tolist(), min(missing, total - len(scope)))
        missing -= len(sold)
        scope += sold
        scope += draws.sample(np.flatnonzero(left & buyable).tolist(), total - len(scope))
    for pool in pools:
        if len(scope) >= total:
            return
        # Fewer can be bought than the page needs: the rest is sold out.
        left = pool.copy()
        left[scope] = False
        scope += draws.sample(np.flatnonzero(left).tolist(), total - len(scope))


def _spread(near: Bools, broken: NDArray[np.int64], count: int, draws: Draws) -> list[int]:
    """Decoys that break each condition about equally often."""
    if count <= 0:
        return []
    places = np.flatnonzero(near)
    by_condition: dict[int, list[int]] = {}
    for place, condition in zip(places.tolist(), broken[places].tolist(), strict=True):
        by_condition.setdefault(condition, []).append(place)
    by_condition = {condition: draws.sample(held, count) for condition, held in sorted(by_condition.items())}
    chosen: list[int] = []
    while len(chosen) < count and by_condition:
        for condition in sorted(by_condition):
            chosen.append(by_condition[condition].pop())
            if not by_condition[condition]:
                del by_condition[condition]
            if len(chosen) == count:
                break
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
    wanted = [holders(page, key, value) for key, value in dict.fromkeys(must_show)]
    shown = np.zeros(len(page.rows), dtype=bool)
    shown[scope] = True
    swapped = False
    for having in wanted:
        if bool((having & shown).any()):
            continue
        able = having & ~found.right
        able[list(barred)] = False
        places = np.flatnonzero(able)
        if not len(places) or at < fixed:
            return False
        shown[scope[at]] = False
        scope[at] = int(places[0])
        shown[scope[at]] = True
        at -= 1
        swapped = True
    # A swap can have taken away what was shown before.
    return not swapped or all(bool((having & shown).any()) for having in wanted)
