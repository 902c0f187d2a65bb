"""The page of a customer's orders on their way, and how a solver reads it back.

One line per order; its lines follow, indented, then a line per parcel with what happened to it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from ecomrlve.generator.orders.calendar import WEEKDAYS, parse_date, render_date
from ecomrlve.generator.orders.promises import Event
from ecomrlve.generator.orders.shipments import Parcel, Shipment
from ecomrlve.generator.pages.orders import cell
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.engine.tables import load_table

_DATE = r"[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} \d{4}"
_TIME = rf"{_DATE}, \d\d:\d\d"
_ORDER = re.compile(
    rf"(?P<order>[A-Z0-9]{{6}}) \| (?P<placed>{_TIME}) \| (?P<paid>[^|]+) \| (?P<total>[^|]+)"
    r" \| (?P<place>[^|]+) \| (?P<gift>[^|]+)"
)
_LINE = re.compile(
    r"  - (?P<line>[A-Z0-9]{6}) \| (?P<title>[^|]*) \| (?P<options>[^|]*) \| (?P<quantity>\d+)"
    r" \| (?P<price>[^|]+) \| (?P<stock>[^|]+)"
)
_PARCEL = re.compile(
    r"Parcel (?:\d+ )?of (?P<order>[A-Z0-9]{6})(?: \((?P<lines>[^)]+)\))?, (?P<service>[^:]+): (?P<events>.+)"
)


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of an order as the page shows it; money in minor units."""

    line_id: str
    title: str
    options: str
    quantity: int
    unit_price: int


def _texts() -> dict[str, Any]:
    return load_table("generator.pages/shipments")


def counted_days(count: int) -> str:
    """A number of business days in words.

    >>> counted_days(1), counted_days(3)
    ('1 business day', '3 business days')
    """
    return f"{count} business day" if count == 1 else f"{count} business days"


@lru_cache(maxsize=4096)
def render_weekday_date(day: int) -> str:
    """A day, given as an ordinal, with its day of the week.

    >>> render_weekday_date(date(2026, 2, 19).toordinal())
    'Thu 19 Feb 2026'
    """
    return f"{WEEKDAYS[(day - 1) % 7][:3]} {render_date(date.fromordinal(day))}"


@lru_cache(maxsize=4096)
def parse_weekday_date(text: str) -> int:
    """The ordinal of a day that `render_weekday_date` wrote.

    >>> date.fromordinal(parse_weekday_date("Thu 19 Feb 2026"))
    datetime.date(2026, 2, 19)
    """
    return parse_date(text.split(" ", 1)[1]).toordinal()


def _moment(at: tuple[int, int]) -> str:
    return f"{render_weekday_date(at[0])}, {at[1] // 60:02}:{at[1] % 60:02}"


def _parsed_moment(text: str) -> tuple[int, int]:
    day, clock = text.rsplit(", ", 1)
    return parse_weekday_date(day), int(clock[:2]) * 60 + int(clock[3:])


def render_shipments(shipments: Sequence[Shipment], currency: Currency) -> str:
    """Orders on their way as the page shows them, in the order given; reading them back gives all that is shown."""
    texts = _texts()
    rows = [texts["order_columns"], texts["line_columns"], texts["parcel_columns"]]
    for one in shipments:
        gift = texts["no_gift"]
        if one.recipient:
            gift = texts["wrapped" if one.wrapped else "gift"].format(name=one.recipient)
        paid = texts["unpaid"] if one.paid is None else _moment(one.paid)
        place = texts["place"].format(city=one.city, zone=one.zone)
        rows.append(f"{one.order_id} | {_moment(one.placed)} | {paid} | {currency.text(one.total)} | {place} | {gift}")
        on_order = {name for parcel in one.parcels for name in parcel.on_order}
        for line in one.lines:
            rows.append(
                f"  - {line.line_id} | {cell(line.title)} | {cell(line.options) or texts['no_options']}"
                f" | {line.quantity} | {currency.text(line.unit_price)}"
                f" | {texts['on_order' if line.line_id in on_order else 'in_stock']}"
            )
        rows += [_parcel_row(one, number, parcel, texts) for number, parcel in enumerate(one.parcels)]
    return "\n".join(rows)


def _parcel_row(shipment: Shipment, number: int, parcel: Parcel, texts: dict[str, Any]) -> str:
    words = texts["event"]
    events = "; ".join(
        f"{render_weekday_date(day)} {words[kind].format(days=counted_days(days)) if days else words[kind]}"
        for day, kind, days in parcel.events
    )
    several = len(shipment.parcels) > 1
    return str(texts["parcels" if several else "parcel"]).format(
        number=number + 1,
        order=shipment.order_id,
        lines=", ".join(line.line_id for line in parcel.lines),
        service=texts["service"][parcel.service],
        events=events or texts["nothing"],
    )


def parse_shipments(text: str) -> tuple[Shipment, ...]:
    """The orders on a page, or in a prompt that holds one; other lines are passed over."""
    found: list[Shipment] = []
    head: re.Match[str] | None = None
    lines: dict[str, tuple[ShownLine, bool]] = {}
    parcels: list[Parcel] = []
    for row in [*text.split("\n"), ""]:
        line = _LINE.fullmatch(row) if head is not None else None
        parcel = _PARCEL.fullmatch(row) if head is not None else None
        if line is not None:
            shown = _shown_line(line)
            lines[shown.line_id] = shown, line["stock"] == _texts()["on_order"]
        elif parcel is not None:
            parcels.append(_shown_parcel(parcel, lines))
        else:
            if head is not None and parcels:
                found.append(_shown_shipment(head, tuple(parcels)))
            head, lines, parcels = _ORDER.fullmatch(row), {}, []
    return tuple(found)


def _amount(text: str) -> int:
    """An amount in minor units: a shop always writes all decimals of its currency, so the digits say it."""
    return int("".join(letter for letter in text if letter in "0123456789"))


def _shown_line(found: re.Match[str]) -> ShownLine:
    options = "" if found["options"] == _texts()["no_options"] else found["options"]
    return ShownLine(found["line"], found["title"], options, int(found["quantity"]), _amount(found["price"]))


@lru_cache(maxsize=1)
def _event_patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(rf"({_DATE}) {re.escape(words).replace(re.escape('{days}'), r'([0-9]+) business days?')}"), kind)
        for kind, words in _texts()["event"].items()
    )


@lru_cache(maxsize=1 << 14)
def _parsed_event(text: str) -> Event:
    for pattern, kind in _event_patterns():
        found = pattern.fullmatch(text)
        if found is not None:
            return Event(parse_weekday_date(found[1]), kind, int(found[2]) if pattern.groups > 1 else 0)
    raise ValueError(f"no event is called {text!r}")


def _shown_parcel(found: re.Match[str], lines: dict[str, tuple[ShownLine, bool]]) -> Parcel:
    texts = _texts()
    names = found["lines"].split(", ") if found["lines"] else list(lines)
    service = next(name for name, words in texts["service"].items() if words == found["service"])
    events = () if found["events"] == texts["nothing"] else tuple(map(_parsed_event, found["events"].split("; ")))
    on_order = frozenset(name for name in names if lines[name][1])
    return Parcel(tuple(lines[name][0] for name in names), service, on_order, events)


def _shown_shipment(found: re.Match[str], parcels: tuple[Parcel, ...]) -> Shipment:
    texts = _texts()
    paid = None if found["paid"] == texts["unpaid"] else _parsed_moment(found["paid"])
    city, zone = found["place"].rsplit(", zone ", 1)
    recipient, wrapped = "", False
    for name in ("wrapped", "gift"):
        before, after = texts[name].split("{name}")
        if not recipient and found["gift"].startswith(before) and found["gift"].endswith(after):
            recipient, wrapped = found["gift"][len(before) :].removesuffix(after), name == "wrapped"
    return Shipment(
        found["order"],
        _parsed_moment(found["placed"]),
        paid,
        _amount(found["total"]),
        city,
        int(zone),
        recipient,
        wrapped,
        parcels,
    )
