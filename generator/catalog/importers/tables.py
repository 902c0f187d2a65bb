"""The words the importers know, read once from the data files."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from ecomrlve.grammars.conditions.units import UNITS
from ecomrlve.grammars.engine.tables import load_table


def words() -> dict[str, Any]:
    """The tables of ``imports.toml``.

    >>> "price" in words()["columns"]["price"]
    True
    """
    return load_table("generator.catalog/imports")


def format_words() -> dict[str, Any]:
    """The tables of ``formats.toml``.

    >>> "url handle" in format_words()["shopify"]["columns"]["handle"]
    True
    """
    return load_table("generator.catalog/formats")


def noun_words() -> dict[str, Any]:
    """The tables of ``nouns.toml``.

    >>> noun_words()["plurals"]["shelf"]
    'shelves'
    """
    return load_table("generator.catalog/nouns")


@dataclass(frozen=True, slots=True)
class Label:
    """What is known of a detail by its name; see ``[[label]]`` in ``imports.toml``."""

    label: str
    unit: str = ""
    dimension: str = ""
    nominal: bool = False
    phrases: tuple[str, ...] = ()
    better: Literal["", "more", "less"] = ""


@lru_cache(maxsize=1)
def labels() -> Mapping[str, Label]:
    """Known details by the plain form of their names.

    >>> labels()["op sys"].label
    'operating system'
    """
    found: dict[str, Label] = {}
    for entry in words()["label"]:
        for name in entry["names"]:
            found[name] = Label(
                entry.get("label", name),
                entry.get("unit", ""),
                entry.get("dimension", ""),
                entry.get("nominal", False),
                tuple(entry.get("phrases", ())),
                entry.get("better", ""),
            )
    return found


@lru_cache(maxsize=1)
def unit_spellings() -> Mapping[str, str]:
    """Spelling, lower-cased, to the name of a unit.

    >>> unit_spellings()["kgs"], unit_spellings()["inches"]
    ('kg', 'in')
    """
    found: dict[str, str] = {}
    for unit in UNITS.values():
        for spelling in (unit.name, *unit.words):
            if spelling:
                found.setdefault(spelling.lower(), unit.name)
    for name, spellings in words()["units"].items():
        for spelling in spellings:
            found.setdefault(spelling.lower(), name)
    return found


@lru_cache(maxsize=1)
def missing_words() -> frozenset[str]:
    """Cells that say that nothing is known.

    >>> "n/a" in missing_words()
    True
    """
    return frozenset(words()["words"]["missing"])


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NOT_WORD = re.compile(r"[^a-z0-9%&+]+")


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """A column's name as the tables spell it.

    >>> plain("OpSys"), plain("Price_euros"), plain("laptop_ID"), plain("Variant Inventory Qty")
    ('op sys', 'price euros', 'laptop id', 'variant inventory qty')
    """
    split = name if name.isupper() else _CAMEL.sub(" ", name)
    return _NOT_WORD.sub(" ", split.lower()).strip()
