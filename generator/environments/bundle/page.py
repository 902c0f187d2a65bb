"""The page of a wish for a set: a set that can be had, near misses of it, sold-out ones, and others."""

from collections.abc import Sequence
from dataclasses import dataclass, field

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
    _known: dict[tuple[int, int], Part | None] = field(default_factory=dict, init=False)

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
        slots = tuple(self._parts(slot) for slot in range(len(self.places)))
        links = tuple(link.slots for link in draft.links)
        return SetProblem(slots, links, draft.least, budget, draft.goal, draft.rated)

    def _parts(self, slot: int) -> tuple[Part, ...]:
        """The products shown that meet what is asked of a part; worked out once for each."""
        new = [place for place in self.places[slot] if (slot, place) not in self._known]
        if new:
            self._known.update(zip(((slot, place) for place in new), _parts(self.draft, slot, new), strict=True))
        found = (self._known[slot, place] for place in self.places[slot])
        return tuple(sorted(part for part in found if part is not None))


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


def _parts(draft: Draft, slot: int, places: Sequence[int]) -> list[Part | None]:
    """For each product what it is as a part, with its cheapest offer for each way to agree; None where it is none."""
    one = draft.slots[slot]
    page, catalog = one.page, one.page.catalog
    starts, counts = page.starts[places], page.counts[places]
    at = np.concatenate([np.arange(start, start + count) for start, count in zip(starts, counts, strict=True)])
    fits = page.in_stock[at]
    if one.found is not None:
        fits = fits & np.logical_and.reduce(one.found.met[:, at], axis=0)
    able, prices = fits.tolist(), page.of_variants(catalog.price)[at].tolist()
    texts: list[list[str | None]] = [[None] * len(able)] * len(draft.links)
    for link, codes in draft.codes_of(slot):
        known = draft.texts[link]
        texts[link] = [known[code] if code >= 0 else None for code in codes[at].tolist()]
    details = list(zip(*texts, strict=True)) if texts else [()] * len(able)
    ratings = page.of_products(catalog.rating)[places].tolist()
    found: list[Part | None] = []
    end = 0
    for product, count, rating in zip(catalog.product_ids(page.rows[places]), counts.tolist(), ratings, strict=True):
        start, end = end, end + count
        cheapest: dict[Details, int] = {}
        for price, values, fit in zip(prices[start:end], details[start:end], able[start:end], strict=True):
            if fit and price < cheapest.get(values, price + 1):
                cheapest[values] = price
        offers = sorted(
            (Offer(price, values) for values, price in cheapest.items()),
            key=lambda offer: (offer.price, [text or "" for text in offer.values]),
        )
        found.append(Part(product, 0 if rating == MISSING else rating, tuple(offers)) if offers else None)
    return found
