"""CART: every version on the page held against every description."""

import json
import re
from collections.abc import Iterator
from typing import Any

from ecomrlve.generator.proofs.base import Answer, Edits, EnvironmentProof, buyable, operators, shown
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.constraints import Node, from_json, holds


def solve_cart(world: World, task: Task) -> dict[str, Any]:
    """For every item asked for, all variants that it can mean; nothing at all where one of them has none."""
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


def _cart_right(found: Answer, given: Answer) -> bool:
    left = {name: item["quantity"] for item in found["items"] for name in item["variants"]}
    siblings = {name: item["variants"] for item in found["items"] for name in item["variants"]}
    for item in given["items"]:
        if item["variant"] not in left or not isinstance(item["quantity"], int) or item["quantity"] < 1:
            return False
        for name in siblings[item["variant"]]:
            left[name] -= item["quantity"]
    return all(units == 0 for units in left.values())


def _cart_guesses(task: Task, draws: Draws) -> Iterator[Answer]:
    names, count = shown(task), int(task.axes["answers"])
    yield {"items": [{"variant": name, "quantity": 1} for name in names[:count]]}
    while True:
        yield {"items": [{"variant": name, "quantity": draws.between(1, 4)} for name in draws.sample(names, count)]}


def _cart_edits(world: World, task: Task, answer: Answer) -> Edits:
    items, catalog = answer["items"], world.catalog
    of = {
        catalog.variant_id(variant, row): row
        for row in task.evidence["rows"]
        for variant in range(int(catalog.variant_start[row]), int(catalog.variant_start[row + 1]))
    }
    for place, item in enumerate(items):
        others = [name for name in of if of[name] == of[item["variant"]] and name != item["variant"]]
        for name in others[:6]:
            yield (
                "another version",
                {"items": [*items[:place], {**item, "variant": name}, *items[place + 1 :]]},
            )
        yield "asked for twice", {"items": [*items, item]}
        if item["quantity"] > 1:
            yield "one of each", {"items": [*items[:place], {**item, "quantity": 1}, *items[place + 1 :]]}
    decoys = {name for name, _ in task.notes}
    for name in [name for name, row in of.items() if catalog.product_id(row) in decoys][:8]:
        for place, item in enumerate(items):
            yield (
                "decoy in its place",
                {"items": [*items[:place], {**item, "variant": name}, *items[place + 1 :]]},
            )
    if len(items) > 1 and items[0]["quantity"] != items[1]["quantity"]:
        first, second, *rest = items
        swapped = [first | {"quantity": second["quantity"]}, second | {"quantity": first["quantity"]}]
        yield "quantities swapped", {"items": [*swapped, *rest]}


def _cart_places(task: Task, answer: Answer) -> Iterator[tuple[int, int]]:
    # Products, not variants: those with many variants would crowd the middle of the list.
    owner = product_of(task)
    products = list(dict.fromkeys(owner.values()))
    for product in dict.fromkeys(owner[item["variant"]] for item in answer["items"]):
        yield products.index(product), len(products)


def product_of(task: Task) -> dict[str, str]:
    """Variant to product, as the lines of the page have them."""
    found: dict[str, str] = {}
    product = ""
    for line in task.prompt[0]["content"].split("\n"):
        if line.startswith("  - ") and product:
            found[line[4:10]] = product
        elif re.match(r"[A-Z][A-Z0-9]{5} \| ", line):
            product = line[:6]
            found[product] = product
    return found


def _cart_same(answer: Answer) -> Iterator[Answer]:
    for place, item in enumerate(answer["items"]):
        if item["quantity"] > 1:
            rest = [*answer["items"][:place], *answer["items"][place + 1 :]]
            ones = [{**item, "quantity": 1}] * item["quantity"]
            yield {"items": [*rest, *ones]}
            yield {"items": [{**item, "quantity": 1}, *rest, {**item, "quantity": item["quantity"] - 1}]}


PROOF = EnvironmentProof(
    env="CART",
    solve=solve_cart,
    right=_cart_right,
    nothing={"items": []},
    template='{"items": [{"variant": "id", "quantity": 1}]}',
    guesses=_cart_guesses,
    everything=lambda task: {"items": [{"variant": name, "quantity": 1} for name in shown(task)]},
    edits=_cart_edits,
    # The order of a cart is nobody's business, so swapping neighbours spoils nothing.
    operators=operators(
        "items",
        *("variant neighbour", "variant another", "variant emptied", "quantity emptied"),
        *("quantity one more", "quantity one less", "quantity tenfold", "quantity negated"),
        *("another version", "asked for twice", "one of each", "decoy in its place", "quantities swapped"),
        without=("neighbours swapped",),
    ),
    places=_cart_places,
    same=_cart_same,
)
