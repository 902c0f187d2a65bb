"""The curriculum schedulers: found by listing this package and the entry-point group ``ecomrlve.schedulers``."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ecomrlve.difficulty.schedulers.base import DEFAULT_MAX_LEVEL, Draw, Scheduler
from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.engine.registry import discover

__all__ = ["DEFAULT", "Draw", "Scheduler", "make_scheduler", "scheduler_from_state", "schedulers"]

DEFAULT = "learnability"
"""The scheduler that did best in simulation (docs/curriculum.md)."""


@lru_cache(maxsize=1)
def _registry() -> dict[str, type[Scheduler]]:
    found = discover(__name__, "SCHEDULER", "ecomrlve.schedulers", lambda kind: str(kind.name))
    return dict(sorted(found.items()))


def schedulers() -> Mapping[str, type[Scheduler]]:
    """All schedulers by name.

    >>> "rlve" in schedulers()
    True
    """
    return dict(_registry())


def make_scheduler(
    name: str,
    *,
    environments: Sequence[str],
    seed: int = 0,
    max_level: int = DEFAULT_MAX_LEVEL,
    axes: Mapping[str, Sequence[str]] | None = None,
    **options: float,
) -> Scheduler:
    """A scheduler by its name.

    Args:
        name: one of `schedulers`.
        environments: what it draws from.
        seed: of its draws.
        max_level: the highest level it draws.
        axes: environment to the axes that it may move one by one, for schedulers that do.
        options: the scheduler's own.

    Raises:
        InvalidArgument: for an unknown name or option.

    >>> scheduler = make_scheduler("rlve", environments=("PD", "CART"), seed=0)
    >>> scheduler.observe(env="PD", level=0, successes=128, trials=128)
    >>> scheduler.window("PD")
    (0, 1)
    """
    kind = _registry().get(name)
    if kind is None:
        raise InvalidArgument("scheduler", name, f"must be one of {', '.join(_registry())}")
    return kind(environments, seed=seed, max_level=max_level, axes=axes, **options)


def scheduler_from_state(state: Mapping[str, Any]) -> Scheduler:
    """The scheduler that a `Scheduler.state_dict` describes, where it was left.

    >>> scheduler = make_scheduler("uniform", environments=("PD",), seed=3)
    >>> scheduler_from_state(scheduler.state_dict()).sample(5) == scheduler.sample(5)
    True
    """
    try:
        made = make_scheduler(
            state["scheduler"],
            environments=tuple(state["environments"]),
            seed=state["seed"],
            max_level=state["max_level"],
            axes=state["axes"],
            **state["options"],
        )
    except (KeyError, TypeError) as error:
        raise InvalidArgument("state", type(state).__name__, f"is not a scheduler's ({error!r})") from error
    made.load_state_dict(state)
    return made
