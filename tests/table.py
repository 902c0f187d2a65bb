"""One row per environment: its second solver, its blind guesses and the edits of an answer that are special to it.

Everything else in the laws is common to all environments. An environment that is registered without a row here fails
`test_every_environment_has_a_row`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ecomrlve import Task, World
from ecomrlve.generator.randomness import Draws
from tests.second_solvers import NO_LINE, solve_cart, solve_products, solve_return

Answer = dict[str, Any]
Edits = Iterator[tuple[str, Answer]]


@dataclass(frozen=True)
class Row:
    """What the laws need to know of one environment.

    Args:
        solve: the second solver; gives the members of the ``ground_truth`` that say what is right.
        right: whether a well-formed answer is one of those that the second solver found.
        nothing: the answer that says that nothing fits.
        template: the reply form of the prompt, unfilled.
        guesses: blind legal answers, the one that takes the first of everything first.
        everything: the answer that names all candidates.
        edits: edits that only this environment has, as (operator, answer).
        operators: names of all operators that must have cases, of `answers.edits` too.
        places: (place, how many there are) of each right candidate among those it could be taken for.
        reader: module and name of the function that reads the customer's turns.
        same: other spellings of an answer that mean the same, beside those that every environment has.
    """

    solve: Callable[[World, Task], Answer]
    right: Callable[[Answer, Answer], bool]
    nothing: Answer
    template: str
    guesses: Callable[[Task, Draws], Iterator[Answer]]
    everything: Callable[[Task], Answer]
    edits: Callable[[World, Task, Answer], Edits]
    operators: frozenset[str]
    places: Callable[[Task, Answer], Iterator[tuple[int, int]]]
    reader: tuple[str, str]
    same: Callable[[Answer], Iterator[Answer]] = lambda answer: iter(())


def shown(task: Task) -> list[str]:
    """Identifiers on the page, in the order in which the ``ground_truth`` has them."""
    names: list[str] = json.loads(task.ground_truth)["shown"]
    return names


# --- PD --------------------------------------------------------------------------------------------------------------


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


# --- CART ------------------------------------------------------------------------------------------------------------


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
    for product in {owner[item["variant"]] for item in answer["items"]}:
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


# --- RETURN ----------------------------------------------------------------------------------------------------------


def _return_right(found: Answer, given: Answer) -> bool:
    for accepted in found["accepted"]:
        if accepted["order"] is None:
            if [given[key] for key in ("order", "line", "rule", "decision")] == [None, None, None, "refuse"]:
                return True
            continue
        plain = dict(given)
        if given["decision"] == "refuse" and given["refund_cents"] == 0:
            plain["refund_cents"] = None
        if plain == accepted:
            return True
    return False


def _by_sort(task: Task) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """(order, line) pairs, rules and versions of a page, in the order shown."""
    pairs = [(order.order_id, line.line_id) for order in task.evidence["draft"].orders for line in order.lines]
    rules = [name for name in shown(task) if name[1:].isdigit() and name[0] == "R" and len(name) < 5]
    known = {name for pair in pairs for name in pair} | set(rules)
    return pairs, rules, [name for name in shown(task) if name not in known]


def _return_guesses(task: Task, draws: Draws) -> Iterator[Answer]:
    pairs, rules, versions = _by_sort(task)
    (order, line), rule = pairs[-1], rules[0]
    yield _return(order, line, 1, "refuse", rule, None, None)
    prices = [line.unit_price for order in task.evidence["draft"].orders for line in order.lines]
    while True:
        order, line = draws.choice(pairs)
        decision = draws.choice(("refund", "exchange", "refuse"))
        refund = None if decision == "refuse" else draws.choice(prices) if decision == "refund" else 0
        version = draws.choice(versions) if decision == "exchange" else None
        yield _return(order, line, draws.choice((1, 1, 2)), decision, draws.choice(rules), refund, version)


def _return(
    order: str, line: str, quantity: int, decision: str, rule: str, refund: int | None, version: str | None
) -> Answer:
    return {
        "order": order,
        "line": line,
        "quantity": quantity,
        "decision": decision,
        "rule": rule,
        "refund_cents": refund,
        "replacement": version,
    }


def _return_everything(task: Task) -> Answer:
    pairs, rules, versions = _by_sort(task)
    return {
        "order": ", ".join(order for order, _ in pairs),
        "line": ", ".join(line for _, line in pairs),
        "quantity": 1,
        "decision": "refund, exchange, refuse",
        "rule": ", ".join(rules),
        "refund_cents": 0,
        "replacement": ", ".join(versions),
    }


def _return_edits(world: World, task: Task, answer: Answer) -> Edits:
    pairs, rules, versions = _by_sort(task)
    near = {name for name, _ in task.notes}
    for order, line in pairs:
        moved = {**answer, "order": order, "line": line}
        if answer["line"] is None:
            yield "a line where none fits", {**moved, "quantity": 1, "rule": rules[0]}
        elif line != answer["line"]:
            yield (
                "decoy line"
                if line in near
                else "another line of its order"
                if order == answer["order"]
                else ("a line of another order"),
                moved,
            )
    if answer["line"] is None:
        yield "a rule where none fits", {**answer, "rule": rules[-1]}
        yield "a refund where none fits", {**answer, "decision": "refund", "refund_cents": 0}
        return
    for rule in rules:
        if rule != answer["rule"]:
            yield "another rule", {**answer, "rule": rule}
    lines = [line for order in task.evidence["draft"].orders for line in order.lines if line.line_id == answer["line"]]
    for decision in ("refund", "exchange", "refuse"):
        if decision != answer["decision"]:
            refund = None if decision == "refuse" else lines[0].unit_price * answer["quantity"]
            version = versions[0] if decision == "exchange" else None
            yield "another decision", {**answer, "decision": decision, "refund_cents": refund, "replacement": version}
    full = lines[0].unit_price * answer["quantity"]
    if answer["decision"] == "refund" and full != answer["refund_cents"]:
        yield "the full price", {**answer, "refund_cents": full}
    if answer["decision"] == "exchange":
        yield "money the other way", {**answer, "refund_cents": -answer["refund_cents"]}
        for version in versions:
            if version != answer["replacement"]:
                yield "another version", {**answer, "replacement": version}
    yield "nothing like it", dict(NO_LINE)


def _return_places(task: Task, answer: Answer) -> Iterator[tuple[int, int]]:
    for order in task.evidence["draft"].orders:
        names = [line.line_id for line in order.lines]
        if answer["line"] in names:
            yield names.index(answer["line"]), len(names)


def _return_same(answer: Answer) -> Iterator[Answer]:
    if answer["decision"] == "refuse":
        yield {key: value for key, value in answer.items() if key not in ("refund_cents", "replacement")}
        yield {**answer, "refund_cents": 0, "replacement": None}
    if answer["line"] is None:
        yield {"order": None, "line": None, "rule": None, "decision": "refuse"}
    yield {**answer, "decision": f" {answer['decision'].title()} "}


# --- the table -------------------------------------------------------------------------------------------------------

_LISTS = ("dropped", "repeated", "added", "emptied", "neighbours swapped")


def _operators(key: str, *more: str, without: Sequence[str] = ()) -> frozenset[str]:
    return frozenset({f"{key} {edit}" for edit in _LISTS if edit not in without} | set(more))


_RETURN_KEYS: Mapping[str, tuple[str, ...]] = {
    "order": ("neighbour", "another", "emptied", "filled"),
    "line": ("neighbour", "another", "emptied", "filled"),
    "rule": ("neighbour", "another", "emptied", "filled"),
    "replacement": ("neighbour", "another", "emptied", "filled"),
    "quantity": ("one more", "one less", "tenfold", "negated", "emptied"),
    "refund_cents": ("one more", "one less", "tenfold", "negated", "emptied", "filled"),
    "decision": ("emptied",),
}

ROWS: Mapping[str, Row] = {
    "PD": Row(
        solve=solve_products,
        right=lambda found, given: bool(found["ranking"] == given["products"]),
        nothing={"products": []},
        template='{"products": ["id"]}',
        guesses=_products_guesses,
        everything=lambda task: {"products": shown(task)},
        edits=_products_edits,
        operators=_operators(
            "products",
            *("products neighbour", "products another"),
            *("decoy in its place", "decoy added", "the worst first", "the first only"),
        ),
        places=_products_places,
        reader=("ecomrlve.generator.environments.pd", "read_shopping"),
    ),
    "CART": Row(
        solve=solve_cart,
        right=_cart_right,
        nothing={"items": []},
        template='{"items": [{"variant": "id", "quantity": 1}]}',
        guesses=_cart_guesses,
        everything=lambda task: {"items": [{"variant": name, "quantity": 1} for name in shown(task)]},
        edits=_cart_edits,
        # The order of a cart is nobody's business, so swapping neighbours spoils nothing.
        operators=_operators(
            "items",
            *("variant neighbour", "variant another", "variant emptied", "quantity emptied"),
            *("quantity one more", "quantity one less", "quantity tenfold", "quantity negated"),
            *("another version", "asked for twice", "one of each", "decoy in its place", "quantities swapped"),
            without=("neighbours swapped",),
        ),
        places=_cart_places,
        reader=("ecomrlve.generator.environments.cart", "read_cart"),
        same=_cart_same,
    ),
    "RETURN": Row(
        solve=solve_return,
        right=_return_right,
        nothing=NO_LINE,
        template='{"order": "id", "line": "id", "quantity": 1, "decision": "refund", "rule": "id", '
        '"refund_cents": 1999, "replacement": null}',
        guesses=_return_guesses,
        everything=_return_everything,
        edits=_return_edits,
        operators=frozenset(f"{key} {edit}" for key, edits in _RETURN_KEYS.items() for edit in edits)
        | {
            *("decoy line", "another line of its order", "a line of another order", "another rule"),
            *("another decision", "the full price", "money the other way", "another version", "nothing like it"),
            *("a line where none fits", "a rule where none fits", "a refund where none fits"),
        },
        places=_return_places,
        reader=("ecomrlve.generator.environments.return_answer", "read_return"),
        same=_return_same,
    ),
}
