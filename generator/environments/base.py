"""What an environment is: how it poses a task, and how a solver answers it from its text alone."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.pages.prompt import Message
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World

ReadingT = TypeVar("ReadingT")
"""One way to understand a prompt, as an environment keeps it; equal readings ask the same of the same page."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A task as its environment poses it.

    Args:
        prompt: chat messages, the last one the customer's.
        truth: all that the judge needs, JSON-ready.
        oracle: the reply object worth full marks.
        oracle_text: the sentence a model would put before it.
        goal: what is asked, JSON-ready; equal goals are the same task in other words.
        notes: (identifier, the one condition it breaks) of each decoy.
        attempts: how often the pose had to start again, at least 1.
        chance: the probability that a blind legal guess is right.
        used: axes whose value differs from the one asked for.
        measured: what the axes changed, by name, for proofs and documentation.
        evidence: what a second solver needs, by name; never written to a row.
    """

    prompt: list[Message]
    truth: dict[str, Any]
    oracle: dict[str, Any]
    oracle_text: str
    goal: dict[str, Any]
    notes: tuple[tuple[str, str], ...]
    attempts: int
    chance: float
    used: Mapping[str, float] = field(default_factory=dict)
    measured: Mapping[str, float] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)


class Environment(ABC, Generic[ReadingT]):
    """One kind of task. A subclass is one file here, one judge in `generator.verifiers`, and data in `grammars`."""

    name: ClassVar[str]
    """Upper-case name, as in the contract."""
    summary: ClassVar[str]
    """One line on what the customer wants."""
    order_matters: ClassVar[bool]
    """Whether the order of the answer's items counts."""
    axes: ClassVar[Mapping[str, tuple[str, ...]]]
    """Mode to the axes used in it."""
    slip: ClassVar[int] = 10_000
    """How often the yardstick agent misreads something, in millionths: calibrated so that it succeeds at no less than
    0.8 of the tasks at level 0 and at no more than 0.3 at level 12 (`ecomrlve.generator.agents`)."""

    @abstractmethod
    def pose(self, world: World, axes: Axes, draws: Draws, impossible: bool) -> Posed:
        """Compose one task and prove its answer.

        Raises:
            CannotPose: where the world is too small or lacks what the environment needs.
        """

    @abstractmethod
    def read(self, prompt: Sequence[Message], perception: Perception = FAITHFUL) -> Sequence[ReadingT]:
        """Every way to understand a context-mode prompt, page and turns; of a sound task there is just one.

        Args:
            prompt: a task's.
            perception: asked which turns are noticed.
        """

    @abstractmethod
    def solve(self, reading: ReadingT, perception: Perception = FAITHFUL) -> dict[str, Any]:
        """The answer's object by one reading alone.

        Args:
            reading: one of `read`'s.
            perception: asked wherever a reader could misread; faithful, the answer is right.
        """

    def answer(self, prompt: Sequence[Message], perception: Perception = FAITHFUL) -> str:
        """Answer a context-mode task from its prompt alone, as a reply.

        Raises:
            LookupError: where the turns that are noticed have no reading.
        """
        return json.dumps(self.solve(self.read(prompt, perception)[0], perception))

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes the environment can pose."""
        return tuple(self.axes)
