"""A tree of columns, and what follows from it: the Arrow schema, a row, a frame of many, and the check of a row."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars
import pyarrow

from ecomrlve.errors import ShardError


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column or field that holds one primary value of a row.

    Args:
        source: which value (a key of what `values` gives).
        kind: its Python type, which fixes the Arrow and the polars type; a list is one of chat messages.
    """

    source: str
    kind: type = str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A field of JSON lines that holds a value's JSON text as JSON itself; it is left out where that is empty.

    Args:
        source: which value.
        convert: what is made of each of its items.
    """

    source: str
    convert: Callable[[Any], Any]


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

Node = Leaf | Parsed | Constant | dict[str, "Node"]


def _sources(node: Node) -> dict[str, type]:
    """The values that a node needs, and the types of their columns, in order."""
    if isinstance(node, dict):
        return {source: kind for child in node.values() for source, kind in _sources(child).items()}
    if isinstance(node, Constant):
        return {}
    return {node.source: node.kind if isinstance(node, Leaf) else str}


def _arrow_type(node: Node) -> pyarrow.DataType:
    if isinstance(node, dict):
        return pyarrow.struct([(name, _arrow_type(child)) for name, child in node.items()])
    if isinstance(node, Parsed):
        raise TypeError(f"{node.source}: free JSON has no column type")
    if isinstance(node, Constant):
        return _ARROW_TYPES[type(node.value)]
    return _MESSAGES if node.kind is list else _ARROW_TYPES[node.kind]


class Layout:
    """The columns of a shard as a tree of values, constants and structs.

    Args:
        columns: name to leaf, constant or struct, in order.

    Attributes:
        sources: each primary value that the tree holds once, with its Python type, in the order of the columns.

    >>> Layout({"id": Leaf("task_id"), "of": {"level": Leaf("level", int)}}).row({"task_id": "x", "level": 2})
    {'id': 'x', 'of': {'level': 2}}
    """

    def __init__(self, columns: dict[str, Node]) -> None:
        self.columns = columns
        self.sources = _sources(columns)

    @cached_property
    def arrow_schema(self) -> pyarrow.Schema:
        """The one Arrow schema of every file: plain ``string`` and ``list``, whatever the rows."""
        return pyarrow.schema([(name, _arrow_type(node)) for name, node in self.columns.items()])

    def row(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The row of a task's primary values, as every reader of the shards sees it."""
        filled: dict[str, Any] = _fill(self.columns, given)
        return filled

    def at(self, source: str) -> tuple[str, ...]:
        """Where a row holds a value: the first path to it.

        Raises:
            KeyError: where it holds no such value.

        >>> Layout({"of": {"level": Leaf("level", int)}}).at("level")
        ('of', 'level')
        """
        found = _find(self.columns, source)
        if found is None:
            raise KeyError(source)
        return found

    def frame(self, rows: Sequence[Mapping[str, Any]]) -> polars.DataFrame:
        """A polars frame of many rows' primary values.

        The columns are filled one by one under explicit types, since a frame made from rows drops unknown keys and
        cuts fractions without a word; here a value of another type raises.

        Raises:
            ShardError: where a value has not the type of its column.
        """
        try:
            primary = polars.DataFrame(
                [
                    _messages(source, [given[source] for given in rows])
                    if kind is list
                    else polars.Series(
                        source, [given[source] for given in rows], dtype=_POLARS_TYPES[kind], strict=True
                    )
                    for source, kind in self.sources.items()
                ]
            )
        except (TypeError, UnicodeEncodeError) as error:
            raise ShardError(f"a row does not have the types of the schema: {error}") from error
        return primary.select(_expression(node).alias(name) for name, node in self.columns.items())

    def table(self, rows: Sequence[Mapping[str, Any]]) -> pyarrow.Table:
        """An Arrow table of exactly this schema: no ``large_string``, which other files would not concatenate with."""
        return self.frame(rows).to_arrow().cast(self.arrow_schema)

    def check(self, written: Mapping[str, Any]) -> None:
        """Check that a row has every column and field, no other, each of its type.

        Raises:
            ShardError: naming the field and what is wrong.
        """
        _check("row", self.columns, written)


def _fill(node: Node, given: Mapping[str, Any]) -> Any:
    if isinstance(node, dict):
        return {
            name: _fill(child, given)
            for name, child in node.items()
            if not isinstance(child, Parsed) or json.loads(given[child.source])
        }
    if isinstance(node, Parsed):
        return [node.convert(item) for item in json.loads(given[node.source])]
    return node.value if isinstance(node, Constant) else given[node.source]


def _find(node: Node, source: str) -> tuple[str, ...] | None:
    if isinstance(node, dict):
        for name, child in node.items():
            below = _find(child, source)
            if below is not None:
                return (name, *below)
    elif isinstance(node, Leaf) and node.source == source:
        return ()
    return None


def _messages(name: str, prompts: Sequence[Sequence[Mapping[str, str]]]) -> polars.Series:
    """A column of message lists, built from flat columns (ten times as fast as from lists of dicts)."""
    flat = polars.DataFrame(
        {
            "row": [at for at, prompt in enumerate(prompts) for _ in prompt],
            "role": [message["role"] for prompt in prompts for message in prompt],
            "content": [message["content"] for prompt in prompts for message in prompt],
        },
        schema={"row": polars.Int64, "role": polars.String, "content": polars.String},
    )
    grouped = flat.group_by("row", maintain_order=True).agg(polars.struct("role", "content").alias(name))
    if grouped.height != len(prompts):
        raise ShardError("a row has a prompt without messages")
    return grouped[name]


def _expression(node: Node) -> polars.Expr:
    if isinstance(node, dict):
        return polars.struct(_expression(child).alias(name) for name, child in node.items())
    if isinstance(node, Parsed):
        raise TypeError(f"{node.source}: free JSON has no column type")
    return polars.lit(node.value) if isinstance(node, Constant) else polars.col(node.source)


def _check(path: str, node: Node, value: Any) -> None:
    if isinstance(node, dict):
        if not isinstance(value, Mapping):
            raise ShardError(f"{path}: is {type(value).__name__}, not a struct")
        needed = {name for name, child in node.items() if not isinstance(child, Parsed)}
        for verb, names in (("lacks", needed - value.keys()), ("has unknown", value.keys() - node.keys())):
            if names:
                raise ShardError(f"{path}: {verb} {', '.join(sorted(map(str, names)))}")
        for name, child in node.items():
            if name in value:
                _check(f"{path}.{name}", child, value[name])
    elif isinstance(node, Constant):
        if value != node.value or type(value) is not type(node.value):
            raise ShardError(f"{path}: is {value!r}, not {node.value!r}")
    elif isinstance(node, Parsed):
        if not isinstance(value, list) or not value:
            raise ShardError(f"{path}: is not a list that holds something")
    elif type(value) is not node.kind:
        raise ShardError(f"{path}: is {type(value).__name__}, not {node.kind.__name__}")
    elif node.kind is list:
        _check_messages(path, value)


def _check_messages(path: str, messages: Any) -> None:
    if not messages:
        raise ShardError(f"{path}: has no messages")
    for at, message in enumerate(messages):
        if not isinstance(message, Mapping) or set(message) != {"role", "content"}:
            raise ShardError(f"{path}[{at}]: is not a message of role and content")
        if not all(isinstance(part, str) for part in message.values()):
            raise ShardError(f"{path}[{at}]: role and content must be text")
