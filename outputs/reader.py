"""Reading shards: the files of a run or a single one, their rows in order, a batch at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from ecomrlve.errors import ShardError
from ecomrlve.outputs.stores import DATA

_ROWS_AT_ONCE = 256

# What reading a damaged file can raise.
UNREADABLE = (pyarrow.ArrowException, OSError, UnicodeDecodeError)


def shard_files(path: str | Path) -> list[Path]:
    """The Parquet files of a run's folder, of a plain folder, or the one file that a path names, in order.

    Raises:
        ShardError: where there are none.
    """
    place = Path(path)
    if place.is_file():
        return [place]
    for folder in (place / DATA, place):
        files = sorted(folder.glob("*.parquet"))
        if files:
            return files
    raise ShardError(f"{place} holds no Parquet files" if place.exists() else f"{place} does not exist")


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
        file: a Parquet file.
        columns: those to read; all where none are named.

    Raises:
        ShardError: where it cannot be read, or lacks a column.
    """
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
