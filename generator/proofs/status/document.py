"""A shop's shipping rules read from their document, and applied to a parcel by walking through the calendar."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from ecomrlve.grammars.engine.dates import parse_day

_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_SERVICES = {"express": "express", "letter post": "letter", "parcel service": "parcel", "freight": "bulky"}
_LEADS_TO = {
    "packed": "packed",
    "handed over": "shipped",
    "out": "out_for_delivery",
    "attempt": "shipped",
    "delivered": "delivered",
    "replacement": "shipped",
    "back": "returned",
    "lost": "lost",
    "cancelled": "cancelled",
    "hold": "held",
}
_DAY = timedelta(1)


@dataclass(frozen=True)
class Document:
    """The numbers of the rules.

    Attributes:
        closed: days on which nobody works, beside weekends.
        days: business days to pack and to travel, by service.
        cutoff: hour from which an order counts as of the next business day.
        wrap: business days more for a gift that is wrapped.
        back_order: business days more for what is on back order.
        remote: business days more to zone 3.
        lost: business days after which a parcel is lost.
        adding: whether delay notices add up.
        freight: days of the week on which freight comes.
    """

    closed: frozenset[date]
    days: dict[str, tuple[int, int]]
    cutoff: int
    wrap: int
    back_order: int
    remote: int
    lost: int
    adding: bool
    freight: tuple[str, ...]

    def works(self, day: date) -> bool:
        """Whether it is a business day."""
        return day.weekday() < 5 and day not in self.closed

    def after(self, day: date, count: int) -> date:
        """So many business days after a day."""
        while count:
            day += _DAY
            count -= self.works(day)
        return day

    def until(self, first: date, last: date) -> int:
        """Business days after one day, up to another."""
        return sum(self.works(first + _DAY * number) for number in range(1, (last - first).days + 1))


def _only(pattern: str, text: str) -> tuple[str, ...]:
    found = re.findall(pattern, text)
    if len(found) != 1:
        raise ValueError(f"{pattern!r} is said {len(found)} times")
    return found[0] if isinstance(found[0], tuple) else (found[0],)


def read_document(text: str) -> Document:
    """The numbers of the rules, sentence by sentence."""
    closed = next(line for line in text.split("\n") if "Business days are Mondays" in line)
    days = re.findall(r"(\d{1,2} [A-Z][a-z]+ \d{4}) \(", closed)
    services = next(line for line in text.split("\n") if "to pack and then to travel" in line)
    return Document(
        closed=frozenset(map(parse_day, days)),
        days={
            _SERVICES[name]: (int(pack), int(travel))
            for name, pack, travel in re.findall(rf"({'|'.join(_SERVICES)}) (\d+) and (\d+)", services)
        },
        cutoff=int(_only(r"on a business day at (\d+):00 or later", text)[0]),
        wrap=int(_only(r"that we wrap takes (\d+) business", text)[0]),
        back_order=int(_only(r"on back order takes (\d+) business", text)[0]),
        remote=int(_only(r"To zone 3 a parcel takes (\d+) business", text)[0]),
        lost=int(_only(r"once more than (\d+) business", text)[0]),
        adding="Several notices add up" in text,
        freight=_only(r"Freight is brought on (\w+day)s and (\w+day)s only", text),
    )


def state_of(shipment: Any, events: Sequence[Any]) -> str:
    """The status by the last event that counts, looking back."""
    holds = 0
    for event in reversed(events):
        if event.kind == "released":
            holds += 1
        elif event.kind == "hold" and holds:
            holds -= 1
        elif event.kind in _LEADS_TO and not holds:
            return _LEADS_TO[event.kind]
    return "placed" if shipment.paid is None else "paid"


def settle(document: Document, shipment: Any, parcel: Any, today: date) -> tuple[str, date | None]:
    """Status and day of arrival of a parcel."""
    events = [(date.fromordinal(event.day), event.kind, event.days) for event in parcel.events]
    state = state_of(shipment, parcel.events)
    if state in ("delivered", "out_for_delivery"):
        kind = "delivered" if state == "delivered" else "out"
        return state, [day for day, name, _ in events if name == kind][-1]
    if state not in ("paid", "packed", "shipped"):
        return state, None
    due = _promised(document, shipment, parcel, events)
    if state == "shipped" and document.until(due, today) > document.lost:
        return "lost", None
    return state, document.after(today, 1) if due < today else due


def _promised(document: Document, shipment: Any, parcel: Any, events: list[tuple[date, str, int]]) -> date:
    """The promised day, from the last thing that sets it."""
    resets = [place for place, (_, kind, _) in enumerate(events) if kind in ("attempt", "replacement")]
    since = events[resets[-1] + 1 :] if resets else events
    if resets and events[resets[-1]][1] == "attempt":
        return document.after(events[resets[-1]][0], 1)
    notices = [days for _, kind, days in since if kind == "delay"]
    travel = document.days[parcel.service][1] + (document.remote if shipment.zone == 3 else 0)
    travel += sum(notices) if document.adding else (notices or [0])[-1]
    day = events[resets[-1]][0] if resets else _packed(document, shipment, parcel, events)
    due = document.after(day, travel)
    while parcel.service == "bulky" and not (document.works(due) and _WEEKDAYS[due.weekday()] in document.freight):
        due += _DAY
    return due


def _packed(document: Document, shipment: Any, parcel: Any, events: list[tuple[date, str, int]]) -> date:
    """The day from which a parcel travels."""
    came, minute = shipment.placed
    if shipment.paid[0] != came:
        came, minute = shipment.paid
    start = date.fromordinal(came)
    if not document.works(start) or minute // 60 >= document.cutoff:
        start = document.after(start, 1)
    count = document.days[parcel.service][0]
    count += document.wrap if shipment.wrapped else 0
    count += document.back_order if parcel.on_order else 0
    held = None
    for day, kind, _ in events:
        if kind == "hold":
            held = day
        elif kind == "released" and held is not None:
            count += document.until(held, day)
    ready = document.after(start, count)
    return max([ready, *(day for day, kind, _ in events if kind == "packed")])
