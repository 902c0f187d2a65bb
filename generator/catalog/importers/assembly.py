"""From what a format found to a shop: prices read, types and attributes inferred, gaps drawn and listed."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise

import numpy as np

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.columns import Catalog, Int64, with_built_in
from ecomrlve.generator.catalog.imported import ImportedOrder
from ecomrlve.generator.catalog.importers.details import Details, gather_details
from ecomrlve.generator.catalog.importers.kinds import Kind, kinds_of
from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.money import Prices, read_prices
from ecomrlve.generator.catalog.importers.neutral import LONG, SHORT, TITLE, neutral
from ecomrlve.generator.catalog.importers.prices import convention_of, minor_units, number_of, read_amount
from ecomrlve.generator.catalog.importers.raw import RawProduct, RawShop, Reject
from ecomrlve.generator.catalog.importers.stocks import draw_popularity, read_stocks
from ecomrlve.generator.catalog.importers.tables import missing_words
from ecomrlve.generator.catalog.ontology import Edge, ProductType
from ecomrlve.grammars.conditions.attributes import MISSING

_MOST_REVIEWS = 2**31 - 1
_MOST_COMPANIONS = 8


@dataclass(slots=True)
class Assembled:
    """A shop and what came with it.

    Args:
        catalog: the shop.
        texts: descriptions, by product row.
        categories: by product row, all under which the source lists it.
        variant_ids: the source's own, by variant row.
        orders: where the source has them.
        orders_read: how many orders the source has.
        kept: rows of the source that are variants now.
        rejects: all of them, in the source's order.
        notes: (column, what became of it, why).
    """

    catalog: Catalog
    texts: list[str]
    categories: list[list[str]]
    variant_ids: list[str]
    orders: list[ImportedOrder] | None
    orders_read: int
    kept: int
    rejects: list[Reject]
    notes: list[tuple[str, str, str]] = field(default_factory=list)


def assemble(shop: RawShop, hints: Hints, name: str, key: int) -> Assembled:
    """Make a shop out of what a format found.

    Args:
        shop: products, variants and orders as the source writes them.
        hints: the mapping file.
        name: of the shop, where the mapping file gives none.
        key: of the shop's identifiers and of all that is drawn for it; from the source's digest.

    Raises:
        CatalogError: where no row has a price.
    """
    notes = list(shop.notes)
    rejects = list(shop.rejects)
    prices = read_prices(shop, hints)
    rejects += prices.rejects
    products = [product for product in shop.products if product.variants]
    if not products:
        raise CatalogError(_nothing_left(rejects))
    if prices.note:
        notes.append(("prices", prices.currency.code, prices.note))
    shop_name = hints.name or name
    kinds, kind_of, kind_notes = kinds_of(products, hints, shop.thing, shop_name)
    notes += [("types", "made up from titles" if "titles" in note else "one for all", note) for note in kind_notes]
    order = sorted(range(len(products)), key=lambda place: kind_of[place])
    products = [products[place] for place in order]
    kind_of = [kind_of[place] for place in order]
    details = gather_details(products, kind_of, kinds, hints)
    gone: dict[str, str] = {}
    for product in products:
        # They are codes now; a million of them fill the memory.
        product.details = gone
    notes += details.notes
    rejects += details.rejects
    several = sum(bool(product.also) for product in products)
    if several:
        notes.append(("types", "first of several", f"{several:,} products are listed under more than one"))
    return _built(shop, hints, shop_name, key, prices, kinds, kind_of, products, details, rejects, notes)


def _nothing_left(rejects: Sequence[Reject]) -> str:
    reasons = Counter(reject.reason for reject in rejects)
    if not reasons:
        return "The source has no products."
    reason, count = max(reasons.items(), key=lambda entry: (entry[1], entry[0]))
    advice = ' Name the right column in a mapping file (--map MAP.toml): [columns] price = "…".'
    return (
        f"No row can be sold: {len(rejects):,} rows were rejected, {count:,} of them because of this: {reason}."
        f"{advice if 'price' in reason else ''}"
    )


def _built(
    shop: RawShop,
    hints: Hints,
    name: str,
    key: int,
    prices: Prices,
    kinds: list[Kind],
    kind_of: list[int],
    products: list[RawProduct],
    details: Details,
    rejects: list[Reject],
    notes: list[tuple[str, str, str]],
) -> Assembled:
    counts = np.array([len(product.variants) for product in products], dtype=np.int64)
    variants = [variant for product in products for variant in product.variants]
    brands, brand_codes = _brands(products)
    reviews = _reviews(products)
    stock, drawn = read_stocks([variant.stock for variant in variants], key)
    popularity, popularity_drawn = draw_popularity(reviews, key)
    titles = [_title(product, kinds[kind].one) for product, kind in zip(products, kind_of, strict=True)]
    ratings, rating_note = _ratings(products)
    notes += rating_note
    type_start = np.searchsorted(kind_of, np.arange(len(kinds) + 1)).astype(np.int64)
    types = _types(kinds, details, [prices.of_row[product.variants[0].row] for product in products], type_start)
    catalog = Catalog(
        name=name,
        currency=prices.currency,
        departments=dict(kind.department for kind in kinds),
        categories={kind.category[0]: (kind.category[1], kind.department[0]) for kind in kinds},
        types=types,
        attributes=with_built_in(details.attributes, prices.currency, brands, [kind.one for kind in kinds]),
        edges=_companions(products, kind_of, kinds),
        type_start=type_start,
        brand=np.array(brand_codes, dtype=np.int32),
        rating=np.array(ratings, dtype=np.int32),
        reviews=np.array(reviews, dtype=np.int32),
        popularity=popularity,
        values=details.values,
        variant_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        price=np.array([prices.of_row[variant.row] for variant in variants], dtype=np.int64),
        stock=stock,
        options=details.options,
        titles=titles,
        source_ids=[neutral(product.source_id, SHORT) for product in products],
        key=key,
        drawn=(*drawn, *popularity_drawn, *_drawn_people(shop)),
    )
    orders = _orders(shop, products, prices, rejects)
    return Assembled(
        catalog,
        [neutral(product.text, LONG) for product in products],
        _categories(products),
        [neutral(variant.source_id, SHORT) for variant in variants],
        orders,
        len(shop.orders or ()) + sum(reject.kind == "order" for reject in shop.rejects),
        len(variants),
        sorted(rejects, key=lambda reject: (reject.kind != "product", reject.row)),
        notes,
    )


def _drawn_people(shop: RawShop) -> tuple[str, ...]:
    if not shop.people:
        return ()
    return (f"names and addresses of {shop.people:,} customers, in place of the source's",)


def _categories(products: Sequence[RawProduct]) -> list[list[str]]:
    """All categories of each product; products in the same ones share the list."""
    shared: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    found = []
    for product in products:
        paths = (product.path, *product.also)
        if paths not in shared:
            shared[paths] = [" > ".join(path) for path in paths if path]
        found.append(shared[paths])
    return found


def _title(product: RawProduct, one: str) -> str:
    title = neutral(product.title, TITLE)
    if not title or title.lower() in missing_words():
        title = f"{one[:1].upper()}{one[1:]} {neutral(product.source_id, SHORT)}"
    return title


def _types(kinds: list[Kind], details: Details, prices: list[int], type_start: Int64) -> tuple[ProductType, ...]:
    found = []
    for place, (kind, (start, end)) in enumerate(zip(kinds, pairwise(type_start.tolist()), strict=True)):
        found.append(
            ProductType(
                kind.key,
                kind.one,
                kind.many,
                kind.department[0],
                kind.category[0],
                kind.return_class,
                kind.shipping_class,
                details.attributes_of[place],
                details.axes_of[place],
                price_median=sorted(prices[start:end])[(end - start) // 2],
            )
        )
    return tuple(found)


def _brands(products: Sequence[RawProduct]) -> tuple[list[str], list[int]]:
    """Brand names in the order of first appearance, spelled in one way each, and the code of each product's."""
    cleaned = {text: _brand(text) for text in dict.fromkeys(product.brand for product in products)}
    texts = [cleaned[product.brand] for product in products]
    spelled: dict[str, Counter[str]] = {}
    for text in texts:
        spelled.setdefault(text.casefold(), Counter())[text] += 1
    best = {key: max(counter.items(), key=lambda entry: (entry[1], entry[0]))[0] for key, counter in spelled.items()}
    codes: dict[str, int] = {}
    found = [MISSING if not text else codes.setdefault(best[text.casefold()], len(codes)) for text in texts]
    return list(codes), found


def _brand(text: str) -> str:
    text = " ".join(re.sub(r'[;:"()]', " ", neutral(text, SHORT)).split()).strip(" .,-")
    return "" if text.lower() in missing_words() or text.lower() in ("unbranded", "generic") else text


def _first_number(text: str) -> Decimal | None:
    head = text.strip().split(" ")[0] if text.strip() else ""
    return number_of(head, convention_of([head])) if head[:1].isdigit() else None


def _ratings(products: Sequence[RawProduct]) -> tuple[list[int], list[tuple[str, str, str]]]:
    """Ratings in tenths of a star; a scale beyond five is brought to five."""
    read = {text: _first_number(text) for text in dict.fromkeys(product.rating for product in products)}
    numbers = [read[product.rating] for product in products]
    most = max((number for number in numbers if number is not None), default=Decimal(0))
    scale = 5 if most <= 5 else 10 if most <= 10 else 100
    note = [("rating", "converted", f"from a scale of {scale} to one of 5")] if scale > 5 else []
    found = []
    for number in numbers:
        if number is None or number <= 0 or number > scale:
            found.append(MISSING)
        else:
            found.append(max(10, int((number * 50 / scale).quantize(Decimal(1)))))
    return found, note


def _reviews(products: Sequence[RawProduct]) -> list[int]:
    found = []
    if not any(product.reviews for product in products):
        return [MISSING] * len(products)
    for product in products:
        text = product.reviews.strip().split(" ")[0].replace(",", "").removesuffix(".0")
        found.append(min(int(text), _MOST_REVIEWS) if text.isascii() and text.isdigit() and len(text) < 12 else MISSING)
    return found


def _companions(products: Sequence[RawProduct], kind_of: list[int], kinds: list[Kind]) -> tuple[Edge, ...]:
    """``complements`` edges between types whose products are bought together, the most frequent of each type."""
    place = {product.source_id: kind for product, kind in zip(products, kind_of, strict=True)}
    counted: Counter[tuple[int, int]] = Counter()
    for product, kind in zip(products, kind_of, strict=True):
        for companion in product.companions:
            other = place.get(companion)
            if other is not None and other != kind:
                counted[kind, other] += 1
    found: dict[int, list[Edge]] = {}
    for (kind, other), _ in sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])):
        edges = found.setdefault(kind, [])
        if len(edges) < _MOST_COMPANIONS:
            edges.append(Edge("complements", kinds[kind].key, kinds[other].key))
    return tuple(edge for _, edges in sorted(found.items()) for edge in edges)


def _orders(
    shop: RawShop, products: Sequence[RawProduct], prices: Prices, rejects: list[Reject]
) -> list[ImportedOrder] | None:
    if shop.orders is None:
        return None
    rows: dict[str, int] = {}
    for product in products:
        for variant in product.variants:
            rows.setdefault(variant.source_id, len(rows))
    amounts: dict[int, int] = {}
    place = 0
    for product in products:
        for variant in product.variants:
            amounts[place] = prices.of_row[variant.row]
            place += 1
    customers: dict[str, int] = {}
    found = []
    for order in shop.orders:
        lines = []
        why = ""
        for own_id, quantity, text in order.lines:
            amount = read_amount(text, prices.convention)
            units = minor_units(amount.number, prices.currency) if amount.number is not None else None
            if own_id not in rows:
                why = f"the order names a variant that the shop does not have: {own_id!r}"
                break
            lines.append((rows[own_id], quantity, units if isinstance(units, int) else amounts[rows[own_id]]))
        if why or not lines:
            raw = {"order": order.source_id, "lines": [list(line) for line in order.lines], "state": order.state}
            rejects.append(Reject(order.row, why or "the order has no lines", raw, "order"))
            continue
        number = customers.setdefault(order.customer, len(customers))
        found.append(ImportedOrder(neutral(order.source_id), number, tuple(lines), neutral(order.state).lower()))
    return found
