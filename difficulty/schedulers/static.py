"""A fixed range of levels, for as long as the training lasts."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ecomrlve.difficulty.schedulers.base import Draw, Group, Options, Scheduler, option
from ecomrlve.errors import InvalidArgument


@dataclass(frozen=True)
class StaticOptions(Options):
    """Options of `Static`."""

    low: int = option(0, 0, 200, "the lowest level")
    high: int = option(8, 0, 200, "the highest level; the scheduler's max_level where that is lower")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low > self.high:
            raise InvalidArgument("low", self.low, f"must be at most high={self.high}")


class Static(Scheduler):
    """Environments and levels uniformly in a fixed range: what a data set generated once amounts to."""

    name: ClassVar[str] = "static"
    summary: ClassVar[str] = "levels 0 to 8 (or others) uniformly, for ever"
    source: ClassVar[str] = "the baseline of a data set that is generated once"
    order_free: ClassVar[bool] = True
    Options: ClassVar[type[Options]] = StaticOptions
    options: StaticOptions

    def _window(self, place: int) -> tuple[int, int]:
        return min(self.options.low, self.max_level), min(self.options.high, self.max_level)

    def _choose(self, n: int) -> list[Draw]:
        low, high = self._window(0)
        places, levels = self._integers(len(self.environments), n), self._integers(high - low + 1, n)
        return [Draw(self.environments[at], low + level) for at, level in zip(places, levels, strict=True)]

    def _learn(self, group: Group) -> None:
        """What is seen changes nothing."""

    def _state(self) -> Any:
        return None

    def _restore(self, state: Any) -> None:
        """There is nothing to restore."""


SCHEDULER = Static
