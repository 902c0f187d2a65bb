"""TRL: ``GRPOTrainer(reward_funcs=reward, …)``."""

from collections.abc import Sequence
from typing import Any

from ecomrlve.outputs.rewards.grades import Reply, grade


def reward(completions: Sequence[Reply], scheme: str = "binary", **columns: Any) -> list[float]:
    """The rewards of a batch.

    Args:
        completions: replies, as text or as lists of messages.
        scheme: of `Verdict.reward`; ``functools.partial(reward, scheme="score")`` chooses another.
        columns: the data set's other columns as lists; ``label`` is read.
    """
    return [grade(truth, reply, scheme)["score"] for truth, reply in zip(columns["label"], completions, strict=True)]
