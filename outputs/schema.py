"""The one row: a single tree of columns, which every shard of every run has, whatever its environments.

So files concatenate. Open-ended things (the ground truth, the recipe, the tools) are JSON text; the rest is plain
strings, integers and floats. The targets (`ecomrlve.outputs.targets`) are projections of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ecomrlve.difficulty.axes import AXES
from ecomrlve.errors import ShardError
from ecomrlve.generator.tasks import Task
from ecomrlve.outputs.layout import Constant, Layout, Leaf, Node

SCHEMA_VERSION = 1

COLUMNS: dict[str, Node] = {
    "task_id": Leaf("task_id"),
    "env": Leaf("env"),
    "mode": Leaf("mode"),
    "split": Leaf("split"),
    "language": Constant("en"),
    "level": Leaf("level", int),
    "seed": Leaf("seed", int),
    "index": Leaf("index", int),
    "prompt_chars": Leaf("prompt_chars", int),
    "axes": {name: Leaf(f"axes.{name}", float) for name in AXES},
    "prompt": Leaf("prompt", list),
    "tools": Leaf("tools"),
    "data_source": Leaf("data_source"),
    "ability": Constant("shopping"),
    "reward_model": {"style": Constant("rule"), "ground_truth": Leaf("ground_truth")},
    "extra_info": {
        "index": Leaf("index", int),
        "split": Leaf("split"),
        "task_id": Leaf("task_id"),
        "env": Leaf("env"),
        "level": Leaf("level", int),
        "need_tools_kwargs": Constant(False),
        "tools_kwargs": {"ecomrlve": {"create_kwargs": {"task_json": Leaf("recipe")}}},
    },
    "label": Leaf("ground_truth"),
    "metadata": {"task_id": Leaf("task_id"), "env": Leaf("env"), "level": Leaf("level_text")},
    "env_class": Constant("ecomrlve"),
    "reward_spec": {"method": Constant("rule"), "ground_truth": Leaf("ground_truth")},
}


UNIVERSAL = Layout(COLUMNS)
ARROW_SCHEMA = UNIVERSAL.arrow_schema

# Where a row of one target or another holds the recipe and the ground truth.
_RECIPES = (
    ("recipe",),
    ("extra_info", "tools_kwargs", "ecomrlve", "create_kwargs", "task_json"),
    ("verifier_metadata", "task_json"),
)
_TRUTHS = (
    ("label",),
    ("reward_model", "ground_truth"),
    ("reward_spec", "ground_truth"),
    ("verifier_metadata", "ground_truth"),
)


def values(task: Task, prompt: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """The primary values of a task's row, each once.

    Args:
        task: the task.
        prompt: its messages as they are to be written, where that is not as it was posed.
    """
    messages = task.prompt if prompt is None else prompt
    axes = task.axes
    return {
        "task_id": task.task_id,
        "env": task.env,
        "mode": task.mode,
        "split": task.split,
        "level": task.level,
        "seed": task.seed,
        "index": task.index,
        "prompt_chars": sum(len(message["content"]) for message in messages),
        **{f"axes.{name}": float(axes[name]) for name in AXES},
        "prompt": messages,
        "demonstration": [*messages, {"role": "assistant", "content": task.oracle}],
        "tools": "[]",
        "data_source": f"ecomrlve/{task.env}",
        "ground_truth": task.ground_truth,
        "recipe": task.recipe,
        "level_text": str(task.level),
    }


def row(task: Task, prompt: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """The row of a task, as every reader of the shards sees it.

    >>> from ecomrlve import World, make_task
    >>> made = row(make_task(World.synthetic(products=2_000, seed=0), "PD", level=0, seed=0, index=0))
    >>> made["data_source"], made["extra_info"]["env"], made["label"] == made["reward_model"]["ground_truth"]
    ('ecomrlve/PD', 'PD', True)
    """
    return UNIVERSAL.row(values(task, prompt))


def recipe_of(written: Mapping[str, Any]) -> str:
    """The recipe inside a row of any target.

    Raises:
        ShardError: where there is none.

    >>> recipe_of({"extra_info": {"tools_kwargs": {"ecomrlve": {"create_kwargs": {"task_json": "{}"}}}}})
    '{}'
    """
    return _first(written, _RECIPES, "recipe")


def truth_of(written: Mapping[str, Any]) -> str:
    """The ground truth inside a row of any target.

    Raises:
        ShardError: where there is none.

    >>> truth_of({"reward_model": {"ground_truth": "{}"}})
    '{}'
    """
    return _first(written, _TRUTHS, "ground truth")


def truth_column(names: Sequence[str]) -> str | None:
    """The first of some columns that holds the ground truth; None where none does.

    >>> truth_column(["task_id", "reward_model"])
    'reward_model'
    """
    return next((path[0] for path in _TRUTHS if path[0] in names), None)


def _first(written: Mapping[str, Any], paths: Sequence[tuple[str, ...]], noun: str) -> str:
    for path in paths:
        value: Any = written
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        if isinstance(value, str):
            return value
    raise ShardError(f"a row holds no {noun}")
