"""What ``--target`` chooses: projections of the one row, a small file per trainer. A new file here is a new target."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ecomrlve.errors import InvalidArgument
from ecomrlve.outputs.targets.base import Target

__all__ = ["Target", "target", "target_names", "target_of"]


def target_names() -> tuple[str, ...]:
    """The names of all targets.

    >>> "universal" in target_names(), "nemo-gym" in target_names()
    (True, True)
    """
    return tuple(sorted(module.name.replace("_", "-") for module in iter_modules(__path__) if module.name != "base"))


@cache
def target(name: str) -> Target:
    """The target of a name.

    Raises:
        InvalidArgument: where there is none.
    """
    if name not in target_names():
        raise InvalidArgument("target", name, f"is not a target; there are {', '.join(target_names())}")
    found: Target = import_module(f"{__name__}.{name.replace('-', '_')}").TARGET
    return found


def target_of(row: Mapping[str, Any]) -> Target:
    """The target whose columns a row has; the one row's, where no target has exactly these."""
    for name in target_names():
        if target(name).layout.columns.keys() == row.keys():
            return target(name)
    return target("universal")
