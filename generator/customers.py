"""A shop's customers: names and places from Faker, tastes and sizes from the shop's own products."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from zlib import crc32

import numpy as np
from faker.factory import Factory

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.identifiers import SPLITS
from ecomrlve.generator.randomness import Draws, rng_for
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.engine.tables import load_table

MOST_CUSTOMERS = 20_000

# Surnames are parted between the splits by a checksum: eight parts, of which the first split gets four.
_PARTS = (0, 0, 0, 0, *range(1, len(SPLITS)))
# Names drawn from a locale to learn which it has.
_SURNAMES = 1500
_FIRST_NAMES = 500
# Variants looked at to learn a type's sizes, and prices looked at to learn what people spend.
_LOOKED_AT = 2048


@dataclass(frozen=True, slots=True)
class Customer:
    """One customer.

    Args:
        number: place in the pool.
        name: first name and surname.
        first_name: as messages are signed.
        locale: such as ``"de_DE"``.
        city: where they live.
        tier: ``"standard"``, ``"plus"`` or ``"gold"``.
        sizes: what they wear, by the name of the size, as the shop shows it: ``{"shoe size": "EU 42", "size": "M"}``.
        budget: usual spend per item, minor units.
        favorites: brands of the shop that they like.
        style: how they write: ``"plain"``, ``"chatty"``, ``"terse"`` or ``"polite"``.
    """

    number: int
    name: str
    first_name: str
    locale: str
    city: str
    tier: str
    sizes: Mapping[str, str] = field(hash=False)
    budget: int
    favorites: tuple[str, ...]
    style: str


@dataclass(frozen=True, slots=True)
class SizeGroup:
    """Types whose sizes are one and the same measure.

    Args:
        name: such as ``"shoe size"``; no other group has it.
        key: the variant axis.
        types: places of the types in the catalog.
        codes: the sizes, smallest first where that is known.
    """

    name: str
    key: str
    types: tuple[int, ...]
    codes: tuple[int, ...]


def size_groups(catalog: Catalog) -> tuple[SizeGroup, ...]:
    """The sizes that a person has in a shop's products, those of most products first.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> [group.name for group in size_groups(synthesize(2_000))][:2]
    ['size', 'shoe size']
    """
    known = load_table("generator/customers")["sizes"]
    parts: list[tuple[str, str, list[int], set[int]]] = []
    for place, kind in enumerate(catalog.types):
        for axis, key in enumerate(kind.variant_axes if kind.return_class in known["return_classes"] else ()):
            label = catalog.attributes[key].label
            codes = _codes_of(catalog, place, axis) if set(label.lower().split()) & set(known["words"]) else set()
            if not codes:
                continue
            name = "shoe size" if kind.return_class == "footwear" and label == "size" else label
            # Types belong together when they share a size; a type can join two groups that were apart.
            joined = [part for part in parts if part[:2] == (name, key) and part[3] & codes]
            parts = [part for part in parts if part not in joined]
            types = sorted([place, *(other for part in joined for other in part[2])])
            parts.append((name, key, types, codes.union(*(part[3] for part in joined))))
    sold = np.diff(catalog.type_start)
    parts.sort(key=lambda part: (-sum(int(sold[place]) for place in part[2]), part[2]))
    return _named(catalog, parts, known["order"])


def _codes_of(catalog: Catalog, place: int, axis: int) -> set[int]:
    rows = catalog.type_start[place : place + 2]
    first, last = catalog.variant_start[rows].tolist()
    column = catalog.options[first : min(last, first + _LOOKED_AT), axis]
    return {code for code in np.unique(column).tolist() if code != MISSING}


def _named(
    catalog: Catalog, parts: list[tuple[str, str, list[int], set[int]]], order: list[str]
) -> tuple[SizeGroup, ...]:
    """Groups with names of their own: the first keeps the plain one, a later one says what it is the size of."""
    groups: list[SizeGroup] = []
    taken: set[str] = set()
    for name, key, types, codes in parts:
        texts = {code: catalog.attributes[key].text(code) for code in codes}
        ranked = sorted(codes, key=lambda code: (_rank(texts[code], order), code))
        options = [name, *(f"{catalog.types[place].singular} {name}" for place in types)]
        unique = next((option for option in options if option not in taken), None)
        if unique is not None:
            taken.add(unique)
            groups.append(SizeGroup(unique, key, tuple(types), tuple(ranked)))
    return tuple(groups)


def _rank(text: str, order: list[str]) -> tuple[int, Fraction]:
    """Where a size stands: by its letters or words, else by its first number."""
    if text.lower() in order:
        return order.index(text.lower()), Fraction(0)
    number = re.search(r"\d+(?:\.\d+)?", text)
    return len(order), Fraction(number[0]) if number is not None else Fraction(0)


def _people(seed: int, split: str, size: int, draws: Draws) -> list[tuple[str, str, str, str]]:
    """(first name, surname, locale, city) of each person; no two have one name, and no two splits share a surname."""
    table = load_table("generator/customers")
    locales = list(table["locale"])
    part = SPLITS.index(split)
    endings = tuple(table["skip"]["surname_endings"])
    shares = list(table["locale"].values())
    wanted = [draws.weighted(shares) for _ in range(size)]
    names: dict[str, tuple[list[str], list[str], list[str]]] = {}
    for locale in sorted({locales[index] for index in wanted}):
        # The providers alone, without weights: loading all of a locale takes ten times as long.
        faker: Any = Factory.create(locale, ["faker.providers.person", "faker.providers.address"], use_weighting=False)
        faker.seed_instance(int(rng_for(seed, "names", split, locale).integers(1 << 62)))
        surnames = sorted({faker.last_name() for _ in range(_SURNAMES)})
        own = [name for name in surnames if _PARTS[crc32(name.encode()) % len(_PARTS)] == part and "," not in name]
        first_names = sorted({faker.first_name() for _ in range(_FIRST_NAMES)})
        cities = table["city"].get(locale) or sorted({faker.city() for _ in range(60)})
        names[locale] = first_names, [name for name in own if not name.endswith(endings)], cities
    people: dict[tuple[str, str], tuple[str, str, str, str]] = {}
    for index in wanted:
        first_names, surnames, cities = names[locales[index]]
        name = draws.choice(first_names), draws.choice(surnames)
        while name in people:
            name = draws.choice(first_names), draws.choice(surnames)
        people[name] = (*name, locales[index], draws.choice(cities))
    return list(people.values())


def _spendings(catalog: Catalog) -> list[int]:
    """Prices of the shop from the lower quarter to the upper tenth, rounded as people name a budget."""
    prices = np.sort(catalog.price[:: max(1, catalog.variants // _LOOKED_AT)]).tolist()
    chosen = prices[len(prices) // 4 : max(len(prices) // 4 + 1, len(prices) * 9 // 10)]
    step = 5 * 10**catalog.currency.decimals
    return [max(step, price // step * step) if price >= step else price for price in chosen]


def _brands(catalog: Catalog) -> list[str]:
    """Brands of the shop, named once for each product looked at, so that a common one is liked more often."""
    codes = catalog.brand[:: max(1, len(catalog) // _LOOKED_AT)].tolist()
    values = catalog.attributes["brand"].values if "brand" in catalog.attributes else ()
    return [values[code] for code in codes if code != MISSING]


def customer_pool(seed: int, split: str, catalog: Catalog, size: int = 512) -> tuple[Customer, ...]:
    """The customers of one split of a shop; two splits have no name in common.

    Args:
        seed: the world's seed, at least 0.
        split: one of `ecomrlve.generator.identifiers.SPLITS`.
        catalog: where tastes, sizes and budgets come from.
        size: how many people, 1 to 20,000.

    Raises:
        InvalidArgument: for a size or split outside its range.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> pool = customer_pool(0, "train", synthesize(500), size=20)
    >>> len({customer.name for customer in pool})
    20
    """
    if not 1 <= size <= MOST_CUSTOMERS:
        raise InvalidArgument("size", size, f"must lie between 1 and {MOST_CUSTOMERS}")
    if split not in SPLITS:
        raise InvalidArgument("split", split, f"must be one of {', '.join(SPLITS)}")
    table = load_table("generator/customers")
    draws = Draws(seed, "customers", split)
    groups = size_groups(catalog)
    spendings = _spendings(catalog)
    brands = _brands(catalog)
    pool = []
    for number, (first_name, surname, locale, city) in enumerate(_people(seed, split, size, draws)):
        # One build for all sizes (the mean of two draws: most people are near the middle).
        build = draws.below(1000) + draws.below(1000)
        sizes = {
            group.name: catalog.attributes[group.key].text(group.codes[build * len(group.codes) // 2000])
            for group in groups
        }
        pool.append(
            Customer(
                number,
                f"{first_name} {surname}",
                first_name,
                locale,
                city,
                list(table["tier"])[draws.weighted(list(table["tier"].values()))],
                sizes,
                draws.choice(spendings),
                tuple(sorted(set(draws.sample(brands, 3)))),
                list(table["style"])[draws.weighted(list(table["style"].values()))],
            )
        )
    return tuple(pool)
