"""SUB: every product on the page looked at one by one, and held beside what was wanted."""

import json
from collections.abc import Iterator
from fractions import Fraction
from math import inf
from typing import Any

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.proofs.base import Answer, Edits, EnvironmentProof, buyable, facts_of, operators, shown
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.constraints import Node, Related, from_json, holds, parse_quantity

Standing = tuple[float | Fraction, ...]


def solve_substitutes(world: World, task: Task) -> dict[str, Any]:
    """Whatever no other product that would do comes before."""
    standings = _standings(world, task)
    first = min(standings.values(), default=())
    return {"accepted": sorted(name for name, standing in standings.items() if standing == first)}


def _standings(world: World, task: Task) -> dict[str, Standing]:
    """How every product that would do compares with what was wanted, by identifier; smaller is better."""
    catalog, known = world.catalog, task.evidence
    wanted = facts_of(catalog, known["row"], known["variant"])
    price = int(catalog.price[known["variant"]])
    keep = [from_json(node) for node in known["keep"]]
    kinds, minor = _stand_in(catalog, known["row"]), 10**catalog.currency.decimals
    cheapest: dict[int, tuple[int, dict[str, str]]] = {}
    for row, variant, facts in buyable(catalog, known["rows"]):
        if row == known["row"] or facts["type"] not in kinds:
            continue
        cost = int(catalog.price[variant])
        if not _is_near(cost, price, known["tolerance"]) or not all(
            _keeps(node, facts, wanted, minor) for node in keep
        ):
            continue
        if row not in cheapest or cost < cheapest[row][0]:
            cheapest[row] = cost, facts
    preference = json.loads(task.goal)["preference"]
    return {
        catalog.product_id(row): tuple(_behind(facts, wanted, key, first) for key, first in preference)
        for row, (_, facts) in cheapest.items()
    }


def _stand_in(catalog: Catalog, row: int) -> set[str]:
    """The nouns of the types that can stand in for a product's, by the edges of the graph."""
    kind = catalog.types[catalog.type_of(row)]
    targets = {edge.target for edge in catalog.edges if edge.kind == "substitutes" and edge.source == kind.key}
    return {other.singular for other in catalog.types if other.key in targets or other is kind}


def _is_near(cost: int, price: int, tolerance: list[Any] | None) -> bool:
    """Whether a price is within the tolerance of what was wanted, worked out in hundredths of a minor unit."""
    if tolerance is None:
        return True
    amount, unit, above_only = Fraction(tolerance[0]), *tolerance[1:]
    allowed = amount * (price if unit == "%" else 100)
    over = 100 * (cost - price)
    return over <= allowed if above_only else abs(over) <= allowed


def _keeps(node: Node, facts: dict[str, str], wanted: dict[str, str], minor: int) -> bool:
    """Whether a product meets a condition that may speak of what was wanted."""
    if isinstance(node, Related):
        return node.key in facts and facts[node.key].casefold() == wanted[node.key].casefold()
    return holds(node, facts, minor) is True


def _behind(facts: dict[str, str], wanted: dict[str, str], key: str, first: str) -> float | Fraction:
    """How far behind the best possible a product is in one detail."""
    if key not in facts:
        return inf
    amount = parse_quantity(facts[key])[0]
    if first == "near":
        return abs(amount - parse_quantity(wanted[key])[0])
    return -amount if first == "more" else amount


def _is_right(found: Answer, given: Answer) -> bool:
    names: list[str] = given["products"]
    return not names if not found["accepted"] else any(names == [name] for name in found["accepted"])


def _guesses(task: Task, draws: Draws) -> Iterator[Answer]:
    names = shown(task)
    yield {"products": names[:1]}
    while True:
        yield {"products": [draws.choice(names)]}


def _edits(world: World, task: Task, answer: Answer) -> Edits:
    for name, lack in task.notes:
        if lack == "it is what was wanted":
            yield "what was wanted itself", {"products": [name]}
        else:
            yield "near miss in its place", {"products": [name]}
        yield "near miss added", {"products": [*answer["products"], name]}
    standings = _standings(world, task)
    for name in standings:
        if name not in answer["products"]:
            yield "another that would do", {"products": [name]}


def _places(task: Task, answer: Answer) -> Iterator[tuple[int, int]]:
    names = shown(task)
    accepted: list[str] = json.loads(task.ground_truth)["accepted"]
    for name in accepted:
        yield names.index(name), len(names)


PROOF = EnvironmentProof(
    env="SUB",
    solve=solve_substitutes,
    right=_is_right,
    nothing={"products": []},
    template='{"products": ["id"]}',
    guesses=_guesses,
    everything=lambda task: {"products": shown(task)},
    edits=_edits,
    operators=operators(
        "products",
        *("products neighbour", "products another"),
        *("what was wanted itself", "near miss in its place", "near miss added", "another that would do"),
        without=("neighbours swapped",),
    ),
    places=_places,
)
