"""Writing the rows of one file: Parquet in row groups, or JSON lines. Equal rows give equal bytes."""

from pathlib import Path
from typing import Any

import pyarrow.parquet

from ecomrlve.outputs.canonical import canonical_line, line_maker
from ecomrlve.outputs.layout import Layout
from ecomrlve.outputs.schema import UNIVERSAL
from ecomrlve.outputs.targets import Target

_LEAST_GROUP_BYTES = 32 << 20


def parquet_writer(path: Path, layout: Layout) -> pyarrow.parquet.ParquetWriter:
    """A Parquet file to be written row group by row group."""
    return pyarrow.parquet.ParquetWriter(
        path,
        layout.arrow_schema,
        compression="zstd",
        compression_level=3,
        # The stored Arrow schema and its large types are what other files fail to concatenate with.
        store_schema=False,
        write_page_index=True,
        write_page_checksum=True,
    )


class GroupWriter:
    """Writes rows to one Parquet file in row groups of 32 to 64 MB uncompressed (one group where it holds less).

    Args:
        path: the file to make.
        layout: its columns.
    """

    def __init__(self, path: Path, layout: Layout = UNIVERSAL) -> None:
        self._layout = layout
        self._line = line_maker(layout)
        self._rows: list[dict[str, Any]] = []
        self._sizes: list[int] = []
        self._bytes = 0
        self._writer = parquet_writer(path, layout)

    def __enter__(self) -> "GroupWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._flush(len(self._rows))
        self._writer.close()

    def add(self, given: dict[str, Any]) -> bytes:
        """Add a row of primary values; its canonical line is returned."""
        line = self._line(given)
        self._rows.append(given)
        self._sizes.append(len(line))
        self._bytes += len(line)
        if self._bytes >= 2 * _LEAST_GROUP_BYTES:
            self._flush(self._first_group())
        return line

    def _first_group(self) -> int:
        total = 0
        for at, size in enumerate(self._sizes):
            total += size
            if total >= _LEAST_GROUP_BYTES:
                return at + 1
        return len(self._sizes)

    def _flush(self, rows: int) -> None:
        if rows:
            self._writer.write_table(self._layout.table(self._rows[:rows]), row_group_size=rows)
        del self._rows[:rows], self._sizes[:rows]
        self._bytes = sum(self._sizes)


class LineWriter:
    """Writes rows to one file as canonical JSON lines.

    Args:
        path: the file to make.
        layout: its fields.
    """

    def __init__(self, path: Path, layout: Layout) -> None:
        self._layout = layout
        self._file = path.open("wb")

    def __enter__(self) -> "LineWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, given: dict[str, Any]) -> bytes:
        """Add a row of primary values; its canonical line is returned."""
        line = canonical_line(self._layout.row(given))
        self._file.write(line)
        return line


def writer(path: Path, form: Target) -> GroupWriter | LineWriter:
    """The writer of a target's files."""
    return GroupWriter(path, form.layout) if form.suffix == "parquet" else LineWriter(path, form.layout)
