"""Shopify's product export: one row a variant, rows of one product share a handle, later rows leave the rest blank."""

from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.neutral import plain_text
from ecomrlve.generator.catalog.importers.prices import currency_of_column
from ecomrlve.generator.catalog.importers.raw import RawProduct, RawShop, RawVariant, Reject
from ecomrlve.generator.catalog.importers.reading import Source
from ecomrlve.generator.catalog.importers.tables import plain
from ecomrlve.generator.catalog.importers.trees import split_path

NAME = "shopify"
_PEOPLE = {"men", "women", "unisex", "kids", "girls", "boys", "mens", "womens"}
_HIDDEN = ("draft", "archived")


def fits(source: Source) -> bool:
    """Whether a source is a Shopify export: it has handles, and prices of variants.

    >>> from pathlib import Path
    >>> fits(Source(Path("a.csv"), "csv", ["Handle", "Title", "Variant Price"]))
    True
    """
    names = {plain(column) for column in source.columns}
    return {"handle", "variant price"} <= names and source.kind != "json"


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
    names = {plain(column): column for column in source.columns}
    shown: dict[str, RawProduct] = {}
    hidden: dict[str, str] = {}
    option_names: dict[str, list[str]] = {}
    options_seen: set[tuple[str, tuple[tuple[str, str], ...]]] = set()
    for number, record in source.rows:
        row = {name: plain_text(record.get(column, "")).strip() for name, column in names.items()}
        handle = row["handle"]
        if not handle:
            shop.rejects.append(Reject(number, "no handle", record))
            continue
        if row.get("title") and handle not in shown and handle not in hidden:
            why = _why_hidden(row)
            if why:
                hidden[handle] = why
            else:
                shown[handle] = _product(number, handle, row)
                option_names[handle] = [row.get(f"option{place} name", "") for place in (1, 2, 3)]
        if handle in hidden:
            shop.rejects.append(Reject(number, hidden[handle], record))
        elif handle not in shown:
            shop.rejects.append(Reject(number, "no row above gives this handle a title", record))
        else:
            _variant(shop, shown[handle], number, row, record, option_names[handle], options_seen)
    shop.products = [product for product in shown.values() if product.variants]
    return shop


def _why_hidden(row: dict[str, str]) -> str:
    if row.get("published", "true").lower() in ("false", "no", "0"):
        return "not published"
    if row.get("status", "").lower() in _HIDDEN:
        return f"not for sale ({row['status'].lower()})"
    return ""


def _product(number: int, handle: str, row: dict[str, str]) -> RawProduct:
    tags = [tag.strip() for tag in row.get("tags", "").split(",") if tag.strip()]
    people = [tag.lower() for tag in tags if tag.lower() in _PEOPLE]
    kind = row.get("type", "") or row.get("custom product type", "")
    path = split_path(row.get("google shopping google product category", "") or row.get("product category", ""))
    details = {}
    gender = row.get("google shopping gender", "") or (people[0] if len(people) == 1 else "")
    if gender:
        details["gender"] = gender.lower()
    for name, label in (("google shopping age group", "age group"), ("google shopping condition", "item condition")):
        if row.get(name):
            details[label] = row[name]
    # Metafields are further details: "Fabric (product.metafields.custom.fabric)".
    for name, value in row.items():
        head, mark, _ = name.partition(" product metafields ")
        if mark and value:
            details[head] = value
    return RawProduct(
        number,
        handle,
        row["title"],
        (*path[:-1], kind) if kind and path else (kind,) if kind else path,
        [],
        brand=row.get("vendor", ""),
        details=details,
        text=row.get("body html", "") or row.get("body", ""),
    )


def _variant(
    shop: RawShop,
    product: RawProduct,
    number: int,
    row: dict[str, str],
    record: Any,
    names: list[str],
    seen: set[tuple[str, tuple[tuple[str, str], ...]]],
) -> None:
    values = [row.get(f"option{place} value", "") for place in (1, 2, 3)]
    price = row.get("variant price", "")
    if not any(values) and not price:
        if row.get("image src") or row.get("variant image"):
            shop.merged += 1
        else:
            shop.rejects.append(Reject(number, "neither options nor price nor picture", record))
        return
    options = {
        name or f"option {place}": value
        for place, (name, value) in enumerate(zip(names, values, strict=True), 1)
        if value and (name.lower(), value.lower()) != ("title", "default title") and value.lower() != "default title"
    }
    key = (product.source_id, tuple(options.items()))
    if key in seen:
        shop.rejects.append(Reject(number, "a second variant with the same options", record))
        return
    seen.add(key)
    grams = row.get("variant grams", "")
    if grams not in ("", "0", "0.0") and not options:
        product.details["variant grams"] = grams
    # Overselling is allowed under this policy, so the variant can always be bought.
    unlimited = row.get("variant inventory policy", "") == "continue"
    stock = "in stock" if unlimited else row.get("variant inventory qty", "")
    source_id = row.get("variant sku", "") or f"{product.source_id}#{len(product.variants) + 1}"
    product.variants.append(RawVariant(number, source_id, price, options, stock))
