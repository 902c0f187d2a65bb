"""The published update: raise the top level after enough rollouts at it went well, never lower it."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ecomrlve.difficulty.schedulers.base import Draw, Group, Options, Scheduler, option


@dataclass(frozen=True)
class RlveOptions(Options):
    """Options of `Rlve`."""

    width: int = option(4, 1, 200, "levels in the window, the top one included")
    accuracy: float = option(0.9, 0.0, 1.0, "share of correct rollouts at the top level that raises it")
    trials: int = option(128, 1, 1 << 30, "rollouts at the top level between two checks")


class Rlve(Scheduler):
    """Environments uniformly, levels uniformly in a sliding window; the yardstick.

    Only rollouts at the top level count; the counters start anew at each check; there is no demotion.
    """

    name: ClassVar[str] = "rlve"
    summary: ClassVar[str] = "uniform in a window of levels; the top rises at 0.9 of 128 rollouts, and never falls"
    source: ClassVar[str] = "RLVE, arXiv 2511.07317, and its released code"
    Options: ClassVar[type[Options]] = RlveOptions
    options: RlveOptions

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        # Per environment: top level, rollouts at it, and how many of them were correct.
        self._tops = [[0, 0, 0] for _ in self.environments]

    def _window(self, place: int) -> tuple[int, int]:
        top = self._tops[place][0]
        return max(0, top - self.options.width + 1), top

    def _choose(self, n: int) -> list[Draw]:
        draws = []
        for place, part in zip(self._integers(len(self.environments), n), self._rng.random(n).tolist(), strict=True):
            low, high = self._window(place)
            draws.append(Draw(self.environments[place], low + int(part * (high - low + 1))))
        return draws

    def _learn(self, group: Group) -> None:
        top = self._tops[group.env]
        if group.level != top[0]:
            return
        top[1] += group.trials
        top[2] += group.successes
        if top[1] >= self.options.trials:
            if top[2] >= self.options.accuracy * top[1] and top[0] < self.max_level:
                top[0] += 1
            top[1] = top[2] = 0

    def _state(self) -> Any:
        return [list(top) for top in self._tops]

    def _restore(self, state: Any) -> None:
        self._tops = [[int(number) for number in top] for top in state]


SCHEDULER = Rlve
