"""A target difficulty per environment that moves with how far success is from one half."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ecomrlve.difficulty.schedulers.base import Draw, Group, Options, Scheduler, option


@dataclass(frozen=True)
class AdarftOptions(Options):
    """Options of `Adarft`."""

    alpha: float = option(2.0, 0.0, 100.0, "how sharply a distance from the wanted success counts")
    beta: float = option(0.5, 0.0, 1.0, "the success that is wanted")
    eta: float = option(0.1, 0.0, 100.0, "levels that one prompt can move the target")


class Adarft(Scheduler):
    """The target moves by eta * tanh(alpha * (success - beta)) levels with each prompt; new tasks are made beside it.

    The published form moves once per batch, by up to 50 on a scale of 100; ours moves with every prompt.
    """

    name: ClassVar[str] = "adarft"
    summary: ClassVar[str] = "a target level that moves by eta * tanh(alpha * (success - 0.5)) with each prompt"
    source: ClassVar[str] = "AdaRFT, arXiv 2504.05520, and its released code"
    Options: ClassVar[type[Options]] = AdarftOptions
    options: AdarftOptions

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._targets = [0.0] * len(self.environments)

    def _window(self, place: int) -> tuple[int, int]:
        target = self._targets[place]
        return math.floor(target), math.ceil(target)

    def _choose(self, n: int) -> list[Draw]:
        draws = []
        for place, part in zip(self._integers(len(self.environments), n), self._rng.random(n).tolist(), strict=True):
            target = self._targets[place]
            below = math.floor(target)
            draws.append(Draw(self.environments[place], below + (part < target - below)))
        return draws

    def _learn(self, group: Group) -> None:
        step = self.options.eta * math.tanh(self.options.alpha * (group.rate - self.options.beta))
        self._targets[group.env] = min(float(self.max_level), max(0.0, self._targets[group.env] + step))

    def _state(self) -> Any:
        return list(self._targets)

    def _restore(self, state: Any) -> None:
        self._targets = [float(target) for target in state]


SCHEDULER = Adarft
