"""Category paths: how shops write them, and the levels of a shop's tree."""

import ast
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ecomrlve.generator.catalog.importers.neutral import neutral, plain_text
from ecomrlve.generator.catalog.importers.tables import missing_words

_SEPARATOR = re.compile(r"\s*(?:>>|>|›|»|→|\|)\s*|\s+/\s+")
DEEPEST = 8
"""Most levels of a path that are read."""


@lru_cache(maxsize=1 << 14)
def _split_text(text: str) -> tuple[str, ...]:
    return _levels(_SEPARATOR.split(text))


def split_path(value: Any) -> tuple[str, ...]:
    """The levels of a category cell, widest first: a list, or text with a separator.

    >>> split_path("Home > Kitchen > Mugs"), split_path(["Home", "Mugs"]), split_path('["Clothing >> Shirts >> Polo"]')
    (('Home', 'Kitchen', 'Mugs'), ('Home', 'Mugs'), ('Clothing', 'Shirts', 'Polo'))
    >>> split_path("Tables & desks"), split_path("n/a")
    (('Tables & desks',), ())
    """
    if isinstance(value, str) and value.startswith("[") and value.endswith("]") and len(value) < 2000:
        try:
            read = ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            read = value.strip("[]\"' ")
        value = read[0] if isinstance(read, list) and len(read) == 1 else read
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], list):
            value = value[0]
        return _levels([plain_text(part) for part in value[:DEEPEST]])
    return _split_text(plain_text(value))


def _levels(parts: Sequence[str]) -> tuple[str, ...]:
    levels: list[str] = []
    for part in parts[:DEEPEST]:
        level = neutral(part, 60)
        if level and level.lower() not in missing_words() and (not levels or levels[-1].lower() != level.lower()):
            levels.append(level)
    return tuple(levels)
