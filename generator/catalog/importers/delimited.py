"""Tables as delimited text: any delimiter, stray quotation marks, formulas of spreadsheets."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.decoding import HOW
from ecomrlve.generator.catalog.importers.raw import Reject
from ecomrlve.generator.catalog.importers.sources import MOST_ROWS, Rows, Source, check_width

_DELIMITERS = ",;\t|"
# With its end, of whatever system. A file object over the text would take four bytes a character.
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_LARGEST_CELL = 1 << 28
_SAMPLE = 1 << 20


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


def _first(lines: list[str]) -> Iterator[str]:
    """The first lines of a table, up to a size at which they tell enough."""
    size = 0
    for line in lines[:200]:
        size += len(line)
        if size > _SAMPLE and size > len(line):
            return
        yield line


def _delimiter(lines: list[str]) -> tuple[str, int]:
    """The delimiter under which most of the first rows have the same number of fields, and that number.

    >>> _delimiter(["id;name;price\\n", "1;Mug, blue;4,50\\n", "2;Cup, red;3,20\\n"])
    (';', 3)
    """
    lines = list(_first(lines))
    best, best_score = (",", 1), (0.0, 0)
    for delimiter in _DELIMITERS:
        widths = Counter(len(row) for row, _, _ in _parsed(lines, delimiter) if len(row) > 1)
        if widths:
            width, count = max(widths.items(), key=lambda entry: (entry[1], entry[0]))
            score = (round(count / len(lines), 1), width)
            if score > best_score:
                best, best_score = (delimiter, width), score
    return best


def read_delimited(path: Path, text: str) -> Source:
    """A table with a header row, whatever parts its cells.

    Raises:
        CatalogError: where it is none.

    >>> read_delimited(Path("a.csv"), "id;name\\n1;Mug\\n").rows[0]
    (1, {'id': '1', 'name': 'Mug'})
    """
    if text.count("\n") + text.count("\r") > 4 * MOST_ROWS:
        raise CatalogError(f"{path} has more than {4 * MOST_ROWS:,} lines. Import it in parts.")
    lines = _LINE.findall(text.removeprefix("\ufeff"))
    found = Source(path, "csv")
    formulas = "=" in text or "@" in text or "|'" in text
    # The lines hold it now.
    del text
    try:
        # Excel's own mark for the delimiter, and a caption above the table, are no part of it.
        marked = re.match(r"\s*\"?sep=(.)\"?\s*$", lines[0])
        delimiter, width = (marked[1], 2) if marked else _delimiter(lines)
        rows = iter(_rows(lines[1:] if marked else lines, delimiter, width))
        header = next((row for row in rows if sum(bool(cell.strip()) for cell in row) > 1), [])
        if not header:
            raise CatalogError(f"{path} is not a table: it has one column only. {HOW}.")
        check_width(path, len(header))
        found.columns = _header(header)
        found.rows = kept = Rows(path, found.columns)
        filled = (row for row in rows if any(cell.strip() for cell in row))
        for number, row in enumerate(filled, 1):
            _add_row(found, kept, number, row, header, formulas)
    except csv.Error as error:
        raise CatalogError(f"{path} is not a readable table: {error}. {HOW}.") from error
    if not found.rows:
        raise CatalogError(f"{path} has {'no readable rows' if found.rejects else 'a header but no rows'}.")
    return found


def _add_row(found: Source, kept: Rows, number: int, row: list[str], header: list[str], formulas: bool) -> None:
    width = len(header)
    if isinstance(row, _Unclosed):
        found.rejects.append(Reject(number, "a quotation mark is not closed", row[0][:2000]))
    elif row == header:
        found.rejects.append(Reject(number, "the header again", row))
    elif len(row) > width and any(cell.strip() for cell in row[width:]):
        found.rejects.append(Reject(number, f"more cells than the header has columns ({width})", row))
    else:
        cells = [*row[:width], *[""] * (width - len(row))]
        column = _work_out(cells, found.columns) if formulas else ""
        if column:
            record = dict(zip(found.columns, cells, strict=True))
            found.rejects.append(Reject(number, f"the cell {column!r} holds a formula, not what it comes to", record))
        else:
            kept.add_cells(number, cells)


# ="0012" keeps zeros in a spreadsheet, and a link shows its second text.
_SAID = re.compile(r'=\s*(?:HYPERLINK\s*\(\s*"[^"]*"\s*[,;]\s*)?"([^"]*)"\s*\)?', re.IGNORECASE)
_CALL = re.compile(r"[=@+-][=@+-]*\s*(?:[A-Za-z_][\w.]*\s*[(|!]|\$?[A-Za-z]{1,3}\$?\d+\b)")


def _work_out(cells: list[str], columns: list[str]) -> str:
    """Put the text in place of formulas that hold nothing else; the first column with another one, or "".

    >>> cells = ['="007"', '=HYPERLINK("http://x.example","Mug")', "-3"]
    >>> _work_out(cells, ["id", "name", "a"]), cells, _work_out(["=A1*2"], ["price"])
    ('', ['007', 'Mug', '-3'], 'price')
    """
    for place, cell in enumerate(cells):
        if cell[:1] in ("=", "@", "+", "-") and len(cell) > 1:
            said = _SAID.fullmatch(cell.strip()) if len(cell) < 4000 else None
            if said is not None:
                cells[place] = said[1]
            elif _CALL.match(cell):
                return columns[place]
    return ""


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
