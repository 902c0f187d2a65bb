"""Second ways to every answer, written apart from the generator: one product, one line, one rule after another.

A solver gets the world and the task, looks at what is asked (`Task.goal`) and at which rows of the catalog are on the
page (`Task.evidence`), and returns every answer that is right in the form of the ``ground_truth``. No masks, no
sorting into decoys, nothing of `composition`, `goals` or `return_drafts`.
"""

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ecomrlve import Task, World
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.grammars.constraints import Node, from_json, holds, read_quantity
from tests.brute_force_return import accepted_answers

_facts: dict[tuple[int, int], dict[str, str]] = {}
_facts_of: list[Catalog] = []


def facts_of(catalog: Catalog, row: int, variant: int) -> dict[str, str]:
    """What the page says of a variant; kept, as thousands of tasks ask for the same ones."""
    if not _facts_of or _facts_of[0] is not catalog:
        _facts_of[:] = [catalog]
        _facts.clear()
    known = _facts.get((row, variant))
    if known is None:
        known = _facts[row, variant] = catalog.facts(row, variant)
    return known


def buyable(catalog: Catalog, rows: list[int], units: int = 1) -> Iterator[tuple[int, int, dict[str, str]]]:
    """(row, variant, facts) of everything on the page of which so many can be bought."""
    for row in rows:
        for variant in range(int(catalog.variant_start[row]), int(catalog.variant_start[row + 1])):
            if int(catalog.stock[variant]) >= units:
                yield row, variant, facts_of(catalog, row, variant)


# --- PD --------------------------------------------------------------------------------------------------------------


def solve_products(world: World, task: Task) -> dict[str, Any]:
    """PD: every buyable product of which a variant meets the tree; each ranked by its cheapest such variant."""
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
        amount = read_quantity(facts[key])[0] if key in facts else None
        sign = -1 if direction == "more" else 1
        places.append((amount is None, Fraction(0) if amount is None else sign * amount))
    return places


# --- CART ------------------------------------------------------------------------------------------------------------


def solve_cart(world: World, task: Task) -> dict[str, Any]:
    """CART: for every item asked for, all variants that it can mean; nothing at all where one of them has none."""
    catalog = world.catalog
    minor = 10**catalog.currency.decimals
    items = []
    for quantity, *parts in json.loads(task.goal)["items"]:
        nodes: list[Node] = [from_json(part) for part in parts]
        meant = [
            catalog.variant_id(variant, row)
            for row, variant, facts in buyable(catalog, task.evidence["rows"], quantity)
            if all(holds(node, facts, minor) is True for node in nodes)
        ]
        items.append({"variants": sorted(meant), "quantity": quantity})
    return {"items": items if all(item["variants"] for item in items) else []}


# --- RETURN ----------------------------------------------------------------------------------------------------------

NO_LINE = dict.fromkeys(("order", "line", "quantity", "rule", "refund_cents", "replacement")) | {"decision": "refuse"}


def solve_return(world: World, task: Task) -> dict[str, Any]:
    """RETURN: every line of every order that is as described, settled by the sentences of the shop's document."""
    return {"accepted": accepted_answers(task.evidence) or [NO_LINE]}
