"""Files of unknown make, read into rows: text in any common encoding, CSV with any delimiter, JSON, XML, Parquet."""

import gzip
import io
import json
import re
import zlib
from pathlib import Path
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.decoding import HOW, decoded
from ecomrlve.generator.catalog.importers.delimited import read_delimited
from ecomrlve.generator.catalog.importers.markup import linked_data, records_of
from ecomrlve.generator.catalog.importers.raw import Reject
from ecomrlve.generator.catalog.importers.sources import MOST_COLUMNS, MOST_ROWS, Record, Rows, Source

MOST_BYTES = 1 << 29
"""Most bytes of a file, and of what a packed one unpacks to."""
MOST_DOCUMENT = 1 << 27
"""Most characters of one JSON document that is no lines of them."""
_CHUNK = 1 << 24
_BOMB = 200
"""No table packs to less than one part in this many."""


def read_source(path: Path) -> Source:
    """Read a file, whatever its kind.

    Raises:
        CatalogError: where it is no table and no JSON, in one sentence.
    """
    if path.is_dir():
        raise CatalogError(f"{path} is a folder. {HOW}; name the file itself.")
    return _read_bytes(path, _bytes_of(path))


def _bytes_of(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise CatalogError(f"{path} has more than {MOST_BYTES >> 20} MB. Import it in parts.")
        data = path.read_bytes()
    except OSError as error:
        raise CatalogError(f"{path} cannot be read: {error.strerror or error}.") from error
    data = _unpacked(path, data)
    if not data.strip():
        raise CatalogError(f"{path} is empty. {HOW}.")
    return data


def _read_bytes(path: Path, data: bytes) -> Source:
    if data[:4] == b"PAR1":
        return _read_parquet(path, data)
    _refuse_known_binaries(path, data)
    if data.removeprefix(b"\xef\xbb\xbf")[:100].lstrip()[:5].lower() == b"<?xml":
        # An XML file says itself how it is encoded.
        return _read_xml(path, data)
    text = decoded(path, data)
    del data
    if not text.strip():
        raise CatalogError(f"{path} is empty. {HOW}.")
    head = text[:1000].lstrip()[:1]
    if head == "<":
        scripts = linked_data(text)
        if scripts is not None:
            return _read_pages(path, scripts)
        return _read_xml(path, re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", text.removeprefix("\ufeff")))
    if head in ("{", "["):
        found = _read_json(path, text)
        if found is not None:
            return found
    holder = [text]
    del text
    return read_delimited(path, holder.pop())


def _unpacked(path: Path, data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    found: list[bytes] = []
    size = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            while chunk := packed.read(_CHUNK):
                size += len(chunk)
                if size > MOST_BYTES or (size > 4 * _CHUNK and size > _BOMB * len(data)):
                    raise CatalogError(f"{path} unpacks to more than {size >> 20} MB, which no table of its size does.")
                found.append(chunk)
    except (OSError, EOFError, zlib.error) as error:
        raise CatalogError(f"{path} is a damaged gzip file: {error}.") from error
    return b"".join(found)


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
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data))
        about = file.metadata
        size = sum(about.row_group(place).total_byte_size for place in range(about.num_row_groups))
        if about.num_columns > MOST_COLUMNS or about.num_rows > MOST_ROWS or size > MOST_BYTES:
            raise CatalogError(
                f"{path} has {about.num_rows:,} rows of {about.num_columns:,} columns in {size >> 20} MB; "
                f"a table may have {MOST_ROWS:,} of {MOST_COLUMNS:,} in {MOST_BYTES >> 20}."
            )
        names = list(file.schema_arrow.names)
        found = Rows(path, names)
        number = 0
        for batch in file.iter_batches():
            for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                number += 1
                found.add_cells(number, list(cells))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise CatalogError(f"{path} is a damaged Parquet file: {(str(error).splitlines() or [''])[0]}.") from error
    if not found:
        raise CatalogError(f"{path} has columns but no rows.")
    return Source(path, "parquet", names, found)


def _read_pages(path: Path, scripts: list[str]) -> Source:
    """A page of a shop: what its scripts of linked data say."""
    documents = [document for script in scripts if (document := _loaded(script)) is not None]
    if not documents:
        raise CatalogError(f"{path} is a page without readable data of its products (JSON-LD) in it. {HOW}.")
    return Source(path, "json", ["@graph"], document={"@graph": documents})


def _read_xml(path: Path, data: bytes | str) -> Source:
    found = Rows(path)
    for number, record in enumerate(records_of(path, data), 1):
        found.add(number, record)
    if not found:
        raise CatalogError(f"{path} is XML without products: no item, entry or product is in it.")
    return Source(path, "records", found.columns, found)


def _read_json(path: Path, text: str) -> Source | None:
    """JSON lines, an array of objects or one document; None where the text only looks like JSON."""
    first = text.lstrip("\ufeff \t\r\n")
    first = first[: first.find("\n")] if "\n" in first else first
    if first.startswith("{") and len(first) < len(text.rstrip()) and _loaded(first) is not None:
        return _read_lines(path, text)
    if len(text) > MOST_DOCUMENT:
        raise CatalogError(f"{path} is one JSON document of more than {MOST_DOCUMENT >> 20} MB. Give it as JSON lines.")
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
    kept = Rows(path)
    rejects = []
    for number, record in enumerate(records, 1):
        if isinstance(record, dict):
            kept.add(number, record)
        else:
            rejects.append(Reject(number, "not an object", record))
    if not kept:
        raise CatalogError(f"{path} is a JSON list without any object in it. {HOW}.")
    return Source(path, "records", kept.columns, kept, rejects=rejects)


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
    kept = Rows(path)
    rejects = []
    number = 0
    for found in re.finditer(r"[^\n]+", text):
        line = found[0]
        if not line.strip():
            continue
        number += 1
        record = _loaded(line)
        if isinstance(record, dict):
            kept.add(number, record)
        else:
            rejects.append(Reject(number, "the line is not a JSON object", line[:2000]))
    if not kept:
        raise CatalogError(f"{path} looks like JSON but is damaged. {HOW}.")
    return Source(path, "records", kept.columns, kept, rejects=rejects)
