"""Files of unknown make, read into rows: text in any common encoding, CSV with any delimiter, JSON, XML, Parquet."""

import csv
import gzip
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.decoding import HOW, decoded
from ecomrlve.generator.catalog.importers.markup import linked_data, records_of
from ecomrlve.generator.catalog.importers.raw import Reject

Record = dict[str, Any]

_DELIMITERS = ",;\t|"
_LARGEST_CELL = 1 << 28
_MOST_COLUMNS = 10_000


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
        raise CatalogError(f"{path} is a folder. {HOW}; name the file itself.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CatalogError(f"{path} cannot be read: {error.strerror or error}.") from error
    data = _unpacked(path, data)
    if not data.strip():
        raise CatalogError(f"{path} is empty. {HOW}.")
    if data[:4] == b"PAR1":
        return _read_parquet(path, data)
    _refuse_known_binaries(path, data)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:5].lower() == b"<?xml":
        # An XML file says itself how it is encoded.
        return _read_xml(path, data)
    text = decoded(path, data)
    if not text.strip():
        raise CatalogError(f"{path} is empty. {HOW}.")
    head = text.lstrip()[:1]
    if head == "<":
        scripts = linked_data(text)
        if scripts is not None:
            return _read_pages(path, scripts)
        return _read_xml(path, re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", text.removeprefix("\ufeff")))
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
            raise CatalogError(f"{path} is {what}. {HOW}.")


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


def _read_pages(path: Path, scripts: list[str]) -> Source:
    """A page of a shop: what its scripts of linked data say."""
    documents = [document for script in scripts if (document := _loaded(script)) is not None]
    if not documents:
        raise CatalogError(f"{path} is a page without readable data of its products (JSON-LD) in it. {HOW}.")
    return Source(path, "json", ["@graph"], document={"@graph": documents})


def _read_xml(path: Path, data: bytes | str) -> Source:
    found = Source(path, "records", rows=list(enumerate(records_of(path, data), 1)))
    if not found.rows:
        raise CatalogError(f"{path} is XML without products: no item, entry or product is in it.")
    found.columns = _columns_of(found.rows)
    return found


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
            raise CatalogError(f"{path} looks like JSON but is damaged. {HOW}.")
        return lines
    linked = isinstance(document, dict) and not {"@context", "@type", "@graph"}.isdisjoint(document)
    records = document if isinstance(document, list) else None if linked else _only_records(document)
    if records is None and {".jsonl", ".ndjson"} & set(path.suffixes):
        records = [document]
    if records is None:
        return Source(path, "json", list(document), document=document)
    found = Source(path, "records")
    for number, record in enumerate(records, 1):
        if isinstance(record, dict):
            found.rows.append((number, record))
        else:
            found.rejects.append(Reject(number, "not an object", record))
    if not found.rows:
        raise CatalogError(f"{path} is a JSON list without any object in it. {HOW}.")
    found.columns = _columns_of(found.rows)
    return found


def _only_records(document: Record) -> list[Any] | None:
    """The one list of plain records that a document wraps, as in ``{"items": […], "total": 2}``, or None."""
    lists = [
        value for value in document.values() if isinstance(value, list) and any(isinstance(one, dict) for one in value)
    ]
    if len(lists) != 1 or any(isinstance(one, dict) and "variants" in one for one in lists[0]):
        return None
    return lists[0]


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
        raise CatalogError(f"{path} looks like JSON but is damaged. {HOW}.")
    found.columns = _columns_of(found.rows)
    return found


class _Unclosed(list[str]):
    """A line with a quotation mark that nothing closes."""


_END = "\x02end of text\x03"


def _parsed(lines: list[str], delimiter: str) -> Iterator[tuple[list[str], int, int]]:
    """Rows with the range of lines that each takes; the last one is ``[_END]`` where all quotation marks are closed."""
    # The limit belongs to the whole process, so it is put back at once.
    before = csv.field_size_limit(_LARGEST_CELL)
    try:
        spaced = any(re.match(rf'[^"]*{re.escape(delimiter)} +"', line) for line in lines[:200])
        reader = csv.reader([*lines, _END], delimiter=delimiter, skipinitialspace=spaced)
        start = 0
        for row in reader:
            yield row, start, reader.line_num
            start = reader.line_num
    finally:
        csv.field_size_limit(before)


def _rows(lines: list[str], delimiter: str, width: int) -> Iterator[list[str]]:
    """Rows of a table; where a stray quotation mark swallowed lines, each of them stands for itself."""
    for row, start, end in _parsed(lines, delimiter):
        if end - start > 1 and (
            (row[-1:] != [_END] and _END in row[-1])
            or _swallowed(row, width, delimiter)
            or _misquoted(lines[start:end], width, delimiter)
        ):
            for line in lines[start:end]:
                alone = [one for one, _, _ in _parsed([line.rstrip("\r\n")], delimiter)]
                yield from alone[:-1] if alone[-1] == [_END] else [_Unclosed([line])]
        elif row != [_END]:
            yield row


def _swallowed(row: list[str], width: int, delimiter: str) -> bool:
    """Whether a cell holds whole rows of the table."""
    return any(
        "\n" in cell and any(line.count(delimiter) == width - 1 for line in cell.split("\n")[1:-1]) for cell in row
    ) or (len(row) != width and any("\n" in cell for cell in row))


def _misquoted(lines: list[str], width: int, delimiter: str) -> bool:
    """Whether lines, each as long as a row, are one only because a stray quotation mark met another."""
    if any(line.count(delimiter) < width - 1 for line in lines):
        return False
    try:
        for _ in csv.reader(lines, delimiter=delimiter, strict=True):
            pass
    except csv.Error:
        return True
    return False


def _delimiter(lines: list[str]) -> tuple[str, int]:
    """The delimiter under which most of the first rows have the same number of fields, and that number.

    >>> _delimiter(["id;name;price\\n", "1;Mug, blue;4,50\\n", "2;Cup, red;3,20\\n"])
    (';', 3)
    """
    best, best_score = (",", 1), (0.0, 0)
    for delimiter in _DELIMITERS:
        widths = Counter(len(row) for row, _, _ in islice(_parsed(lines[:200], delimiter), 200) if len(row) > 1)
        if widths:
            width, count = max(widths.items(), key=lambda entry: (entry[1], entry[0]))
            score = (round(count / min(len(lines), 200), 1), width)
            if score > best_score:
                best, best_score = (delimiter, width), score
    return best


def _read_csv(path: Path, text: str) -> Source:
    lines = list(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    found = Source(path, "csv")
    try:
        # Excel's own mark for the delimiter, and a caption above the table, are no part of it.
        marked = re.match(r"\s*\"?sep=(.)\"?\s*$", lines[0])
        delimiter, width = (marked[1], 2) if marked else _delimiter(lines)
        rows = iter(_rows(lines[1:] if marked else lines, delimiter, width))
        header = next((row for row in rows if sum(bool(cell.strip()) for cell in row) > 1), [])
        if not header:
            raise CatalogError(f"{path} is not a table: it has one column only. {HOW}.")
        if len(header) > _MOST_COLUMNS:
            many = f"{len(header):,} columns"
            raise CatalogError(f"{path} has {many}; a table of products has at most {_MOST_COLUMNS:,}.")
        found.columns = _header(header)
        filled = (row for row in rows if any(cell.strip() for cell in row))
        for number, row in enumerate(filled, 1):
            _add_row(found, number, row, header)
    except csv.Error as error:
        raise CatalogError(f"{path} is not a readable table: {error}. {HOW}.") from error
    if not found.rows:
        raise CatalogError(f"{path} has {'no readable rows' if found.rejects else 'a header but no rows'}.")
    return found


def _add_row(found: Source, number: int, row: list[str], header: list[str]) -> None:
    width = len(header)
    if isinstance(row, _Unclosed):
        found.rejects.append(Reject(number, "a quotation mark is not closed", row[0][:2000]))
    elif row == header:
        found.rejects.append(Reject(number, "the header again", row))
    elif len(row) > width and any(cell.strip() for cell in row[width:]):
        found.rejects.append(Reject(number, f"more cells than the header has columns ({width})", row))
    else:
        record = dict.fromkeys(found.columns, "")
        record.update(zip(found.columns, row, strict=False))
        found.rows.append((number, record))


def _header(cells: list[str]) -> list[str]:
    """Names of columns, all different; a repeated or empty one gets its place.

    >>> _header(["id", "price", "price", ""])
    ['id', 'price', 'price #3', 'column #4']
    """
    names: dict[str, None] = {}
    for place, cell in enumerate(cells, 1):
        name = " ".join(cell.split())
        if not name:
            name = f"column #{place}"
        elif name in names:
            name = f"{name} #{place}"
        names[name] = None
    return list(names)
