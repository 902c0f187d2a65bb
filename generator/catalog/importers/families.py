"""Tables whose rows are variants: rows that share a value in one column are one product; buyers pick what varies."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ecomrlve.generator.catalog.importers.raw import RawProduct, RawShop, RawVariant, Reject
from ecomrlve.generator.catalog.importers.roles import Roles
from ecomrlve.generator.catalog.importers.rows import cell, path_of, product_of
from ecomrlve.generator.catalog.importers.sources import Record
from ecomrlve.generator.catalog.importers.tables import plain, words

Rows = list[tuple[int, Record]]

LONGEST_OPTION = 60
"""Most characters of what a buyer picks."""


@dataclass(slots=True)
class Families:
    """The rows of a table by the product they belong to.

    Args:
        rows: of each family, by its shared value.
        parents: the row of a family that stands for the product itself, where there is one.
        dropped: columns that differ between variants though nobody picks them, and in how many families.
    """

    rows: dict[str, Rows] = field(default_factory=dict)
    parents: dict[str, tuple[int, Record]] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)


def families_of(rows: Iterable[tuple[int, Record]], roles: Roles) -> Families:
    """Part the rows of a table into families; a row without a family that others name as theirs is their parent.

    >>> table = [(1, {"sku": "T", "of": ""}), (2, {"sku": "T-S", "of": "T"}), (3, {"sku": "M", "of": ""})]
    >>> found = families_of(table, Roles({"id": "sku", "group": "of"}))
    >>> list(found.rows), list(found.parents)
    (['T'], ['T'])
    """
    found = Families()
    group, own = roles.one.get("group", ""), roles.one.get("id", "")
    alone: Rows = []
    for number, record in rows:
        shared = cell(record, group)
        if shared:
            found.rows.setdefault(shared, []).append((number, record))
        else:
            alone.append((number, record))
    for number, record in alone:
        own_id = cell(record, own)
        if own_id in found.rows:
            found.parents.setdefault(own_id, (number, record))
    return found


def read_family(shop: RawShop, families: Families, shared: str, roles: Roles) -> None:
    """Make one family a product of the shop; a parent row only describes it, and is merged."""
    rows = families.rows[shared]
    parent = families.parents.get(shared)
    options = _options([record for _, record in rows], roles)
    product = _described(shared, rows, parent, options, roles, families.dropped)
    kept: dict[tuple[str, ...], Record] = {}
    for number, record in rows:
        picked = {column: text for column in options if (text := cell(record, column))}
        made = product_of(number, record, roles).variants[0]
        own_id = made.source_id if made.source_id and made.source_id != shared else f"{shared}#{len(kept) + 1}"
        if product.add(RawVariant(number, own_id, made.price, picked, made.stock)):
            kept[tuple(picked.values())] = record
        elif record == kept.get(tuple(picked.values())):
            shop.merged += 1
        else:
            shop.rejects.append(Reject(number, "a second variant with the same options", record))
    if parent is not None:
        shop.merged += 1
    shop.products.append(product)


def note_dropped(shop: RawShop, families: Families) -> None:
    """Say which columns were left out since they differ within a product."""
    for column, count in sorted(families.dropped.items()):
        shop.notes.append((column, f"left out in {count:,} products", "it differs between variants"))


def _options(records: Sequence[Record], roles: Roles) -> list[str]:
    """The columns a buyer picks from: those named, else what usually is picked, and more until all variants differ."""
    if len(records) < 2:
        return []
    if roles.options:
        return [column for column in roles.options if any(cell(record, column) for record in records)]
    varying = []
    for column in roles.details:
        cells = [cell(record, column) for record in records]
        if all(cells) and len(set(cells)) > 1 and max(map(len, cells)) <= LONGEST_OPTION:
            varying.append(column)
    usual = set(words()["axes"]["names"])
    chosen = [column for column in varying if plain(column) in usual]
    for column in varying:
        if len({tuple(cell(record, name) for name in chosen) for record in records}) == len(records):
            break
        if column not in chosen:
            chosen.append(column)
    return [column for column in varying if column in chosen]


def _described(
    shared: str,
    rows: Rows,
    parent: tuple[int, Record] | None,
    options: Sequence[str],
    roles: Roles,
    dropped: Counter[str],
) -> RawProduct:
    """The product itself: what its parent row says, else what all of its rows agree on."""
    number = min(row for row, _ in rows)
    if parent is not None:
        product = product_of(parent[0], parent[1], roles)
    else:
        product = product_of(number, rows[0][1], roles)
        titles = [cell(record, roles.one["title"]) for _, record in rows] if "title" in roles.one else []
        product.title = common_title(titles, [[cell(record, column) for column in options] for _, record in rows])
    own = product.details
    product.row, product.source_id, product.variants = number, shared, []
    for column in roles.details:
        own.pop(column, None)
        cells = dict.fromkeys(text for _, record in rows if (text := cell(record, column)))
        said = cell(parent[1], column) if parent is not None else ""
        if column not in options and (said or len(cells) == 1):
            own[column] = said or next(iter(cells))
        elif column not in options and cells:
            dropped[column] += 1
    for _, record in rows:
        path = path_of(record, roles)
        product.path = product.path or path
        if path and path != product.path and path not in product.also:
            product.also = (*product.also, path)
    return product


_BEFORE_OPTIONS = re.compile(r"\s+[-–—|/:]\s+|,\s+|\s+\(")


def common_title(titles: Sequence[str], picked: Sequence[Iterable[str]] = ()) -> str:
    """What the titles of one product share: variants are often titled "Tee - Red / S".

    Args:
        titles: of its variants; empty ones count for nothing.
        picked: the options of each, where they are known.

    >>> common_title(["Wool tee - Dark red", "Wool tee - Dark blue"], [["Dark red"], ["Dark blue"]])
    'Wool tee'
    >>> common_title(["Wool tee red", "Wool tee blue"]), common_title(["", "Mug"]), common_title([])
    ('Wool tee', 'Mug', '')
    """
    told = [title for title in titles if title]
    if len(dict.fromkeys(told)) < 2:
        return told[0] if told else ""
    # From the right: a title may hold such marks of its own.
    for mark in reversed(list(_BEFORE_OPTIONS.finditer(told[0]))):
        head = told[0][: mark.start()]
        endings = [title[len(head) :] for title in titles if title.startswith(head)]
        if len(endings) == len(titles) == len(picked) and all(
            any(value.casefold() in ending.casefold() for value in values)
            for ending, values in zip(endings, picked, strict=True)
        ):
            return head
    parted = [title.split() for title in told]
    shared = 0
    while all(len(title) > shared and title[shared] == parted[0][shared] for title in parted):
        shared += 1
    return re.sub(r"[\s\-–—/|,(:]+$", "", " ".join(parted[0][:shared])) or told[0]
