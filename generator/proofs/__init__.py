"""The proofs: what the laws of every environment need, found by listing this package and ``ecomrlve.proofs``.

One module per environment holds ``PROOF``, an `EnvironmentProof`: a second solver, blind guesses, and the edits that
only its answers have. An environment without one (an outside package may have none) is held to the laws that need
none.
"""

from functools import lru_cache

from ecomrlve.generator.proofs.base import EnvironmentProof
from ecomrlve.grammars.engine.registry import discover

ENTRY_POINTS = "ecomrlve.proofs"


@lru_cache(maxsize=1)
def _registry() -> dict[str, EnvironmentProof]:
    return discover(__name__, "PROOF", ENTRY_POINTS, lambda found: str(found.env))


def proof(env: str) -> EnvironmentProof | None:
    """The proof row of an environment, or None where it has none.

    >>> proof("PD").template
    '{"products": ["id"]}'
    """
    return _registry().get(env)
