"""Finding what registers itself by being there: the modules of a package, and the entry points of a group."""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any

from ecomrlve.errors import InvalidArgument


def discover(package: str, attribute: str, group: str, name_of: Callable[[Any], str]) -> dict[str, Any]:
    """Everything registered, by its name: those of the package in the order of its modules, then outside ones.

    Args:
        package: its modules and folders are listed; those that hold ``attribute`` register what it holds.
        attribute: such as ``"ENVIRONMENT"``.
        group: of entry points, each of which loads to one more.
        name_of: the name of one.

    Raises:
        InvalidArgument: where two have one name.

    >>> found = discover("ecomrlve.difficulty.schedulers", "SCHEDULER", "ecomrlve.schedulers", lambda kind: kind.name)
    >>> "rlve" in found
    True
    """
    modules = (import_module(f"{package}.{name}") for name in _module_names(package))
    inside = [getattr(module, attribute) for module in modules if hasattr(module, attribute)]
    outside = [point.load() for point in sorted(entry_points(group=group), key=lambda point: point.name)]
    found: dict[str, Any] = {}
    for one in (*inside, *outside):
        name = name_of(one)
        if name in found:
            raise InvalidArgument(attribute.lower(), name, "is registered twice")
        found[name] = one
    return found


def _module_names(package: str) -> list[str]:
    return sorted(entry.name for entry in iter_modules(import_module(package).__path__))
