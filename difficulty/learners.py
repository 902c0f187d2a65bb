"""Simulated learners: how success at a level grows with practice; their parameters are data, documented there.

They compare schedulers and test them; nothing else is claimed of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecomrlve.difficulty.axes import AXES, level_of
from ecomrlve.difficulty.numerics import logistic
from ecomrlve.difficulty.randomness import rng_for
from ecomrlve.difficulty.schedulers.base import MOST_LEVELS, Draw
from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.engine.tables import load_table

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LearnerParameters:
    """What a learner is; ``difficulty/data/learners.toml`` explains each number beside its default."""

    name: str
    about: str
    environments: int
    start: float
    slope: float
    rate: float
    reach: float
    ceiling: float
    forget: float
    transfer: float
    impossible: int
    noise: float
    spread: float
    uneven: float
    advantage: str
    collapse_at: int
    collapse_by: float
    goal: float
    axes: Mapping[str, float] = field(default_factory=dict)
    held_out: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The learner's environments; the impossible ones come last."""
        return tuple(f"environment_{at}" for at in range(self.environments))


@lru_cache(maxsize=1)
def learners() -> Mapping[str, LearnerParameters]:
    """All learners by name.

    >>> learners()["steady"].rate, learners()["collapse"].held_out
    (0.03, True)
    """
    data = load_table("difficulty/learners")
    known = {one.name for one in fields(LearnerParameters)}
    made = {}
    for name, given in data["learners"].items():
        parameters = {**data["defaults"], **given}
        assert parameters.keys() <= known, f"{name}: {sorted(parameters.keys() - known)}"
        made[name] = LearnerParameters(name=name, **parameters)
    return made


def learner_named(name: str) -> LearnerParameters:
    """One learner.

    Raises:
        InvalidArgument: for an unknown name.
    """
    if name not in learners():
        raise InvalidArgument("learner", name, f"must be one of {', '.join(learners())}")
    return learners()[name]


class Learner:
    """A learner in the course of its training.

    Args:
        parameters: what it is.
        seed: of its rollouts.

    >>> learner = Learner(learner_named("steady"), seed=0)
    >>> draws = [Draw("environment_0", 1)] * 64
    >>> before = learner.skill()
    >>> correct = learner.rollouts(draws, trials=8)
    >>> learner.skill() > before
    True
    """

    def __init__(self, parameters: LearnerParameters, seed: int) -> None:
        self.parameters = parameters
        self._rng = rng_for(seed, "learner", parameters.name)
        self._place = {name: at for at, name in enumerate(parameters.names)}
        self._axes = tuple(parameters.axes)
        starts = list(parameters.axes.values()) or [parameters.start]
        self._skills = np.tile(np.array(starts), (parameters.environments, 1))
        self._start = self._skills.copy()
        count = parameters.environments
        spread = np.linspace(-0.5, 0.5, count) if count > 1 else np.zeros(1)
        self._rates = parameters.rate * parameters.uneven**spread
        self._possible = np.arange(count) < count - parameters.impossible
        self._stored: dict[str, float] = {}
        self.prompts = 0

    def skill(self) -> float:
        """The mean skill over possible environments and axes, in levels."""
        return float(self._skills[self._possible].mean())

    def is_possible(self, env: str) -> bool:
        """Whether any rollout at an environment can be correct."""
        return bool(self._possible[self._place[env]])

    def success(self, draws: Sequence[Draw]) -> Floats:
        """The probability that a rollout is correct, of a task of usual difficulty; shape (len(draws),)."""
        return self._success(self._at(draws), self._levels(draws), np.zeros(len(draws)))

    def rollouts(self, draws: Sequence[Draw], trials: int, tasks: Sequence[str] | None = None) -> list[int]:
        """Roll out a batch of prompts and learn from it.

        Args:
            draws: the prompts.
            trials: rollouts of each.
            tasks: ids of the tasks; a task shown again is as hard as it was.

        Returns:
            Rollouts judged correct of each prompt.
        """
        own = self._rng.normal(0.0, self.parameters.spread, len(draws))
        if tasks is not None:
            own = np.array(
                [self._stored.setdefault(task, mine) for task, mine in zip(tasks, own.tolist(), strict=True)]
            )
        at, levels = self._at(draws), self._levels(draws)
        correct = self._rng.binomial(trials, self._success(at, levels, own))
        self._learn(at, levels, correct / trials)
        noise = self.parameters.noise
        judged = correct
        if noise:
            judged = self._rng.binomial(correct, 1 - noise) + self._rng.binomial(trials - correct, noise)
        return [int(one) for one in judged]

    def _at(self, draws: Sequence[Draw]) -> NDArray[np.int64]:
        return np.array([self._place[draw.env] for draw in draws])

    def _levels(self, draws: Sequence[Draw]) -> Floats:
        """The level at which each of the learner's axes stands, shape (draws, axes)."""
        if not self._axes:
            return np.array([[float(draw.level)] for draw in draws])
        return np.array(
            [
                [
                    float(level_of(axis, draw.axes[axis], MOST_LEVELS) if axis in draw.axes else draw.level)
                    for axis in self._axes
                ]
                for draw in draws
            ]
        )

    def _success(self, at: NDArray[np.int64], levels: Floats, own: Floats) -> Floats:
        ahead = self.parameters.slope * (self._skills[at] - levels - own[:, None])
        passed = logistic(ahead)
        return np.asarray(passed.prod(axis=1) * self._possible[at])

    def _learn(self, at: NDArray[np.int64], levels: Floats, rates: Floats) -> None:
        parameters = self.parameters
        variance = 4 * rates * (1 - rates)
        advantage = np.sqrt(variance) if parameters.advantage == "normalised" else variance
        skills = self._skills[at]
        near = np.exp(-abs(skills - levels) / parameters.reach) if parameters.reach else np.ones_like(skills)
        gain = (advantage * self._rates[at])[:, None] * near
        if parameters.ceiling:
            gain *= np.maximum(0.0, 1 - skills / parameters.ceiling)
        whole = np.zeros_like(self._skills)
        np.add.at(whole, at, gain)
        if parameters.transfer:
            whole += parameters.transfer * (whole.sum(axis=0) - whole)
        self._skills += whole
        if parameters.forget:
            others = len(at) - np.bincount(at, minlength=parameters.environments)
            kept = (1 - parameters.forget * parameters.environments) ** others
            self._skills = self._start + (self._skills - self._start) * kept[:, None]
        before, self.prompts = self.prompts, self.prompts + len(at)
        if before < parameters.collapse_at <= self.prompts:
            self._skills -= parameters.collapse_by


def axes_of(parameters: LearnerParameters) -> dict[str, tuple[str, ...]] | None:
    """The axes that a per-axis scheduler may move, as `make_scheduler` takes them.

    >>> axes_of(learner_named("steady")) is None
    True
    """
    if not parameters.axes:
        return None
    moved = tuple(axis for axis in AXES if axis in parameters.axes)
    return dict.fromkeys(parameters.names, moved)


def describe(parameters: LearnerParameters) -> dict[str, Any]:
    """A learner's numbers where they differ from the defaults, for reports.

    >>> describe(learner_named("noisy-verifier"))
    {'noise': 0.05}
    """
    plain = learners()["steady"]
    named = [one.name for one in fields(LearnerParameters) if one.name not in ("name", "about", "held_out")]
    return {name: getattr(parameters, name) for name in named if getattr(parameters, name) != getattr(plain, name)}
