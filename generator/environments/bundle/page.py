"""The page of a wish for a set: a set that can be had, near misses of it, sold-out ones, and others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.environments.bundle.draft import Draft
from ecomrlve.generator.goals.composition import holders
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.verifiers.sets import Details, Offer, Part, SetProblem
from ecomrlve.grammars.conditions.attributes import MISSING

# Sorts of products: the one of a set that can be had, cheaper ones like it, dearer ones like it, near misses, such as
# would be like it but are sold out, the rest.
_OWN, _CHEAPER, _LIKE, _NEAR, _GONE, _LIVE, _DEAD = range(7)
# More near misses are shown than are wanted, in percent: with the set that is meant in the end some are none.
_MORE = 115


@dataclass(slots=True)
class SetPage:
    """The products to show for each thing wanted, as places on its page, and what can be done with them.

    Args:
        draft: the wish.
        places: for each slot, the products shown.
        sorts: for each slot, the sort of each product of its page.
    """

    draft: Draft
    places: list[list[int]]
    sorts: list[NDArray[np.int64]]

    def is_own(self, slot: int, place: int) -> bool:
        """Whether a product is the part of the set that can be had for sure."""
        return bool(self.sorts[slot][place] == _OWN)

    def swap(self, slot: int, place: int, draws: Draws) -> bool:
        """Show another product in the stead of one, such as breaks more; False where there is none left."""
        known = set(self.places[slot])
        for sort in (_NEAR, _LIVE):
            others = [other for other in np.flatnonzero(self.sorts[slot] == sort).tolist() if other not in known]
            if others:
                self.places[slot][self.places[slot].index(place)] = draws.choice(others)
                return True
        return False

    def show(self, slot: int, wanted: Sequence[tuple[str, str | None]]) -> bool:
        """Have the products give some details, a choice or (None) any value; False where they can't."""
        page, places, sorts = self.draft.slots[slot].page, self.places[slot], self.sorts[slot]
        for pair in wanted:
            if not page.lacking(places, [pair]):
                continue
            able = holders(page, *pair) & (sorts > _LIKE)
            able[places] = False
            spare = [at for at, place in enumerate(places) if sorts[place] >= _LIVE]
            if not spare or not able.any():
                return False
            places[spare[-1]] = int(np.flatnonzero(able)[0])
        return not page.lacking(places, wanted)

    def problem(self, budget: int) -> SetProblem:
        """The sets on the page."""
        draft = self.draft
        slots = tuple(_parts(draft, slot, places) for slot, places in enumerate(self.places))
        links = tuple(link.slots for link in draft.links)
        return SetProblem(slots, links, draft.least, budget, draft.goal, draft.rated)


def compose_page(draft: Draft, axes: Axes, draws: Draws) -> SetPage | None:
    """The products to show: near misses of a set that can be had, sold-out ones, others; None where they don't suffice.

    Where the shop has fewer of the types wanted, the page has room left for others.
    """
    count, total = len(draft.slots), axes.candidates
    sizes = [total // count + (slot < total % count) for slot in range(count)]
    gone = (count * axes.out_of_stock * 2 // max(1, 1000 - axes.out_of_stock) + 1) // 2
    near = max(0, (total * axes.decoys * _MORE + 50_000) // 100_000 - gone)
    dead = draws.between(total // 12, total // 5)
    sorts = [_sorts(draft, slot) for slot in range(count)]
    held = [[int((mine == sort).sum()) for sort in range(_DEAD + 1)] for mine in sorts]
    gone_of = _allot(gone, [min(own[_GONE], size - 1) for own, size in zip(held, sizes, strict=True)])
    near_of = _allot(near, [min(own[_NEAR], size - 1) for own, size in zip(held, sizes, strict=True)])
    dead_of = _allot(dead, [own[_DEAD] for own in held])
    places: list[list[int]] = []
    for slot, size in enumerate(sizes):
        wanted = {_GONE: gone_of[slot], _NEAR: near_of[slot], _DEAD: dead_of[slot], _LIKE: 1 + size // 6}
        here = min(size, len(draft.slots[slot].page.rows))
        chosen = _choose(draft, slot, sorts[slot], here, wanted, axes.decoys > 0, draws)
        if chosen is None:
            return None
        places.append(chosen)
    return SetPage(draft, places, sorts)


def _allot(number: int, held: Sequence[int]) -> list[int]:
    """So many things taken in turn from several supplies.

    >>> _allot(5, [1, 0, 9])
    [1, 0, 4]
    """
    taken = [0] * len(held)
    while number > 0 and sum(taken) < sum(held):
        for place, most in enumerate(held):
            if taken[place] < most and number > 0:
                taken[place] += 1
                number -= 1
    return taken


def _broken(draft: Draft, slot: int, details: Sequence[int]) -> NDArray[np.int64]:
    """How many conditions each version breaks: those on its part, and the details of a set of the others."""
    one = draft.slots[slot]
    broken = np.zeros(len(one.page), dtype=np.int64)
    if one.found is not None:
        broken += len(one.conditions) - np.add.reduce(one.found.met, axis=0, dtype=np.int64)
    for link, codes in draft.codes_of(slot):
        broken += codes != details[link]
    return broken


def _sorts(draft: Draft, slot: int) -> NDArray[np.int64]:
    """The sort of each product of a slot's page, by the set that can be had."""
    one = draft.slots[slot]
    page = one.page
    details = [
        int(codes[0][draft.slots[link.slots[0]].target]) for link, codes in zip(draft.links, draft.codes, strict=True)
    ]
    broken = _broken(draft, slot, details)
    prices = page.of_variants(page.catalog.price)
    cheap = prices <= prices[one.target]
    stock = page.in_stock
    sorts = np.where(page.for_sale, _LIVE, _DEAD).astype(np.int64)
    # Later ones overrule: what is like the set's own part is no near miss.
    for sort, ways in (
        (_GONE, ~stock & (broken == 0) & cheap),
        (_NEAR, stock & (broken == 1) & cheap),
        (_LIKE, stock & (broken == 0)),
        (_CHEAPER, stock & (broken == 0) & (prices < prices[one.target])),
    ):
        sorts[np.logical_or.reduceat(ways, page.starts)] = sort
    sorts[page.products[one.target]] = _OWN
    return sorts


def _choose(
    draft: Draft, slot: int, sorts: NDArray[np.int64], size: int, wanted: dict[int, int], lures: bool, draws: Draws
) -> list[int] | None:
    """A slot's products: its own, so many of each sort, and others; every value that is asked for is among them."""
    one = draft.slots[slot]
    held: dict[int, list[int]] = {sort: np.flatnonzero(sorts == sort).tolist() for sort in range(_CHEAPER, _DEAD + 1)}
    scope = [int(one.page.products[one.target])]
    for sort in (_GONE, _NEAR, _LIKE, _DEAD):
        scope += draws.sample(held[sort], min(wanted[sort], size - len(scope)))
    # Where near misses are wanted, more of them come before what is like the set's own part.
    rest = (_LIVE, _NEAR, _LIKE, _DEAD) if lures else (_LIVE, _LIKE, _DEAD, _NEAR)
    for sort in (*rest, _GONE, _CHEAPER):
        if len(scope) < size:
            known = set(scope)
            scope += draws.sample([place for place in held[sort] if place not in known], size - len(scope))
    return scope if len(scope) == size else None


# --- the sets on it --------------------------------------------------------------------------------------------------


def _parts(draft: Draft, slot: int, places: Sequence[int]) -> tuple[Part, ...]:
    """The products shown that meet what is asked of a part, each with its cheapest offer for each way to agree."""
    one = draft.slots[slot]
    page, catalog = one.page, one.page.catalog
    fits = page.in_stock if one.found is None else page.in_stock & np.logical_and.reduce(one.found.met, axis=0)
    able, prices = fits.tolist(), page.of_variants(catalog.price).tolist()
    columns = {link: codes.tolist() for link, codes in draft.codes_of(slot)}
    links, texts = range(len(draft.links)), draft.texts
    starts, counts = page.starts.tolist(), page.counts.tolist()
    ratings = page.of_products(catalog.rating).tolist()
    ids = catalog.product_ids(page.rows[list(places)])
    found: list[Part] = []
    for place, product in zip(places, ids, strict=True):
        cheapest: dict[Details, int] = {}
        for at in range(starts[place], starts[place] + counts[place]):
            if able[at]:
                values = tuple(
                    texts[link][columns[link][at]] if link in columns and columns[link][at] >= 0 else None
                    for link in links
                )
                if prices[at] < cheapest.get(values, prices[at] + 1):
                    cheapest[values] = prices[at]
        if cheapest:
            offers = sorted(
                (Offer(price, values) for values, price in cheapest.items()),
                key=lambda offer: (offer.price, [text or "" for text in offer.values]),
            )
            rating = 0 if ratings[place] == MISSING else ratings[place]
            found.append(Part(product, rating, tuple(offers)))
    return tuple(sorted(found))
