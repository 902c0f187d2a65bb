"""Data tables that ship with the package: TOML files under the ``data`` folder of a package."""

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=256)
def load_table(address: str) -> dict[str, Any]:
    """A table by its address, read once: a package of ours, a slash, and a name under its ``data`` folder.

    >>> sorted(load_table("generator.orders/shipping"))
    ['class', 'holiday', 'late']
    """
    package, _, name = address.partition("/")
    return tomllib.loads((files(f"ecomrlve.{package}") / "data" / f"{name}.toml").read_text(encoding="utf-8"))
