"""Tables on a terminal, in the form that Markdown reads too."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and whether its cells are numbers."""

    heading: str
    number: bool = True


def table(title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """A table under its title."""
    widths = [
        max(len(column.heading), *(len(row[place]) for row in rows)) if rows else len(column.heading)
        for place, column in enumerate(columns)
    ]

    def line(cells: Sequence[str]) -> str:
        shown = [
            cell.rjust(width) if column.number else cell.ljust(width)
            for cell, width, column in zip(cells, widths, columns, strict=True)
        ]
        return f"| {' | '.join(shown)} |"

    rules = ["-" * (width - 1) + (":" if column.number else "-") for width, column in zip(widths, columns, strict=True)]
    lines = [title, "", line([column.heading for column in columns]), line(rules), *map(line, rows)]
    return "\n".join(lines)


def show(title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print a table under its title."""
    print("\n" + table(title, columns, rows), flush=True)
