"""Tables on a terminal, in the form that Markdown reads too."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and whether its cells are numbers."""

    heading: str
    number: bool = True


def show(title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print a table under its title."""
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

    print(f"\n{title}\n")
    print(line([column.heading for column in columns]))
    rules = ["-" * (width - 1) + (":" if column.number else "-") for width, column in zip(widths, columns, strict=True)]
    print(line(rules))
    for row in rows:
        print(line(row), flush=True)
