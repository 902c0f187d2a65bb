"""Tasks where success is most uncertain: p (1 - p) under a posterior that forgets, with Thompson draws; the default."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ecomrlve.difficulty.schedulers.base import Draw, Group, Options, Scheduler, option

# What was seen is multiplied by a growing scale in place of shrinking it all at each step; above this it is undone.
_LARGEST_SCALE = 1e9
# The window is told as the levels between those that are passed so often and those that are failed so often.
_SURE = 0.9


@dataclass(frozen=True)
class LearnabilityOptions(Options):
    """Options of `Learnability`."""

    memory: float = option(64.0, 2.0, 1e6, "prompts of an environment after which what was seen weighs 1/e of it")
    strength: float = option(8.0, 0.1, 1e3, "observations that one prompt's group counts as")
    reach: float = option(0.75, 0.0, 1.0, "how much a prompt tells of the next level up or down, against its own")
    ahead: int = option(2, 1, 200, "levels drawn above the highest one with a success")
    floor: float = option(0.1, 0.0, 1.0, "share of draws that all environments get evenly")


class Learnability(Scheduler):
    """Levels by one Thompson draw of p (1 - p) each, environments by the best p (1 - p) among their levels.

    What one level shows also counts for its neighbours, since success falls slowly with the level. A level that was
    left behind is forgotten, so it comes back into play if a learner unlearns it. An environment at which nothing
    succeeds keeps only its share of the floor.
    """

    name: ClassVar[str] = "learnability"
    summary: ClassVar[str] = "the levels where success is most uncertain: p (1 - p) under a discounted Beta posterior"
    source: ClassVar[str] = "ours, after SFL (arXiv 2408.15099) and LILO (arXiv 2502.12272); Thompson (1933)"
    Options: ClassVar[type[Options]] = LearnabilityOptions
    options: LearnabilityOptions

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        count = len(self.environments)
        # Successes and failures by environment and level, multiplied by the environment's scale.
        self._seen = np.zeros((2, count, self.max_level + 1))
        self._scales = [1.0] * count
        # Worked out anew before a draw where something was seen since.
        self._values: list[float | None] = [None] * count
        self._growth = math.exp(1 / self.options.memory)

    def _top(self, place: int) -> int:
        return min(self.max_level, max(0, self._reached[place] + self.options.ahead))

    def _value(self, place: int) -> float:
        """The best p (1 - p) among an environment's levels in play, at the posterior's mean."""
        scale, top = self._scales[place], self._top(place) + 1
        good, bad = (self._seen[:, place, :top] / scale + 1).tolist()
        return float(max(g * b / ((g + b) * (g + b)) for g, b in zip(good, bad, strict=True)))

    def _window(self, place: int) -> tuple[int, int]:
        top = self._top(place) + 1
        good, bad = self._seen[:, place, :top] / self._scales[place]
        # Nothing seen is taken for failure here, since the top is drawn for a try only.
        success = good / (good + bad + 1)
        low = np.flatnonzero(success < _SURE)
        high = np.flatnonzero(success > 1 - _SURE)
        highest = int(high[-1]) if high.size else 0
        return min(highest, int(low[0]) if low.size else top - 1), highest

    def _choose(self, n: int) -> list[Draw]:
        count, floor = len(self.environments), self.options.floor
        values = [self._value(at) if value is None else value for at, value in enumerate(self._values)]
        self._values[:] = values
        whole = sum(values)
        cumulated, total = [], 0.0
        for value in values:
            total += floor / count + (1 - floor) * value / whole
            cumulated.append(total)
        cumulated[-1] = math.inf
        places = np.searchsorted(cumulated, self._rng.random(n), side="right")
        tops = [self._top(place) for place in range(count)]
        levels = max(tops) + 1
        seen = self._seen[:, places, :levels] / np.array(self._scales)[places, None] + 1
        drawn = self._rng.beta(seen[0], seen[1])
        worth = drawn * (1 - drawn)
        worth[np.arange(levels) > np.array(tops)[places, None]] = -1.0
        chosen = worth.argmax(axis=1).tolist()
        return [Draw(self.environments[at], level) for at, level in zip(places.tolist(), chosen, strict=True)]

    def _learn(self, group: Group) -> None:
        place, level, reach = group.env, group.level, self.options.reach
        scale = self._scales[place] * self._growth
        good = group.rate * self.options.strength * scale
        bad = self.options.strength * scale - good
        seen = self._seen
        for near, part in ((level - 1, reach), (level, 1.0), (level + 1, reach)):
            if 0 <= near <= self.max_level:
                seen[0, place, near] += good * part
                seen[1, place, near] += bad * part
        if scale > _LARGEST_SCALE:
            seen[:, place] /= scale
            scale = 1.0
        self._scales[place] = scale
        self._values[place] = None

    def _state(self) -> Any:
        return {"seen": self._seen.tolist(), "scales": list(self._scales)}

    def _restore(self, state: Any) -> None:
        seen = np.array(state["seen"], dtype=np.float64).reshape(self._seen.shape)
        scales = [float(scale) for scale in state["scales"]]
        if len(scales) != len(self.environments):
            raise ValueError(f"{len(scales)} scales for {len(self.environments)} environments")
        self._seen, self._scales = seen, scales
        self._values = [None] * len(scales)


SCHEDULER = Learnability
