"""What the columns of an export mean, whatever its platform calls them this year; the table is ``formats.toml``."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ecomrlve.generator.catalog.importers.neutral import plain_text
from ecomrlve.generator.catalog.importers.tables import format_words, plain


@dataclass(frozen=True, slots=True)
class Sheet:
    """The columns of one source by role.

    Args:
        columns: role to the source's columns that mean it, the preferred one first.
        found: how many of the format's marks are there.
        complete: whether all that the format needs is there.
    """

    columns: Mapping[str, tuple[str, ...]]
    found: int
    complete: bool

    def has(self, role: str) -> bool:
        """Whether a column means this.

        >>> sheet_of("shopify", ["URL handle", "Price"]).has("handle")
        True
        """
        return role in self.columns

    def text(self, record: Mapping[str, Any], role: str) -> str:
        """The first filled cell of a row that means this, or "".

        >>> sheet_of("shopify", ["Type"]).text({"Type": " Mugs "}, "type")
        'Mugs'
        """
        for column in self.columns.get(role, ()):
            text = plain_text(record.get(column, "")).strip()
            if text:
                return text
        return ""


def sheet_of(format_name: str, columns: Iterable[str]) -> Sheet:
    """Read a header row as one of the formats of ``formats.toml``.

    >>> sheet = sheet_of("shopify", ["URL handle", "Title", "Gift card", "Price", "Inventory quantity"])
    >>> sheet.columns["stock"], sheet.found, sheet.complete
    (('Inventory quantity',), 1, True)
    """
    words = format_words()[format_name]
    names: dict[str, str] = {}
    for column in columns:
        names.setdefault(plain(column), column)
    known = {
        role: tuple(names[spelling] for spelling in spellings if spelling in names)
        for role, spellings in words["columns"].items()
    }
    known = {role: found for role, found in known.items() if found}
    marks = sum(role in known for role in words["marks"])
    return Sheet(known, marks, all(role in known for role in words["needs"]))


def numbered(columns: Iterable[str], head: str, tail: str) -> dict[int, str]:
    """Columns that repeat under a number, by it: ``Option1 name``, ``Option 2 Name``.

    >>> numbered(["Option1 name", "Option 2 Name", "Option1 value"], "option", "name")
    {1: 'Option1 name', 2: 'Option 2 Name'}
    """
    shape = re.compile(rf"{head} ?(\d{{1,3}}) {tail}")
    found: dict[int, str] = {}
    for column in columns:
        match = shape.fullmatch(plain(column))
        if match is not None:
            found.setdefault(int(match[1]), column)
    return dict(sorted(found.items()))


def nearest_format(columns: Iterable[str]) -> str:
    """The format whose columns a header row resembles most, where it has three or more of what tells it; else "".

    >>> nearest_format(["Handle", "SKU", "SEO title", "Gift card"]), nearest_format(["id", "price"])
    ('shopify', '')
    """
    columns = list(columns)
    best, most = "", 2
    for name, words in format_words().items():
        if name.startswith("orders-"):
            continue
        sheet = sheet_of(name, columns)
        found = sheet.found + sum(sheet.has(role) for role in words["needs"])
        if found > most:
            best, most = name, found
    return best
