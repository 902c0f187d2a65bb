"""Which groups carry gradient, and how many to draw so that enough do: DAPO's dynamic sampling, for any scheduler."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ecomrlve.errors import InvalidArgument


def carries_gradient(successes: int, trials: int) -> bool:
    """Whether a group of rollouts teaches anything: some are correct and some are not.

    Judge by the binary outcome: a shaped score differs within a group whose rollouts all fail, and then trains on how
    they fail.

    >>> [carries_gradient(correct, 8) for correct in (0, 3, 8)]
    [False, True, False]
    """
    return 0 < successes < trials


@dataclass
class Gate:
    """Keeps the groups that carry gradient, and says how many prompts to draw for a batch of them.

    The share of such groups is an average that forgets. How many to draw is bounded, and a batch is never waited for
    without end: where every group is uniform, `wanted` still falls to 0 after ``rounds``.

    Args:
        memory: groups after which what was seen weighs 1/e.
        most: at most so many times the batch is drawn at once.
        rounds: after so many draws for one batch it is trained on as it is.

    Raises:
        InvalidArgument: for a memory below 1, or bounds below 1.

    >>> gate = Gate()
    >>> gate.wanted(64)
    64
    >>> for correct in (0, 8, 4, 8):
    ...     kept = gate.observe(correct, 8)
    >>> kept, gate.wanted(64) > 64
    (False, True)
    """

    memory: float = 256.0
    most: float = 4.0
    rounds: int = 8
    _share: float = 1.0

    def __post_init__(self) -> None:
        for name in ("memory", "most", "rounds"):
            if not getattr(self, name) >= 1:
                raise InvalidArgument(name, getattr(self, name), "must be at least 1")

    @property
    def effective_ratio(self) -> float:
        """The recent share of groups that carry gradient, in [0, 1]."""
        return self._share

    def observe(self, successes: int, trials: int) -> bool:
        """Whether to keep a group. Let the scheduler observe it first, kept or not.

        Raises:
            InvalidArgument: for impossible counts.
        """
        if not 0 <= successes <= trials or trials < 1:
            raise InvalidArgument("successes", successes, f"must be from 0 to trials={trials}, and that at least 1")
        kept = carries_gradient(successes, trials)
        self._share += (kept - self._share) / self.memory
        return kept

    def wanted(self, batch: int, kept: int = 0, rounds: int = 0) -> int:
        """How many prompts to draw next for a batch.

        Args:
            batch: groups with gradient that a step trains on.
            kept: how many of them are there already.
            rounds: how often prompts were drawn for this batch.

        Returns:
            0 where the batch is full or was tried for long enough.
        """
        missing = batch - kept
        if missing <= 0 or rounds >= self.rounds:
            return 0
        return min(math.ceil(missing / max(self._share, 1e-9)), math.ceil(self.most * batch))

    def state_dict(self) -> dict[str, Any]:
        """The gate as JSON can hold it."""
        return {"memory": self.memory, "most": self.most, "rounds": self.rounds, "share": self._share}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state.

        Raises:
            InvalidArgument: where the state is not a gate's.
        """
        try:
            memory, most, share = float(state["memory"]), float(state["most"]), float(state["share"])
            rounds = int(state["rounds"])
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidArgument("state", type(state).__name__, f"is not a gate's ({error!r})") from error
        if not (memory >= 1 and most >= 1 and rounds >= 1 and 0 <= share <= 1):
            raise InvalidArgument("state", dict(state), "is not a gate's: a number is out of its range")
        self.memory, self.most, self.rounds, self._share = memory, most, rounds, share
