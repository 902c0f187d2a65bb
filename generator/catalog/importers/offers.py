"""Offers of schema.org: at which price a product is sold, and whether it can be bought."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ecomrlve.generator.catalog.importers.neutral import plain_text
from ecomrlve.generator.catalog.importers.tables import format_words


def type_names(node: Mapping[str, Any]) -> set[str]:
    """The types of a node, lower-cased, without the address of the vocabulary.

    >>> sorted(type_names({"@type": ["https://schema.org/Product", "schema:Car"]}))
    ['car', 'product']
    """
    value = node.get("@type")
    names = value if isinstance(value, list) else [value]
    return {name.rpartition("/")[2].rpartition(":")[2].lower() for name in names if isinstance(name, str)}


@dataclass(slots=True)
class Offer:
    """One offer: its price with the currency, units or a word on whether it can be bought, and what tells it apart."""

    price: str = ""
    available: str = ""
    sku: str = ""
    name: str = ""
    picked: dict[str, str] = field(default_factory=dict)


def offers_of(nodes: Iterable[Any]) -> list[Offer]:
    """The single offers among nodes; a range of prices stays a range, which is no price.

    >>> offers_of([{"@type": "Offer", "price": "9.50", "priceCurrency": "EUR", "availability": "InStock"}])[0].price
    '9.50 EUR'
    >>> offers_of([{"@type": "AggregateOffer", "lowPrice": 5, "highPrice": 9, "priceCurrency": "EUR"}])[0].price
    '5 - 9 EUR'
    """
    return [offer for node in nodes if isinstance(node, dict) for offer in _single(node, 0)]


def _single(node: Mapping[str, Any], depth: int) -> Iterator[Offer]:
    inner = node.get("offers")
    if inner is not None and depth < 4:
        for one in inner if isinstance(inner, list) else [inner]:
            if isinstance(one, dict):
                yield from _single(one, depth + 1)
        return
    price, currency = _price(node)
    offered = node.get("itemOffered")
    offered = offered if isinstance(offered, dict) else {}
    names = ("color", "size", "material", "pattern")
    yield Offer(
        f"{price} {currency}".strip() if price else "",
        _available(node),
        plain_text(node.get("sku") or offered.get("sku")).strip(),
        plain_text(node.get("name") or offered.get("name")).strip(),
        {name: text for name in names if (text := plain_text(offered.get(name)).strip())},
    )


def _price(node: Mapping[str, Any]) -> tuple[str, str]:
    """The price and its currency, of the offer or of its price specification; struck-out prices are none."""
    currency = plain_text(node.get("priceCurrency")).strip()
    price = plain_text(node.get("price")).strip()
    if not price:
        given = node.get("priceSpecification")
        for one in given if isinstance(given, list) else [given]:
            if not isinstance(one, dict) or "referenceQuantity" in one:
                continue
            kind = plain_text(one.get("priceType")).rpartition("/")[2].lower()
            if kind in ("", "saleprice", "regularprice") and not price:
                price = plain_text(one.get("price")).strip()
                currency = currency or plain_text(one.get("priceCurrency")).strip()
    low, high = plain_text(node.get("lowPrice")).strip(), plain_text(node.get("highPrice")).strip()
    if not price and low:
        price = low if low == high else f"{low} - {high}" if high else f"from {low}"
    return price, currency


def _available(node: Mapping[str, Any]) -> str:
    level = node.get("inventoryLevel")
    units = plain_text(level.get("value") if isinstance(level, dict) else level).strip()
    if units:
        return units
    said = plain_text(node.get("availability")).rpartition("/")[2].rpartition(":")[2].lower().replace(" ", "")
    words = format_words()["jsonld"]["words"]
    return "in stock" if said in words["in_stock"] else "out of stock" if said in words["sold_out"] else ""
