"""Product types out of category paths: which level is the type, its nouns, its category and department."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.neutral import neutral
from ecomrlve.generator.catalog.importers.nouns import (
    cased,
    noun,
    plural,
    return_class,
    thing_or_item,
    types_from_titles,
)
from ecomrlve.generator.catalog.importers.raw import RawProduct
from ecomrlve.grammars.conditions.attributes import CURRENCIES
from ecomrlve.grammars.conditions.vocabulary import Vocabulary

Path = tuple[str, ...]

_SMALL_SHOP = 100
_LEAST_OF_TYPE = 8


@dataclass(slots=True)
class Kind:
    """A product type to be.

    Args:
        key: unique slug.
        one, many: its nouns.
        name: as the source writes it.
        department: (key, name).
        category: (key, name).
        return_class: one of the ontology's.
        shipping_class: one of the ontology's.
    """

    key: str
    one: str
    many: str
    name: str
    department: tuple[str, str]
    category: tuple[str, str]
    return_class: str
    shipping_class: str


def slug(text: str) -> str:
    """A lower-case key of letters, digits and underscores.

    >>> slug("Tables & desks")
    'tables_desks'
    """
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_") or "x"


def _rolled_up(paths: Sequence[Path]) -> list[Path]:
    """Paths cut so that each type has enough products, in shops large enough for that."""
    if len(paths) < _SMALL_SHOP:
        return list(paths)
    least = min(_LEAST_OF_TYPE, len(paths) // _SMALL_SHOP + 1)
    current = list(paths)
    for depth in range(max(map(len, paths), default=0), 1, -1):
        counts = Counter(current)
        current = [path[:-1] if len(path) == depth and counts[path] < least else path for path in current]
    return current


def kinds_of(
    products: Sequence[RawProduct], hints: Hints, thing: str, shop: str
) -> tuple[list[Kind], list[int], list[str]]:
    """The types of a shop and the type of each product.

    Args:
        products: with their paths.
        hints: nouns that the user gives.
        thing: what the shop sells, ``""`` where it does not say.
        shop: the shop's name, for a department of everything.

    Returns:
        types sorted by key, the place of each product's type, notes.
    """
    notes: list[str] = []
    paths = [product.path for product in products]
    if not any(paths):
        titles = [neutral(product.title, 120) for product in products]
        heads = types_from_titles(titles)
        if heads is None:
            notes.append("no column names product types, so all products have one")
            # "product" and "item" mean anything at all to a customer, so no type goes by them.
            one, many = thing_or_item(thing) if thing else ("article", "articles")
            return [_kind(one, many, one, (), shop, set())], [0] * len(products), notes
        notes.append("no column names product types, so they come from the last words of titles")
        paths = [(head,) if head else () for head in heads]
    paths = _rolled_up(paths)
    nouns = {path: _nouns_of(path, hints, thing) for path in dict.fromkeys(paths)}
    _qualify(nouns)
    _make_sayable(nouns)
    taken: set[str] = set()
    kinds: dict[str, Kind] = {}
    for path, (one, many) in nouns.items():
        if one.casefold() not in kinds:
            kinds[one.casefold()] = _kind(one, many, path[-1] if path else one, path, shop, taken)
    ordered = sorted(kinds.values(), key=lambda kind: kind.key)
    place = {kind.one.casefold(): number for number, kind in enumerate(ordered)}
    return ordered, [place[nouns[path][0].casefold()] for path in paths], notes


def _nouns_of(path: Path, hints: Hints, thing: str) -> tuple[str, str]:
    if not path:
        one, many = thing_or_item(thing)
        return f"unsorted {one}", f"unsorted {many}"
    given = hints.nouns.get(path[-1].lower())
    if given is not None:
        return given
    return noun(path[-1], thing)


def _qualify(nouns: dict[Path, tuple[str, str]]) -> None:
    """Types of one name in different branches are told apart by the branch's name."""
    owners: dict[str, list[Path]] = {}
    for path, (one, _) in nouns.items():
        owners.setdefault(one.casefold(), []).append(path)
    for paths in owners.values():
        if len({path[:-1] for path in paths}) > 1:
            for path in paths:
                if len(path) > 1:
                    branch = re.sub(r"\s*(?:&|,|/|\band\b|\bor\b)\s*", "/", cased(neutral(path[-2], 40)))
                    branch = " ".join(re.sub(r"[^\w\s'/-]", " ", branch).split())
                    one, many = nouns[path]
                    nouns[path] = (f"{branch} {one}".strip(), f"{branch} {many}".strip())


def _make_sayable(nouns: dict[Path, tuple[str, str]]) -> None:
    """Nouns that a customer could not say with one meaning become a name and the word "item"."""
    for path, (one, many) in nouns.items():
        if not _clear(one, many):
            words = [word for word in re.findall(r"[^\W\d_]+", one) if word not in ("item", "product")]
            name = " ".join(word for word in words if _clear(f"{word} item", f"{word} items"))
            nouns[path] = (f"{name or 'unnamed'} item", f"{name or 'unnamed'} items")
    taken: dict[str, str] = {}
    for path, (one, many) in nouns.items():
        # One type's plural must not be another one's singular.
        if any(taken.setdefault(form.casefold(), one.casefold()) != one.casefold() for form in (one, many)):
            nouns[path] = (f"{one} item", f"{one} items")


def _clear(one: str, many: str) -> bool:
    return Vocabulary({}, {"type": (one, many)}, {}, CURRENCIES["USD"]).noun_is_clear("type")


def _kind(one: str, many: str, name: str, path: Path, shop: str, taken: set[str]) -> Kind:
    key = slug(one)
    while key in taken:
        key += "_2"
    taken.add(key)
    department = path[0] if len(path) > 1 else shop
    category = path[-2] if len(path) > 2 else neutral(name, 60)
    department_key = slug(department)
    category_key = f"{department_key}/{slug('/'.join(path[:-1]) if len(path) > 2 else name)}"
    found = return_class(one, name, *reversed(path[:-1]))
    return Kind(
        key,
        one,
        many if many != one else plural(one),
        name,
        (department_key, department),
        (category_key, category[:1].upper() + category[1:]),
        found,
        "bulky" if found == "furniture" else "parcel",
    )
