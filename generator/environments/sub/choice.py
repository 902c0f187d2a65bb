"""The page around a request for a substitute: which products to show, and which of them are best."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.environments.sub.draft import Draft
from ecomrlve.generator.goals.composition import Classification, classify, compose, makeup, offer
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.conditions.constraints import AllOf, Node

# How often one, two, three or four products would do.
_RIGHT = (30, 30, 25, 15)
# On a page of so many more products, one more may be as good as the best.
_PER_TIE = 20
# Of the near misses, so many in four would be better than the best, did they not miss.
_TEMPTING = 3
_LAST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Choice:
    """A page as composed.

    Attributes:
        scope: places of the products shown, in order.
        best: places of the best substitutes; none where nothing comes near enough.
        right: how many would do.
        found: all products of the shelf, sorted by what they break.
        nodes: the conditions that ``found`` counts.
    """

    scope: list[int]
    best: list[int]
    right: int
    found: Classification
    nodes: list[Node]
    off: int


def choose(
    draft: Draft, axes: Axes, draws: Draws, impossible: bool, must_show: list[tuple[str, str | None]]
) -> Choice | None:
    """Compose the page; None where the shelf cannot fill it."""
    page = draft.page
    nodes = draft.checked()
    if axes.constraints == 1:
        # What breaks the one condition, or is of a type that cannot stand in, is no near miss.
        nodes = [AllOf(tuple(nodes))]
    found = classify(page, nodes)
    unfit = {draft.product} if draft.bought else _namesakes(draft)
    places = [place for place in np.flatnonzero(found.right).tolist() if place not in unfit]
    if not places:
        return None
    total = axes.candidates - (not draft.bought)
    if not total:
        return None
    count = max(1, min(total // 2, 1 + draws.weighted(_RIGHT)))
    chosen, best = _would_do(draft, found, draws.sample(places, count), axes)
    if not best:
        return None
    barred = unfit | set(places)
    shelf = found
    if impossible:
        # As many of the same types and in stock, so that the page has what a page with substitutes has.
        filling = _others_like(page, found, chosen, barred, draws)
        right = np.zeros(len(page.rows), dtype=bool)
        right[filling] = True
        shelf = replace(found, right=right, sold_out=found.sold_out & ~right, decoy=np.where(right, -1, found.decoy))
    else:
        barred -= set(chosen)
    wanted = makeup(total, len(chosen), axes, draws, impossible=False)
    barred |= _untempting(draft, shelf, best[0], wanted.decoys, barred, draws)
    scope = compose(page, shelf, wanted, must_show, frozenset(barred), draws)
    if scope is None:
        return None
    near = int(((found.decoy >= 0) | found.sold_out)[scope].sum())
    if not draft.bought:
        scope.insert(draws.below(len(scope) + 1), draft.product)
    off = abs(wanted.decoys + wanted.sold_out - near) if axes.constraints > 1 else 0
    if impossible:
        return Choice(scope, [], 0, found, nodes, off)
    return Choice(scope, best, len(chosen), found, nodes, off)


def _would_do(draft: Draft, found: Classification, sample: list[int], axes: Axes) -> tuple[list[int], list[int]]:
    """The products that would do, and the best of them: few enough; none where the best lacks what is compared."""
    ranks = {place: rank(draft, found, place) for place in sample}
    first = min(ranks.values())
    if first[0]:
        return [], []
    best = [place for place in sample if ranks[place] == first]
    surplus = best[1 + axes.candidates // _PER_TIE :]
    return [place for place in sample if place not in surplus], [place for place in best if place not in surplus]


def _others_like(page: Page, found: Classification, chosen: list[int], barred: set[int], draws: Draws) -> list[int]:
    """For each of some products another one of its type that is for sale and would not do, where there is one."""
    free = page.for_sale & ~found.right
    free[list(barred)] = False
    filling: list[int] = []
    for place in chosen:
        alike = free & (page.types == page.types[place])
        alike[filling] = False
        plain = np.flatnonzero(alike & (found.decoy < 0))
        pool = plain if len(plain) else np.flatnonzero(alike)
        if len(pool):
            filling.append(int(pool[draws.below(len(pool))]))
    return filling


def rank(draft: Draft, found: Classification, place: int) -> tuple[int, ...]:
    """Sort key of a product that would do: smaller is better, a missing detail last."""
    page = draft.page
    best = offer(page, found, place)
    key: list[int] = []
    for name, first in draft.preference:
        codes = page.codes(name)
        code = int(codes[best])
        if code == MISSING:
            key += [1, 0]
        elif first == "near":
            key += [0, abs(code - int(codes[draft.target]))]
        else:
            key += [0, -code if first == "more" else code]
    return tuple(key)


def _untempting(
    draft: Draft, found: Classification, best: int, decoys: int, barred: set[int], draws: Draws
) -> set[int]:
    """Near misses that would come behind the best even if they did not miss, but for some: they are not shown."""
    page = draft.page
    if not decoys:
        return set()
    standing = _standing(draft)
    near = found.decoy >= 0
    near[list(barred)] = False
    behind = near & (standing > standing[best])
    few = np.flatnonzero(behind).tolist()
    ahead = int(near.sum()) - len(few)
    kept = max(decoys // (_TEMPTING + 1), decoys - ahead)
    # The page has to be filled all the same.
    room = len(page.rows) - len(barred) - 2 * decoys
    return set(draws.sample(few, max(0, min(len(few) - kept, room))))


def _standing(draft: Draft) -> NDArray[np.int64]:
    """For each product of the page roughly how it comes by the first detail of the preference: smaller is better."""
    page = draft.page
    key, first = draft.preference[0]
    codes = page.codes(key).astype(np.int64)
    known = codes != MISSING
    if key == "price":
        known &= page.in_stock
    by = np.abs(codes - int(codes[draft.target])) if first == "near" else -codes if first == "more" else codes
    found: NDArray[np.int64] = np.minimum.reduceat(np.where(known, by, _LAST), page.starts)
    return found


def _namesakes(draft: Draft) -> set[int]:
    """Places of the products that go by the title of what was wanted, itself among them."""
    page, catalog = draft.page, draft.page.catalog
    if catalog.series is not None:
        same = page.types == draft.kind
        for column in (catalog.brand, catalog.series):
            own = page.of_products(column)
            same &= own == own[draft.product]
        return set(np.flatnonzero(same).tolist())
    title = draft.title.casefold()
    return {place for place, row in enumerate(page.rows.tolist()) if catalog.title(row).casefold() == title}
