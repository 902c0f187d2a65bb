"""Endless shopping tasks with proven answers, and the programs that judge any reply.

Every name is loaded when first used, so that ``from ecomrlve import verify`` costs a reward worker the standard
library only.

>>> from ecomrlve import World, make_task, verify
>>> world = World.synthetic(products=2_000, seed=0)
>>> task = make_task(world, "PD", level=2, seed=0, index=17)
>>> verify(task.ground_truth, task.oracle).correct
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ecomrlve.errors import CatalogError, EcomrlveError, InvalidArgument, ShardError, TruthError
    from ecomrlve.generator.environments import environments
    from ecomrlve.generator.tasks import Task, make_task
    from ecomrlve.generator.verifiers import Verdict, verify
    from ecomrlve.generator.world import World

__version__ = "0.1.0"

_HOMES = {
    "CatalogError": "ecomrlve.errors",
    "EcomrlveError": "ecomrlve.errors",
    "InvalidArgument": "ecomrlve.errors",
    "ShardError": "ecomrlve.errors",
    "TruthError": "ecomrlve.errors",
    "Task": "ecomrlve.generator.tasks",
    "make_task": "ecomrlve.generator.tasks",
    "Verdict": "ecomrlve.generator.verifiers",
    "verify": "ecomrlve.generator.verifiers",
    "World": "ecomrlve.generator.world",
    "environments": "ecomrlve.generator.environments",
}

__all__ = [
    "CatalogError",
    "EcomrlveError",
    "InvalidArgument",
    "ShardError",
    "Task",
    "TruthError",
    "Verdict",
    "World",
    "__version__",
    "environments",
    "make_task",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'ecomrlve' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
