"""The search for sets: against enumeration, and against another solver's integer programs."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecomrlve import verify
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import dumps
from ecomrlve.generator.verifiers.sets import (
    Goal,
    Offer,
    Part,
    SetProblem,
    arrangement,
    best_set,
    cheapest_sets,
    right_sets,
)

GOALS: tuple[Goal, ...] = ("any", "price", "rating")
MANY = 10_000


def drawn(draws: Draws, slots: int, parts: int, fewest: int = 0) -> SetProblem:
    """A random problem: small numbers, so that ties and exact budgets are common; now and then nothing fills a slot."""
    links = tuple(
        tuple(sorted(draws.sample(range(slots), draws.between(2, slots))))
        for _ in range(draws.below(3) if slots > 1 else 0)
    )
    filled = tuple(
        tuple(
            Part(f"P{slot}{letter}", draws.between(30, 50), offers(draws, len(links)))
            for letter in "ABCDEFGH"[: draws.between(fewest if draws.chance(50) else 1, parts)]
        )
        for slot in range(slots)
    )
    least = draws.between(1, slots) if draws.chance(300) else slots
    rated = tuple(sorted(draws.sample(range(slots), draws.between(1, slots))))
    goal = draws.choice(GOALS)
    return SetProblem(filled, links, least, draws.between(0, 25 * slots), goal, rated if goal == "rating" else ())


def offers(draws: Draws, links: int) -> tuple[Offer, ...]:
    """One to three different offers."""
    found = (
        Offer(draws.between(1, 30), tuple(draws.choice(("a", "b", "c", None)) for _ in range(links)))
        for _ in range(draws.between(1, 3))
    )
    return tuple(dict.fromkeys(found))


def every_set(problem: SetProblem) -> dict[tuple[str, ...], tuple[int, int]]:
    """Every set that goes together within the budget, with its least price and its rating, by looking at all."""
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    choices = [[None, *((part, offer) for part in slot for offer in part.offers)] for slot in problem.slots]
    for chosen in product(*choices):
        taken = [(slot, *one) for slot, one in enumerate(chosen) if one is not None]
        price = sum(offer.price for _, _, offer in taken)
        if len(taken) < problem.least or price > problem.budget:
            continue
        for link, slots in enumerate(problem.links):
            values = [offer.values[link] for slot, _, offer in taken if slot in slots]
            if len(values) > 1 and (None in values or len(set(values)) > 1):
                break
        else:
            key = tuple(sorted(part.product for _, part, _ in taken))
            rating = sum(part.rating for slot, part, _ in taken if slot in problem.rated)
            found[key] = (min(price, found.get(key, (price, 0))[0]), rating)
    return found


def right_by_enumeration(problem: SetProblem) -> tuple[int | None, tuple[tuple[str, ...], ...]]:
    found = every_set(problem)
    if not found:
        return None, ()
    if problem.goal == "any":
        return 0, tuple(sorted(found))
    reached = {key: price if problem.goal == "price" else rating for key, (price, rating) in found.items()}
    best = (min if problem.goal == "price" else max)(reached.values())
    return best, tuple(sorted(key for key, value in reached.items() if value == best))


@given(seed=st.integers(0, 2**31), slots=st.integers(1, 4))
def test_the_search_finds_what_looking_at_every_set_finds(seed: int, slots: int) -> None:
    problem = drawn(Draws(seed, "sets"), slots, 3)
    assert right_sets(problem, MANY) == right_by_enumeration(problem)
    prices = sorted((price, key) for key, (price, _) in every_set(problem).items())
    for count in (1, 3):
        assert cheapest_sets(problem, count, problem.budget) == prices[:count]


def truth_of(problem: SetProblem, optimum: int | None) -> dict[str, Any]:
    """The ground truth of a problem, with one product more on the page."""
    slots = [[[part.product, part.rating, [[offer.price, *offer.values] for offer in part.offers]] for part in slot]
             for slot in problem.slots]  # fmt: skip
    shown = [part.product for slot in problem.slots for part in slot] + ["OTHER"]
    return {
        "env": "BUNDLE", "version": 1, "slots": slots, "links": [list(link) for link in problem.links],
        "least": problem.least, "budget": problem.budget, "goal": problem.goal, "rated": list(problem.rated),
        "optimum": optimum, "shown": shown,
    }  # fmt: skip


@given(seed=st.integers(0, 2**31), slots=st.integers(1, 3))
def test_every_right_set_is_accepted_and_every_other_rejected(seed: int, slots: int) -> None:
    problem = drawn(Draws(seed, "judged"), slots, 3, fewest=1)
    optimum, right = right_by_enumeration(problem)
    truth = dumps(truth_of(problem, optimum))
    names = [[None, "OTHER", *(part.product for part in slot)] for slot in problem.slots]
    for chosen in product(*names):
        given_ = [name for name in chosen if name is not None]
        verdict = verify(truth, dumps({"products": given_[::-1]}))
        wanted = tuple(sorted(given_)) in right or not (given_ or right)
        assert verdict.correct == wanted, (problem, given_, verdict)
        assert 0 <= verdict.score <= 1 and set(verdict.parts) == {"products", "together"}


@pytest.mark.parametrize("goal", ["price", "rating"])
def test_the_optimum_is_that_of_integer_programming(goal: Goal) -> None:
    """HiGHS, by way of scipy, on a thousand random instances of up to six slots for each goal."""
    optimize = pytest.importorskip("scipy.optimize", reason="scipy is in the extra 'test'")
    solved = 0
    for seed in range(1_000):
        draws = Draws(seed, "programs", goal)
        problem = drawn(draws, draws.between(2, 6), 7)
        rated = tuple(range(0, len(problem.slots), 2)) if goal == "rating" else ()
        problem = replace(problem, goal=goal, rated=rated)
        found = by_program(problem, optimize)
        reached = best_set(problem)
        assert (reached and reached[0]) == found, (seed, problem)
        solved += found is not None
    assert solved > 300


def by_program(problem: SetProblem, optimize: Any) -> int | None:
    """The optimum by an integer program: one variable for each offer, one for each value of each link."""
    ways = [(slot, part, offer) for slot, parts in enumerate(problem.slots) for part in parts for offer in part.offers]
    if not ways:
        return None
    values = [
        sorted({offer.values[link] or f"unknown {slot}" for slot, _, offer in ways if slot in slots})
        for link, slots in enumerate(problem.links)
    ]
    switches = [(link, value) for link, known in enumerate(values) for value in known]
    size = len(ways) + len(switches)
    rows: list[np.ndarray[Any, Any]] = []
    low: list[float] = []
    high: list[float] = []

    def constrain(coefficients: dict[int, float], least: float, most: float) -> None:
        row = np.zeros(size)
        for place, amount in coefficients.items():
            row[place] = amount
        rows.append(row)
        low.append(least)
        high.append(most)

    for slot in range(len(problem.slots)):
        constrain({at: 1 for at, way in enumerate(ways) if way[0] == slot}, 0, 1)
    constrain(dict.fromkeys(range(len(ways)), 1.0), problem.least, len(problem.slots))
    constrain({at: way[2].price for at, way in enumerate(ways)}, 0, problem.budget)
    for link, slots in enumerate(problem.links):
        own = {value: len(ways) + at for at, (on, value) in enumerate(switches) if on == link}
        constrain(dict.fromkeys(own.values(), 1.0), 0, 1)
        for slot in slots:
            for value, switch in own.items():
                fits = [at for at, (on, _, offer) in enumerate(ways)
                        if on == slot and (offer.values[link] or f"unknown {slot}") == value]  # fmt: skip
                constrain({**dict.fromkeys(fits, 1.0), switch: -1}, -1, 0)
    costs = np.zeros(size)
    for at, (slot, part, offer) in enumerate(ways):
        costs[at] = offer.price if problem.goal == "price" else -part.rating if slot in problem.rated else 0
    done = optimize.milp(
        costs,
        constraints=optimize.LinearConstraint(np.array(rows), low, high),
        integrality=np.ones(size),
        bounds=optimize.Bounds(0, 1),
    )
    if not done.success:
        return None
    reached = float(done.fun)
    return round(reached if problem.goal == "price" else -reached)


def test_what_some_parts_cost_together() -> None:
    lamp = Part("LAMP", 40, (Offer(500, ("E27",)), Offer(400, ("E14",))))
    bulb, other = Part("BULB", 40, (Offer(90, ("E27",)),)), Part("OTHER", 40, (Offer(10, (None,)),))
    problem = SetProblem(((lamp,), (bulb, other)), ((0, 1),), 2, 0, "any")
    assert arrangement(problem, [(0, lamp), (1, bulb)]) == (590, ("E27",))
    assert arrangement(problem, [(0, lamp), (1, other)]) is None
    assert arrangement(problem, [(0, lamp)]) == (400, (None,))
