"""The page of products that a context-mode prompt shows, and how a solver reads it back.

One line per product; the options that a buyer picks follow on lines of their own, with their price and stock.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ecomrlve.generator.catalog.columns import Catalog, Listing
from ecomrlve.grammars.attributes import CURRENCIES, MISSING, Attribute, Currency, built_in
from ecomrlve.grammars.constraints import read_quantity
from ecomrlve.grammars.units import unit_named
from ecomrlve.grammars.vocabulary import Vocabulary

SOLD_OUT = "sold out"
COLUMNS = "id | product | rating (reviews) | details | price | stock"
OPTION_COLUMNS = "  - options | price | stock"
OPTION_COLUMNS_WITH_IDS = "  - variant id | options | price | stock"


def _stock(units: int) -> str:
    return f"{units} in stock" if units else SOLD_OUT


def listing(catalog: Catalog, row: int, with_variant_ids: bool, with_type: bool) -> Listing:
    """A product as the page shows it; kept for the next task that shows it."""
    name = row * 4 + with_variant_ids * 2 + with_type
    return catalog.listing(name) or catalog.keep_listing(name, _render(catalog, row, with_variant_ids, with_type))


def _render(catalog: Catalog, row: int, with_variant_ids: bool, with_type: bool) -> Listing:
    kind = catalog.types[catalog.type_of(row)]
    attributes = catalog.attributes
    facts = [f"type: {kind.singular}"] if with_type else []
    brand, rating = int(catalog.brand[row]), int(catalog.rating[row])
    if brand != MISSING:
        facts.append(f"brand: {attributes['brand'].values[brand]}")
    facts += [f"{attributes[key].label}: {text}" for key, text in catalog.details(row)]
    stars = f"{catalog.text('rating', rating)} ({int(catalog.reviews[row]):,})" if rating != MISSING else "not rated"
    product_id = catalog.product_id(row)
    head = f"{product_id} | {catalog.title(row)} | {stars} | {'; '.join(facts)}"
    start, end = int(catalog.variant_start[row]), int(catalog.variant_start[row + 1])
    prices = catalog.price[start:end].tolist()
    stocks = catalog.stock[start:end].tolist()
    if not catalog.has_options(row):
        text = f"{head} | {catalog.currency.text(prices[0])} | {_stock(stocks[0])}"
        return Listing(text, product_id, (product_id,))
    ids = tuple(catalog.variant_id(variant, row) for variant in range(start, end)) if with_variant_ids else ()
    lines = [head]
    axes = [(key, f"{attributes[key].label}: ") for key in kind.variant_axes]
    for place, codes in enumerate(catalog.options[start:end].tolist()):
        options = "; ".join(
            label + catalog.text(key, code) for (key, label), code in zip(axes, codes, strict=False) if code != MISSING
        )
        shown = f"{ids[place]} | {options}" if with_variant_ids else options
        lines.append(f"  - {shown} | {catalog.currency.text(prices[place])} | {_stock(stocks[place])}")
    return Listing("\n".join(lines), product_id, ids)


def listings(catalog: Catalog, rows: Sequence[int], with_variant_ids: bool, mixed: bool) -> list[Listing]:
    """The listings of a page's products, in the order given."""
    return [listing(catalog, row, with_variant_ids, mixed) for row in rows]


def page_text(shown: Sequence[Listing], with_variant_ids: bool) -> str:
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


def read_money(text: str, currency: Currency) -> int:
    """Minor units of a shown price.

    >>> read_money("$1,234.50", CURRENCIES["USD"])
    123450
    """
    return int(read_quantity(text.replace(currency.symbol, ""))[0] * 10**currency.decimals)


def _read_facts(text: str) -> dict[str, str]:
    return dict(part.split(": ", 1) for part in text.split("; ")) if text else {}


def _read_stock(text: str) -> int:
    return 0 if text == SOLD_OUT else int(text.split(" ")[0])


def read_page(text: str, currency: Currency) -> tuple[ShownProduct, ...]:
    """The products of the table in a prompt."""
    lines = text.split("\n")
    at = lines.index(COLUMNS) + 1
    if lines[at] in (OPTION_COLUMNS, OPTION_COLUMNS_WITH_IDS):
        at += 1
    found: list[ShownProduct] = []
    for line in lines[at:]:
        cells = line.strip().removeprefix("- ").split(" | ")
        if line.startswith("  - "):
            price = read_money(cells[-2], currency)
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
                price = read_money(cells[4], currency)
                variants = (ShownVariant(cells[0], {"price": cells[4]}, price, _read_stock(cells[5])),)
            found.append(ShownProduct(cells[0], cells[1], facts, variants))
        else:
            break
    return tuple(found)


def read_currency(text: str) -> Currency:
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
    texts: dict[str, dict[str, None]] = {}
    for product in products:
        for _, facts in product.offers():
            for label, text in facts.items():
                texts.setdefault(label, {})[text] = None
    attributes = {
        attribute.key: attribute
        for label, values in texts.items()
        if label not in ("price", "rating", "reviews")
        for attribute in _kind_of(label, list(values))
    }
    return Vocabulary({**attributes, **built_in(currency)}, {pair[0]: pair for pair in nouns}, references, currency)


def facts_for(facts: dict[str, str]) -> dict[str, str]:
    """Facts by label, with each number also under the name by which it can be read as a choice."""
    return {**facts, **{f"{label} (choice)": text for label, text in facts.items()}}


def quantity_of(facts: dict[str, str], key: str) -> Fraction | None:
    """The number that a fact shows, or None where the page does not give it."""
    return read_quantity(facts[key])[0] if key in facts else None
