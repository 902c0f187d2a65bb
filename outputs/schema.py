"""The one row: a single tree of columns, and what follows from it: the Arrow schema, a row, a frame of many.

Every shard of every run has this schema, whatever its environments, so that files concatenate. Open-ended things
(the ground truth, the recipe, the tools) are JSON text; the rest is plain strings, integers and floats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars
import pyarrow

from ecomrlve.difficulty.axes import AXES
from ecomrlve.errors import ShardError
from ecomrlve.generator.tasks import Task

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column or field that holds one primary value of a row.

    Args:
        source: which value (a key of what `values` gives).
        kind: its Python type, which fixes the Arrow and the polars type.
    """

    source: str
    kind: type = str


@dataclass(frozen=True, slots=True)
class Constant:
    """A column or field that is the same in every row."""

    value: str | bool


_TEXT = pyarrow.string()
_ARROW_TYPES: dict[type, pyarrow.DataType] = {
    str: _TEXT,
    int: pyarrow.int64(),
    float: pyarrow.float64(),
    bool: pyarrow.bool_(),
}
_POLARS_TYPES: dict[type, type[polars.DataType]] = {str: polars.String, int: polars.Int64, float: polars.Float64}
_MESSAGES = pyarrow.list_(pyarrow.field("element", pyarrow.struct([("role", _TEXT), ("content", _TEXT)])))
_PROMPT = "prompt"

Node = Leaf | Constant | dict[str, "Node"]

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
    "prompt": Leaf(_PROMPT, list),
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


def _leaves(node: Node) -> list[Leaf]:
    if isinstance(node, dict):
        return [leaf for child in node.values() for leaf in _leaves(child)]
    return [node] if isinstance(node, Leaf) else []


# Each primary value once, in the order of the columns.
SOURCES: dict[str, type] = {leaf.source: leaf.kind for leaf in _leaves(COLUMNS)}


def _arrow_type(node: Node) -> pyarrow.DataType:
    if isinstance(node, dict):
        return pyarrow.struct([(name, _arrow_type(child)) for name, child in node.items()])
    if isinstance(node, Constant):
        return _ARROW_TYPES[type(node.value)]
    return _MESSAGES if node.source == _PROMPT else _ARROW_TYPES[node.kind]


ARROW_SCHEMA = pyarrow.schema([(name, _arrow_type(node)) for name, node in COLUMNS.items()])


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
        "tools": "[]",
        "data_source": f"ecomrlve/{task.env}",
        "ground_truth": task.ground_truth,
        "recipe": task.recipe,
        "level_text": str(task.level),
    }


def _fill(node: Node, given: Mapping[str, Any]) -> Any:
    if isinstance(node, dict):
        return {name: _fill(child, given) for name, child in node.items()}
    return node.value if isinstance(node, Constant) else given[node.source]


def row(task: Task, prompt: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """The row of a task, as every reader of the shards sees it.

    >>> from ecomrlve import World, make_task
    >>> made = row(make_task(World.synthetic(products=2_000, seed=0), "PD", level=0, seed=0, index=0))
    >>> made["data_source"], made["extra_info"]["env"], made["label"] == made["reward_model"]["ground_truth"]
    ('ecomrlve/PD', 'PD', True)
    """
    given = values(task, prompt)
    return {name: _fill(node, given) for name, node in COLUMNS.items()}


def recipe_of(written: Mapping[str, Any]) -> str:
    """The recipe inside a row.

    >>> recipe_of({"extra_info": {"tools_kwargs": {"ecomrlve": {"create_kwargs": {"task_json": "{}"}}}}})
    '{}'
    """
    text: str = written["extra_info"]["tools_kwargs"]["ecomrlve"]["create_kwargs"]["task_json"]
    return text


def frame(rows: Sequence[Mapping[str, Any]]) -> polars.DataFrame:
    """A polars frame of many rows' primary `values`.

    The columns are filled one by one under explicit types, since a frame made from rows drops unknown keys and cuts
    fractions without a word; here a value of another type raises.

    Raises:
        ShardError: where a value has not the type of its column.
    """
    try:
        primary = polars.DataFrame(
            [
                polars.Series(source, [given[source] for given in rows], dtype=_POLARS_TYPES[kind], strict=True)
                for source, kind in SOURCES.items()
                if source != _PROMPT
            ]
        ).with_columns(_messages([given[_PROMPT] for given in rows]))
    except (TypeError, UnicodeEncodeError) as error:
        raise ShardError(f"a row does not have the types of the schema: {error}") from error
    return primary.select(_expression(node).alias(name) for name, node in COLUMNS.items())


def _messages(prompts: Sequence[Sequence[Mapping[str, str]]]) -> polars.Series:
    """A column of message lists, built from flat columns (ten times as fast as from lists of dicts)."""
    flat = polars.DataFrame(
        {
            "row": [at for at, prompt in enumerate(prompts) for _ in prompt],
            "role": [message["role"] for prompt in prompts for message in prompt],
            "content": [message["content"] for prompt in prompts for message in prompt],
        },
        schema={"row": polars.Int64, "role": polars.String, "content": polars.String},
    )
    grouped = flat.group_by("row", maintain_order=True).agg(polars.struct("role", "content").alias(_PROMPT))
    if grouped.height != len(prompts):
        raise ShardError("a row has a prompt without messages")
    return grouped[_PROMPT]


def _expression(node: Node) -> polars.Expr:
    if isinstance(node, dict):
        return polars.struct(_expression(child).alias(name) for name, child in node.items())
    return polars.lit(node.value) if isinstance(node, Constant) else polars.col(node.source)


def table(rows: Sequence[Mapping[str, Any]]) -> pyarrow.Table:
    """An Arrow table of exactly `ARROW_SCHEMA`: no ``large_string``, which other files would not concatenate with."""
    return frame(rows).to_arrow().cast(ARROW_SCHEMA)


def validate_row(written: Mapping[str, Any]) -> None:
    """Check that a row has every column and field of the schema, no other, each of its type.

    Raises:
        ShardError: naming the field and what is wrong.

    >>> validate_row({name: "" for name in COLUMNS})
    Traceback (most recent call last):
        ...
    ecomrlve.errors.ShardError: row.language: is '', not 'en'
    """
    _check("row", COLUMNS, written)


def _check(path: str, node: Node, value: Any) -> None:
    if isinstance(node, dict):
        if not isinstance(value, Mapping):
            raise ShardError(f"{path}: is {type(value).__name__}, not a struct")
        for verb, names in (("lacks", node.keys() - value.keys()), ("has unknown", value.keys() - node.keys())):
            if names:
                raise ShardError(f"{path}: {verb} {', '.join(sorted(map(str, names)))}")
        for name, child in node.items():
            _check(f"{path}.{name}", child, value[name])
    elif isinstance(node, Constant):
        if value != node.value or type(value) is not type(node.value):
            raise ShardError(f"{path}: is {value!r}, not {node.value!r}")
    elif type(value) is not node.kind:
        raise ShardError(f"{path}: is {type(value).__name__}, not {node.kind.__name__}")
    elif node.source == _PROMPT:
        _check_prompt(path, value)


def _check_prompt(path: str, messages: Any) -> None:
    if not messages:
        raise ShardError(f"{path}: has no messages")
    for at, message in enumerate(messages):
        if not isinstance(message, Mapping) or set(message) != {"role", "content"}:
            raise ShardError(f"{path}[{at}]: is not a message of role and content")
        if not all(isinstance(part, str) for part in message.values()):
            raise ShardError(f"{path}[{at}]: role and content must be text")
