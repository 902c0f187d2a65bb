"""The prices of a whole source: one currency, one way of writing numbers, and the rows that have no price."""

from collections import Counter
from dataclasses import dataclass

from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.neutral import neutral
from ecomrlve.generator.catalog.importers.prices import (
    Amount,
    Convention,
    convention_of,
    currency_of_column,
    minor_units,
    read_amount,
    two_ways,
)
from ecomrlve.generator.catalog.importers.raw import RawShop, Reject
from ecomrlve.grammars.conditions.attributes import CURRENCIES, Currency


@dataclass(slots=True)
class Prices:
    """What was read.

    Args:
        currency: of the shop.
        convention: how numbers are written.
        of_row: row of the source to minor units.
        rejects: rows without a price.
        note: where the currency comes from.
    """

    currency: Currency
    convention: Convention
    of_row: dict[int, int]
    rejects: list[Reject]
    note: str


def read_prices(shop: RawShop, hints: Hints) -> Prices:
    """Read every variant's price; variants without one leave their product and are rejected.

    >>> from ecomrlve.generator.catalog.importers.raw import RawProduct, RawVariant
    >>> mug = RawProduct(1, "m", "Mug", (), [RawVariant(1, "m", "SR 15")])
    >>> prices = read_prices(RawShop([mug]), Hints())
    >>> prices.currency.code, prices.of_row
    ('SAR', {1: 1500})
    """
    texts = dict.fromkeys(variant.price for product in shop.products for variant in product.variants)
    convention = convention_of(texts)
    amounts = {text: read_amount(text, convention) for text in texts}
    seen = Counter(
        code
        for product in shop.products
        for variant in product.variants
        if (code := amounts[variant.price].currency) is not None
    )
    code, note = _currency(shop, hints, seen)
    currency = CURRENCIES[code]
    if currency.decimals > 2:
        convention = convention_of(texts, currency.decimals)
        amounts = {text: read_amount(text, convention) for text in texts}
    read = {text: _units(text, amount, convention, currency, hints) for text, amount in amounts.items()}
    found = Prices(currency, convention, {}, [], note)
    for product in shop.products:
        for variant in product.variants:
            units = read[variant.price]
            if isinstance(units, int):
                found.of_row[variant.row] = units
            else:
                raw = {
                    "id": product.source_id,
                    "title": neutral(product.title, 120),
                    "price": variant.price,
                    **variant.options,
                }
                found.rejects.append(Reject(variant.row, units, raw))
        if not all(variant.row in found.of_row for variant in product.variants):
            product.variants = [variant for variant in product.variants if variant.row in found.of_row]
    return found


def _units(text: str, amount: Amount, convention: Convention, currency: Currency, hints: Hints) -> int | str:
    """The price in minor units, or why it is none."""
    if amount.number is None:
        return amount.why
    code = currency.code
    if amount.currency is None and amount.any_of and code not in amount.any_of:
        return f"price {text[:40]!r} may be in {' or '.join(amount.any_of)}; a mapping file can name the currency"
    # A sign that several currencies share is of the one that the user names.
    if amount.currency not in (None, code) and not (hints.currency and code in amount.any_of):
        return f"its price is in {amount.currency}, the shop's are in {code}"
    if two_ways(text, convention, currency):
        return f"price {text[:40]!r} can be read in two ways"
    return minor_units(amount.number, currency)


def _currency(shop: RawShop, hints: Hints, seen: Counter[str]) -> tuple[str, str]:
    if hints.currency:
        return hints.currency, ""
    if seen:
        return max(seen.items(), key=lambda entry: (entry[1], entry[0]))[0], ""
    named = next((code for name in shop.price_names if (code := currency_of_column(name)) is not None), None)
    if named is not None:
        return named, f"the column {shop.price_names[0]!r} says so"
    convention = convention_of(shop.price_hints)
    hinted = Counter(code for text in shop.price_hints if (code := read_amount(text, convention).currency) is not None)
    if hinted:
        return max(hinted.items(), key=lambda entry: (entry[1], entry[0]))[0], "old prices are written in it"
    return "USD", 'no price names a currency; say currency = "…" in a mapping file if it is another one'
