"""OpenRLHF: ``--reward.remote_url`` this file, ``--data.label_key label``."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ecomrlve.outputs.rewards.grades import grade

_THINK = "<think>"


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[str], scheme: str = "binary", **kwargs: Any
) -> dict[str, Any]:
    """The rewards of a batch, as tensors where torch is installed, else as lists.

    Args:
        queries: prompt and response in one text.
        prompts: the prompts alone.
        labels: the ground truths.
        scheme: of `Verdict.reward`.
        kwargs: whatever else a version of OpenRLHF passes.
    """
    grades = [
        grade(label, _response(query, prompt), scheme)
        for query, prompt, label in zip(queries, prompts, labels, strict=True)
    ]
    columns = {name: [float(one[name]) for one in grades] for name in (grades[0] if grades else ())}
    tensors = {name: _tensor(numbers) for name, numbers in columns.items()}
    return {"rewards": tensors.get("score", []), "scores": tensors.get("acc", []), "extra_logs": tensors}


def _response(query: str, prompt: str) -> str:
    """What the model wrote. The prompt shows the form of an answer, so none of it may be judged."""
    response = query[query.index(prompt) + len(prompt) :] if prompt in query else query
    # Some chat templates open the thinking themselves: a response that never closes it has not answered.
    return _THINK + response if prompt.rstrip().endswith(_THINK) else response


def _tensor(numbers: list[float]) -> Any:
    try:
        return import_module("torch").tensor(numbers)
    except ImportError:
        return numbers
