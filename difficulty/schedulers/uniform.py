"""All levels alike."""

from typing import Any, ClassVar

from ecomrlve.difficulty.schedulers.base import Draw, Group, Scheduler


class Uniform(Scheduler):
    """Environments and all levels up to the highest uniformly."""

    name: ClassVar[str] = "uniform"
    summary: ClassVar[str] = "all levels up to the highest uniformly"
    source: ClassVar[str] = "domain randomisation, the plain baseline"
    order_free: ClassVar[bool] = True

    def _window(self, place: int) -> tuple[int, int]:
        return 0, self.max_level

    def _choose(self, n: int) -> list[Draw]:
        places, levels = self._integers(len(self.environments), n), self._integers(self.max_level + 1, n)
        return [Draw(self.environments[at], level) for at, level in zip(places, levels, strict=True)]

    def _learn(self, group: Group) -> None:
        """What is seen changes nothing."""

    def _state(self) -> Any:
        return None

    def _restore(self, state: Any) -> None:
        """There is nothing to restore."""


SCHEDULER = Uniform
