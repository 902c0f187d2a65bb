"""One row of a table as a product."""

import json
from typing import Any

from ecomrlve.generator.catalog.importers.neutral import neutral, plain_text
from ecomrlve.generator.catalog.importers.raw import RawProduct, RawVariant
from ecomrlve.generator.catalog.importers.roles import Roles
from ecomrlve.generator.catalog.importers.sources import Record
from ecomrlve.generator.catalog.importers.tables import missing_words
from ecomrlve.generator.catalog.importers.trees import split_path


def cell(record: Record, column: str) -> str:
    """A cell in words; "" where it says that nothing is known.

    >>> cell({"color": " red "}, "color"), cell({"color": "n/a"}, "color")
    ('red', '')
    """
    text = plain_text(record.get(column)).strip()
    return "" if text.lower() in missing_words() else text


def path_of(record: Record, roles: Roles) -> tuple[str, ...]:
    """The categories of a row, widest first.

    >>> path_of({"a": "Home > Kitchen", "b": "Mugs"}, Roles(path=["a", "b"]))
    ('Home', 'Kitchen', 'Mugs')
    """
    found: list[str] = []
    for column in roles.path:
        for level in split_path(record.get(column)):
            if not found or found[-1].lower() != level.lower():
                found.append(level)
    return tuple(found)


def product_of(number: int, record: Record, roles: Roles, join: bool = False) -> RawProduct:
    """A row as a product with one variant.

    Args:
        number: of the row, from 1.
        record: the row.
        roles: which column is what.
        join: whether the description tells the product apart and belongs to its title.

    >>> product_of(1, {"name": "Mug", "price": "5"}, Roles({"title": "name"}, ["price"])).variants[0].price
    '5'
    """

    def said(role: str) -> str:
        column = roles.one.get(role)
        if column is None:
            return ""
        value = record.get(column)
        return value.strip() if type(value) is str else plain_text(value).strip()

    price = ""
    for column in roles.prices:
        price = _price_text(record.get(column))
        if price and price.lower() not in missing_words():
            break
    own_id, title, text = said("id"), said("title"), said("description")
    if join and text:
        title = f"{title} {neutral(text, 80)}".strip()
    details = {}
    for column in roles.details:
        value = record.get(column)
        if value:
            details[column] = value if type(value) is str else plain_text(value)
        elif value is not None and value != "":
            details[column] = plain_text(value)
    for column in roles.records:
        details.update(_record_details(record.get(column)))
    missing = missing_words()
    for name in [name for name, value in details.items() if value.strip().lower() in missing]:
        del details[name]
    return RawProduct(
        number,
        own_id or f"row {number}",
        title,
        path_of(record, roles),
        [RawVariant(number, own_id, price, stock=said("stock"))],
        brand=said("brand"),
        rating=said("rating"),
        reviews=said("reviews"),
        details=details,
        text=text,
    )


def _price_text(value: Any) -> str:
    """A price cell; an object of an amount and a currency is written as both."""
    if isinstance(value, dict):
        amount = next((value[name] for name in ("amount", "value", "price", "current", "raw") if name in value), None)
        currency = next((value[name] for name in ("currency", "currencyCode", "currency_code") if name in value), "")
        return f"{plain_text(amount)} {plain_text(currency)}".strip()
    return plain_text(value).strip()


def _record_details(value: Any) -> dict[str, str]:
    """Details that one cell holds as an object or as its JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    if not isinstance(value, dict):
        return {}
    return {
        str(key): plain_text(item)
        for key, item in list(value.items())[:60]
        if isinstance(item, str | int | float | bool)
    }
