"""RETURN: every line of every order held against the description, and settled by the shop's document alone."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ecomrlve.generator.proofs.base import Answer, Edits, EnvironmentProof, shown
from ecomrlve.generator.proofs.returns.document import Document, read_document, settle
from ecomrlve.generator.proofs.words import has_words
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import World

NO_LINE = dict.fromkeys(("order", "line", "quantity", "rule", "refund_cents", "replacement")) | {"decision": "refuse"}


def _is_meant(reference: Any, order: Any, orders: Any) -> bool:
    if reference is None:
        return True
    kind, *rest = reference
    newest_first = sorted(orders, key=lambda one: one.placed, reverse=True)
    if kind == "last":
        return bool(order is newest_first[0])
    if kind == "before last":
        return bool(order is newest_first[1])
    if kind == "month":
        return (order.placed.year, order.placed.month) == tuple(rest)
    return bool(rest[0] == (order.placed if kind == "placed" else order.delivered))


def _version(catalog: Any, row: int, bought: int, differs: Any) -> int:
    """The version that differs from the one bought in just these values, by trying every one."""
    keys = catalog.types[catalog.type_of(row)].variant_axes
    found = []
    for variant in range(int(catalog.variant_start[row]), int(catalog.variant_start[row + 1])):
        changed = []
        for axis, key in enumerate(keys):
            old, new = int(catalog.options[bought, axis]), int(catalog.options[variant, axis])
            if old != new:
                changed.append(catalog.attributes[key].text(new))
        if sorted(changed) == sorted(differs):
            found.append(variant)
    if len(found) != 1:
        raise ValueError(f"{len(found)} versions of product {row} differ from {bought} in {differs}")
    return found[0]


def solve_return(world: World, task: Task) -> Answer:
    """Every right answer, from what was drawn: all lines are tried, and the document decides."""
    draft, document = task.evidence["draft"], read_document(task.evidence["rules"])
    answers = [
        _answer(world, task, document, order, place)
        for order in draft.orders
        for place, line in enumerate(order.lines)
        if _is_described(draft, line) and _is_meant(draft.told.reference, order, draft.orders)
    ]
    return {"accepted": answers or [NO_LINE]}


def _is_described(draft: Any, line: Any) -> bool:
    """Whether a line is as the customer says."""
    if any(mark.key == "price" for mark in draft.plan) and line.unit_price != draft.price:
        return False
    return all(has_words(mark.text, line) for mark in draft.plan if mark.text)


def _answer(world: World, task: Task, document: Document, order: Any, place: int) -> Answer:
    """The right answer where a certain line of an order is meant."""
    draft, catalog, line = task.evidence["draft"], world.catalog, order.lines[place]
    units = draft.target.count
    wanted, missing = None, False
    if draft.version is not None:
        variant = _version(catalog, line.product_row, line.variant_row, draft.version.differs)
        missing = bool(catalog.stock[variant] < units)
        wanted = None if missing else variant
    facts = {
        "return_class": line.return_class,
        "tier": draft.customer.tier,
        "placed": order.placed,
        "delivered": order.delivered,
        "today": world.today,
        "condition": draft.scenario.situation.condition,
        "reason": draft.scenario.fee_factors.reason,
        "final_sale": line.final_sale,
        "unit_price": line.unit_price,
        "bought": line.quantity,
        "quantity": units,
        "totals": [one.quantity * one.unit_price for one in order.lines],
        "line": place,
        "discount": order.discount,
        "shipping": order.shipping,
        "wants": _new_price(catalog, line, wanted, units),
        "missing": missing,
    }
    decision, rule, amount = settle(document, facts)
    return {
        "order": order.order_id,
        "line": line.line_id,
        "quantity": units,
        "decision": decision,
        "rule": rule,
        "refund_cents": amount,
        "replacement": catalog.variant_id(wanted) if decision == "exchange" and wanted is not None else None,
    }


def _new_price(catalog: Any, line: Any, wanted: int | None, units: int) -> int | None:
    """What the new units are set against: today's price, or for the very same version what was paid."""
    if wanted is None:
        return None
    return units * (line.unit_price if wanted == line.variant_row else int(catalog.price[wanted]))


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
    rules = [name for name in shown(task) if re.fullmatch("[A-Z]{1,2}[0-9]{1,3}", name)]
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


_KEYS: Mapping[str, tuple[str, ...]] = {
    "order": ("neighbour", "another", "emptied", "filled"),
    "line": ("neighbour", "another", "emptied", "filled"),
    "rule": ("neighbour", "another", "emptied", "filled"),
    "replacement": ("neighbour", "another", "emptied", "filled"),
    "quantity": ("one more", "one less", "tenfold", "negated", "emptied"),
    "refund_cents": ("one more", "one less", "tenfold", "negated", "emptied", "filled"),
    "decision": ("emptied",),
}


PROOF = EnvironmentProof(
    env="RETURN",
    solve=solve_return,
    right=_return_right,
    nothing=NO_LINE,
    template='{"order": "id", "line": "id", "quantity": 1, "decision": "refund", "rule": "id", '
    '"refund_cents": 1999, "replacement": null}',
    guesses=_return_guesses,
    everything=_return_everything,
    edits=_return_edits,
    operators=frozenset(f"{key} {edit}" for key, edits in _KEYS.items() for edit in edits)
    | {
        *("decoy line", "another line of its order", "a line of another order", "another rule"),
        *("another decision", "the full price", "money the other way", "another version", "nothing like it"),
        *("a line where none fits", "a rule where none fits", "a refund where none fits"),
    },
    places=_return_places,
    same=_return_same,
    enough=1_000,
)
