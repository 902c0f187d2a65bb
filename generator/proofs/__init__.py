"""The proofs: what the laws of every environment need, found by listing this package and ``ecomrlve.proofs``.

One module per environment holds ``PROOF``, a `Row`: a second solver, blind guesses, and the edits that only its answers
have. An environment without one (an outside package may have none) is held to the laws that need none.
"""

from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.proofs.base import Row

ENTRY_POINTS = "ecomrlve.proofs"


@lru_cache(maxsize=1)
def _registry() -> dict[str, Row]:
    found: dict[str, Row] = {}
    for module in sorted(entry.name for entry in iter_modules(__path__)):
        made = getattr(import_module(f"{__name__}.{module}"), "PROOF", None)
        if made is not None:
            _add(found, made)
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        _add(found, point.load())
    return found


def _add(found: dict[str, Row], row: Row) -> None:
    if row.env in found:
        raise InvalidArgument("proof", row.env, "is registered twice")
    found[row.env] = row


def proof(env: str) -> Row | None:
    """The proof row of an environment, or None where it has none.

    >>> proof("PD").template
    '{"products": ["id"]}'
    """
    return _registry().get(env)
