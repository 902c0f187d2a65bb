"""Levels whose success is changing, up or down: the distance between a fast and a slow average of it."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ecomrlve.difficulty.numerics import logistic, standardised
from ecomrlve.difficulty.schedulers.base import Draw, Group, Options, Scheduler, option


@dataclass(frozen=True)
class LearningProgressOptions(Options):
    """Options of `LearningProgress`."""

    alpha: float = option(0.1, 0.0, 1.0, "how much the last group moves the fast average, and that the slow one")
    theta: float = option(0.1, 0.001, 0.999, "small success is stretched: f(p) = p (1 - theta) / (p + theta (1 - 2 p))")
    explore: float = option(0.2, 0.0, 1.0, "share of draws up to two levels above the highest success, evenly")


class LearningProgress(Scheduler):
    """Environments and levels by abs(f(fast) - f(slow)), standardised and squashed.

    The published form draws among all arms evenly until there is progress; ours keeps a share of such draws for ever
    and bounds it to levels near those that ever succeeded, so that it does not end with all weights at nothing.
    """

    name: ClassVar[str] = "learning-progress"
    summary: ClassVar[str] = "levels whose success changes: a fast against a slow average, both directions alike"
    source: ClassVar[str] = "Kanitscheider and others, arXiv 2106.14876; Syllabus"
    Options: ClassVar[type[Options]] = LearningProgressOptions
    options: LearningProgressOptions

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        # Fast and slow averages by environment and level.
        self._averages = np.zeros((2, len(self.environments), self.max_level + 1))

    def _stretched(self, success: "np.ndarray[Any, np.dtype[np.float64]]") -> "np.ndarray[Any, np.dtype[np.float64]]":
        theta = self.options.theta
        return success * (1 - theta) / (success + theta * (1 - 2 * success))

    def _weights(self) -> "np.ndarray[Any, np.dtype[np.float64]]":
        fast, slow = self._stretched(self._averages)
        progress = abs(fast - slow)
        known = (progress > 0) | (self._averages[0] > 0)
        if not known.any():
            return np.zeros_like(progress)
        weights = np.zeros_like(progress)
        weights[known] = logistic(standardised(progress[known]))
        return np.asarray(weights / weights.sum())

    def _window(self, place: int) -> tuple[int, int]:
        weights = self._weights()[place]
        worth = np.flatnonzero(weights > 0)
        return (int(worth[0]), int(worth[-1])) if worth.size else (0, min(self.max_level, 1))

    def _choose(self, n: int) -> list[Draw]:
        tops = np.array([min(self.max_level, max(0, reached + 2)) for reached in self._reached])
        even = (np.arange(self.max_level + 1) <= tops[:, None]) / ((tops[:, None] + 1) * len(self.environments))
        weights, explore = self._weights(), self.options.explore
        if weights.any():
            even = explore * even + (1 - explore) * weights
        cumulated = even.cumsum()
        at = np.searchsorted(cumulated, self._rng.random(n) * cumulated[-1], side="right")
        arms = np.minimum(at, cumulated.size - 1).tolist()
        levels = self.max_level + 1
        return [Draw(self.environments[arm // levels], arm % levels) for arm in arms]

    def _learn(self, group: Group) -> None:
        fast, slow = self._averages[:, group.env, group.level].tolist()
        fast += self.options.alpha * (group.rate - fast)
        slow += self.options.alpha * (fast - slow)
        self._averages[:, group.env, group.level] = fast, slow

    def _state(self) -> Any:
        return self._averages.tolist()

    def _restore(self, state: Any) -> None:
        self._averages = np.array(state, dtype=np.float64).reshape(self._averages.shape)


SCHEDULER = LearningProgress
