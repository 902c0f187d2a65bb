"""NVIDIA NeMo Gym: what a resources server's ``verify`` returns for a row of ``--target nemo-gym``."""

from collections.abc import Iterator, Mapping
from typing import Any

from ecomrlve.outputs.rewards.grades import grade


def reward(body: Mapping[str, Any], scheme: str = "binary") -> dict[str, float]:
    """The reward of a request to ``/verify``, with the other numbers beside it.

    Args:
        body: the request as JSON: ``response`` of the Responses API, and the row's ``verifier_metadata``.
        scheme: of `Verdict.reward`.

    >>> truth = '{"env":"PD","ranking":["AB12CD"],"shown":["AB12CD","EF34GH"],"version":1}'
    >>> message = {"type": "output_text", "text": '{"products": ["AB12CD"]}'}
    >>> response = {"output": [{"type": "message", "role": "assistant", "content": [message]}]}
    >>> reward({"response": response, "verifier_metadata": {"ground_truth": truth}})["reward"]
    1.0
    """
    reply = "".join(_texts(body["response"]["output"]))
    numbers = grade(body["verifier_metadata"]["ground_truth"], reply, scheme)
    return {"reward": numbers["score"], **numbers}


def _texts(output: list[Mapping[str, Any]]) -> Iterator[str]:
    """The text of the last message; reasoning and tool calls are no part of it."""
    messages = [item for item in output if item.get("type") == "message"]
    for part in messages[-1]["content"] if messages else ():
        if part.get("type") == "output_text":
            yield part["text"]
