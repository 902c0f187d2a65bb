"""Exports of orders beside a shop's products: what was bought, by numbered customers. Nobody's name is kept."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.headers import Sheet, sheet_of
from ecomrlve.generator.catalog.importers.neutral import plain_text
from ecomrlve.generator.catalog.importers.prices import Convention, convention_of, number_of
from ecomrlve.generator.catalog.importers.raw import RawOrder, RawProduct, RawShop, Reject
from ecomrlve.generator.catalog.importers.sources import Record, Source

_KINDS = ("orders-shopify", "orders-table")
# What a shop calls an order that never was one.
_NEVER_PLACED = {"failed", "checkout draft", "draft", "trash", "abandoned"}
_UNITS = re.compile(r"(\d{1,6})(?:\.0+)?")


def sheet_of_orders(source: Source) -> Sheet | None:
    """The columns of an export of orders, or None where a source is none.

    >>> from pathlib import Path
    >>> names = ["Name", "Email", "Financial Status", "Lineitem quantity", "Lineitem name", "Lineitem price"]
    >>> sheet_of_orders(Source(Path("orders.csv"), "csv", names)) is None
    False
    >>> sheet_of_orders(Source(Path("a.csv"), "csv", ["id", "name", "price", "quantity"])) is None
    True
    """
    for kind in _KINDS if source.kind != "json" else ():
        sheet = sheet_of(kind, source.columns)
        if sheet.complete and sheet.found >= 2:
            return sheet
    columns = {column.lower() for column in source.columns}
    packed = "line_items" in columns and not columns.isdisjoint({"id", "order_id", "order_number", "number", "name"})
    return Sheet({}, 0, False) if packed and source.kind != "json" else None


@dataclass(slots=True)
class _Order:
    """One order as its rows come in: lines of (SKU, name, quantity, unit price, total)."""

    row: int
    name: str
    customer: str = ""
    state: str = ""
    lines: list[tuple[str, str, str, str, str]] = field(default_factory=list)


def add_orders(shop: RawShop, source: Source) -> None:
    """Read an export of orders into a shop; its lines are found among the variants by SKU, else by name.

    Customers become numbers; their names, addresses and e-mails are read only to tell one from another.

    Raises:
        CatalogError: where the source is no export of orders.
    """
    sheet = sheet_of_orders(source)
    if sheet is None:
        raise CatalogError(
            f"{source.path} is no export of orders that I know: it needs an order number, a quantity, and the SKU or "
            "name of what was bought, a row each."
        )
    orders: dict[str, _Order] = {}
    for number, record in source.rows:
        for order in _orders_of(number, record, sheet):
            known = orders.setdefault(order.name, order)
            if known is not order:
                known.lines += order.lines
                known.customer = known.customer or order.customer
                known.state = known.state or order.state
    variants = _Variants(shop.products)
    shop.orders = []
    # Rows that are none may hold a person's data, so nothing of them is repeated.
    shop.rejects += [Reject(reject.row, reject.reason, {}, "order") for reject in source.rejects]
    convention = convention_of(line[4] for order in orders.values() for line in order.lines)
    for order in orders.values():
        lines, why = _lines(order, variants, convention)
        if why or not lines:
            shop.rejects.append(Reject(order.row, why or "the order has no lines", {"order": order.name}, "order"))
        else:
            shop.orders.append(RawOrder(order.row, order.name, order.customer or order.name, lines, order.state))
    shop.people = len({order.customer for order in orders.values() if order.customer})
    if shop.people:
        shop.notes.append(("orders", "names, addresses and e-mails left out", "customers are drawn in their place"))
    shop.notes.append(("orders", "dated anew", "a shop has a day of its own"))


def _orders_of(number: int, record: Record, sheet: Sheet) -> Iterator[_Order]:
    """The order that a row belongs to, with the lines that it holds."""
    packed = record.get("line_items") if not sheet.complete else None
    if packed is not None:
        named = ("number", "order_number", "name", "order_id", "id")
        name = next((text for key in named if (text := plain_text(record.get(key)).strip())), "")
        order = _Order(number, name, _customer_of(record), _state_of(record))
        order.lines = list(_packed_lines(packed))
    else:
        name = sheet.text(record, "order")
        state = _shopify_state(sheet, record) if sheet.has("financial") else sheet.text(record, "state")
        order = _Order(number, name, _customer(sheet, record), _plain_state(state))
        line = tuple(sheet.text(record, role) for role in ("sku", "line", "quantity", "price", "total"))
        if line[0] or line[1]:
            order.lines.append((line[0], line[1], line[2], line[3], line[4]))
    if order.name:
        yield order


def _plain_state(text: str) -> str:
    return " ".join(text.lower().removeprefix("wc-").replace("-", " ").replace("_", " ").split())


def _shopify_state(sheet: Sheet, record: Record) -> str:
    """Cancelled or refunded before how far it was sent; only an order's first row says any of it."""
    if sheet.text(record, "cancelled"):
        return "cancelled"
    financial, sent = sheet.text(record, "financial").lower(), sheet.text(record, "fulfillment").lower()
    if financial in ("refunded", "voided"):
        return financial
    return sent or ("unfulfilled" if financial else "")


def _customer(sheet: Sheet, record: Record) -> str:
    """What tells a customer from others; a guest has the number 0 in some shops."""
    for column in sheet.columns.get("customer", ()):
        text = plain_text(record.get(column)).strip().lower()
        if text and text != "0":
            return text
    return ""


def _customer_of(record: Record) -> str:
    billing = record.get("billing")
    own = billing.get("email") if isinstance(billing, dict) else ""
    given = (record.get("customer_id"), record.get("billing_email"), own, record.get("email"))
    return next((text for one in given if (text := plain_text(one).strip().lower()) and text != "0"), "")


def _state_of(record: Record) -> str:
    if record.get("cancelled_at"):
        return "cancelled"
    given = (record.get("status"), record.get("fulfillment_status"), record.get("financial_status"))
    return next((text for one in given if (text := _plain_state(plain_text(one)))), "")


def _packed_lines(value: Any) -> Iterator[tuple[str, str, str, str, str]]:
    """Lines that one cell holds: objects, or ``sku:A|name:Mug|quantity:2|total:10`` by semicolons.

    >>> list(_packed_lines("name:Mug|sku:A|quantity:2|total:10.00"))
    [('A', 'Mug', '2', '', '10.00')]
    """
    if isinstance(value, str):
        value = [dict(pair.split(":", 1) for pair in part.split("|") if ":" in pair) for part in value.split(";")]
    for line in value if isinstance(value, list) else ():
        if isinstance(line, Mapping):
            title = plain_text(line.get("name") or line.get("title")).strip()
            yield (
                plain_text(line.get("sku")).strip(),
                title,
                plain_text(line.get("quantity")).strip(),
                plain_text(line.get("price")).strip(),
                plain_text(line.get("total")).strip(),
            )


class _Variants:
    """The source ids of a shop's variants by SKU and by the names that platforms give them in orders."""

    def __init__(self, products: list[RawProduct]) -> None:
        self.ids: dict[str, str] = {}
        self.names: dict[str, str] = {}
        for product in products:
            for variant in product.variants:
                self._put(self.ids, variant.source_id, variant.source_id)
                picked = list(variant.options.values())
                names = [f"{product.title} - {mark.join(picked)}" for mark in (" / ", ", ", " - ")]
                for name in dict.fromkeys(names if picked else [product.title]):
                    self._put(self.names, _squeezed(name), variant.source_id)

    @staticmethod
    def _put(table: dict[str, str], key: str, source_id: str) -> None:
        # What stands for two variants stands for neither.
        table[key] = "" if key in table else source_id

    def find(self, sku: str, name: str) -> str:
        """The variant's source id, or "" where none or more than one fits."""
        return (self.ids.get(sku, "") if sku else "") or self.names.get(_squeezed(name), "")


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())


def _lines(order: _Order, variants: _Variants, convention: Convention) -> tuple[tuple[tuple[str, int, str], ...], str]:
    """(Variant, units, unit price) of each line, or why the order cannot be had."""
    if order.state in _NEVER_PLACED:
        return (), f"the order was never placed ({order.state})"
    found = []
    for sku, name, quantity, price, total in order.lines:
        counted = _UNITS.fullmatch(quantity)
        if counted is None:
            return (), "the number of units of a line cannot be read"
        units = int(counted[1])
        if units == 0:
            continue
        own_id = variants.find(sku, name)
        if not own_id:
            return (), f"the order names a variant that the shop does not have: {sku or name!r}"
        if not price and total:
            whole = number_of(total, convention)
            each = whole / units if whole is not None else None
            if each is None or each != each.quantize(Decimal("0.01")):
                return (), "the total of a line is no price of its units"
            price = str(each.quantize(Decimal("0.01"))).replace(".", convention.point)
        found.append((own_id, units, price))
    return tuple(found), ""
