"""The generator's own data tables."""

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=16)
def load_table(name: str) -> dict[str, Any]:
    """A table under ``generator/data``, read once.

    >>> sorted(load_table("shipping"))
    ['class', 'holiday', 'late']
    """
    return tomllib.loads((files("ecomrlve.generator") / "data" / f"{name}.toml").read_text(encoding="utf-8"))
