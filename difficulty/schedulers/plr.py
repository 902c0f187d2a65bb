"""Stored tasks are shown again while they still teach: prioritised level replay."""

from dataclasses import dataclass
from typing import Any, ClassVar

from ecomrlve.difficulty.schedulers.base import Draw, Group, Options, Scheduler, option


@dataclass(frozen=True)
class PlrOptions(Options):
    """Options of `Plr`."""

    replay: float = option(0.3, 0.0, 1.0, "share of draws from the store once it is full (less before)")
    temperature: float = option(0.1, 0.01, 100.0, "weights are rank to the power of -1 / temperature; published: 0.1")
    staleness: float = option(0.1, 0.0, 1.0, "share of the weight that goes by how long a task was not shown")
    capacity: int = option(256, 1, 1 << 20, "tasks in the store")
    width: int = option(4, 1, 200, "levels from which new tasks come, up to one above the highest with a success")


class Plr(Scheduler):
    """New tasks evenly from the levels about the highest success; stored ones by the rank of p (1 - p) and by age.

    Needs ``task_id`` in `observe`; without it nothing is stored, and all draws are of new tasks.
    """

    name: ClassVar[str] = "plr"
    summary: ClassVar[str] = "stored tasks shown again by rank of p (1 - p) and by age, beside new ones"
    source: ClassVar[str] = "PLR, arXiv 2010.03934, with p (1 - p) as the score"
    Options: ClassVar[type[Options]] = PlrOptions
    options: PlrOptions

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        # Task id to [environment, level, score, when last seen], in the order of coming in.
        self._store: dict[str, list[Any]] = {}
        self._clock = 0
        # Worked out anew after a change: the weights, and the task of the least score.
        self._cumulated: list[float] | None = None
        self._least: str | None = None

    def _replayable(self) -> tuple[str, ...]:
        return tuple(self._store)

    def _window(self, place: int) -> tuple[int, int]:
        top = min(self.max_level, self._reached[place] + 1)
        return max(0, top - self.options.width + 1), top

    def _weights(self) -> list[float]:
        """The store's weights, summed up."""
        if self._cumulated is None:
            tasks = list(self._store.values())
            ranked = sorted(range(len(tasks)), key=lambda at: (-tasks[at][2], at))
            power = -1 / self.options.temperature
            by_rank = [0.0] * len(tasks)
            for rank, at in enumerate(ranked, start=1):
                by_rank[at] = float(rank**power)
            ages = [float(self._clock - task[3]) for task in tasks]
            whole, oldest = sum(by_rank), sum(ages)
            stale = self.options.staleness if oldest > 0 else 0.0
            self._cumulated, total = [], 0.0
            for rank_weight, age in zip(by_rank, ages, strict=True):
                total += (1 - stale) * rank_weight / whole + (stale * age / oldest if stale else 0.0)
                self._cumulated.append(total)
        return self._cumulated

    def _choose(self, n: int) -> list[Draw]:
        replay = self.options.replay * len(self._store) / self.options.capacity
        places = self._integers(len(self.environments), n)
        ids = list(self._store)
        draws = []
        for place, (which, part) in zip(places, self._rng.random((n, 2)).tolist(), strict=True):
            if which < replay:
                cumulated = self._weights()
                wanted = part * cumulated[-1]
                at = next(place for place, end in enumerate(cumulated) if wanted < end)
                env, level = self._store[ids[at]][:2]
                draws.append(Draw(self.environments[env], level, replay=ids[at]))
            else:
                low, high = self._window(place)
                draws.append(Draw(self.environments[place], low + int(part * (high - low + 1))))
        return draws

    def _learn(self, group: Group) -> None:
        self._clock += 1
        if group.task_id is None or group.axes:
            return
        score = group.rate * (1 - group.rate)
        if group.task_id not in self._store and len(self._store) >= self.options.capacity:
            if self._least is None:
                self._least = min(self._store, key=lambda task: (self._store[task][2], self._store[task][3]))
            if self._store[self._least][2] >= score:
                return
            del self._store[self._least]
        if score > 0 or group.task_id in self._store:
            self._store[group.task_id] = [group.env, group.level, score, self._clock]
            self._cumulated = self._least = None

    def _state(self) -> Any:
        return {"clock": self._clock, "store": [[task, *kept] for task, kept in self._store.items()]}

    def _restore(self, state: Any) -> None:
        clock = int(state["clock"])
        store = {str(task): [int(e), int(level), float(s), int(t)] for task, e, level, s, t in state["store"]}
        for env, level, _, _ in store.values():
            if not (0 <= env < len(self.environments) and 0 <= level <= self.max_level):
                raise ValueError(f"a stored task of environment {env}, level {level}")
        self._clock, self._store = clock, store
        self._cumulated = self._least = None


SCHEDULER = Plr
