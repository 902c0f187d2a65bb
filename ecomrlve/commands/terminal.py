"""What commands share about terminals: tables, and progress as a bar or, elsewhere, a line now and then."""

import os
import sys
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Protocol

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ecomrlve.outputs.tables import Column

_SECONDS_BETWEEN_LINES = 10.0
_WIDE = 240


def tables() -> Console:
    """A console for tables: a file or a pipe has no width, so lines stay whole there."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDE)


class Tabular(Protocol):
    """A table with its title; `ecomrlve.outputs.truth_report.Part` is one."""

    @property
    def title(self) -> str:
        """What stands above it."""

    @property
    def columns(self) -> Sequence[Column]:
        """Its columns."""

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """Its cells."""


def show_tables(parts: Iterable[Tabular]) -> None:
    """Print tables, each under its title."""
    console = tables()
    for part in parts:
        # As the table's own title it would be folded to the width of the table.
        console.print(part.title, style="italic")
        shown = Table(box=None, pad_edge=False)
        for column in part.columns:
            shown.add_column(column.heading, justify="right" if column.number else "left", overflow="fold")
        for row in part.rows:
            shown.add_row(*(Text(cell) for cell in row))
        console.print(shown)
        console.print()


class Watch:
    """Tells how far long work is. Call it with how many more are done.

    Args:
        total: how many there are to do, where that is known.
        noun: what is counted, in the plural.
    """

    def __init__(self, total: int | None, noun: str) -> None:
        self._total = total
        self._noun = noun
        self._done = 0
        self._began = self._told = time.monotonic()
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def __enter__(self) -> "Watch":
        if sys.stderr.isatty():
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
            )
            self._task = self._bar.add_task(self._noun, total=self._total, rate="")
            self._bar.start()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, more: int) -> None:
        """Count ``more`` as done."""
        self._done += more
        now = time.monotonic()
        rate = f"{self._done / max(now - self._began, 0.001):,.0f}/s"
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, rate=rate)
        elif now - self._told >= _SECONDS_BETWEEN_LINES:
            self._told = now
            of = "" if self._total is None else f" of {self._total:,}"
            click.echo(f"{self._done:,}{of} {self._noun} ({rate})", err=True)

    @property
    def seconds(self) -> float:
        """Since the work began."""
        return time.monotonic() - self._began


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
