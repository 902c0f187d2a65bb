"""Single axes move: each has a level of its own, learnt from which axes were hard where rollouts failed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ecomrlve.difficulty.axes import AXES, highest_step, level_of
from ecomrlve.difficulty.numerics import logistic
from ecomrlve.difficulty.schedulers.base import Draw, Group, Options, Scheduler, option

# The axis of an environment of which no axes are given: the level as a whole.
_LEVEL = "level"


@dataclass(frozen=True)
class ByAxisOptions(Options):
    """Options of `ByAxis`."""

    slope: float = option(1.0, 0.01, 100.0, "logits of success per level on one axis")
    rate: float = option(0.5, 0.001, 10.0, "how far one prompt moves the estimates, in levels")
    wanted: float = option(0.5, 0.01, 0.99, "success that draws aim at")
    jitter: int = option(1, 0, 20, "levels by which each axis is moved up or down at random, to tell axes apart")


class ByAxis(Scheduler):
    """A learner is modelled as passing each axis for itself: p is the product of sigmoid(slope (skill - level)).

    After each prompt every axis's skill moves along the gradient of the log-likelihood, so the blame of a failure goes
    to the axes that stood highest above their skill. Draws set each axis about the level at which the product is the
    wanted success. Environments are drawn evenly.
    """

    name: ClassVar[str] = "by-axis"
    summary: ClassVar[str] = "each axis at a level of its own, by an online estimate of the learner's skill at it"
    source: ClassVar[str] = "ours: stochastic gradient steps on a conjunctive (non-compensatory) item response model"
    Options: ClassVar[type[Options]] = ByAxisOptions
    options: ByAxisOptions

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._moved = [self.axes[env] or (_LEVEL,) for env in self.environments]
        self._tops = [
            [self.max_level if axis == _LEVEL else highest_step(axis, self.max_level) for axis in moved]
            for moved in self._moved
        ]
        # By axis the value of each level, and the level that a value stands at.
        self._values = {
            axis: [float(AXES[axis].default(level)) for level in range(self.max_level + 1)]
            for moved in self._moved
            for axis in moved
            if axis != _LEVEL
        }
        self._offsets = [self._offset(len(moved)) for moved in self._moved]
        # Each axis passed at level 0 as often as makes the product the wanted success.
        self._skills = [[-offset] * len(moved) for moved, offset in zip(self._moved, self._offsets, strict=True)]

    def _offset(self, axes: int) -> float:
        """How far above its skill each of so many axes may stand for the wanted success; mostly below 0."""
        each = self.options.wanted ** (1 / axes)
        return -math.log(each / (1 - each)) / self.options.slope

    def _levels(self, place: int, level: int, axes: Mapping[str, float]) -> list[int]:
        """The level that each moved axis stands at, in a prompt of a level with axes set by hand."""
        levels = [min(top, level) for top in self._tops[place]]
        if axes:
            for at, axis in enumerate(self._moved[place]):
                if axis in axes:
                    levels[at] = level_of(axis, axes[axis], self._tops[place][at])
        return levels

    def _window(self, place: int) -> tuple[int, int]:
        levels = self._aims(place)
        return min(levels), max(levels)

    def levels_by_axis(self, env: str) -> dict[str, int]:
        """The level about which each axis is drawn."""
        place = self._place[env]
        return dict(zip(self._moved[place], self._aims(place), strict=True))

    def _aims(self, place: int) -> list[int]:
        offset = self._offsets[place]
        return [
            min(top, max(0, round(skill + offset)))
            for skill, top in zip(self._skills[place], self._tops[place], strict=True)
        ]

    def _choose(self, n: int) -> list[Draw]:
        draws = []
        most = max(len(moved) for moved in self._moved)
        jitter = self.options.jitter
        # A random part added before rounding down, so that a skill between two levels is drawn at both.
        moves = self._rng.integers(-jitter, jitter + 1, size=(n, most)) + self._rng.random((n, most))
        for place, shifts in zip(self._integers(len(self.environments), n), moves.tolist(), strict=True):
            offset, moved = self._offsets[place], self._moved[place]
            levels = [
                min(top, max(0, math.floor(skill + offset + shift)))
                for skill, top, shift in zip(self._skills[place], self._tops[place], shifts, strict=False)
            ]
            # The rest of the axes go with the lowest, so that nothing else holds the learner back.
            level = min(levels)
            marked: dict[str, float] = {}
            for axis, at in zip(moved, levels, strict=True):
                if at != level and axis != _LEVEL:
                    values = self._values[axis]
                    if values[at] != values[level]:
                        marked[axis] = values[at]
            draws.append(Draw(self.environments[place], level, marked))
        return draws

    def _learn(self, group: Group) -> None:
        slope, skills = self.options.slope, self._skills[group.env]
        levels = self._levels(group.env, group.level, group.axes)
        passed = [logistic(slope * (skill - level)) for skill, level in zip(skills, levels, strict=True)]
        expected = math.prod(passed)
        # The log-likelihood's derivative is (rate - p) / (1 - p) * (1 - passed), of which no part exceeds 1.
        step = self.options.rate * (group.rate - expected) / (1 - expected + 1e-12)
        low = -4.0 / slope - abs(self._offsets[group.env])
        high = self.max_level - low
        for at, one in enumerate(passed):
            skills[at] = min(high, max(low, skills[at] + step * (1 - one)))

    def _state(self) -> Any:
        return [list(skills) for skills in self._skills]

    def _restore(self, state: Any) -> None:
        skills = [[float(skill) for skill in of] for of in state]
        if [len(of) for of in skills] != [len(of) for of in self._skills]:
            raise ValueError("skills of other axes")
        self._skills = skills


SCHEDULER = ByAxis
