"""Shopify's product export: a row is a variant, rows of one product share a handle and all but one lack the title."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.headers import Sheet, numbered, sheet_of
from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.neutral import plain_text
from ecomrlve.generator.catalog.importers.prices import currency_of_column
from ecomrlve.generator.catalog.importers.raw import RawProduct, RawShop, RawVariant, Reject
from ecomrlve.generator.catalog.importers.sources import Record, Source
from ecomrlve.generator.catalog.importers.tables import plain
from ecomrlve.generator.catalog.importers.trees import split_path

NAME = "shopify"
_PEOPLE = {"men", "women", "unisex", "kids", "girls", "boys", "mens", "womens"}
_HIDDEN = ("draft", "archived", "unlisted")
_METAFIELD = re.compile(r"^(.*?)\s*\(product\.metafields\.([^)]*)\)$", re.IGNORECASE)
_MARKET_PRICE = re.compile(r"^(?:price|compare.?at price) / (.+)$", re.IGNORECASE)


def fits(source: Source) -> bool:
    """Whether a source is a Shopify export: rows have handles, prices, and what only a shop's variants have.

    >>> from pathlib import Path
    >>> fits(Source(Path("a.csv"), "csv", ["Handle", "Title", "Variant Price"]))
    True
    >>> fits(Source(Path("a.csv"), "csv", ["URL handle", "Title", "Option1 value", "Price"]))
    True
    """
    if source.kind == "json":
        return False
    sheet = sheet_of(NAME, source.columns)
    variants = numbered(source.columns, "option", "value") or "variant price" in map(plain, source.columns)
    return sheet.complete and (bool(variants) or sheet.found >= 2)


@dataclass(slots=True)
class _Export:
    """An export as it is read.

    Args:
        sheet: the columns by what they mean.
        option_names, option_values: columns by the option's number.
        metafields: (column, label, key) of details.
        rows: places of the rows of each handle, in the source's order.
    """

    sheet: Sheet
    option_names: dict[int, str]
    option_values: dict[int, str]
    metafields: list[tuple[str, str, str]]
    rows: dict[str, list[int]] = field(default_factory=dict)


def read(source: Source, hints: Hints) -> RawShop:
    """Read the export.

    A product that is not published, or a draft, is not for sale and is rejected. A row with a picture only is merged.
    """
    if not fits(source):
        raise CatalogError(
            f"{source.path} has no columns Handle and Variant Price, so it is no Shopify export. Import it as a table."
        )
    shop = RawShop(rejects=list(source.rejects), read=source.read)
    shop.price_names = tuple(column for column in source.columns if currency_of_column(column))
    shop.notes += [
        (column, "left out", "the price of one market")
        for column in source.columns
        if _MARKET_PRICE.match(" ".join(column.split()))
    ]
    export = _Export(
        sheet_of(NAME, source.columns),
        numbered(source.columns, "option", "name"),
        numbered(source.columns, "option", "value"),
        [
            (column, plain(match[1]), match[2])
            for column in source.columns
            if (match := _METAFIELD.match(column)) is not None
        ],
    )
    for place, (number, record) in enumerate(source.rows):
        handle = export.sheet.text(record, "handle")
        if handle:
            export.rows.setdefault(handle, []).append(place)
        else:
            shop.rejects.append(Reject(number, "no handle", record))
    for handle, places in export.rows.items():
        _read_product(shop, export, handle, [source.rows[place] for place in places])
    return shop


def _read_product(shop: RawShop, export: _Export, handle: str, rows: list[tuple[int, Record]]) -> None:
    """Read the rows of one handle, wherever in the file they stand."""
    titled = next(((number, record) for number, record in rows if export.sheet.text(record, "title")), None)
    why = "no row gives this handle a title" if titled is None else _why_hidden(export.sheet, titled[1])
    if titled is None or why:
        shop.rejects += [Reject(number, why, record) for number, record in rows]
        return
    product = _product(titled[0], handle, titled[1], export)
    names = {
        place: next((name for _, record in rows if (name := plain_text(record.get(column)).strip())), "")
        for place, column in export.option_names.items()
    }
    for number, record in rows:
        _variant(shop, export, product, number, record, names)
    if product.variants:
        shop.products.append(product)


def _why_hidden(sheet: Sheet, record: Mapping[str, Any]) -> str:
    if sheet.text(record, "published").lower() in ("false", "no", "0"):
        return "not published"
    status = sheet.text(record, "status").lower()
    return f"not for sale ({status})" if status in _HIDDEN else ""


def _product(number: int, handle: str, record: Mapping[str, Any], export: _Export) -> RawProduct:
    sheet = export.sheet
    tags = [tag.strip() for tag in sheet.text(record, "tags").split(",") if tag.strip()]
    people = [tag.lower() for tag in tags if tag.lower() in _PEOPLE]
    kind = sheet.text(record, "type")
    path = split_path(sheet.text(record, "category"))
    details = {}
    gender = sheet.text(record, "gender") or (people[0] if len(people) == 1 else "")
    if gender:
        details["gender"] = gender.lower()
    for role in ("age group", "item condition"):
        if sheet.text(record, role):
            details[role] = sheet.text(record, role)
    product = RawProduct(
        number,
        handle,
        sheet.text(record, "title"),
        (*path[:-1], kind) if kind and path else (kind,) if kind else path,
        [],
        brand=sheet.text(record, "brand"),
        details=details,
        text=sheet.text(record, "description"),
    )
    _add_metafields(product, record, export)
    return product


def _add_metafields(product: RawProduct, record: Mapping[str, Any], export: _Export) -> None:
    """Metafields are further details: "Fabric (product.metafields.custom.fabric)"; some namespaces mean more."""
    for column, label, key in export.metafields:
        value = _metafield_text(record.get(column))
        if not value:
            continue
        if key.lower() == "reviews.rating":
            product.rating = value
        elif key.lower() == "reviews.rating_count":
            product.reviews = value
        elif "product_recommendation" in key.lower():
            product.companions = (*product.companions, *re.split(r"\s*[;,]\s*", value))
        else:
            product.details.setdefault(label or plain(key.rpartition(".")[2]), value)


def _metafield_text(value: Any) -> str:
    """A metafield's cell in words: a measure or rating is an object, several values a list, each as JSON.

    >>> _metafield_text('{"value": 2.5, "unit": "kg"}'), _metafield_text('["wool", "silk"]'), _metafield_text("oak")
    ('2.5 kg', 'wool, silk', 'oak')
    """
    text = plain_text(value).strip()
    if text[:1] not in ("{", "["):
        return text
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(read, dict) and "value" in read:
        return f"{plain_text(read['value'])} {plain_text(read.get('unit'))}".strip()
    return plain_text(read) if isinstance(read, list) else text


def _variant(
    shop: RawShop, export: _Export, product: RawProduct, number: int, record: Record, names: Mapping[int, str]
) -> None:
    sheet = export.sheet
    values = {place: plain_text(record.get(column)).strip() for place, column in export.option_values.items()}
    price = sheet.text(record, "price")
    if not any(values.values()) and not price:
        if sheet.text(record, "picture"):
            shop.merged += 1
        else:
            shop.rejects.append(Reject(number, "neither options nor price nor picture", record))
        return
    options = {
        names.get(place) or f"option {place}": value
        for place, value in values.items()
        if value and value.lower() != "default title"
    }
    source_id = sheet.text(record, "sku") or f"{product.source_id}#{len(product.variants) + 1}"
    if not product.add(RawVariant(number, source_id, price, options, _stock(sheet, record))):
        shop.rejects.append(Reject(number, "a second variant with the same options", record))
        return
    grams = sheet.text(record, "grams")
    if grams not in ("", "0", "0.0") and not options:
        product.details["variant grams"] = grams


def _stock(sheet: Sheet, record: Mapping[str, Any]) -> str:
    """Units, or that it can always be bought: what is oversold, and what the shop does not count."""
    if sheet.text(record, "oversell").lower() in ("continue", "true", "yes"):
        return "in stock"
    units = sheet.text(record, "stock")
    return "in stock" if not units and sheet.has("tracker") and not sheet.text(record, "tracker") else units
