"""WooCommerce's product export: a row is a simple product, a variable one, or a variation that names its parent."""

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
from ecomrlve.generator.catalog.importers.tables import format_words, plain
from ecomrlve.generator.catalog.importers.trees import split_path

NAME = "woocommerce"
_LOOKED_AT = 200
_MEASURES = re.compile(r"(weight|length|width|height) ?(?:\w+)?")
_PARENT_ID = re.compile(r"id:\s*(\d+)", re.IGNORECASE)
_NO = ("0", "no", "false")


def fits(source: Source) -> bool:
    """Whether a source is a WooCommerce export: its types are the platform's, beside what only its products have.

    >>> from pathlib import Path
    >>> rows = [(1, {"Type": "variable", "Name": "Tee"}), (2, {"Type": "simple, virtual", "Name": "Album"})]
    >>> fits(Source(Path("a.csv"), "csv", ["Type", "Name", "Published", "Regular price", "Parent"], rows))
    True
    """
    if source.kind == "json":
        return False
    sheet = sheet_of(NAME, source.columns)
    if not sheet.complete or not (sheet.found >= 2 or numbered(source.columns, "attribute", "name")):
        return False
    kinds = [_kind(sheet.text(record, "kind")) for _, record in source.rows[:_LOOKED_AT]]
    return bool(kinds) and sum(kind in ("product", "variant", "other") for kind in kinds) >= 0.9 * len(kinds)


def _kind(text: str) -> str:
    """What a row is by its cell of types: "product", "variant", "other" (nothing sold by itself) or ""."""
    words = format_words()[NAME]["kinds"]
    for part in re.split(r"\s*,\s*", text.lower()):
        for kind in ("product", "variant", "other"):
            if part in words[kind]:
                return kind
    return ""


@dataclass(slots=True)
class _Export:
    """An export as it is read.

    Args:
        sheet: the columns by what they mean.
        names, values, visible: columns of attributes by their number.
        measures: columns of sizes and weights, whose names hold the unit.
        products: by id, the place of its row and what is made of it.
        ids: SKU to id of products.
        hidden: why, by id of products that are not for sale.
    """

    sheet: Sheet
    names: dict[int, str]
    values: dict[int, str]
    visible: dict[int, str]
    measures: list[str]
    products: dict[str, tuple[int, RawProduct]] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    hidden: dict[str, str] = field(default_factory=dict)


def read(source: Source, hints: Hints) -> RawShop:
    """Read the export.

    What is not published, hidden, sold elsewhere or a mere group of products is rejected. A variable product's own row
    is merged with its variations. A sale price that holds between dates only is left aside for the regular one.
    """
    if not fits(source):
        raise CatalogError(
            f"{source.path} has no columns Type, Name and Regular price, so it is no WooCommerce export. "
            "Import it as a table."
        )
    shop = RawShop(rejects=list(source.rejects), read=source.read)
    export = _Export(
        sheet_of(NAME, source.columns),
        numbered(source.columns, "attribute", "name"),
        numbered(source.columns, "attribute", r"values?(?: s)?"),
        numbered(source.columns, "attribute", "visible"),
        [column for column in source.columns if _MEASURES.fullmatch(plain(column))],
    )
    shop.price_names = tuple(column for column in source.columns if currency_of_column(column))
    variations = []
    for place, (number, record) in enumerate(source.rows):
        kind = _kind(export.sheet.text(record, "kind"))
        if kind == "variant":
            variations.append(place)
        elif kind == "product":
            _read_product(shop, export, place, number, record)
        else:
            shop.rejects.append(Reject(number, _why_other(export.sheet.text(record, "kind")), record))
    for place in variations:
        _read_variation(shop, export, source, *source.rows[place])
    for place, product in export.products.values():
        _close(shop, export, *source.rows[place], product)
    return shop


def _why_other(kind: str) -> str:
    others: Mapping[str, str] = format_words()[NAME]["kinds"]["other"]
    why = next((others[part] for part in re.split(r"\s*,\s*", kind.lower()) if part in others), "")
    return f"not sold by itself ({why})" if why else "its type is none of WooCommerce's"


def _why_hidden(sheet: Sheet, record: Record) -> str:
    if sheet.text(record, "published").lower() in ("0", "-1", "draft", "private", "pending", "trash"):
        return "not published"
    return "hidden from the catalog" if sheet.text(record, "visibility").lower() == "hidden" else ""


def _read_product(shop: RawShop, export: _Export, place: int, number: int, record: Record) -> None:
    sheet = export.sheet
    own_id, sku = sheet.text(record, "id"), sheet.text(record, "sku")
    key = own_id or sku or f"row {number}"
    why = _why_hidden(sheet, record)
    if not sheet.text(record, "title"):
        why = "no name"
    if key in export.products or key in export.hidden:
        shop.rejects.append(Reject(number, "another row has this id", record))
        return
    if sku:
        export.ids.setdefault(sku, key)
    if why:
        export.hidden[key] = why
        shop.rejects.append(Reject(number, why, record))
        return
    paths = [split_path(part) for part in re.split(r"(?<!\\),", sheet.text(record, "categories")) if part.strip()]
    # The deepest category says best what it is; "Clothing, Clothing > Tees" names both levels.
    paths.sort(key=len, reverse=True)
    product = RawProduct(
        number,
        sku or key,
        sheet.text(record, "title"),
        paths[0] if paths else (),
        [],
        brand=sheet.text(record, "brand"),
        text=sheet.text(record, "description") or sheet.text(record, "short description"),
        also=tuple(path for path in paths[1:] if paths[0][: len(path)] != path),
        companions=tuple(part for part in re.split(r"\s*,\s*", sheet.text(record, "companions")) if part),
    )
    for column in export.measures:
        text = plain_text(record.get(column)).strip()
        if text and text.strip("0.,"):
            product.details[column] = text
    export.products[key] = (place, product)


def _attributes(export: _Export, record: Record) -> dict[str, tuple[str, bool]]:
    """Name to (values, whether the product's page shows it)."""
    found = {}
    for place, column in export.names.items():
        name = plain_text(record.get(column)).strip()
        values = plain_text(record.get(export.values.get(place, ""))).strip()
        visible = plain_text(record.get(export.visible.get(place, ""))).strip().lower()
        if name:
            found[name] = (values, visible not in _NO)
    return found


def _read_variation(shop: RawShop, export: _Export, source: Source, number: int, record: Record) -> None:
    sheet = export.sheet
    parent = sheet.text(record, "parent")
    by_id = _PARENT_ID.fullmatch(parent)
    key = by_id[1] if by_id else export.ids.get(parent, parent)
    if key not in export.products:
        why = export.hidden.get(key, "its parent is not in the file")
        shop.rejects.append(Reject(number, why, record))
        return
    place, product = export.products[key]
    why = _why_hidden(sheet, record)
    if why:
        shop.rejects.append(Reject(number, why, record))
        return
    # An empty value means that any of the parent's will do, so it is nothing that tells this variation apart.
    picked = {name: values for name, (values, _) in _attributes(export, record).items() if values}
    sku = sheet.text(record, "sku")
    own_id = sku if sku and sku != product.source_id else sheet.text(record, "id")
    stock = _stock(sheet, record)
    if sheet.text(record, "stock").lower() == "parent":
        stock = _stock(sheet, source.rows[place][1])
    variant = RawVariant(
        number, own_id or f"{product.source_id}#{len(product.variants) + 1}", _price(sheet, record), picked, stock
    )
    if not product.add(variant):
        shop.rejects.append(Reject(number, "a second variant with the same options", record))


def _close(shop: RawShop, export: _Export, number: int, record: Record, product: RawProduct) -> None:
    """Add what is not picked to a product's details, and its own variant where it is a simple one."""
    picked = {name for variant in product.variants for name in variant.options}
    kinds = re.split(r"\s*,\s*", export.sheet.text(record, "kind").lower())
    variable = any(kind.startswith("variable") for kind in kinds)
    for name, (values, visible) in _attributes(export, record).items():
        if visible and values and name not in picked:
            product.details.setdefault(name, values)
    if not variable:
        sheet = export.sheet
        product.add(RawVariant(number, product.source_id, _price(sheet, record), stock=_stock(sheet, record)))
    elif product.variants:
        shop.merged += 1
    else:
        shop.rejects.append(Reject(number, "a variable product without variations", record))
    if product.variants:
        shop.products.append(product)


def _price(sheet: Sheet, record: Mapping[str, Any]) -> str:
    dated = sheet.text(record, "sale starts") or sheet.text(record, "sale ends")
    sale = "" if dated else sheet.text(record, "sale price")
    return sale or sheet.text(record, "regular price")


def _stock(sheet: Sheet, record: Mapping[str, Any]) -> str:
    """Units where they are counted, else whether there are any; what may be ordered back can always be bought."""
    if sheet.text(record, "backorders").lower() in ("1", "yes", "notify"):
        return "in stock"
    units = sheet.text(record, "stock")
    if units and units.lower() != "parent":
        return units
    said = sheet.text(record, "in stock").lower()
    return {"1": "in stock", "0": "out of stock", "backorder": "in stock"}.get(said, said)
