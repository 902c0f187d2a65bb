"""Any table: which column is what is told by its name, or by a mapping file."""

import json
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.mapping import ROLES, Hints
from ecomrlve.generator.catalog.importers.neutral import neutral, plain_text
from ecomrlve.generator.catalog.importers.prices import currency_of_column
from ecomrlve.generator.catalog.importers.raw import RawProduct, RawShop, RawVariant, Reject
from ecomrlve.generator.catalog.importers.reading import Record, Source
from ecomrlve.generator.catalog.importers.tables import missing_words, plain, words
from ecomrlve.generator.catalog.importers.trees import split_path

NAME = "table"
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


def fits(source: Source) -> bool:
    """Whether a source has rows; the columns are looked at when it is read."""
    return source.kind != "json"


@dataclass(slots=True)
class Roles:
    """Which columns of a table are what.

    Args:
        one: role to its column.
        prices: price columns, the first with an amount counts.
        path: columns of the category levels, widest first.
        details: the rest, in order.
        records: columns that hold details as JSON.
        old_prices: columns of prices that no longer hold.
        thing: what the shop sells, where the id column says so.
        notes: (column, what became of it, why).
    """

    one: dict[str, str] = field(default_factory=dict)
    prices: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
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
    _find_id(names, free, roles)
    _find_prices(names, free, aliases, roles)
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
                f"The mapping file names the column {name!r} for {role}; the source has {_listed(columns)}."
            )
        if column in free:
            free.remove(column)
        if role == "price":
            roles.prices.append(column)
        elif role == "type":
            roles.path.append(column)
        else:
            roles.one[role] = column


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


def _find_prices(names: dict[str, str], free: list[str], aliases: Mapping[str, list[str]], roles: Roles) -> None:
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
    # A price of before counts only where no current one is given in the row, as in "sale price, regular price".
    now = [column for column in found if plain(column) not in old]
    if now and "sale" not in plain(now[0]) and "discount" not in plain(now[0]) and "offer" not in plain(now[0]):
        roles.prices = now[:1]
    else:
        roles.prices = now[:1] + [column for column in found if column not in now[:1]][:1]
    for column in roles.prices:
        free.remove(column)


def _listed(columns: list[str]) -> str:
    shown = ", ".join(neutral(column) for column in columns[:_NOTE_NAMES])
    return f"{shown} and {len(columns) - _NOTE_NAMES} more" if len(columns) > _NOTE_NAMES else shown


def read(source: Source, hints: Hints) -> RawShop:
    """Read one product a row; rows with one id are one product in several categories where the rest agrees."""
    sample = source.rows[:200]
    nested = {name for _, record in sample for name, value in record.items() if isinstance(value, dict)}
    roles = find_roles(source.columns, hints, nested)
    if not roles.prices:
        raise CatalogError(
            f"{source.path} has no price column that I know; its columns are {_listed(source.columns)}. "
            'Name it in a mapping file (--map MAP.toml): [columns] price = "…".'
        )
    if "id" not in roles.one and "title" not in roles.one:
        raise CatalogError(
            f"{source.path} has neither an id nor a title column that I know; "
            f"its columns are {_listed(source.columns)}. "
            'Name one in a mapping file (--map MAP.toml): [columns] id = "…", title = "…".'
        )
    shop = RawShop(rejects=list(source.rejects), read=source.read, thing=roles.thing, notes=list(roles.notes))
    shop.price_names = tuple(roles.prices)
    shop.price_hints = [
        plain_text(record.get(column)) for _, record in source.rows[:500] for column in roles.old_prices
    ]
    _drop_unlike_levels(source, roles, shop)
    join = _titles_repeat(source, roles)
    if join:
        shop.notes.append((roles.one["description"], "joined to the title", "titles repeat"))
    known: dict[tuple[str, ...], tuple[Record, RawProduct]] = {}
    for number, record in source.rows:
        key = _identity(record, roles)
        if not any(key):
            shop.rejects.append(Reject(number, "neither id nor title", record))
        elif key in known:
            _repeat(shop, number, record, known[key], roles)
        else:
            product = _product(number, record, roles, join)
            known[key] = (record, product)
            shop.products.append(product)
    return shop


def _identity(record: Record, roles: Roles) -> tuple[str, ...]:
    """What makes two rows the same product: the id, or the whole row where there is no id."""
    if "id" in roles.one:
        own_id = plain_text(record.get(roles.one["id"])).strip()
        if own_id and own_id.lower() not in missing_words():
            return (own_id,)
        if "title" not in roles.one or not plain_text(record.get(roles.one["title"])).strip():
            return ("",)
    elif not plain_text(record.get(roles.one["title"])).strip():
        return ("",)
    return ("", *(f"{name}={plain_text(value)}" for name, value in record.items() if name not in roles.path))


def _repeat(shop: RawShop, number: int, record: Record, first: tuple[Record, RawProduct], roles: Roles) -> None:
    first_record, product = first
    matter = [
        *roles.prices,
        *roles.details,
        *roles.records,
        *(column for role, column in roles.one.items() if role != "description"),
    ]
    for column in matter:
        one, other = plain_text(first_record.get(column)).strip(), plain_text(record.get(column)).strip()
        if one != other and one and other:
            shop.rejects.append(Reject(number, f"contradicts the earlier row of this id in {column!r}", record))
            return
    path = _path(record, roles)
    if path and path != product.path and path not in product.also:
        product.also.append(path)
    shop.merged += 1


def _path(record: Record, roles: Roles) -> tuple[str, ...]:
    found: list[str] = []
    for column in roles.path:
        for level in split_path(record.get(column)):
            if not found or found[-1].lower() != level.lower():
                found.append(level)
    return tuple(found)


def _product(number: int, record: Record, roles: Roles, join: bool) -> RawProduct:
    def cell(role: str) -> str:
        return plain_text(record.get(roles.one[role])).strip() if role in roles.one else ""

    price = ""
    for column in roles.prices:
        price = _price_text(record.get(column))
        if price and price.lower() not in missing_words():
            break
    own_id, title, text = cell("id"), cell("title"), cell("description")
    if join and text:
        title = f"{title} {neutral(text, 80)}".strip()
    details = {column: plain_text(record.get(column)) for column in roles.details}
    for column in roles.records:
        details.update(_record_details(record.get(column)))
    return RawProduct(
        number,
        own_id or f"row {number}",
        title,
        _path(record, roles),
        [RawVariant(number, own_id, price, {}, cell("stock"))],
        brand=cell("brand"),
        rating=cell("rating"),
        reviews=cell("reviews"),
        details={
            name: value for name, value in details.items() if value and value.strip().lower() not in missing_words()
        },
        text=text,
    )


def _price_text(value: Any) -> str:
    """A price cell; an object of an amount and a currency is written as both."""
    if isinstance(value, dict):
        amount = next((value[name] for name in ("amount", "value", "price", "current", "raw") if name in value), None)
        currency = next((value[name] for name in ("currency", "currencyCode", "currency_code") if name in value), "")
        return f"{plain_text(amount)} {plain_text(currency)}".strip()
    return plain_text(value).strip()


def _record_details(value: Any) -> dict[str, str]:
    """Details that one cell holds as an object or as its JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    if not isinstance(value, dict):
        return {}
    return {
        str(key): plain_text(item)
        for key, item in list(value.items())[:60]
        if isinstance(item, str | int | float | bool)
    }


def _drop_unlike_levels(source: Source, roles: Roles, shop: RawShop) -> None:
    """A column of categories names few things, in short; one that does not is text."""
    for column in list(roles.path):
        cells = [plain_text(record.get(column)).strip() for _, record in source.rows[:20_000]]
        cells = [cell for cell in cells if cell]
        distinct = len(set(cells))
        if not cells or (len(cells) >= 20 and distinct > len(cells) * 0.6) or sum(map(len, cells)) > 80 * len(cells):
            roles.path.remove(column)
            why = "it has no values" if not cells else "its values are too many or too long for categories"
            shop.notes.append((column, "left out of the categories", why))


def _titles_repeat(source: Source, roles: Roles) -> bool:
    """Whether titles alone tell few products apart, and a short description can help."""
    if "title" not in roles.one or "description" not in roles.one:
        return False
    titles = [plain_text(record.get(roles.one["title"])).strip() for _, record in source.rows]
    texts = [plain_text(record.get(roles.one["description"])).strip() for _, record in source.rows]
    lengths = sorted(map(len, texts))
    return len(set(titles)) < len(titles) / 2 and 0 < lengths[len(lengths) // 2] <= 60
