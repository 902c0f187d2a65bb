"""Sets of parts that go together: what a set costs, and an exact search for the best, by branch and bound.

A problem has slots, each with the products that may fill it; a product comes in offers, each with a price and with the
details by which it goes together with the other parts. A set takes one product for each slot, or for as many as are
needed. The search knows the least that the slots still open will cost and the most that they can add to the ratings,
and leaves out whatever those bounds rule out; it never rounds, and so is exact.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, NamedTuple

Goal = Literal["any", "price", "rating"]
"""What is asked of a set beyond its conditions: nothing, the least price, or the best ratings."""

Products = tuple[str, ...]


class Offer(NamedTuple):
    """One way to buy a product: its price in minor units, and for each link its detail (None: unknown, or no part)."""

    price: int
    values: tuple[str | None, ...]


class Part(NamedTuple):
    """A product that may fill a slot: its identifier, its rating in tenths of a star, and its offers."""

    product: str
    rating: int
    offers: tuple[Offer, ...]


@dataclass(frozen=True, slots=True)
class SetProblem:
    """What a set of products has to meet.

    Args:
        slots: for each slot the parts that may fill it; no product stands in two slots.
        links: the slots of which all parts that are taken must agree in one detail; an unknown detail agrees with none.
        least: how many slots a set fills at least.
        budget: the most that a set may cost, minor units.
        goal: what a set must be the best in.
        rated: the slots whose ratings count, summed, where the goal is ``"rating"``.
    """

    slots: tuple[tuple[Part, ...], ...]
    links: tuple[tuple[int, ...], ...]
    least: int
    budget: int
    goal: Goal
    rated: tuple[int, ...] = ()


class _Way(NamedTuple):
    """An offer as the search takes it: its details only for the links that its slot is part of."""

    price: int
    rating: int
    product: str
    values: tuple[tuple[int, str], ...]


Details = tuple[str | None, ...]
"""For each link, the detail in which the parts of a set agree; None where fewer than two of them are taken."""

Visit = Callable[[int, int, Products, Details], tuple[float, int]]
"""From a set found (price, rating, products, details): the most that others may cost, and the least rating they need.
"""


class _Search:
    """One walk through all sets that the bounds leave."""

    def __init__(self, problem: SetProblem, limit: float, need: int, visit: Visit) -> None:
        self._limit, self._need, self._visit = limit, need, visit
        self._least = problem.least
        ways = [self._ways(problem, slot) for slot in range(len(problem.slots))]
        links = [sum(slot in link for link in problem.links) for slot in range(len(ways))]
        # Slots that others hang on come first, and of those the narrowest.
        order = sorted(range(len(ways)), key=lambda slot: (-links[slot], len(ways[slot]), slot))
        self._ways_of = [ways[slot] for slot in order]
        self._cheapest: list[list[float]] = [
            _sums([found[0].price if found else inf for found in self._ways_of[at:]]) for at in range(len(ways) + 1)
        ]
        most = [max([0, *(way.rating for way in found)]) for found in self._ways_of]
        self._most_rating = [sum(most[at:]) for at in range(len(ways) + 1)]
        self._bound: list[str | None] = [None] * len(problem.links)

    @staticmethod
    def _ways(problem: SetProblem, slot: int) -> list[_Way]:
        own = [link for link, slots in enumerate(problem.links) if slot in slots]
        found: dict[tuple[str, tuple[tuple[int, str], ...]], _Way] = {}
        for part in problem.slots[slot]:
            rating = part.rating if slot in problem.rated else 0
            for price, values in part.offers:
                # An unknown detail is one that no other part has.
                shown = tuple((link, f"\0{slot}" if (text := values[link]) is None else text) for link in own)
                known = found.get((part.product, shown))
                if known is None or price < known.price:
                    found[part.product, shown] = _Way(price, rating, part.product, shown)
        return sorted(found.values())

    def run(self) -> None:
        """Visit every set within the bounds, some of them at more than one price."""
        self._step(0, 0, 0, ())

    def _step(self, at: int, price: int, rating: int, taken: Products) -> None:
        wanted = self._least - len(taken)
        if at == len(self._ways_of):
            self._limit, self._need = self._visit(price, rating, taken, tuple(self._bound))
            return
        rest, more = self._cheapest[at + 1], self._most_rating[at + 1]
        if wanted - 1 < len(rest):
            for way in self._ways_of[at]:
                if price + way.price + rest[max(0, wanted - 1)] > self._limit:
                    break
                if rating + way.rating + more < self._need:
                    continue
                bound = self._bound
                if any(bound[link] is not None and bound[link] != text for link, text in way.values):
                    continue
                new = [link for link, _ in way.values if bound[link] is None]
                for link, text in way.values:
                    bound[link] = text
                self._step(at + 1, price + way.price, rating + way.rating, (*taken, way.product))
                for link in new:
                    bound[link] = None
        if max(0, wanted) < len(rest) and price + rest[max(0, wanted)] <= self._limit and rating + more >= self._need:
            self._step(at + 1, price, rating, taken)


def _sums(amounts: Iterable[float]) -> list[float]:
    """The least sum of none, one, two, … of some amounts."""
    sums: list[float] = [0]
    for amount in sorted(amounts):
        sums.append(sums[-1] + amount)
    return sums


def _named(products: Iterable[str]) -> Products:
    return tuple(sorted(products))


def cheapest_sets(problem: SetProblem, count: int, limit: float = inf) -> list[tuple[int, Products]]:
    """The ``count`` cheapest sets of parts that go together, as (price, sorted products), the cheapest first.

    The problem's own budget and goal are left aside; sets of one price come in alphabetical order.

    Args:
        problem: the parts.
        count: how many sets at most.
        limit: the most that a set may cost, minor units.

    >>> lamp = Part("LAMP", 45, (Offer(3000, ("E27",)),))
    >>> bulbs = (Part("B1", 40, (Offer(500, ("E14",)),)), Part("B2", 40, (Offer(700, ("E27",)),)))
    >>> cheapest_sets(SetProblem(((lamp,), bulbs), ((0, 1),), 2, 5000, "any"), 3)
    [(3700, ('B2', 'LAMP'))]
    """
    found: dict[Products, int] = {}

    def visit(price: int, rating: int, taken: Products, _: Details) -> tuple[float, int]:
        key = _named(taken)
        if price < found.get(key, inf):
            found[key] = price
        # Of more than are wanted, those of the last price are all kept until the end: the name decides among them.
        return (sorted(found.values())[count - 1] if len(found) >= count else limit), 0

    _Search(problem, limit, 0, visit).run()
    return sorted((price, products) for products, price in found.items())[:count]


def best_set(problem: SetProblem) -> tuple[int, Products] | None:
    """The best set within the budget and what it reaches: its price or rating, 0 where any will do; None without one.

    Of several that reach it, one that is as cheap as any.

    >>> part = Part("A", 40, (Offer(300, ()),)), Part("B", 45, (Offer(400, ()),))
    >>> best_set(SetProblem((part,), (), 1, 400, "rating", (0,)))
    (45, ('B',))
    """
    if problem.goal != "rating":
        found = cheapest_sets(problem, 1, problem.budget)
        return (found[0][0] if problem.goal == "price" else 0, found[0][1]) if found else None
    best: list[tuple[int, int, Products]] = []

    def visit(price: int, rating: int, taken: Products, _: Details) -> tuple[float, int]:
        best[:] = [min([*best, (-rating, price, _named(taken))])]
        return problem.budget, -best[0][0]

    _Search(problem, problem.budget, 0, visit).run()
    return (-best[0][0], best[0][2]) if best else None


def right_sets(problem: SetProblem, most: int) -> tuple[int | None, tuple[Products, ...]]:
    """What the best set reaches, and every set that reaches it: sorted products each, in alphabetical order.

    Args:
        problem: the parts and what is asked.
        most: how many sets are allowed.

    Raises:
        OverflowError: where there are more.

    >>> part = Part("A", 40, (Offer(300, ()),)), Part("B", 45, (Offer(400, ()),))
    >>> right_sets(SetProblem((part,), (), 1, 400, "any"), 10)
    (0, (('A',), ('B',)))
    """
    reached = best_set(problem)
    if reached is None:
        return None, ()
    best, _ = reached
    limit, need = (best, 0) if problem.goal == "price" else (problem.budget, best)
    found: set[Products] = set()

    def visit(price: int, rating: int, taken: Products, _: Details) -> tuple[float, int]:
        found.add(_named(taken))
        if len(found) > most:
            raise OverflowError(f"more than {most} sets are right")
        return limit, need

    _Search(problem, limit, need, visit).run()
    return best, tuple(sorted(found))


def arrangement(problem: SetProblem, chosen: Sequence[tuple[int, Part]]) -> tuple[int, Details] | None:
    """The least that some parts, (slot, part) each, cost together, and the details in which they then agree.

    None where they don't go together; a detail is None where fewer than two of the parts have to agree in it.
    """
    slots: list[tuple[Part, ...]] = [() for _ in problem.slots]
    for slot, part in chosen:
        slots[slot] = (part,)
    best: list[tuple[int, Details]] = []

    def visit(price: int, rating: int, taken: Products, details: Details) -> tuple[float, int]:
        best[:] = [(price, details)]
        return price - 1, 0

    _Search(SetProblem(tuple(slots), problem.links, len(chosen), 0, "any"), inf, 0, visit).run()
    if not best:
        return None
    price, details = best[0]
    taken = [sum(slot in link for slot, _ in chosen) for link in problem.links]
    return price, tuple(text if count > 1 else None for text, count in zip(details, taken, strict=True))
