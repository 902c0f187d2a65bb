"""Products with variants in one JSON document, with orders where there are any.

Two forms are read: products and orders keyed by id, as in the retail domain of tau2-bench, and a list of products as
Shopify's product API gives it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.neutral import plain_text
from ecomrlve.generator.catalog.importers.raw import RawOrder, RawProduct, RawShop, RawVariant, Reject
from ecomrlve.generator.catalog.importers.sources import Source
from ecomrlve.generator.catalog.importers.trees import split_path

NAME = "retail-json"
_KNOWN = frozenset(
    [
        "product_id",
        "id",
        "handle",
        "name",
        "title",
        "product_type",
        "type",
        "category",
        "categories",
        "brand",
        "vendor",
        "manufacturer",
        "rating",
        "average_rating",
        "reviews",
        "rating_number",
        "review_count",
        "description",
        "body_html",
        "price",
        "current_price",
        "available",
        "in_stock",
        "availability",
        "inventory_quantity",
        "stock",
        "quantity",
        "inventory",
        "sku",
        "item_id",
        "variant_id",
    ]
)


def fits(source: Source) -> bool:
    """Whether a source is one JSON document with products.

    >>> from pathlib import Path
    >>> fits(Source(Path("a.json"), "json", ["products"], document={"products": {}}))
    True
    """
    return source.kind == "json" and isinstance(source.document.get("products"), dict | list)


def read(source: Source, hints: Hints) -> RawShop:
    """Read products, their variants, and orders; a row is a variant."""
    if not fits(source):
        raise CatalogError(
            f'{source.path} has no "products" (a list, or an object by id), so it is no retail JSON. '
            "A list of plain records can be imported as a table."
        )
    shop = RawShop()
    for key, product in _entries(source.document["products"]):
        if not isinstance(product, dict):
            shop.read += 1
            shop.rejects.append(Reject(shop.read, "the product is not an object", product))
            continue
        _product(shop, key, product)
    orders = source.document.get("orders")
    if isinstance(orders, dict | list) and orders:
        shop.orders = []
        for number, (key, order) in enumerate(_entries(orders), 1):
            _order(shop, number, key, order)
    return shop


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((str(key), item) for key, item in value.items())
    elif isinstance(value, list):
        yield from (("", item) for item in value)


def _first(record: Mapping[str, Any], *names: str) -> Any:
    for name in names:
        if record.get(name) not in (None, "", []):
            return record[name]
    return None


def _product(shop: RawShop, key: str, product: dict[str, Any]) -> None:
    variants = list(_entries(product.get("variants") or {})) or [(key, product)]
    source_id = plain_text(_first(product, "product_id", "id", "handle") or key)
    title = plain_text(_first(product, "name", "title"))
    category = _first(product, "product_type", "type", "category", "categories")
    names = [
        plain_text(option.get("name")) for _, option in _entries(product.get("options")) if isinstance(option, dict)
    ]
    found = RawProduct(
        shop.read + 1,
        source_id,
        title,
        split_path(category) if category is not None else split_path(title),
        [],
        brand=plain_text(_first(product, "brand", "vendor", "manufacturer")),
        rating=plain_text(_first(product, "rating", "average_rating")),
        reviews=plain_text(_first(product, "reviews", "rating_number", "review_count"))
        if not isinstance(product.get("reviews"), list)
        else str(len(product["reviews"])),
        details={str(name): plain_text(value) for name, value in _details(product)},
        text=plain_text(_first(product, "description", "body_html")),
    )
    for variant_key, variant in variants:
        shop.read += 1
        if not isinstance(variant, dict):
            shop.rejects.append(Reject(shop.read, "the variant is not an object", variant))
            continue
        options = _options(variant, names) if variant is not product else {}
        if not title and not source_id:
            shop.rejects.append(Reject(shop.read, "the product has neither a name nor an id", variant))
            continue
        own_id = plain_text(_first(variant, "item_id", "variant_id", "sku", "id") or variant_key)
        price = plain_text(_first(variant, "price", "current_price"))
        if not found.add(RawVariant(shop.read, own_id, price, options, _stock(variant))):
            shop.rejects.append(Reject(shop.read, "a second variant with the same options", variant))
    if found.variants:
        shop.products.append(found)


def _details(product: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in product.items():
        if isinstance(value, dict) and name in ("attributes", "details", "specifications", "specs", "dimensions"):
            yield from ((key, item) for key, item in value.items() if isinstance(item, str | int | float | bool))
        elif isinstance(value, str | int | float | bool) and name not in _KNOWN:
            yield name, value


def _options(variant: Mapping[str, Any], names: list[str]) -> dict[str, str]:
    given = variant.get("options")
    if isinstance(given, dict):
        return {str(name): plain_text(value) for name, value in given.items() if plain_text(value)}
    values = given if isinstance(given, list) else [variant.get(f"option{place}") for place in (1, 2, 3)]
    found = {}
    for place, value in enumerate(values):
        text = plain_text(value)
        if text and text.lower() != "default title":
            found[names[place] if place < len(names) and names[place] else f"option {place + 1}"] = text
    return found


def _stock(variant: Mapping[str, Any]) -> str:
    count = _first(variant, "inventory_quantity", "stock", "quantity", "inventory")
    if count is not None:
        return plain_text(count)
    for name in ("available", "in_stock", "availability"):
        if variant.get(name) is not None:
            return plain_text(variant[name])
    return ""


def _order(shop: RawShop, number: int, key: str, order: Any) -> None:
    orders = shop.orders if shop.orders is not None else []
    items = order.get("items", order.get("line_items")) if isinstance(order, dict) else None
    if not isinstance(items, list) or not items:
        shop.rejects.append(Reject(number, "the order has no items", order, "order"))
        return
    counted: Counter[tuple[str, str]] = Counter()
    for item in items:
        if isinstance(item, dict):
            quantity = item.get("quantity", 1)
            own_id = plain_text(_first(item, "item_id", "variant_id", "sku"))
            counted[own_id, plain_text(item.get("price"))] += (
                quantity if isinstance(quantity, int) and quantity > 0 else 1
            )
    customer = plain_text(_first(order, "user_id", "customer_id", "customer", "email")) or f"#{number}"
    lines = tuple((own_id, quantity, price) for (own_id, price), quantity in counted.items())
    orders.append(
        RawOrder(
            number, plain_text(_first(order, "order_id", "id") or key), customer, lines, plain_text(order.get("status"))
        )
    )
