"""PD: every product on the page looked at one by one."""

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ecomrlve.generator.proofs.base import Answer, Edits, EnvironmentProof, buyable, operators, shown
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.constraints import from_json, holds, parse_quantity


def solve_products(world: World, task: Task) -> dict[str, Any]:
    """Every buyable product of which a variant meets the tree; each ranked by its cheapest such variant."""
    catalog, goal = world.catalog, json.loads(task.goal)
    minor = 10**catalog.currency.decimals
    tree = from_json(goal["conditions"])
    offers: dict[int, tuple[int, dict[str, str]]] = {}
    for row, variant, facts in buyable(catalog, task.evidence["rows"]):
        price = int(catalog.price[variant])
        if holds(tree, facts, minor) is True and (row not in offers or price < offers[row][0]):
            offers[row] = (price, facts)
    ranked = [catalog.product_id(row) for row in offers]
    place = {catalog.product_id(row): _places(facts, goal["criterion"]) for row, (_, facts) in offers.items()}
    ranked.sort(key=lambda name: (*place[name], name))
    return {"ranking": ranked[: goal["count"]]}


def _places(facts: dict[str, str], criterion: list[list[str]]) -> list[tuple[bool, Fraction]]:
    places = []
    for key, direction in criterion:
        amount = parse_quantity(facts[key])[0] if key in facts else None
        sign = -1 if direction == "more" else 1
        places.append((amount is None, Fraction(0) if amount is None else sign * amount))
    return places


def _products_guesses(task: Task, draws: Draws) -> Iterator[Answer]:
    names, count = shown(task), int(task.axes["answers"])
    yield {"products": names[:count]}
    while True:
        yield {"products": draws.sample(names, count)}


def _products_edits(world: World, task: Task, answer: Answer) -> Edits:
    products = answer["products"]
    for name, _ in task.notes:
        for place in range(len(products)):
            yield "decoy in its place", {"products": [*products[:place], name, *products[place + 1 :]]}
        yield "decoy added", {"products": [*products, name]}
    if len(products) > 1:
        yield "the worst first", {"products": products[::-1]}
        yield "the first only", {"products": products[:1]}


def _products_places(task: Task, answer: Answer) -> Iterator[tuple[int, int]]:
    names = shown(task)
    for name in answer["products"]:
        yield names.index(name), len(names)


PROOF = EnvironmentProof(
    env="PD",
    solve=solve_products,
    right=lambda found, given: bool(found["ranking"] == given["products"]),
    nothing={"products": []},
    template='{"products": ["id"]}',
    guesses=_products_guesses,
    everything=lambda task: {"products": shown(task)},
    edits=_products_edits,
    operators=operators(
        "products",
        *("products neighbour", "products another"),
        *("decoy in its place", "decoy added", "the worst first", "the first only"),
    ),
    places=_products_places,
)
