"""The page of products that a context-mode prompt shows, and how a solver reads it back.

One line per product; the options that a buyer picks follow on lines of their own, with their price and stock.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import getitem

import numpy as np

from ecomrlve.generator.catalog.columns import Catalog, Listing, Page
from ecomrlve.grammars.conditions.attributes import CURRENCIES, MISSING, Attribute, Currency, built_in
from ecomrlve.grammars.conditions.constraints import parse_quantity
from ecomrlve.grammars.conditions.units import unit_named
from ecomrlve.grammars.conditions.vocabulary import Vocabulary

SOLD_OUT = "sold out"
COLUMNS = "id | product | rating (reviews) | details | price | stock"
OPTION_COLUMNS = "  - options | price | stock"
OPTION_COLUMNS_WITH_IDS = "  - variant id | options | price | stock"
_JOINED = " | ".join


class _Stock(dict[int, str]):
    """What a page says of each number of units in stock."""

    def __missing__(self, units: int) -> str:
        text = self[units] = f"{units} in stock" if units else SOLD_OUT
        return text


class _Nothing(dict[int, str]):
    """The texts of a column that is not shown."""

    def __missing__(self, code: int) -> str:
        return ""


_STOCK, _NOTHING = _Stock(), _Nothing()


def listings(catalog: Catalog, rows: Sequence[int], with_variant_ids: bool, mixed: bool) -> list[Listing]:
    """The listings of a page's products, in the order given.

    Args:
        catalog: the shop.
        rows: its products.
        with_variant_ids: whether options have identifiers of their own.
        mixed: whether the page says each product's type.
    """
    renderer = _Renderer(catalog, with_variant_ids, mixed)
    return catalog.listings(rows, with_variant_ids * 2 + mixed, renderer.render)


class _Renderer:
    """Renders many products at once, so that each column is read once for all of them."""

    def __init__(self, catalog: Catalog, with_variant_ids: bool, mixed: bool) -> None:
        self._catalog = catalog
        self._with_variant_ids = with_variant_ids
        self._mixed = mixed

    def render(self, rows: list[int]) -> Iterator[Listing]:
        """The listing of each product."""
        catalog = self._catalog
        page = Page(catalog, np.array(rows, dtype=np.int64))
        ids = catalog.product_ids(page.rows)
        variant_ids = catalog.variant_ids(page.variants) if self._with_variant_ids else []
        options = self._options(page)
        offers = self._offers(page, options, variant_ids)
        starts = page.starts.tolist()
        ends = [*starts[1:], len(page)]
        for product_id, head, start, end in zip(ids, self._heads(page), starts, ends, strict=True):
            if options[start]:
                lines = "\n  - ".join(offers[start:end])
                yield Listing(f"{product_id} | {head}\n  - {lines}", product_id, tuple(variant_ids[start:end]))
            else:
                # A product without options is its own variant.
                yield Listing(f"{product_id} | {head} | {offers[start]}", product_id, (product_id,))

    def _heads(self, page: Page) -> Iterator[str]:
        """Title, stars and facts of each product."""
        catalog = self._catalog
        brands, ratings = catalog.texts("brand", labelled=True), catalog.texts("rating")
        texts = {kind: self._details(kind) for kind in set(page.types.tolist())}
        cells = zip(
            page.types.tolist(),
            page.of_products(catalog.brand).tolist(),
            page.of_products(catalog.rating).tolist(),
            page.of_products(catalog.reviews).tolist(),
            page.of_products(catalog.values).tolist(),
            catalog.titles_of(page),
            strict=True,
        )
        for kind, brand, rating, reviews, codes, title in cells:
            facts = [brands[brand], *map(getitem, texts[kind], codes)]
            if self._mixed:
                facts.insert(0, f"type: {catalog.types[kind].singular}")
            stars = f"{ratings[rating]} ({reviews:,})" if rating != MISSING else "not rated"
            yield f"{title} | {stars} | {'; '.join(filter(None, facts))}"

    def _details(self, kind: int) -> list[Mapping[int, str]]:
        """For each column of values of a type's products, the texts of what is the same in all variants."""
        shown = self._catalog.types[kind]
        return [
            _NOTHING if key in shown.variant_axes else self._catalog.texts(key, labelled=True)
            for key in shown.attributes
        ]

    def _options(self, page: Page) -> list[str]:
        """What the buyer picks, for each variant; empty where that is nothing."""
        catalog = self._catalog
        codes = page.of_variants(catalog.options)
        if bool((codes == MISSING).all()):
            return [""] * len(codes)
        kinds = page.types.tolist()
        texts = {kind: catalog.option_texts(kind) for kind in set(kinds)}
        own = map(tuple, codes.tolist())
        if len(texts) == 1:
            return list(map(texts[kinds[0]].__getitem__, own))
        of_variants = page.types[page.products].tolist()
        return [texts[kind][picked] for kind, picked in zip(of_variants, own, strict=True)]

    def _offers(self, page: Page, options: list[str], variant_ids: list[str]) -> list[str]:
        """Identifier (where shown), options, price and stock of each variant."""
        catalog = self._catalog
        prices = map(catalog.texts("price").__getitem__, page.of_variants(catalog.price).tolist())
        stocks = map(_STOCK.__getitem__, page.of_variants(catalog.stock).tolist())
        offers = map(_JOINED, zip(prices, stocks, strict=True))
        if all(options):
            cells = zip(variant_ids, options, offers, strict=True) if variant_ids else zip(options, offers, strict=True)
            return list(map(_JOINED, cells))
        names = variant_ids or [""] * len(options)
        cells = zip(names, options, offers, strict=True)
        return [_JOINED(filter(None, cell)) if cell[1] else cell[2] for cell in cells]


def render_page(shown: Sequence[Listing], with_variant_ids: bool) -> str:
    """The table of a page: a line that names the columns, then the products."""
    head = COLUMNS
    if any("\n" in entry.text for entry in shown):
        head += "\n" + (OPTION_COLUMNS_WITH_IDS if with_variant_ids else OPTION_COLUMNS)
    return "\n".join([head, *(entry.text for entry in shown)])


# --- reading it back -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShownVariant:
    """A variant as the page shows it: its identifier ("" where not shown), facts by label, price in minor units."""

    id: str
    facts: dict[str, str]
    price: int
    stock: int


@dataclass(frozen=True, slots=True)
class ShownProduct:
    """A product as the page shows it; facts by label hold for all its variants."""

    id: str
    title: str
    facts: dict[str, str]
    variants: tuple[ShownVariant, ...]

    def offers(self) -> list[tuple[ShownVariant, dict[str, str]]]:
        """Each variant with everything known of it, by label."""
        return [(variant, {**self.facts, **variant.facts}) for variant in self.variants]


def parse_money(text: str, currency: Currency) -> int:
    """Minor units of a shown price.

    >>> parse_money("$1,234.50", CURRENCIES["USD"])
    123450
    """
    return int(parse_quantity(text.replace(currency.symbol, ""))[0] * 10**currency.decimals)


def _read_facts(text: str) -> dict[str, str]:
    return dict(part.split(": ", 1) for part in text.split("; ")) if text else {}


def _read_stock(text: str) -> int:
    return 0 if text == SOLD_OUT else int(text.split(" ")[0])


def parse_page(text: str, currency: Currency) -> tuple[ShownProduct, ...]:
    """The products of the table in a prompt."""
    lines = text.split("\n")
    at = lines.index(COLUMNS) + 1
    if lines[at] in (OPTION_COLUMNS, OPTION_COLUMNS_WITH_IDS):
        at += 1
    found: list[ShownProduct] = []
    for line in lines[at:]:
        cells = line.strip().removeprefix("- ").split(" | ")
        if line.startswith("  - "):
            price = parse_money(cells[-2], currency)
            facts = {**_read_facts(cells[-3]), "price": cells[-2]}
            variant = ShownVariant(cells[0] if len(cells) == 4 else "", facts, price, _read_stock(cells[-1]))
            found[-1] = replace(found[-1], variants=(*found[-1].variants, variant))
        elif re.match(r"[A-Z0-9]{6} \| ", line):
            facts = _read_facts(cells[3])
            if cells[2] != "not rated":
                rating, reviews = cells[2].removesuffix(")").split(" (")
                facts |= {"rating": rating, "reviews": reviews}
            variants: tuple[ShownVariant, ...] = ()
            if len(cells) == 6:
                price = parse_money(cells[4], currency)
                variants = (ShownVariant(cells[0], {"price": cells[4]}, price, _read_stock(cells[5])),)
            found.append(ShownProduct(cells[0], cells[1], facts, variants))
        else:
            break
    return tuple(found)


def parse_currency(text: str) -> Currency:
    """The currency that a prompt names ("Prices are in US dollars.")."""
    for currency in CURRENCIES.values():
        if f"Prices are in {currency.name}." in text:
            return currency
    raise ValueError("the prompt names no currency")


def _kind_of(label: str, texts: list[str]) -> list[Attribute]:
    """The attribute that the shown values of a label make, by key = label; a number may also be meant as a choice."""
    if set(texts) <= {"yes", "no"}:
        return [Attribute(label, label, "boolean")]
    choice = Attribute(label, label, "choice", tuple(texts))
    units = set()
    for text in texts:
        found = re.fullmatch(r"-?[0-9][0-9,]*(?:\.[0-9]+)? ?(\D*)", text)
        unit = unit_named(found[1]) if found else None
        if unit is None:
            return [choice]
        units.add(unit.name)
    if len(units) != 1:
        return [choice]
    return [Attribute(label, label, "number", unit=units.pop(), decimals=2), replace(choice, key=f"{label} (choice)")]


def _values(by_type: Mapping[str, Mapping[str, None]]) -> list[str]:
    """The values of a label; where one product type has it as a feature and another as a choice, the choices."""
    choices = [values for values in by_type.values() if not values.keys() <= {"yes", "no"}]
    return list(dict.fromkeys(text for values in choices or by_type.values() for text in values))


def shown_vocabulary(
    products: Sequence[ShownProduct], currency: Currency, nouns: Sequence[tuple[str, str]], references: dict[str, str]
) -> Vocabulary:
    """The words that a page gives meaning to, with labels as keys; nothing but the prompt is used.

    Args:
        products: the page.
        currency: of its prices.
        nouns: (singular, plural) of each product type on the page.
        references: phrases for other objects, by a name of the solver's.
    """
    texts: dict[str, dict[str, dict[str, None]]] = {}
    for product in products:
        kind = product.facts.get("type", "")
        for _, facts in product.offers():
            for label, text in facts.items():
                texts.setdefault(label, {}).setdefault(kind, {})[text] = None
    attributes = {
        attribute.key: attribute
        for label, by_type in texts.items()
        if label not in ("price", "rating", "reviews")
        for attribute in _kind_of(label, _values(by_type))
    }
    return Vocabulary({**attributes, **built_in(currency)}, {pair[0]: pair for pair in nouns}, references, currency)


def facts_for(facts: dict[str, str]) -> dict[str, str]:
    """Facts by label, with each number also under the name by which it can be read as a choice."""
    return {**facts, **{f"{label} (choice)": text for label, text in facts.items()}}
