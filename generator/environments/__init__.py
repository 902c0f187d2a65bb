"""The environments: found by listing this package and the entry-point group ``ecomrlve.environments``."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.engine.registry import discover

if TYPE_CHECKING:
    from ecomrlve.generator.environments.base import Environment

# The order in which the contract lists the built-in ones; any other follows by name.
_LISTED = ("PD", "SUB", "CART", "RETURN", "STATUS", "POLICY", "BUNDLE", "JOURNEY")


@lru_cache(maxsize=1)
def _registry() -> "dict[str, Environment[Any]]":
    found = discover(__name__, "ENVIRONMENT", "ecomrlve.environments", lambda made: str(made.name))
    rank = {name: place for place, name in enumerate(_LISTED)}
    return dict(sorted(found.items(), key=lambda item: (rank.get(item[0], len(rank)), item[0])))


def environments() -> tuple[str, ...]:
    """The names of the registered environments.

    >>> "PD" in environments()
    True
    """
    return tuple(_registry())


def environment(name: str) -> "Environment[Any]":
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
