"""The environments: found by listing this package and the entry-point group ``ecomrlve.environments``."""

from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from ecomrlve.errors import InvalidArgument

if TYPE_CHECKING:
    from ecomrlve.generator.environments.base import Environment

# The order in which the contract lists the built-in ones; any other follows by name.
_LISTED = ("PD", "SUB", "CART", "RETURN", "STATUS", "POLICY", "BUNDLE", "JOURNEY")


@lru_cache(maxsize=1)
def _registry() -> "dict[str, Environment]":
    found: dict[str, Environment] = {}
    for module in sorted(entry.name for entry in iter_modules(__path__)):
        made = getattr(import_module(f"{__name__}.{module}"), "ENVIRONMENT", None)
        if made is not None:
            _add(found, made)
    for point in sorted(entry_points(group="ecomrlve.environments"), key=lambda point: point.name):
        _add(found, point.load())
    rank = {name: place for place, name in enumerate(_LISTED)}
    return dict(sorted(found.items(), key=lambda item: (rank.get(item[0], len(rank)), item[0])))


def _add(found: "dict[str, Environment]", environment: "Environment") -> None:
    if environment.name in found:
        raise InvalidArgument("environment", environment.name, "is registered twice")
    found[environment.name] = environment


def environments() -> tuple[str, ...]:
    """The names of the registered environments.

    >>> "PD" in environments()
    True
    """
    return tuple(_registry())


def environment(name: str) -> "Environment":
    """The environment of a name.

    Raises:
        InvalidArgument: where there is none; the message lists those there are.

    >>> environment("PD").order_matters
    True
    """
    found = _registry().get(name) if isinstance(name, str) else None
    if found is None:
        raise InvalidArgument("env", name, f"must be one of {', '.join(environments())}")
    return found
