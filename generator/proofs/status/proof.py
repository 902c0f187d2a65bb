"""STATUS: every order and every line held against the description, and settled by the shop's document alone."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from ecomrlve.generator.proofs.base import Answer, Edits, EnvironmentProof
from ecomrlve.generator.proofs.status.document import read_document, settle
from ecomrlve.generator.proofs.words import has_words
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import World

NO_ORDER: Answer = {"order": None, "status": "not_found"}
_STATES = (
    *("placed", "paid", "packed", "shipped", "out_for_delivery", "delivered"),
    *("returned", "cancelled", "lost", "held"),
)
_WITH_DAY = _STATES[1:6]


def _is_meant(reference: Any, shipment: Any, shipments: Any) -> bool:
    """Whether a reference is true of an order."""
    kind, *rest = reference
    newest_first = sorted(shipments, key=lambda one: one.placed, reverse=True)
    day = date.fromordinal(shipment.placed[0])
    if kind in ("last", "before last", "third last"):
        place = ("last", "before last", "third last").index(kind)
        return any(one is shipment for one in newest_first[place : place + 1])
    if kind == "month":
        return bool([day.year, day.month] == rest)
    facts = {"placed": day, "gift": shipment.recipient, "destination": shipment.city, "total": shipment.total}
    return bool(facts[kind] == rest[0])


def _described(marks: Any, line: Any) -> bool:
    """Whether a line is all that is said of it."""
    return all(
        line.unit_price == value if kind == "price" else has_words(value, line)
        for kind, value in marks
        if kind != "order"
    )


def _candidates(task: Task) -> Iterator[tuple[Answer, bool, Any, Any]]:
    """Everything on the page that could be asked about: the answer there, whether it is meant, its parcel and order."""
    draft, today = task.evidence["draft"], task.evidence["today"]
    document = read_document(task.evidence["rules"])
    for shipment in draft.shipments:
        known = all(_is_meant(value, shipment, draft.shipments) for kind, value in draft.marks if kind == "order")
        lines = [line for parcel in shipment.parcels for line in parcel.lines]
        if draft.plan.about == "order":
            state, day = settle(document, shipment, shipment.parcels[0], today)
            meant = known and any(_described(draft.marks, line) for line in lines)
            yield _answer(shipment.order_id, None, state, day), meant, shipment.parcels[0], shipment
            continue
        for parcel in shipment.parcels:
            state, day = settle(document, shipment, parcel, today)
            for line in parcel.lines:
                answer = _answer(shipment.order_id, line.line_id, state, day)
                yield answer, known and _described(draft.marks, line), parcel, shipment


def _answer(order: str, line: str | None, state: str, day: date | None) -> Answer:
    return {"order": order, "line": line, "status": state, "arrives": None if day is None else day.isoformat()}


def solve_status(world: World, task: Task) -> Answer:
    """Every right answer, from what was drawn: all orders or lines are tried, and the document decides."""
    answers = [answer for answer, meant, _, _ in _candidates(task) if meant]
    return {"accepted": answers or [{**NO_ORDER, "line": None, "arrives": None}]}


def _right(found: Answer, given: Answer) -> bool:
    for accepted in found["accepted"]:
        if accepted["order"] is None:
            if given["order"] is None and given["status"] == "not_found":
                return True
        elif {"line": None, "arrives": None, **given} == accepted:
            return True
    return False


def _by_sort(task: Task) -> tuple[list[str], list[tuple[str, str]]]:
    """Orders, and (order, line) pairs, of a page, the oldest first."""
    shipments = task.evidence["draft"].shipments
    pairs = [(one.order_id, line.line_id) for one in shipments for line in one.lines]
    return [one.order_id for one in shipments], pairs


def _guesses(task: Task, draws: Draws) -> Iterator[Answer]:
    orders, pairs = _by_sort(task)
    today: date = task.evidence["today"]
    things: list[tuple[str, str | None]] = [*((order, None) for order in orders), *pairs]
    yield _answer(orders[-1], None, "shipped", today + timedelta(1))
    while True:
        order, line = draws.choice(things)
        state = draws.choice(_STATES)
        off = -draws.below(30) if state == "delivered" else draws.below(10)
        yield _answer(order, line, state, today + timedelta(off) if state in _WITH_DAY else None)


def _everything(task: Task) -> Answer:
    orders, pairs = _by_sort(task)
    lines = ", ".join(line for _, line in pairs)
    return {"order": ", ".join(orders), "line": lines, "status": ", ".join(_STATES), "arrives": None}


def _edits(world: World, task: Task, answer: Answer) -> Edits:
    near = {name for name, _ in task.notes}
    _, pairs = _by_sort(task)
    for other, meant, _, _ in _candidates(task):
        if meant:
            continue
        if answer["order"] is None:
            yield "something where nothing is", other
        elif other["line"] in near or (other["line"] is None and other["order"] in near):
            yield "a near miss and where it is", other
        elif other["order"] == answer["order"]:
            yield "another line of its order", other
        else:
            yield "another order and where it is", other
    if answer["order"] is None:
        yield "lost where nothing is", {**answer, "status": "lost"}
        return
    if answer["line"] is None:
        for order, line in pairs:
            if order == answer["order"]:
                yield "a line for the whole order", {**answer, "line": line}
    else:
        yield "the whole order for a line", {**answer, "line": None}
    for state in _STATES:
        if state != answer["status"]:
            yield "another status", {**answer, "status": state}
    yield from _other_days(task, answer)
    yield "nothing like it", dict(NO_ORDER)


def _other_days(task: Task, answer: Answer) -> Edits:
    """Answers with another day."""
    today: date = task.evidence["today"]
    if answer["arrives"] is None:
        yield "a day where there is none", {**answer, "arrives": today.isoformat()}
        return
    right = date.fromisoformat(answer["arrives"])
    for operator, days in (("a day earlier", -1), ("a day later", 1), ("a week later", 7)):
        yield operator, {**answer, "arrives": (right + timedelta(days)).isoformat()}
    if right != today:
        yield "today", {**answer, "arrives": today.isoformat()}


def _places(task: Task, answer: Answer) -> Iterator[tuple[int, int]]:
    orders, pairs = _by_sort(task)
    if answer["order"] is not None:
        yield orders.index(answer["order"]), len(orders)
        if answer["line"] is not None:
            lines = [line for order, line in pairs if order == answer["order"]]
            yield lines.index(answer["line"]), len(lines)


def _same(answer: Answer) -> Iterator[Answer]:
    yield {key: value for key, value in answer.items() if value is not None or key == "order"}
    yield {**answer, "status": f" {answer['status'].replace('_', ' ').title()} "}
    yield {**answer, "status": answer["status"].replace("_", "-").upper()}
    if answer["order"] is None:
        yield {"order": None, "line": "no line", "status": "not_found", "arrives": "never"}
    elif answer["arrives"] is not None:
        yield {**answer, "arrives": f" {answer['arrives']} "}


_KEYS = {
    "order": ("neighbour", "another", "emptied", "filled"),
    "line": ("neighbour", "another", "emptied", "filled"),
    "status": ("emptied",),
    "arrives": ("emptied", "filled"),
}

PROOF = EnvironmentProof(
    env="STATUS",
    solve=solve_status,
    right=_right,
    nothing=NO_ORDER,
    template='{"order": "id", "line": null, "status": "shipped", "arrives": "YYYY-MM-DD"}',
    guesses=_guesses,
    everything=_everything,
    edits=_edits,
    operators=frozenset(f"{key} {edit}" for key, edits in _KEYS.items() for edit in edits)
    | {
        *("something where nothing is", "lost where nothing is", "a near miss and where it is"),
        *("another line of its order", "another order and where it is", "a line for the whole order"),
        *("the whole order for a line", "another status", "a day where there is none", "a day earlier", "a day later"),
        *("a week later", "today", "nothing like it"),
    },
    places=_places,
    same=_same,
)
