"""A file read so far as its kind is known: its columns and rows, kept small enough for a million of them."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.raw import Reject

Record = dict[str, Any]

MOST_COLUMNS = 10_000
"""Most columns of a table."""
MOST_ROWS = 2_000_000
"""Most rows of a source."""
LOOKED_AT = 20_000
"""How many rows tell what a table is like."""
_SAMPLE = 5_000
_KNOWN = 200_000
_SHORT = 40


class _Absent:
    """Stands where a record lacks a column that others have."""


_ABSENT = _Absent()


class Rows(Sequence[tuple[int, Record]]):
    """Rows of a file with their numbers, from 1; each record is made when it is asked for.

    Cells are kept in lists beside one index of columns, and a short cell that repeats within its column is kept once.

    >>> rows = Rows(Path("a.csv"))
    >>> rows.add(1, {"id": "7", "name": "Mug"}), rows.add(2, {"id": "8"})
    (None, None)
    >>> rows.columns, list(rows)
    (['id', 'name'], [(1, {'id': '7', 'name': 'Mug'}), (2, {'id': '8'})])
    """

    def __init__(self, path: Path, columns: Sequence[str] = ()) -> None:
        self.path = path
        self.columns = list(columns)
        self._places = {column: place for place, column in enumerate(self.columns)}
        self._numbers = array("Q")
        self._cells: list[Sequence[Any] | Record] = []
        self._gaps = False
        self._kept: dict[str, str] = {}
        self._repeating: list[int] | None = None

    def add(self, number: int, record: Mapping[str, Any]) -> None:
        """Add a record under its own names.

        Raises:
            CatalogError: where there are more columns than a table of products has.
        """
        places = self._places
        for name in record:
            if name not in places:
                places[name] = len(places)
                self.columns.append(name)
        check_width(self.path, len(places))
        if len(places) > 4 * len(record) + 64:
            # Names that hardly repeat: a row as wide as all of them would be mostly empty.
            self._numbers.append(number)
            self._cells.append(dict(record))
            return
        cells: list[Any] = [_ABSENT] * len(places)
        for name, value in record.items():
            cells[places[name]] = value
        self._gaps = self._gaps or len(record) < len(places)
        self.add_cells(number, cells)

    def add_cells(self, number: int, cells: list[Any]) -> None:
        """Add a row whose cells stand in the order of the columns; what is missing at its end is absent."""
        if self._repeating is None and len(self._cells) == _SAMPLE:
            self._repeating = self._find_repeating()
        for place in self._repeating or ():
            if place < len(cells):
                cell = cells[place]
                if type(cell) is str and len(cell) <= _SHORT:
                    cells[place] = self._kept.setdefault(cell, cell) if len(self._kept) < _KNOWN else cell
        if number > MOST_ROWS:
            raise CatalogError(f"{self.path} has more than {MOST_ROWS:,} rows. Import it in parts.")
        self._gaps = self._gaps or len(cells) < len(self.columns)
        self._numbers.append(number)
        self._cells.append(cells)

    def _find_repeating(self) -> list[int]:
        found = []
        for place in range(len(self.columns)):
            cells = [
                cells[place]
                for cells in self._cells
                if isinstance(cells, list) and place < len(cells) and type(cells[place]) is str
            ]
            if cells and len(set(cells)) <= len(cells) // 2:
                found.append(place)
        return found

    def __len__(self) -> int:
        return len(self._cells)

    @overload
    def __getitem__(self, place: int) -> tuple[int, Record]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[int, Record]]: ...
    def __getitem__(self, place: int | slice) -> tuple[int, Record] | list[tuple[int, Record]]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        return self._numbers[place], self._record(self._cells[place])

    def __iter__(self) -> Iterator[tuple[int, Record]]:
        for number, cells in zip(self._numbers, self._cells, strict=True):
            yield number, self._record(cells)

    def drain(self) -> Iterator[tuple[int, Record]]:
        """Rows that are read for the last time: all but the first are forgotten one by one, which halves the memory.

        >>> rows = Rows(Path("a.csv"), ["id"])
        >>> rows.add_cells(1, ["7"]), list(rows.drain()), len(rows)
        (None, [(1, {'id': '7'})], 1)
        """
        for place, number in enumerate(self._numbers):
            yield number, self._record(self._cells[place])
            if place >= LOOKED_AT:
                self._cells[place] = ()

    def _record(self, cells: Sequence[Any] | Record) -> Record:
        if isinstance(cells, dict):
            return cells
        record = dict(zip(self.columns, cells, strict=False))
        if self._gaps and _ABSENT in cells:
            record = {name: value for name, value in record.items() if value is not _ABSENT}
        return record

    def cells_of(self, column: str) -> Iterator[Any]:
        """All cells of one column, None where a row lacks it.

        >>> rows = Rows(Path("a.csv"), ["id"])
        >>> rows.add_cells(1, ["7"]), list(rows.cells_of("id")), list(rows.cells_of("name"))
        (None, ['7'], [None])
        """
        place = self._places.get(column)
        for cells in self._cells:
            if isinstance(cells, dict):
                yield cells.get(column)
            elif place is None or place >= len(cells) or cells[place] is _ABSENT:
                yield None
            else:
                yield cells[place]


def check_width(path: Path, columns: int) -> None:
    """Refuse a table with more columns than any table of products has.

    >>> check_width(Path("a.csv"), 12)
    """
    if columns > MOST_COLUMNS:
        raise CatalogError(f"{path} has {columns:,} columns; a table of products has at most {MOST_COLUMNS:,}.")


@dataclass(slots=True)
class Source:
    """A file read so far as its kind is known.

    Args:
        path: the file.
        kind: ``"parquet"``, ``"json"`` (one document), ``"records"`` (JSON lines or an array of objects) or ``"csv"``.
        columns: names of the columns, in order.
        rows: (row number from 1, record), cells as the file types them.
        document: a JSON document that is no list of records.
        rejects: lines that are no rows.
    """

    path: Path
    kind: str
    columns: list[str] = field(default_factory=list)
    rows: Sequence[tuple[int, Record]] = field(default_factory=list)
    document: Any = None
    rejects: list[Reject] = field(default_factory=list)

    @property
    def read(self) -> int:
        """How many rows the file has, readable or not."""
        return len(self.rows) + len(self.rejects)

    def record(self, number: int) -> Record:
        """The row of a number that is there; rows stand in the order of their numbers."""
        return self.rows[bisect_left(self.rows, number, key=lambda row: row[0])][1]

    def cells_of(self, column: str) -> Iterator[Any]:
        """All cells of one column, None where a row lacks it."""
        if isinstance(self.rows, Rows):
            yield from self.rows.cells_of(column)
        else:
            yield from (record.get(column) for _, record in self.rows)
