"""Google Merchant Center's product feed, TSV or XML: a row is a variant, and variants share an item group."""

import re
from collections.abc import Iterator
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers import table
from ecomrlve.generator.catalog.importers.headers import Sheet, sheet_of
from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.neutral import plain_text
from ecomrlve.generator.catalog.importers.raw import RawShop
from ecomrlve.generator.catalog.importers.roles import Roles
from ecomrlve.generator.catalog.importers.sources import Record, Source
from ecomrlve.generator.catalog.importers.tables import format_words, plain

NAME = "merchant"
_COPIED = ("id", "group", "title", "description", "brand", "availability")


def fits(source: Source) -> bool:
    """Whether a source is such a feed: id, title, price and availability, beside what only a feed has.

    >>> from pathlib import Path
    >>> names = ["id", "title", "price", "availability", "image_link", "google_product_category"]
    >>> fits(Source(Path("a.tsv"), "csv", names)), fits(Source(Path("a.tsv"), "csv", names[:4]))
    (True, False)
    """
    if source.kind == "json":
        return False
    sheet = sheet_of(NAME, source.columns)
    return sheet.complete and sheet.found >= 2


def read(source: Source, hints: Hints) -> RawShop:
    """Read the feed as a table whose columns are known.

    A sale price with dates holds between them only, so the regular price stands; the merchant's own ``product_type``
    says better what a product is than Google's category.
    """
    if not fits(source):
        raise CatalogError(
            f"{source.path} lacks id, title, price or availability, so it is no Merchant feed. Import it as a table."
        )
    sheet = sheet_of(NAME, source.columns)
    details = {
        column: label for column in source.columns if (label := format_words()[NAME]["details"].get(plain(column)))
    }
    rows = [(number, _plainer(record, sheet, details)) for number, record in source.rows]
    own = dict.fromkeys(name for _, record in rows for name in record if name not in (*_COPIED, "price", "type"))
    roles = Roles(
        one={
            "id": "id",
            "title": "title",
            "description": "description",
            "brand": "brand",
            "stock": "availability",
            **({"group": "group"} if sheet.has("group") else {}),
        },
        prices=["price"],
        path=["type"],
        details=list(own),
    )
    if any(
        plain_text(record.get(column)).isdigit()
        for column in sheet.columns.get("category", ())
        for _, record in source.rows[:200]
    ):
        roles.notes.append(("google_product_category", "left out", "its numbers are no names of categories"))
    return table.read_as(Source(source.path, "records", list(own), rows, rejects=source.rejects), roles)


def _plainer(record: Record, sheet: Sheet, details: dict[str, str]) -> Record:
    """A row with our names, the price that holds, one category, and the details spread out."""
    found: dict[str, Any] = {name: sheet.text(record, name) for name in _COPIED if sheet.has(name)}
    sale = "" if sheet.text(record, "sale dates") else sheet.text(record, "sale price")
    found["price"] = sale or sheet.text(record, "price")
    category = sheet.text(record, "category")
    found["type"] = sheet.text(record, "product type") or ("" if category.isdigit() else category)
    for column, label in details.items():
        text = plain_text(record.get(column)).strip()
        if text:
            found.setdefault(label, text)
    for column in sheet.columns.get("detail", ()):
        for name, value in _spread(record.get(column)):
            found.setdefault(name, value)
    return found


def _spread(value: Any) -> Iterator[tuple[str, str]]:
    """Names and values of product details: ``section:name:value`` by commas in a TSV, elements in XML.

    >>> list(_spread("General:Lens:50 mm,General:Mount:EF"))
    [('Lens', '50 mm'), ('Mount', 'EF')]
    >>> list(_spread({"section_name": "General", "attribute_name": "Lens", "attribute_value": "50 mm"}))
    [('Lens', '50 mm')]
    """
    if isinstance(value, list):
        for part in value:
            yield from _spread(part)
    elif isinstance(value, dict):
        name, text = plain_text(value.get("attribute_name")), plain_text(value.get("attribute_value"))
        if name and text:
            yield name, text
    else:
        for part in re.split(r",(?=[^,:]*:[^,:]*:)", plain_text(value)):
            pieces = [piece.strip() for piece in part.split(":", 2)]
            if len(pieces) == 3 and pieces[1] and pieces[2]:
                yield pieces[1], pieces[2]
