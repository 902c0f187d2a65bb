"""Files of unknown make, read into rows: text in any common encoding, CSV with any delimiter, JSON, Parquet."""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.raw import Reject

Record = dict[str, Any]

_DELIMITERS = ",;\t|"
_LARGEST_CELL = 1 << 28
_HOW = "A catalog is a CSV, JSON, JSON lines or Parquet file, plain or gzipped"


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
    rows: list[tuple[int, Record]] = field(default_factory=list)
    document: Any = None
    rejects: list[Reject] = field(default_factory=list)

    @property
    def read(self) -> int:
        """How many rows the file has, readable or not."""
        return len(self.rows) + len(self.rejects)


def read_source(path: Path) -> Source:
    """Read a file, whatever its kind.

    Raises:
        CatalogError: where it is no table and no JSON, in one sentence.
    """
    if path.is_dir():
        raise CatalogError(f"{path} is a folder. {_HOW}; name the file itself.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CatalogError(f"{path} cannot be read: {error.strerror or error}.") from error
    data = _unpacked(path, data)
    if not data.strip():
        raise CatalogError(f"{path} is empty. {_HOW}.")
    if data[:4] == b"PAR1":
        return _read_parquet(path, data)
    _refuse_known_binaries(path, data)
    text = decoded(path, data)
    head = text.lstrip()[:1]
    if head in ("{", "["):
        found = _read_json(path, text)
        if found is not None:
            return found
    return _read_csv(path, text)


def _unpacked(path: Path, data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise CatalogError(f"{path} is a damaged gzip file: {error}.") from error


_SIGNATURES = (
    (b"PK\x03\x04", "a zip or Excel file; save the sheet as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file; save the sheet as CSV"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"SQLite format 3", "an SQLite database; export the table as CSV"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd; unpack it first"),
    (b"BZh", "packed with bzip2; unpack it first"),
    (b"\xfd7zXZ", "packed with xz; unpack it first"),
    (b"ARROW1", "an Arrow file; save it as Parquet"),
    (b"\x7fELF", "a program"),
)


def _refuse_known_binaries(path: Path, data: bytes) -> None:
    for signature, what in _SIGNATURES:
        if data.startswith(signature):
            raise CatalogError(f"{path} is {what}. {_HOW}.")


def decoded(path: Path, data: bytes) -> str:
    """The text of a file: UTF-8, UTF-16 or UTF-32, or a Western single-byte encoding where that is plausible.

    >>> decoded(Path("x.csv"), "prix;café".encode("cp1252"))
    'prix;café'
    """
    # The longer mark first: that of UTF-32 begins with that of UTF-16.
    marks = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"))
    for mark, encoding in (*marks, (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise CatalogError(
                    f"{path} starts like {encoding.upper()} text but is damaged. Save it as UTF-8."
                ) from error
    nulls = data[:4096].count(0)
    if nulls > len(data[:4096]) // 3:
        for encoding, first in (("utf-16-le", 1), ("utf-16-be", 0)):
            if data[first:4096:2].count(0) > 0.9 * nulls and len(data) % 2 == 0:
                try:
                    return data.decode(encoding)
                except UnicodeDecodeError:
                    continue
    if nulls > len(data[:4096]) // 50:
        raise CatalogError(f"{path} is not text. {_HOW}.")
    data = data.replace(b"\0", b"")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    return _single_byte(path, data)


def _single_byte(path: Path, data: bytes) -> str:
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    sample = text[:200_000]
    controls = sum(1 for character in sample if character < " " and character not in "\t\n\r\f\v") + sum(
        1 for character in sample if "\x7f" <= character <= "\x9f"
    )
    foreign = sum(1 for character in sample if character > "\x7f")
    letters = sum(
        1 for character in sample if character > "\x7f" and (character.isalpha() or character in "€£°²®™–—’‘“”…´\u00a0")
    )
    if controls or foreign > len(sample) // 4 or letters * 10 < foreign * 8:
        raise CatalogError(f"{path} is in an encoding that cannot be told. Save it as UTF-8 and import it again.")
    return text


def _read_parquet(path: Path, data: bytes) -> Source:
    import pyarrow
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(pyarrow.BufferReader(data))
        records = table.to_pylist()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise CatalogError(f"{path} is a damaged Parquet file: {str(error).splitlines()[0]}.") from error
    if not records:
        raise CatalogError(f"{path} has columns but no rows.")
    return Source(path, "parquet", list(table.column_names), list(enumerate(records, 1)))


def _columns_of(rows: list[tuple[int, Record]]) -> list[str]:
    seen: dict[str, None] = {}
    for _, record in rows:
        for key in record:
            seen.setdefault(key)
    return list(seen)


def _read_json(path: Path, text: str) -> Source | None:
    """JSON lines, an array of objects or one document; None where the text only looks like JSON."""
    first, _, rest = text.lstrip().partition("\n")
    if first.startswith("{") and rest.strip() and _loaded(first) is not None:
        return _read_lines(path, text)
    document = _loaded(text)
    if document is None:
        if '"' not in text[:200]:
            return None
        lines = _read_lines(path, text)
        if len(lines.rejects) > len(lines.rows):
            raise CatalogError(f"{path} looks like JSON but is damaged. {_HOW}.")
        return lines
    if isinstance(document, dict):
        return Source(path, "json", list(document), document=document)
    found = Source(path, "records")
    for number, record in enumerate(document, 1):
        if isinstance(record, dict):
            found.rows.append((number, record))
        else:
            found.rejects.append(Reject(number, "not an object", record))
    if not found.rows:
        raise CatalogError(f"{path} is a JSON list without any object in it. {_HOW}.")
    found.columns = _columns_of(found.rows)
    return found


def _loaded(text: str) -> Any:
    """A JSON object or list, or None."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _read_lines(path: Path, text: str) -> Source:
    found = Source(path, "records")
    number = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        number += 1
        record = _loaded(line)
        if isinstance(record, dict):
            found.rows.append((number, record))
        else:
            found.rejects.append(Reject(number, "the line is not a JSON object", line[:2000]))
    if not found.rows:
        raise CatalogError(f"{path} looks like JSON lines but no line is an object. {_HOW}.")
    found.columns = _columns_of(found.rows)
    return found


def _parsed(text: str, delimiter: str) -> Iterator[list[str]]:
    # The limit belongs to the whole process, so it is put back at once.
    before = csv.field_size_limit(_LARGEST_CELL)
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    finally:
        csv.field_size_limit(before)


class _Unclosed(list[str]):
    """A line with a quotation mark that nothing closes."""


_END = "\x02end of text\x03"


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    rows, whole = _complete(text, delimiter)
    if whole:
        yield from rows
        return
    # An unclosed quotation mark would swallow all that follows, so each line must stand for itself.
    for line in text.split("\n"):
        rows, whole = _complete(line.removesuffix("\r"), delimiter)
        yield from rows if whole else [_Unclosed([line])]


def _complete(text: str, delimiter: str) -> tuple[list[list[str]], bool]:
    """The rows of a text, and whether all its quotation marks are closed: a last line then stands alone."""
    rows = list(_parsed(f"{text}\n{_END}", delimiter))
    return rows[:-1], rows[-1] == [_END]


def _swallowed(cell: str, width: int, delimiter: str) -> int:
    """How many rows of the table a cell holds, which a stray pair of quotation marks made part of it."""
    return sum(line.count(delimiter) == width - 1 for line in cell.split("\n")[1:-1]) if "\n" in cell else 0


def _delimiter(text: str) -> str:
    """The delimiter under which the first rows have most fields, in equal numbers.

    >>> _delimiter("id;name;price\\n1;Mug, blue;4,50\\n2;Cup, red;3,20\\n")
    ';'
    """
    sample = text[:200_000]
    if len(text) > len(sample):
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, best_score = ",", (-1.0, 0)
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for _, row in zip(range(200), _parsed(sample, delimiter), strict=False) if row]
        except csv.Error:
            continue
        if not widths or widths[0] < 2:
            continue
        agree = sum(1 for width in widths if width == widths[0]) / len(widths)
        score = (round(agree, 1), widths[0])
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _read_csv(path: Path, text: str) -> Source:
    delimiter = _delimiter(text)
    lines = _rows(text.removeprefix("\ufeff"), delimiter)
    found = Source(path, "csv")
    try:
        header = next((row for row in lines if any(cell.strip() for cell in row)), [])
        if len(header) < 2:
            raise CatalogError(f"{path} is not a table: its first line has one column only. {_HOW}.")
        found.columns = _header(header)
        width = len(header)
        for number, row in enumerate((row for row in lines if any(cell.strip() for cell in row)), 1):
            if isinstance(row, _Unclosed):
                found.rejects.append(Reject(number, "a quotation mark is not closed", row[0][:2000]))
            elif row == header:
                found.rejects.append(Reject(number, "the header again", row))
            elif len(row) > width and any(cell.strip() for cell in row[width:]):
                found.rejects.append(Reject(number, f"more cells than the header has columns ({width})", row))
            elif any(_swallowed(cell, width, delimiter) for cell in row):
                found.rejects.append(Reject(number, "a stray quotation mark joins several lines", row))
            else:
                record = dict(zip(found.columns, row, strict=False))
                if len(row) < width:
                    record.update(dict.fromkeys(found.columns[len(row) :], ""))
                found.rows.append((number, record))
    except csv.Error as error:
        raise CatalogError(f"{path} is not a readable table: {error}. {_HOW}.") from error
    if not found.rows:
        raise CatalogError(
            f"{path} has a header but no rows." if not found.rejects else f"{path} has no readable rows."
        )
    return found


def _header(cells: list[str]) -> list[str]:
    """Names of columns, all different; a repeated or empty one gets its place.

    >>> _header(["id", "price", "price", ""])
    ['id', 'price', 'price #3', 'column #4']
    """
    names: list[str] = []
    for place, cell in enumerate(cells, 1):
        name = " ".join(cell.split())
        if not name:
            name = f"column #{place}"
        elif name in names:
            name = f"{name} #{place}"
        names.append(name)
    return names
