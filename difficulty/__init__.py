"""The twelve difficulty axes, the levels, and the curriculum; it knows only environments, levels and probabilities."""

if not __name__.startswith("ecomrlve."):
    # Importing it as a top-level package would make a second copy of every class.
    raise ImportError("import ecomrlve.difficulty, not difficulty")

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ecomrlve.difficulty.gate import Gate as Gate
    from ecomrlve.difficulty.schedulers import Draw as Draw
    from ecomrlve.difficulty.schedulers import Scheduler as Scheduler
    from ecomrlve.difficulty.schedulers import make_scheduler as make_scheduler
    from ecomrlve.difficulty.schedulers import scheduler_from_state as scheduler_from_state

_PLACES = {
    "Gate": "gate",
    "Draw": "schedulers",
    "Scheduler": "schedulers",
    "make_scheduler": "schedulers",
    "scheduler_from_state": "schedulers",
}


def __getattr__(name: str) -> Any:
    # On first use, since the axes alone need no numpy.
    if name in _PLACES:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
