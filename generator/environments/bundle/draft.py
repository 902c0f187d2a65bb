"""What a set is asked of: the things wanted, a set that can be had, what is asked of each part, and how they agree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.environments.bundle.projects import MOST, Project, ProjectShop
from ecomrlve.generator.goals.composition import Classification, classify
from ecomrlve.generator.goals.conditions import Condition, GoalDrawer, mentioned_values
from ecomrlve.generator.goals.shelves import department_vocabulary
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.verifiers.sets import Goal
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.conditions.vocabulary import Vocabulary

Ints = NDArray[np.int64]

# How much of a shelf one of m conditions on a part should let through, in thousandths.
_SHARE = (1000, 450, 600, 700)
_MOST_PER_PART = 3
# How often, in thousandths, parts share a detail although some of them fit each other already.
_SHARED_TOO = 350
# From so many conditions on, parts may share two details.
_SHARED_TWICE_FROM = 6
# Of so many versions one is taken that is neither the cheapest nor the dearest, so that near misses can be cheaper.
_TASTED = 5
# Weights of what a set is asked to be the best in: nothing, its price, its ratings, the rating of one part.
_GOALS = (35, 25, 20, 20)
# How often, in thousandths, only some of three things or more are needed.
_SOME = 220


@dataclass(frozen=True, slots=True)
class Link:
    """A detail in which parts have to agree.

    Args:
        slots: the parts.
        keys: for each of them the attribute.
        fit: whether the parts fit by it; else it is shared.
    """

    slots: tuple[int, ...]
    keys: tuple[str, ...]
    fit: bool


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing wanted.

    Args:
        kind: its product type.
        page: the products to choose from.
        target: the version of a set that can be had, as a place on the page.
        conditions: what is asked of it.
        found: the products sorted by the conditions, where there are any.
    """

    kind: int
    page: Page
    target: int
    conditions: tuple[Condition, ...]
    found: Classification | None


@dataclass(frozen=True, slots=True)
class Draft:
    """A wish for a set, before its page is composed.

    Args:
        project: what it is for.
        slots: the things wanted, in the order said.
        links: how they go together.
        texts: for each link, what each of its codes is on the page.
        codes: for each link and each of its slots, the codes of the page's versions; -1 where unknown.
        least: how many of the things are needed.
        goal: what the set should be the best in.
        rated: the slots whose ratings count.
        vocabulary: of the departments.
    """

    project: Project
    slots: tuple[Slot, ...]
    links: tuple[Link, ...]
    texts: tuple[tuple[str, ...], ...]
    codes: tuple[tuple[Ints, ...], ...]
    least: int
    goal: Goal
    rated: tuple[int, ...]
    vocabulary: Vocabulary

    def codes_of(self, slot: int) -> list[tuple[int, Ints]]:
        """(link, codes) of the links that a slot is part of."""
        return [
            (number, self.codes[number][link.slots.index(slot)])
            for number, link in enumerate(self.links)
            if slot in link.slots
        ]


def draw_draft(world: World, shop: ProjectShop, axes: Axes, draws: Draws, env: str) -> Draft | None:
    """A wish that the shop can meet, or None where the draws did not lead to one."""
    catalog = world.catalog
    count = min(axes.answers + 1, MOST)
    project = shop.choose(count, env, draws)
    kinds = _kinds(shop, project, count, draws)
    vocabulary = department_vocabulary(catalog, set(kinds))
    if not all(vocabulary.noun_is_clear(catalog.types[kind].key) for kind in kinds):
        return None
    pages = [shop.page(world, kind, draws) for kind in kinds]
    place = {kind: slot for slot, kind in enumerate(kinds)}
    links = [
        Link((place[fit.source], place[fit.target]), (fit.attribute, fit.target_attribute), True)
        for fit in shop.fits_among(kinds)
    ]
    # Without a detail to agree in, the cheapest of each would always be a set.
    needed = axes.constraints > 1 or axes.decoys > 0
    wanted = int(not links and needed) or int(axes.constraints > 1 and draws.chance(_SHARED_TOO))
    wanted += int(wanted > 0 and axes.constraints >= _SHARED_TWICE_FROM and draws.chance(500))
    links += _shared(pages, links, wanted, vocabulary, draws)
    goal, rated = _goal(pages, bool(links) or not needed, draws)
    least = count
    if goal != "rating" and count > 2 and draws.chance(_SOME):
        least = draws.between(2, count - 1)
    texts, codes = _codes(pages, links)
    targets = _targets(pages, links, codes, draws)
    if targets is None:
        return None
    spare = max(0, axes.constraints - 1 - sum(not link.fit for link in links))
    slots = _slots(pages, targets, links, spare, vocabulary, draws)
    if slots is None:
        return None
    return Draft(project, slots, tuple(links), texts, codes, least, goal, rated, vocabulary)


def _kinds(shop: ProjectShop, project: Project, count: int, draws: Draws) -> tuple[int, ...]:
    """The types wanted, in the order said; two that fit each other among them where there are such."""
    chosen: list[int] = []
    fits = shop.fits_among(project.kinds)
    if fits:
        fit = draws.choice(fits)
        chosen = [fit.source, fit.target]
    rest = [kind for kind in project.kinds if kind not in chosen]
    return tuple(draws.shuffle([*chosen, *draws.sample(rest, count - len(chosen))]))


def _goal(pages: Sequence[Page], linked: bool, draws: Draws) -> tuple[Goal, tuple[int, ...]]:
    rated = all(len(page.ordered("rating")) for page in pages)
    form = draws.weighted(_GOALS)
    if rated and (form >= 2 or not linked):
        every = tuple(range(len(pages)))
        return "rating", every if form == 2 else (draws.choice(every),)
    return ("price" if form % 2 else "any"), ()


def _shared(
    pages: Sequence[Page], links: Sequence[Link], wanted: int, vocabulary: Vocabulary, draws: Draws
) -> list[Link]:
    """Details that parts share: choices that two types or more have, and the brand."""
    if not wanted:
        return []
    catalog = pages[0].catalog
    taken = {key for link in links for key in link.keys}
    holders: dict[str, list[int]] = {}
    for slot, page in enumerate(pages):
        for key in ("brand", *catalog.types[int(page.types[0])].attributes):
            if key not in taken and catalog.attributes[key].kind == "choice":
                holders.setdefault(key, []).append(slot)
    found: list[Link] = []
    for key in draws.shuffle(sorted(holders)):
        slots = holders[key]
        if len(slots) > 1 and vocabulary.label_is_clear(key):
            some = slots if draws.chance(600) else sorted(draws.sample(slots, draws.between(2, len(slots))))
            if _in_common(pages, key, some):
                found.append(Link(tuple(some), (key,) * len(some), False))
        if len(found) == wanted:
            break
    return found


def _in_common(pages: Sequence[Page], key: str, slots: Sequence[int]) -> bool:
    """Whether two values or more are in stock for all the parts."""
    common = None
    for slot in slots:
        page = pages[slot]
        values = set(page.codes(key)[page.in_stock].tolist()) - {MISSING}
        common = values if common is None else common & values
    return len(common or ()) > 1


def _codes(
    pages: Sequence[Page], links: Sequence[Link]
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[Ints, ...], ...]]:
    """The texts of each link's details, and for each of its slots which of them each version has (-1: unknown)."""
    texts: list[tuple[str, ...]] = []
    codes: list[tuple[Ints, ...]] = []
    for link in links:
        known: dict[str, int] = {}
        own: list[Ints] = []
        for slot, key in zip(link.slots, link.keys, strict=True):
            page = pages[slot]
            shown = page.catalog.texts(key)
            # In rising order, as the search below needs them.
            given = list(page.frequencies(key))
            numbers = np.array([known.setdefault(shown[code], len(known)) for code in given] or [0], dtype=np.int64)
            column = page.codes(key)
            places = np.searchsorted(np.array(given or [0], dtype=np.int64), column).clip(0, len(numbers) - 1)
            own.append(np.where(column == MISSING, -1, numbers[places]))
        texts.append(tuple(known))
        codes.append(tuple(own))
    return tuple(texts), tuple(codes)


def _targets(
    pages: Sequence[Page], links: Sequence[Link], codes: Sequence[Sequence[Ints]], draws: Draws
) -> list[int] | None:
    """A version of each thing, all in stock, that go together; None where the draws led into a corner."""
    able = [page.in_stock.copy() for page in pages]
    for link, own in zip(links, codes, strict=True):
        common: set[int] | None = None
        for slot, column in zip(link.slots, own, strict=True):
            values = set(column[able[slot]].tolist()) - {-1}
            common = values if common is None else common & values
        known = sorted(common or ())
        for slot, column in zip(link.slots, own, strict=True):
            able[slot] &= np.isin(column, known)
    bound: dict[int, int] = {}
    targets = [-1] * len(pages)
    count = [sum(slot in link.slots for link in links) for slot in range(len(pages))]
    for slot in sorted(range(len(pages)), key=lambda slot: -count[slot]):
        mine = [(n, own[link.slots.index(slot)]) for n, (link, own) in enumerate(zip(links, codes, strict=True))
                if slot in link.slots]  # fmt: skip
        fits = able[slot]
        for number, column in mine:
            if number in bound:
                fits = fits & (column == bound[number])
        places = np.flatnonzero(fits)
        if not len(places):
            return None
        tasted = [int(places[draws.below(len(places))]) for _ in range(_TASTED)]
        prices = pages[slot].of_variants(pages[slot].catalog.price)
        tasted.sort(key=lambda at: (int(prices[at]), at))
        targets[slot] = tasted[_TASTED // 2]
        for number, column in mine:
            bound[number] = int(column[targets[slot]])
    return targets


def _slots(
    pages: Sequence[Page],
    targets: Sequence[int],
    links: Sequence[Link],
    spare: int,
    vocabulary: Vocabulary,
    draws: Draws,
) -> tuple[Slot, ...] | None:
    """The parts with what is asked of each: conditions that their versions meet, spread over them."""
    counts = [0] * len(pages)
    order = draws.shuffle(range(len(pages)))
    for number in range(min(spare, _MOST_PER_PART * len(pages))):
        counts[order[number % len(order)]] += 1
    found: list[Slot] = []
    for slot, (page, target) in enumerate(zip(pages, targets, strict=True)):
        taken = {key for link in links for at, key in zip(link.slots, link.keys, strict=True) if at == slot}
        drawer = GoalDrawer(page, target, draws, vocabulary)
        conditions: list[Condition] = []
        if counts[slot]:
            given = drawer.keys()
            for key in draws.shuffle([key for key in given if key not in taken and key not in ("price", "reviews")]):
                if len(conditions) == counts[slot]:
                    break
                node = drawer.true(key, _SHARE[counts[slot]])
                if node is not None:
                    conditions.append(Condition(node, (key,), mentioned_values(node)))
            if len(conditions) < counts[slot]:
                return None
        nodes = [condition.node for condition in conditions]
        kind = int(page.types[0])
        found.append(Slot(kind, page, target, tuple(conditions), classify(page, nodes) if nodes else None))
    return tuple(found)
