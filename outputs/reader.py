"""Reading shards: the files of a run or a single one, their rows in order, a batch at a time."""

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.parquet

from ecomrlve.errors import ShardError
from ecomrlve.outputs.schema import truth_column, truth_of
from ecomrlve.outputs.stores import DATA

_ROWS_AT_ONCE = 256

# What reading a damaged file can raise.
UNREADABLE = (pyarrow.ArrowException, OSError, UnicodeDecodeError)


def shard_files(path: str | Path) -> list[Path]:
    """The files of a run's folder, of a plain folder, or the one that a path names: Parquet, else JSON lines; in order.

    Raises:
        ShardError: where there are none.
    """
    place = Path(path)
    if place.is_file():
        return [place]
    for folder in (place / DATA, place):
        for suffix in ("parquet", "jsonl"):
            files = sorted(folder.glob(f"*.{suffix}"))
            if files:
                return files
    raise ShardError(
        f"{place} holds no Parquet files and no JSON lines" if place.exists() else f"{place} does not exist"
    )


def open_shard(file: Path) -> pyarrow.parquet.ParquetFile:
    """Open one Parquet file; damaged pages raise when they are read.

    Raises:
        ShardError: where it is no Parquet file.
    """
    try:
        return pyarrow.parquet.ParquetFile(file, page_checksum_verification=True)
    except UNREADABLE as error:
        raise ShardError(f"{file} cannot be read as Parquet: {error}") from error


def read_rows(file: Path, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of one file.

    Args:
        file: a file of Parquet or, by its suffix, of JSON lines.
        columns: those to read; all where none are named.

    Raises:
        ShardError: where it cannot be read, or lacks a column.
    """
    if file.suffix == ".jsonl":
        yield from _read_lines(file)
        return
    opened = open_shard(file)
    lacking = [name for name in columns or () if name not in opened.schema_arrow.names]
    if lacking:
        raise ShardError(f"{file} has no column {', '.join(lacking)}")
    batches = opened.iter_batches(batch_size=_ROWS_AT_ONCE, columns=None if columns is None else list(columns))
    while True:
        try:
            batch = next(batches, None)
            rows = [] if batch is None else batch.to_pylist()
        except UNREADABLE as error:
            raise ShardError(f"{file} cannot be read: {error}") from error
        if batch is None:
            return
        yield from rows


def _read_lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ShardError(f"{file} cannot be read: line {number} is no JSON ({error})") from error
            if not isinstance(row, dict):
                raise ShardError(f"{file} cannot be read: line {number} is no object")
            yield row


def find_rows(file: Path, wanted: Collection[str], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of some tasks, with the ground truth under ``label`` whatever the target.

    Of each row group of a Parquet file the ids are read first.

    Args:
        file: a shard.
        wanted: task ids.
        columns: to read beside the ground truth.

    Raises:
        ShardError: where it cannot be read, or is not one of ours.
    """
    if file.suffix == ".jsonl":
        rows: Iterator[dict[str, Any]] = (row for row in _read_lines(file) if row.get("task_id") in wanted)
    else:
        rows = _find_in_groups(file, pyarrow.array(sorted(wanted), pyarrow.string()), columns)
    for row in rows:
        if lacking := [name for name in columns if name not in row]:
            raise ShardError(f"{file} is not one of our shards: a row has no {', '.join(lacking)}")
        yield {**row, "label": truth_of(row)}


def _find_in_groups(file: Path, ids: pyarrow.Array, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    opened = open_shard(file)
    names = opened.schema_arrow.names
    truth = truth_column(names)
    lacking = [name for name in columns if name not in names] + ([] if truth else ["label"])
    if lacking or truth is None:
        raise ShardError(f"{file} is not one of our shards: it has no column {', '.join(lacking)}")
    for group in range(opened.num_row_groups):
        hits = pyarrow.compute.is_in(opened.read_row_group(group, ["task_id"])["task_id"], ids)
        if pyarrow.compute.any(hits).as_py():
            yield from opened.read_row_group(group, [*columns, truth]).filter(hits).to_pylist()
