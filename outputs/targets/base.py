"""What a target is."""

from dataclasses import dataclass
from typing import Literal

from ecomrlve.outputs.layout import Layout, Leaf, Node
from ecomrlve.outputs.schema import COLUMNS


@dataclass(frozen=True, slots=True)
class Target:
    """A form of the shards that suits one trainer.

    Args:
        layout: the columns. Each target holds the recipe and, under one of its names, the ground truth.
        loading: Markdown for the dataset card: how the trainer is told of the shards, with OUT for their folder.
        suffix: of the files; ``jsonl`` is one canonical row per line.
        one_file: whether each split is a single file, for a trainer that reads no more than one.
    """

    layout: Layout
    loading: str
    suffix: Literal["parquet", "jsonl"] = "parquet"
    one_file: bool = False


def columns(*names: str, **more: Node) -> dict[str, Node]:
    """Where a task stands, then columns of the one row by name, then others.

    >>> list(columns("prompt", recipe=Leaf("recipe")))
    ['task_id', 'env', 'split', 'level', 'index', 'axes', 'prompt', 'recipe']
    """
    place = ("task_id", "env", "split", "level", "index", "axes")
    return {**{name: COLUMNS[name] for name in (*place, *names)}, **more}


RECIPE = Leaf("recipe")
