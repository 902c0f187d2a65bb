"""One level per environment: up when the last groups went well, down when they went badly."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ecomrlve.difficulty.schedulers.base import Draw, Group, Options, Scheduler, option


@dataclass(frozen=True)
class TwoThresholdOptions(Options):
    """Options of `TwoThreshold`."""

    last: int = option(16, 1, 1 << 20, "prompts at the current level that a move is decided on")
    up: float = option(0.7, 0.0, 1.0, "mean success above which the level rises")
    down: float = option(0.3, 0.0, 1.0, "mean success below which the level falls")


class TwoThreshold(Scheduler):
    """Up and down by one level, on the mean success of the last prompts at the current one."""

    name: ClassVar[str] = "two-threshold"
    summary: ClassVar[str] = "one level each: up above 0.7 mean success of the last prompts, down below 0.3"
    source: ClassVar[str] = "reasoning-gym's curriculum"
    Options: ClassVar[type[Options]] = TwoThresholdOptions
    options: TwoThresholdOptions

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._levels = [0] * len(self.environments)
        self._rates: list[list[float]] = [[] for _ in self.environments]

    def _window(self, place: int) -> tuple[int, int]:
        level = self._levels[place]
        return level, level

    def _choose(self, n: int) -> list[Draw]:
        return [Draw(self.environments[at], self._levels[at]) for at in self._integers(len(self.environments), n)]

    def _learn(self, group: Group) -> None:
        if group.level != self._levels[group.env]:
            return
        rates = self._rates[group.env]
        rates.append(group.rate)
        if len(rates) < self.options.last:
            return
        mean = sum(rates) / len(rates)
        if mean > self.options.up and group.level < self.max_level:
            self._levels[group.env] += 1
            rates.clear()
        elif mean < self.options.down and group.level > 0:
            self._levels[group.env] -= 1
            rates.clear()
        else:
            del rates[0]

    def _state(self) -> Any:
        return {"levels": list(self._levels), "rates": [list(rates) for rates in self._rates]}

    def _restore(self, state: Any) -> None:
        levels = [int(level) for level in state["levels"]]
        self._rates = [[float(rate) for rate in rates] for rates in state["rates"]]
        self._levels = levels


SCHEDULER = TwoThreshold
