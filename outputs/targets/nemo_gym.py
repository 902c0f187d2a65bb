"""NVIDIA NeMo Gym: JSON lines in the form of the Responses API, where a key that has no value is absent.

Its request model forbids unknown and empty keys, so no Parquet reader's nulls may come near it.
"""

from typing import Any

from ecomrlve.outputs.layout import Layout, Leaf, Node, Parsed
from ecomrlve.outputs.targets.base import RECIPE, Target, columns


def flat(tool: dict[str, Any]) -> dict[str, Any]:
    """A function tool as the Responses API has it, from the form of chat completions.

    >>> flat({"type": "function", "function": {"name": "search", "description": "Find.", "parameters": {}}})
    {'type': 'function', 'name': 'search', 'description': 'Find.', 'parameters': {}, 'strict': False}
    """
    return {"type": "function", **tool["function"], "strict": False}


_REQUEST: dict[str, Node] = {"input": Leaf("prompt", list), "tools": Parsed("tools", flat)}
_METADATA: dict[str, Node] = {
    "ground_truth": Leaf("ground_truth"),
    "task_json": RECIPE,
}

TARGET = Target(
    Layout(columns(responses_create_params=_REQUEST, verifier_metadata=_METADATA)),
    """\
**NeMo Gym**: a resources server whose `verify` returns `ecomrlve.outputs.rewards.nemo_gym.reward(body.model_dump())`,
and

```
gym dataset collate … OUT/data/train-00000-of-00001.jsonl
```
""",
    suffix="jsonl",
    one_file=True,
)
