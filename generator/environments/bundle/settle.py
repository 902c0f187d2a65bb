"""The budget of a wish for a set: between the prices of two sets on its page, such that greed is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.environments.bundle.draft import Draft
from ecomrlve.generator.environments.bundle.page import SetPage
from ecomrlve.generator.goals.amounts import nice
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.verifiers.sets import (
    Details,
    Part,
    Products,
    SetProblem,
    arrangement,
    cheapest_sets,
)

Bools = NDArray[np.bool_]

# How many sets are within the budget, where any is right or the cheapest, and where the best rated of them is.
_WITHIN, _WITHIN_RATED = (1, 3), (3, 6)
# What makes a set cost more by this part of the budget or less is a near miss.
_LITTLE = 10
# How often a product of a right set that greed finds is swapped for another.
_SWAPS = 12
# How often a part of a set within the budget is swapped where no set is to be had.
_SPOILS = 24


@dataclass(frozen=True, slots=True)
class Posable:
    """A page with its budget and its proven answer.

    Args:
        page: the products.
        problem: the sets on it.
        optimum: what the best of them reaches; None where none is within the budget.
        right: every right set.
        meant: the set that is answered, or the cheapest of all where none is right.
        price: what it costs.
        details: the details in which its parts agree.
    """

    page: SetPage
    problem: SetProblem
    optimum: int | None
    right: tuple[Products, ...]
    meant: Products
    price: int
    details: Details


def greedy_sets(problem: SetProblem) -> list[Products]:
    """What greed takes: for each slot in turn the cheapest part or the best rated, whether it fits or one that does.

    >>> from ecomrlve.generator.verifiers.sets import Offer, Part
    >>> lamps = (Part("L1", 40, (Offer(900, ("E14",)),)), Part("L2", 45, (Offer(950, ("E27",)),)))
    >>> bulbs = (Part("B1", 40, (Offer(90, ("E27",)),)), Part("B2", 40, (Offer(200, ("E14",)),)))
    >>> greedy_sets(SetProblem((lamps, bulbs), ((0, 1),), 2, 1_100, "any"))
    [('B1', 'L1'), ('B1', 'L2'), ('B2', 'L1'), ('B1', 'L2')]
    """
    found = []
    for fitting in (False, True):
        for by_rating in (False, True):
            taken: list[str] = []
            bound: dict[int, str | None] = {}
            for slot, parts in enumerate(problem.slots):
                own = [number for number, link in enumerate(problem.links) if slot in link]
                ways = [
                    (-part.rating if by_rating else 0, offer.price, part.product, offer)
                    for part in parts
                    for offer in part.offers
                    if not fitting
                    or all(offer.values[number] == bound.get(number, offer.values[number]) for number in own)
                ]
                if not ways:
                    break
                _, _, product, offer = min(ways, key=lambda way: way[:3])
                taken.append(product)
                bound.update((number, offer.values[number]) for number in own)
            found.append(tuple(sorted(taken)))
    return found


def settle(page: SetPage, linked: bool, impossible: bool, draws: Draws) -> Posable | None:
    """A budget and the sets that are right with it, where greed is wrong; None where the page has none such.

    Args:
        page: the products; some may be swapped.
        linked: whether greed has to be wrong.
        impossible: whether no set is to be had. The budget is drawn as if there were one, and then every set within it
            loses a part, so that neither the budget nor the prices tell.
        draws: randomness.
    """
    for _ in range(_SWAPS):
        posable = _budgeted(page, draws)
        if posable is None:
            return None
        caught = [found for found in greedy_sets(posable.problem) if found in posable.right] if linked else []
        if not caught:
            return _spoiled(page, posable.problem.budget, draws) if impossible else posable
        if not _swap_one(page, posable.problem, caught[0], True, draws):
            return None
    return None


def _budgeted(page: SetPage, draws: Draws) -> Posable | None:
    """A budget with which a few sets are to be had."""
    draft = page.draft
    open_problem = page.problem(0)
    if not all(open_problem.slots):
        return None
    low, high = _WITHIN_RATED if draft.goal == "rating" else _WITHIN
    ladder = cheapest_sets(open_problem, high + 1)
    budget = _budget([price for price, _ in ladder], low, high, draft.slots[0].page, draws)
    if budget is None:
        return None
    problem = replace(open_problem, budget=budget)
    # The budget lies below the price of the last one, so these are all the sets within it.
    optimum, right = _best([found for found in ladder if found[0] <= budget], problem)
    return _arranged(page, problem, optimum, right, draws.choice(right))


def _best(within: Sequence[tuple[int, Products]], problem: SetProblem) -> tuple[int, tuple[Products, ...]]:
    """Of all sets within the budget, what the best reach, and which they are."""
    if problem.goal == "any":
        return 0, tuple(sorted(products for _, products in within))
    stars = {part.product: part.rating for slot in problem.rated for part in problem.slots[slot]}
    reached = {
        products: price if problem.goal == "price" else sum(stars.get(product, 0) for product in products)
        for price, products in within
    }
    best = (min if problem.goal == "price" else max)(reached.values())
    return best, tuple(sorted(products for products, value in reached.items() if value == best))


def _spoiled(page: SetPage, budget: int, draws: Draws) -> Posable | None:
    """The same budget, with no set within it; the cheapest of all is the one meant. None where too little is left."""
    for _ in range(_SPOILS):
        problem = page.problem(budget)
        if not all(problem.slots):
            return None
        found = cheapest_sets(problem, 1)
        if not found:
            return None
        price, products = found[0]
        if price > budget:
            return _arranged(page, problem, None, (), products)
        if not _swap_one(page, problem, products, False, draws):
            return None
    return None


def _arranged(
    page: SetPage, problem: SetProblem, optimum: int | None, right: tuple[Products, ...], meant: Products
) -> Posable:
    arranged = arrangement(problem, chosen_parts(problem, meant))
    if arranged is None:
        raise AssertionError("a set that was found goes together")
    return Posable(page, problem, optimum, right, meant, *arranged)


def chosen_parts(problem: SetProblem, products: Sequence[str]) -> list[tuple[int, Part]]:
    """(slot, part) of the products of a set."""
    return [(slot, part) for slot, parts in enumerate(problem.slots) for part in parts if part.product in products]


def _budget(prices: list[int], low: int, high: int, page: Page, draws: Draws) -> int | None:
    """The most that a set may cost: between two sets' prices, so that a few sets are within it."""
    style = draws.below(10)
    steps = []
    for number in draws.shuffle(range(min(low, len(prices)), min(high, len(prices)) + 1)):
        least = prices[number - 1] if number else 0
        most = prices[number] - 1 if number < len(prices) else least + max(1, least // 20)
        if 0 < least <= most:
            steps.append((least, most))
    if not steps:
        return None
    if style < 6:
        minor = 10**page.catalog.currency.decimals
        for least, most in steps:
            whole = nice(Fraction(least, minor), True) * minor
            if whole.denominator == 1 and least <= whole <= most:
                return int(whole)
    least, most = steps[0]
    # One cent less than the next set costs; or to the cent what a set costs.
    return most if style < 9 else least


def _swap_one(page: SetPage, problem: SetProblem, products: Products, keep: bool, draws: Draws) -> bool:
    """Take one product of a set from the page; False where nothing can stand in its place.

    Args:
        page: the page.
        problem: the sets on it.
        products: the set.
        keep: whether the set that can be had for sure goes last: without it there may be none.
        draws: randomness.
    """
    spots = []
    for slot in draws.shuffle(range(len(page.places))):
        shelf = page.draft.slots[slot].page
        own = page.places[slot]
        names = shelf.catalog.product_ids(shelf.rows[own])
        spots += [(slot, place) for place, name in zip(own, names, strict=True) if name in products]
    # The last product that is left for a thing goes last: without it there is no set at all, at any price.
    spots.sort(key=lambda spot: (keep and page.is_own(*spot), len(problem.slots[spot[0]]) < 2))
    return any(page.swap(slot, place, draws) for slot, place in spots)


def chance_of(posable: Posable, shown: int) -> float:
    """The probability that a blind pick is right: so many of the things wanted, one product of each type.

    Args:
        posable: the page.
        shown: products on it; that nothing fits is one guess more than there are.
    """
    if not posable.right:
        return 1 / (shown + 1)
    sizes = [len(places) for places in posable.page.places]
    slot_of = {part.product: slot for slot, parts in enumerate(posable.problem.slots) for part in parts}
    by_count: dict[int, float] = {}
    for right in posable.right:
        blind = comb(len(sizes), len(right)) * prod(sizes[slot_of[product]] for product in right)
        by_count[len(right)] = by_count.get(len(right), 0.0) + 1 / blind
    return max(by_count.values())


def near_misses(posable: Posable) -> dict[tuple[int, int], str]:
    """(slot, place) of each product that could stand in the set meant but for one thing, and that thing.

    The thing is ``"stock"``, ``"budget"``, ``"link N"`` or ``"condition N"``; what would make the set cost far too much
    is no near miss.
    """
    draft = posable.page.draft
    meant = {product: slot for slot, parts in enumerate(posable.problem.slots) for part in parts
             if (product := part.product) in posable.meant}  # fmt: skip
    room = max(0, posable.problem.budget - posable.price)
    found: dict[tuple[int, int], str] = {}
    for slot, places in enumerate(posable.page.places):
        own = next((product for product, at in meant.items() if at == slot), None)
        if own is None:
            continue
        found.update(_near_in(posable, draft, slot, places, own, room))
    return found


def _near_in(
    posable: Posable, draft: Draft, slot: int, places: Sequence[int], own: str, room: int
) -> dict[tuple[int, int], str]:
    one = draft.slots[slot]
    page = one.page
    part = next(part for part in posable.problem.slots[slot] if part.product == own)
    links = [number for number, _ in draft.codes_of(slot)]
    price = min(
        offer.price
        for offer in part.offers
        if all(posable.details[number] in (None, offer.values[number]) for number in links)
    )
    prices = page.of_variants(page.catalog.price)
    within = prices <= price + room + posable.problem.budget // _LITTLE
    ways: list[tuple[str, Bools]] = [("stock", ~page.in_stock), ("budget", prices > price + room)]
    if one.found is not None:
        ways += [(f"condition {number}", ~met) for number, met in enumerate(one.found.met)]
    for number, codes in draft.codes_of(slot):
        detail = posable.details[number]
        if detail is not None and detail in draft.texts[number]:
            ways.append((f"link {number}", codes != draft.texts[number].index(detail)))
    broken = np.array([mask for _, mask in ways])
    count = np.add.reduce(broken, axis=0, dtype=np.int64)
    whole = np.logical_or.reduceat(count == 0, page.starts)
    near = (count == 1) & within
    which = broken.argmax(axis=0)
    ids = page.catalog.product_ids(page.rows[list(places)])
    found: dict[tuple[int, int], str] = {}
    for place, name in zip(places, ids, strict=True):
        start = int(page.starts[place])
        at = np.flatnonzero(near[start : start + int(page.counts[place])])
        if len(at) and not whole[place] and name != own:
            found[slot, place] = ways[int(which[start + int(at[0])])][0]
    return found
