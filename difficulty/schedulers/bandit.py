"""Every environment and level is an arm of a bandit that is paid for gradient: SEC."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ecomrlve.difficulty.schedulers.base import Draw, Group, Options, Scheduler, option


@dataclass(frozen=True)
class BanditOptions(Options):
    """Options of `Bandit`."""

    alpha: float = option(0.5, 0.0, 1.0, "how much of an arm's value the last group replaces")
    temperature: float = option(0.2, 0.01, 100.0, "of the softmax over arms; lower is greedier")


class Bandit(Scheduler):
    """Arms by softmax of their value; a group pays its mean absolute advantage.

    With normalised binary rewards that is 2 sqrt(p (1 - p)), at its greatest where half of the rollouts are correct.
    """

    name: ClassVar[str] = "bandit"
    summary: ClassVar[str] = "a softmax over environments and levels, each worth its groups' mean absolute advantage"
    source: ClassVar[str] = "SEC, arXiv 2505.14970"
    Options: ClassVar[type[Options]] = BanditOptions
    options: BanditOptions

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._arms = np.zeros((len(self.environments), self.max_level + 1))

    def _window(self, place: int) -> tuple[int, int]:
        values = self._arms[place]
        worth = np.flatnonzero(values >= 0.5 * values.max())
        return int(worth[0]), int(worth[-1])

    def _choose(self, n: int) -> list[Draw]:
        cumulated = np.exp((self._arms - self._arms.max()) / self.options.temperature).cumsum()
        at = np.searchsorted(cumulated, self._rng.random(n) * cumulated[-1], side="right")
        arms = np.minimum(at, cumulated.size - 1).tolist()
        levels = self.max_level + 1
        return [Draw(self.environments[arm // levels], arm % levels) for arm in arms]

    def _learn(self, group: Group) -> None:
        rate = group.rate
        arm = (group.env, group.level)
        value = float(self._arms[arm])
        self._arms[arm] = value + self.options.alpha * (2 * math.sqrt(rate * (1 - rate)) - value)

    def _state(self) -> Any:
        return self._arms.tolist()

    def _restore(self, state: Any) -> None:
        self._arms = np.array(state, dtype=np.float64).reshape(self._arms.shape)


SCHEDULER = Bandit
