"""The page of past orders that a context-mode prompt shows, and how a solver reads it back.

One line per order; its lines follow, indented. The columns are named above them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.orders.book import Order
from ecomrlve.generator.orders.calendar import parse_date, render_date
from ecomrlve.grammars.policy.text import class_name, class_of

COLUMNS = "order | placed | status | delivery charge | discount"
LINE_COLUMNS = "  - line | product | options | quantity | unit price | class | remarks"
EMPTY = "There are no orders."

_NO_OPTIONS = "no options"
_FREE = "free"
_NO_DISCOUNT = "no discount"
_FINAL_SALE = "final sale"
_NO_REMARKS = "none"

_DATE = r"\d{1,2} [A-Z][a-z]{2} \d{4}"
_ORDER = re.compile(
    rf"(?P<order>[A-Z0-9]{{6}}) \| (?P<placed>{_DATE}) \| (?P<state>[a-z]+)(?: (?P<day>{_DATE}))?"
    rf"(?:, (?:was )?expected (?P<promised>{_DATE}))? \| (?P<shipping>[^|]+) \| (?P<discount>[^|]+)"
)
_LINE = re.compile(
    r"  - (?P<line>[A-Z0-9]{6}) \| (?P<title>[^|]*) \| (?P<options>[^|]*) \| (?P<quantity>\d+)"
    r" \| (?P<price>[^|]+) \| (?P<kind>[^|]+) \| (?P<remarks>[^|]+)"
)
_DISCOUNT = re.compile(r"(?P<amount>\S.*?) \((?P<name>.+)\)")


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of an order as the page shows it; money in minor units, the class by its key."""

    line: str
    title: str
    options: str
    quantity: int
    unit_price: int
    return_class: str
    final_sale: bool


@dataclass(frozen=True, slots=True)
class ShownOrder:
    """An order as the page shows it.

    Args:
        order: identifier.
        placed: the day it was placed.
        state: ``"processing"``, ``"shipped"``, ``"delivered"`` or ``"cancelled"``.
        shipped: shown while the order is on its way.
        delivered: shown once it has come.
        promised: shown until it has come.
        shipping: delivery charge, minor units.
        discount: taken on the whole order, minor units.
        discount_name: ``""`` where there is none.
        lines: in the order shown.
    """

    order: str
    placed: date
    state: str
    shipped: date | None
    delivered: date | None
    promised: date | None
    shipping: int
    discount: int
    discount_name: str
    lines: tuple[ShownLine, ...]


def cell(text: str) -> str:
    """Text that stays in its cell."""
    return " ".join(text.replace("|", "/").split()) if "|" in text or not text.isprintable() else text


def _status(order: Order, today: date) -> str:
    if order.state == "delivered" and order.delivered is not None:
        return f"delivered {render_date(order.delivered)}"
    status = f"shipped {render_date(order.shipped)}" if order.shipped is not None else order.state
    if order.promised is None:
        return status
    return f"{status}, {'was expected' if order.promised < today else 'expected'} {render_date(order.promised)}"


def render_orders(orders: Sequence[Order], catalog: Catalog, today: date) -> str:
    """Orders as the page shows them, in the order given; reading them back gives all that is shown.

    Args:
        orders: a customer's.
        catalog: for the currency.
        today: an order that is still on its way after its promised day "was expected".

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> render_orders((), synthesize(500), date(2026, 3, 11))
    'There are no orders.'
    """
    if not orders:
        return EMPTY
    money = catalog.currency.text
    rows = [COLUMNS, LINE_COLUMNS]
    for order in orders:
        charge = money(order.shipping) if order.shipping else _FREE
        discount = f"{money(order.discount)} ({order.discount_name})" if order.discount else _NO_DISCOUNT
        rows.append(f"{order.order_id} | {render_date(order.placed)} | {_status(order, today)} | {charge} | {discount}")
        for line in order.lines:
            rows.append(
                f"  - {line.line_id} | {cell(line.title)} | {cell(line.options) or _NO_OPTIONS} | {line.quantity}"
                f" | {money(line.unit_price)} | {class_name(line.return_class)}"
                f" | {_FINAL_SALE if line.final_sale else _NO_REMARKS}"
            )
    return "\n".join(rows)


def _minor_units(text: str) -> int:
    """An amount in minor units: a shop always writes all decimals of its currency, so the digits say it."""
    return int("".join(letter for letter in text if letter in "0123456789"))


def _day(text: str | None) -> date | None:
    return None if text is None else parse_date(text)


def parse_orders(text: str) -> tuple[ShownOrder, ...]:
    """The orders on a page, or in a prompt that holds one; other lines are passed over.

    >>> page = '''order | placed | status | delivery charge | discount
    ... K7QX3M | 19 Feb 2026 | delivered 24 Feb 2026 | $5.99 | $4.50 (welcome offer)
    ...   - R2TD9F | Fjell bottle | 500 ml | 2 | $14.99 | homeware | final sale'''
    >>> order = parse_orders(page)[0]
    >>> order.delivered, order.discount, order.lines[0].return_class
    (datetime.date(2026, 2, 24), 450, 'home')
    """
    found: list[ShownOrder] = []
    lines: list[ShownLine] = []
    head: re.Match[str] | None = None
    for row in [*text.split("\n"), ""]:
        line = _LINE.fullmatch(row) if head is not None else None
        if line is not None:
            lines.append(_shown_line(line))
            continue
        if head is not None and lines:
            found.append(_shown_order(head, tuple(lines)))
        head, lines = _ORDER.fullmatch(row), []
    return tuple(found)


def _shown_line(found: re.Match[str]) -> ShownLine:
    return ShownLine(
        found["line"],
        found["title"],
        "" if found["options"] == _NO_OPTIONS else found["options"],
        int(found["quantity"]),
        _minor_units(found["price"]),
        class_of(found["kind"]),
        found["remarks"] == _FINAL_SALE,
    )


def _shown_order(found: re.Match[str], lines: tuple[ShownLine, ...]) -> ShownOrder:
    state, day = found["state"], _day(found["day"])
    discount = _DISCOUNT.fullmatch(found["discount"])
    return ShownOrder(
        found["order"],
        parse_date(found["placed"]),
        state,
        day if state == "shipped" else None,
        day if state == "delivered" else None,
        _day(found["promised"]),
        0 if found["shipping"] == _FREE else _minor_units(found["shipping"]),
        0 if discount is None else _minor_units(discount["amount"]),
        "" if discount is None else discount["name"],
        lines,
    )
