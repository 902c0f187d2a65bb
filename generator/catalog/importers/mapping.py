"""The mapping file: what the user says about a source that its columns do not.

```toml
name = "Harbor Lane"            # the shop's name
currency = "EUR"                # of prices without a sign

[columns]                       # which column is what; a list of columns for levels of categories, widest first
id = "laptop_ID"
title = "Product"
price = "Price_euros"
type = ["Group", "TypeName"]
group = "Style"                 # of tables whose rows are variants: what the rows of one product share
option = ["Color", "Size"]      # and what buyers pick; where it is not given, what varies

[units]                         # of columns with bare numbers
depth = "cm"

[labels]                        # what customers call a column
Cpu = "processor"

[nouns]                         # one and many of a category
"Gaming" = ["gaming laptop", "gaming laptops"]

[ignore]
columns = ["v"]
```
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.neutral import neutral
from ecomrlve.generator.catalog.importers.tables import plain, unit_spellings
from ecomrlve.grammars.conditions.attributes import CURRENCIES

ROLES = ("id", "title", "price", "brand", "rating", "reviews", "stock", "description", "type", "group", "option")
"""What ``[columns]`` may name."""


@dataclass(frozen=True, slots=True)
class Hints:
    """A mapping file, read and checked; empty where none was given.

    Args:
        name: of the shop.
        currency: code, or ``""``.
        columns: role to columns.
        units: plain column name to unit.
        labels: plain column name to label.
        nouns: lower-cased category to (one, many).
        ignored: plain column names.
        digest_text: the file as it is, for the source's digest.
    """

    name: str = ""
    currency: str = ""
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    nouns: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    digest_text: str = ""


def _table(document: dict[str, Any], key: str, path: Path) -> dict[str, Any]:
    value = document.get(key, {})
    if not isinstance(value, dict):
        raise CatalogError(f"{path}: [{key}] must be a table.")
    return value


def _texts(value: Any, where: str) -> tuple[str, ...]:
    parts = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else ()
    if not parts or not all(isinstance(part, str) and part.strip() for part in parts):
        raise CatalogError(f"{where} must be a text or a list of texts.")
    return parts


def read_mapping(path: Path | None) -> Hints:
    """Read and check a mapping file.

    Raises:
        CatalogError: where it is no TOML or says what it cannot.

    >>> read_mapping(None).currency
    ''
    """
    if path is None:
        return Hints()
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise CatalogError(f"The mapping file {path} cannot be read: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"The mapping file {path} is not TOML: {error}.") from error
    known = {"name", "currency", "columns", "units", "labels", "nouns", "ignore"}
    unknown = sorted(set(document) - known)
    if unknown:
        raise CatalogError(f"{path}: {unknown[0]!r} is unknown; a mapping file may hold {', '.join(sorted(known))}.")
    currency = document.get("currency", "")
    if not isinstance(currency, str) or (currency and currency.upper() not in CURRENCIES):
        raise CatalogError(f"{path}: currency {currency!r} is unknown; known are {', '.join(sorted(CURRENCIES))}.")
    columns = {
        role: _texts(value, f"{path}: columns.{role}") for role, value in _table(document, "columns", path).items()
    }
    for role in columns:
        if role not in ROLES:
            raise CatalogError(f"{path}: columns.{role} is unknown; a column may be {', '.join(ROLES)}.")
    if "option" in columns and "group" not in columns:
        raise CatalogError(f"{path}: columns.option needs columns.group, what the rows of one product share.")
    nouns = {
        key.strip().lower(): _texts(value, f"{path}: nouns.{key!r}")
        for key, value in _table(document, "nouns", path).items()
    }
    ignore = _table(document, "ignore", path)
    return Hints(
        name=neutral(str(document.get("name", ""))),
        currency=currency.upper(),
        columns=columns,
        units={plain(column): _unit(value, path, column) for column, value in _table(document, "units", path).items()},
        labels={
            plain(column): _words_of(_texts(value, f"{path}: labels.{column}")[0])
            for column, value in _table(document, "labels", path).items()
        },
        nouns={
            key: (_words_of(value[0]), _words_of(value[-1] if len(value) > 1 else value[0] + "s"))
            for key, value in nouns.items()
        },
        ignored=frozenset(plain(column) for column in _texts(ignore.get("columns"), f"{path}: ignore.columns"))
        if ignore
        else frozenset(),
        digest_text=text,
    )


def _words_of(text: str) -> str:
    """A label or noun as the user gives it, without marks that part the cells of a page."""
    return " ".join(re.sub(r"[;:|,()\"]|\s/\s", " ", neutral(text)).split())


def _unit(value: Any, path: Path, column: str) -> str:
    unit = unit_spellings().get(value.strip().lower()) if isinstance(value, str) else None
    if unit is None:
        raise CatalogError(f'{path}: units.{column} = {value!r} is no known unit, such as "cm", "kg" or "GB".')
    return unit
