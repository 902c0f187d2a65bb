"""The published window with what it lacks: a confidence bound, demotion, an exploration floor, a probe of the stuck."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ecomrlve.difficulty.schedulers.base import Draw, Group, Options, Scheduler, bounds, option


@dataclass(frozen=True)
class RlveBoundedOptions(Options):
    """Options of `RlveBounded`."""

    width: int = option(3, 1, 200, "levels in the window, the top one included")
    raise_at: float = option(0.6, 0.0, 1.0, "the top level rises when its success is surely above this")
    lower_at: float = option(0.25, 0.0, 1.0, "the top level falls when its success is surely below this")
    z: float = option(1.28, 0.0, 10.0, "standard errors that make it sure (1.28: nine times in ten)")
    prompts: int = option(64, 4, 1 << 20, "prompts at the top level after which the older half is forgotten")
    explore: float = option(
        0.1, 0.0, 1.0, "share of draws from all levels up to one above the window, whatever is known"
    )
    probe: float = option(0.2, 0.01, 1.0, "weight of an environment that surely fails at level 0, against 1")


class RlveBounded(Scheduler):
    """A window whose top rises and falls by confidence bounds over prompts."""

    name: ClassVar[str] = "rlve-bounded"
    summary: ClassVar[str] = "a window whose top rises and falls by confidence bounds; what is stuck is only probed"
    source: ClassVar[str] = "ours, after RLVE (arXiv 2511.07317); Wilson's interval"
    Options: ClassVar[type[Options]] = RlveBoundedOptions
    options: RlveBoundedOptions

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        # Per environment: top level, prompts at it, and the sum of their success rates.
        self._tops: list[list[float]] = [[0, 0, 0.0] for _ in self.environments]

    def _window(self, place: int) -> tuple[int, int]:
        top = int(self._tops[place][0])
        return max(0, top - self.options.width + 1), top

    def _stuck(self, place: int) -> bool:
        top, prompts, total = self._tops[place]
        return top == 0 and prompts >= 8 and bounds(total / prompts, int(prompts), self.options.z)[1] < 0.2

    def _choose(self, n: int) -> list[Draw]:
        weights = [self.options.probe if self._stuck(place) else 1.0 for place in range(len(self.environments))]
        whole, cumulated, total = sum(weights), [], 0.0
        for weight in weights:
            total += weight
            cumulated.append(total / whole)
        draws = []
        for which, explore, part in self._rng.random((n, 3)).tolist():
            place = next((at for at, end in enumerate(cumulated) if which < end), len(weights) - 1)
            low, high = self._window(place)
            if explore < self.options.explore:
                low, high = 0, min(self.max_level, high + 1)
            draws.append(Draw(self.environments[place], low + int(part * (high - low + 1))))
        return draws

    def _learn(self, group: Group) -> None:
        top = self._tops[group.env]
        if group.level != top[0]:
            return
        top[1] += 1
        top[2] += group.rate
        low, high = bounds(top[2] / top[1], int(top[1]), self.options.z)
        if low > self.options.raise_at and top[0] < self.max_level:
            top[:] = [top[0] + 1, 0, 0.0]
        elif high < self.options.lower_at and top[0] > 0:
            top[:] = [top[0] - 1, 0, 0.0]
        elif top[1] >= self.options.prompts:
            top[1:] = [top[1] / 2, top[2] / 2]

    def _state(self) -> Any:
        return [list(top) for top in self._tops]

    def _restore(self, state: Any) -> None:
        self._tops = [[int(top), float(prompts), float(total)] for top, prompts, total in state]


SCHEDULER = RlveBounded
