"""Answering a STATUS task from its prompt alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any

from ecomrlve.generator.orders.promises import Promises
from ecomrlve.generator.orders.references import has_words
from ecomrlve.generator.orders.shipments import Shipment
from ecomrlve.generator.orders.tracking import Found, is_shipment, lines_of
from ecomrlve.generator.pages.prompt import Message, customer_texts, parse_opening
from ecomrlve.generator.pages.shipments import parse_shipments
from ecomrlve.generator.pages.shipping_rules import parse_shipping_rules, rules_text
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.grammars.dialogue.references import OrderReference, stems
from ecomrlve.grammars.dialogue.status.parse import parse_status, status_lexicon
from ecomrlve.grammars.dialogue.status.request import NAMED, ParsedStatus
from ecomrlve.grammars.engine.dates import MONTHS, parse_day
from ecomrlve.grammars.engine.grammar import words
from ecomrlve.grammars.engine.tables import load_table

NOT_FOUND: Mapping[str, Any] = {"order": None, "status": "not_found"}
"""The answer where nothing is what the customer describes."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand a prompt.

    Args:
        request: what the customer's turns ask in the end.
        today: the day of the request.
        shipments: the page of orders, newest first.
        form: (key, value) of each line of the contact form.
        rules: the shop's shipping rules as a document.
        turns: the customer's, as they stand.
    """

    request: ParsedStatus
    today: date
    shipments: tuple[Shipment, ...]
    form: tuple[tuple[str, str], ...]
    rules: str
    turns: Sequence[str] = field(compare=False)


@lru_cache(maxsize=64)
def _promises(rules: str, today: date) -> Promises:
    return Promises(parse_shipping_rules(rules), today)


def parse_form(system: str) -> tuple[tuple[str, str], ...]:
    """(key, value) of each line of the contact form in a prompt."""
    texts = load_table("generator.environments.status/page")
    lines = system.split("\n")
    if texts["form"] not in lines:
        return ()
    keys = {label: key for key, label in texts["labels"].items()}
    found = []
    for line in lines[lines.index(texts["form"]) + 1 :]:
        if not line.startswith("- ") or line[2:].split(": ", 1)[0] not in keys:
            break
        label, value = line[2:].split(": ", 1)
        found.append((keys[label], value))
    return tuple(found)


def page_words(shipments: Sequence[Shipment]) -> frozenset[str]:
    """The words of the names that a page shows."""
    texts = {text for one in shipments for line in one.lines for text in (line.title, line.options)}
    texts |= {text for one in shipments for text in (one.city, one.recipient)}
    return frozenset(word for text in texts for word in words(text))


def read_status(prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
    """Every way to understand the page, the form, the rules and the request."""
    system = prompt[0]["content"]
    today, _ = parse_opening(system)
    shipments = parse_shipments(system)
    turns = perception.filter_turns(customer_texts(prompt))
    page = (today, shipments, parse_form(system), rules_text(system), turns)
    return [Reading(request, *page) for request in parse_status(turns, page_words(shipments), today)]


def solve_status(reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
    """Find what is meant, and settle where it is by the rules."""
    parsed = reading.request
    if not perception.is_faithful:
        parsed = _misread(parsed, perception, status_lexicon(page_words(reading.shipments)).mistyped(reading.turns))
    for key, value in perception.filter_asides(reading.form):
        parsed = _with_form(parsed, key, value)
    found = meant(parsed, reading.shipments, perception)
    if not found:
        return dict(NOT_FOUND)
    shipment, parcel, line = found[0]
    promises = _promises(reading.rules, reading.today)
    facts = shipment.facts(parcel, parsed.denied)
    without: frozenset[str] = frozenset()
    if not perception.is_faithful:
        without = frozenset(rule for rule in promises.bearing(facts) if perception.slips())
    settled = promises.settle(facts, without)
    return {
        "order": shipment.order_id,
        "line": line.line_id if parsed.about == "line" else None,
        "status": settled.status,
        "arrives": None if settled.arrives is None else date.fromordinal(settled.arrives).isoformat(),
    }


def _misread(parsed: ParsedStatus, perception: Perception, undone: int) -> ParsedStatus:
    """What is left of a request."""
    said: list[Any] = [*sorted(parsed.words), *sorted(parsed.references, key=repr)]
    said += [] if parsed.price is None else ["price"]
    kept = perception.drop_mistyped(perception.filter_conditions(said), undone)
    return replace(
        parsed,
        words=parsed.words & {one for one in kept if isinstance(one, str)},
        references=parsed.references & {one for one in kept if not isinstance(one, str)},
        price=parsed.price if "price" in kept else None,
    )


def _with_form(parsed: ParsedStatus, key: str, value: str) -> ParsedStatus:
    """The request with a line of the form."""
    if key in ("name", "maker", "look"):
        return replace(parsed, words=parsed.words | stems(value))
    amount = int("".join(letter for letter in value if letter in "0123456789") or 0)
    if key == "price":
        return replace(parsed, price=amount)
    reference: OrderReference = (key, words(value)) if key in NAMED else (key, amount)
    if key == "placed":
        reference = (key, parse_day(value))
    elif key == "month":
        month, year = value.split(" ")
        reference = (key, int(year), MONTHS.index(month) + 1)
    return replace(parsed, references=parsed.references | {reference})


def meant(parsed: ParsedStatus, shipments: Sequence[Shipment], perception: Perception = FAITHFUL) -> list[Found]:
    """What has everything that was said: lines, or orders by their first line; orders are shown newest first."""
    found = []
    for number, shipment in enumerate(shipments):
        place = len(shipments) - 1 - number
        fits = all(is_shipment(one, place, shipment, len(shipments)) for one in parsed.references)
        lines = [
            (one, fits and has_words(parsed.words, one.line) and parsed.price in (None, one.line.unit_price))
            for one in lines_of(shipment)
        ]
        if parsed.about == "line":
            found += [one for one, right in lines if perception.judge(right)]
        elif perception.judge(any(right for _, right in lines)):
            found.append(lines[0][0])
    return found
