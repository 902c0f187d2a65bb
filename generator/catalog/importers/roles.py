"""What each column of a table is: by the mapping file first, by its name else."""

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.mapping import ROLES, Hints
from ecomrlve.generator.catalog.importers.neutral import neutral
from ecomrlve.generator.catalog.importers.prices import currency_of_column
from ecomrlve.generator.catalog.importers.tables import plain, words

_LEVELS = ("department", "category", "sub_category", "type")
_NOT_THE_ID = (
    "category",
    "brand",
    "user",
    "customer",
    "store",
    "seller",
    "order",
    "company",
    "department",
    "type",
    "review",
)
_GENERIC_ID = {"product", "item", "article", "uniq", "unique", "variant", "parent", "row", "record", "external"}
_NOTE_NAMES = 12


@dataclass(slots=True)
class Roles:
    """Which columns of a table are what.

    Args:
        one: role to its column.
        prices: price columns, the first with an amount counts.
        path: columns of the category levels, widest first.
        details: the rest, in order.
        options: of them, those that buyers pick, where that is known.
        records: columns that hold details as JSON.
        old_prices: columns of prices that no longer hold.
        thing: what the shop sells, where the id column says so.
        notes: (column, what became of it, why).
    """

    one: dict[str, str] = field(default_factory=dict)
    prices: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    records: list[str] = field(default_factory=list)
    old_prices: list[str] = field(default_factory=list)
    thing: str = ""
    notes: list[tuple[str, str, str]] = field(default_factory=list)


def find_roles(columns: Iterable[str], hints: Hints, nested: Container[str] = ()) -> Roles:
    """What each column is, by the mapping file first and by its name else; ``nested`` ones hold objects.

    >>> roles = find_roles(["laptop_ID", "Company", "Product", "TypeName", "Price_euros", "Ram"], Hints())
    >>> roles.one, roles.prices, roles.path, roles.details
    ({'id': 'laptop_ID', 'title': 'Product', 'brand': 'Company'}, ['Price_euros'], ['TypeName'], ['Ram'])
    """
    columns = list(columns)
    roles = Roles()
    free = [column for column in columns if plain(column) not in hints.ignored]
    roles.notes += [
        (column, "left out", "the mapping file says so") for column in columns if plain(column) in hints.ignored
    ]
    for role in ROLES:
        _take_hint(role, hints, columns, free, roles)
    names = {plain(column): column for column in reversed(free)}
    aliases: Mapping[str, list[str]] = words()["columns"]
    _find_group(names, free, roles)
    _find_id(names, free, roles)
    _find_prices(names, free, aliases, roles, hints.currency)
    for role in ("title", "brand", "rating", "reviews", "stock", "description"):
        if role not in roles.one:
            found = next((names[alias] for alias in aliases[role] if names.get(alias) in free), None)
            if found is not None:
                roles.one[role] = found
                free.remove(found)
    if not roles.path:
        for level in _LEVELS:
            found = next((names[alias] for alias in aliases[level] if names.get(alias) in free), None)
            if found is not None:
                roles.path.append(found)
                free.remove(found)
    roles.records = [column for column in free if plain(column) in aliases["details"] or column in nested]
    ignored = set(words()["ignored"]["names"])
    roles.old_prices = [column for column in free if plain(column) in words()["old_prices"]["names"]]
    for column in free:
        if column in roles.records:
            continue
        if plain(column) in ignored or column in roles.old_prices:
            roles.notes.append((column, "left out", "no customer asks about it"))
        elif re.search(r"#\d+$", column):
            roles.notes.append((column, "left out", "another column has its name, or it has none"))
        else:
            roles.details.append(column)
    return roles


def _take_hint(role: str, hints: Hints, columns: list[str], free: list[str], roles: Roles) -> None:
    for name in hints.columns.get(role, ()):
        column = name if name in columns else next((one for one in columns if plain(one) == plain(name)), None)
        if column is None:
            raise CatalogError(
                f"The mapping file names the column {name!r} for {role}; the source has {listed(columns)}."
            )
        if column in free and role != "option":
            free.remove(column)
        if role == "price":
            roles.prices.append(column)
        elif role == "type":
            roles.path.append(column)
        elif role == "option":
            roles.options.append(column)
        else:
            roles.one[role] = column


def _find_group(names: dict[str, str], free: list[str], roles: Roles) -> None:
    """What the rows of one product share; only a column beside which each row has an id of its own can be that."""
    aliases = words()["columns"]
    if "group" in roles.one or not ("id" in roles.one or any(names.get(alias) in free for alias in aliases["id"])):
        return
    found = next((names[alias] for alias in aliases["group"] if names.get(alias) in free), None)
    if found is not None:
        roles.one["group"] = found
        free.remove(found)


def _find_id(names: dict[str, str], free: list[str], roles: Roles) -> None:
    aliases = words()["columns"]["id"]
    if "id" not in roles.one:
        found = next((names[alias] for alias in aliases if names.get(alias) in free), None)
        if found is None:
            likely = [name for name in names if name.endswith(" id") and name.split()[0] not in _NOT_THE_ID]
            found = names[likely[0]] if len(likely) == 1 and names[likely[0]] in free else None
        if found is not None:
            roles.one["id"] = found
            free.remove(found)
    name = plain(roles.one.get("id", ""))
    if name.endswith(" id") and name not in aliases and name.split()[0] not in _GENERIC_ID:
        roles.thing = name.removesuffix(" id")


def _find_prices(
    names: dict[str, str], free: list[str], aliases: Mapping[str, list[str]], roles: Roles, currency: str
) -> None:
    """The columns of prices; of those in several currencies the one that the mapping file names, else the first."""
    if roles.prices:
        return
    old = set(words()["old_prices"]["names"])
    found = [names[alias] for alias in aliases["price"] if names.get(alias) in free]
    for column in free:
        name = plain(column)
        stripped = " ".join(
            part for part in name.split() if currency_of_column(part) is None and part not in ("in", "per", "unit")
        )
        if column not in found and currency_of_column(column) is not None and stripped in aliases["price"]:
            found.append(column)
    named = {column: code for column in found if (code := currency_of_column(column)) is not None}
    if currency in named.values():
        found = [column for column in found if named.get(column) == currency]
    # A price of before counts only where no current one is given in the row, as in "sale price, regular price".
    now = [column for column in found if plain(column) not in old]
    if now and "sale" not in plain(now[0]) and "discount" not in plain(now[0]) and "offer" not in plain(now[0]):
        roles.prices = now[:1]
    else:
        roles.prices = now[:1] + [column for column in found if column not in now[:1]][:1]
    for column in roles.prices:
        free.remove(column)
    for column in named:
        if column in free:
            free.remove(column)
            roles.notes.append((column, "left out", "the price in another currency"))


def listed(columns: list[str]) -> str:
    """The first columns of a source, for a sentence.

    >>> listed(["id", "price"])
    'id, price'
    """
    shown = ", ".join(neutral(column) for column in columns[:_NOTE_NAMES])
    return f"{shown} and {len(columns) - _NOTE_NAMES} more" if len(columns) > _NOTE_NAMES else shown
