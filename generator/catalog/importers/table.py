"""Any table: which column is what is told by its name, or by a mapping file."""

from itertools import islice

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.families import families_of, note_dropped, read_family
from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.neutral import plain_text
from ecomrlve.generator.catalog.importers.raw import RawProduct, RawShop, Reject
from ecomrlve.generator.catalog.importers.roles import Roles, find_roles, listed
from ecomrlve.generator.catalog.importers.rows import cell, path_of, product_of
from ecomrlve.generator.catalog.importers.sources import LOOKED_AT, Record, Rows, Source
from ecomrlve.generator.catalog.importers.tables import missing_words

NAME = "table"
CONTRADICTS = "contradicts the earlier row of this id"
"""How the reason begins for which a row of a known id is rejected."""


def fits(source: Source) -> bool:
    """Whether a source has rows; the columns are looked at when it is read."""
    return source.kind != "json"


def read(source: Source, hints: Hints) -> RawShop:
    """Read one product a row; rows with one id are one product in several categories where the rest agrees."""
    sample = source.rows[:200]
    nested = {name for _, record in sample for name, value in record.items() if isinstance(value, dict)}
    roles = find_roles(source.columns, hints, nested)
    if not roles.prices:
        raise CatalogError(
            f"{source.path} has no price column that I know; its columns are {listed(source.columns)}. "
            'Name it in a mapping file (--map MAP.toml): [columns] price = "…".'
        )
    if "id" not in roles.one and "title" not in roles.one:
        raise CatalogError(
            f"{source.path} has neither an id nor a title column that I know; "
            f"its columns are {listed(source.columns)}. "
            'Name one in a mapping file (--map MAP.toml): [columns] id = "…", title = "…".'
        )
    return read_as(source, roles)


def read_as(source: Source, roles: Roles) -> RawShop:
    """Read a table of which it is known what its columns are."""
    shop = RawShop(rejects=list(source.rejects), read=source.read, thing=roles.thing, notes=list(roles.notes))
    shop.key_column = roles.one.get("id", "")
    shop.price_names = tuple(roles.prices)
    shop.price_hints = [
        plain_text(record.get(column)) for _, record in source.rows[:500] for column in roles.old_prices
    ]
    _drop_unlike_levels(source, roles, shop)
    join = _titles_repeat(source, roles)
    if join:
        shop.notes.append((roles.one["description"], "joined to the title", "titles repeat"))
    families = families_of(source.rows if "group" in roles.one else (), roles)
    parents = {number for number, _ in families.parents.values()}
    done: set[str] = set()
    known: dict[str, RawProduct] = {}
    unique = _ids_are_unique(source, roles)
    for number, record in source.rows.drain() if unique and isinstance(source.rows, Rows) else source.rows:
        shared = cell(record, roles.one["group"]) if "group" in roles.one else ""
        if shared and shared not in done:
            done.add(shared)
            read_family(shop, families, shared, roles)
        if shared or number in parents:
            continue
        key = _identity(record, roles)
        if not key:
            shop.rejects.append(Reject(number, "neither id nor title", record))
        elif key in known:
            _repeat(shop, number, record, (source.record(known[key].row), known[key]), roles)
        else:
            product = product_of(number, record, roles, join)
            if not unique:
                known[key] = product
            shop.products.append(product)
    note_dropped(shop, families)
    return shop


def _ids_are_unique(source: Source, roles: Roles) -> bool:
    """Whether each row has an id of its own, so that no row is asked for again."""
    if "id" not in roles.one or "group" in roles.one:
        return False
    ids = [plain_text(value).strip() for value in source.cells_of(roles.one["id"])]
    return len(set(ids)) == len(ids) and missing_words().isdisjoint(map(str.lower, ids))


def _identity(record: Record, roles: Roles) -> str:
    """What makes two rows the same product: the id, or the whole row where there is no id; "" where neither is told."""
    if "id" in roles.one:
        own_id = cell(record, roles.one["id"])
        if own_id:
            return own_id
        if "title" not in roles.one or not plain_text(record.get(roles.one["title"])).strip():
            return ""
    elif not plain_text(record.get(roles.one["title"])).strip():
        return ""
    return "\0".join(("", *(f"{name}={plain_text(value)}" for name, value in record.items() if name not in roles.path)))


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
            shop.rejects.append(Reject(number, f"{CONTRADICTS} in {column!r}", record))
            return
    path = path_of(record, roles)
    if path and path != product.path and path not in product.also:
        product.also = (*product.also, path)
    shop.merged += 1


def _drop_unlike_levels(source: Source, roles: Roles, shop: RawShop) -> None:
    """A column of categories names few things, in short; one that does not is text."""
    for column in list(roles.path):
        cells = [plain_text(value).strip() for value in islice(source.cells_of(column), LOOKED_AT)]
        cells = [text for text in cells if text]
        distinct = len(set(cells))
        if not cells or (len(cells) >= 20 and distinct > len(cells) * 0.6) or sum(map(len, cells)) > 80 * len(cells):
            roles.path.remove(column)
            why = "it has no values" if not cells else "its values are too many or too long for categories"
            shop.notes.append((column, "left out of the categories", why))


def _titles_repeat(source: Source, roles: Roles) -> bool:
    """Whether titles alone tell few products apart, and a short description can help."""
    if "title" not in roles.one or "description" not in roles.one:
        return False
    titles = [plain_text(value).strip() for value in source.cells_of(roles.one["title"])]
    lengths = sorted(len(plain_text(value).strip()) for value in source.cells_of(roles.one["description"]))
    return len(set(titles)) < len(titles) / 2 and 0 < lengths[len(lengths) // 2] <= 60
