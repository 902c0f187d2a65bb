"""``ecomrlve show``: a task, laid out so that a person can check it by eye."""

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ecomrlve.cli import debug_option

if TYPE_CHECKING:
    from rich.console import Console

    from ecomrlve.generator.tasks import Task

_SHOWN_CHARS = 70


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("-n", "--number", type=click.IntRange(min=1), default=1, show_default=True, help="How many tasks.")
@click.option("--env", help="Only tasks of this environment.")
@click.option("--task", "task_id", metavar="ID", help="The task of this id.")
@debug_option
def command(path: Path, number: int, env: str | None, task_id: str | None) -> None:
    """Show tasks of the shards in PATH: the request, the evidence, the answer, and why each decoy fails."""
    from ecomrlve.commands.terminal import tables
    from ecomrlve.errors import InvalidArgument, ShardError
    from ecomrlve.outputs.schema import recipe_of
    from ecomrlve.outputs.targets import target_of

    found = list(islice(_rows(path, env, task_id), min(number, sys.maxsize)))
    if not found:
        wanted = " and ".join(f"{name} {value}" for name, value in (("env", env), ("task", task_id)) if value)
        raise ShardError(f"{path} holds no task of {wanted}" if wanted else f"{path} holds no tasks")
    console = tables()
    remake = _Remaker()
    for written in found:
        try:
            layout = target_of(written).layout
            layout.check(written)
            task = remake(recipe_of(written))
        except (ShardError, InvalidArgument, AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            name = written.get("task_id")
            raise ShardError(f"task {name} of {path} is not as it was written: {error}") from error
        # Through click, since rich ends the program by itself where the reader of a pipe is gone.
        with console.capture() as capture:
            _show(console, written, task)
        click.echo(capture.get(), nl=False)


def _rows(path: Path, env: str | None, task_id: str | None) -> Iterator[dict[str, Any]]:
    """The rows wanted, in order."""
    from ecomrlve.outputs.reader import read_rows, shard_files

    for file in shard_files(path):
        for written in read_rows(file):
            if (env is None or written.get("env") == env.upper()) and (
                task_id is None or written.get("task_id") == task_id
            ):
                yield written


class _Remaker:
    """Re-makes tasks from their recipes; the notes on decoys and the oracle are not in the row."""

    def __init__(self) -> None:
        self._worlds: dict[str, Any] = {}

    def __call__(self, recipe: str) -> "Task":
        from ecomrlve.generator.tasks import Task
        from ecomrlve.generator.world import World

        wanted = json.loads(recipe)["world"]
        key = json.dumps(wanted, sort_keys=True)
        if key not in self._worlds:
            self._worlds[key] = World.from_recipe(wanted)
        return Task.from_recipe(recipe, self._worlds[key])


def _show(console: "Console", written: dict[str, Any], task: "Task") -> None:
    from rich.table import Table
    from rich.text import Text

    from ecomrlve.generator.verifiers import verify
    from ecomrlve.outputs.schema import truth_of

    def heading(text: str) -> None:
        console.print(Text(f"\n{text}", style="bold"))

    title = f"{task.env} level {task.level} · {task.split} {task.index} · {task.task_id}"
    console.print(Text(title, style="bold reverse"))
    messages = _conversation(written)
    ground_truth = truth_of(written)
    for message in messages:
        heading(message["role"])
        console.print(Text(message["content"]), soft_wrap=True)
    heading("right answer" + (" (nothing fits)" if task.impossible else ""))
    truth = json.loads(ground_truth)
    shown = {name: value for name, value in truth.items() if name not in ("env", "version", "shown")}
    console.print(Text(json.dumps(shown, ensure_ascii=False, indent=1)))
    heading("oracle")
    console.print(Text(task.oracle), soft_wrap=True)
    verdict = verify(ground_truth, task.oracle)
    console.print(Text(f"judged {verdict.outcome}, score {verdict.score:g}"))
    heading(f"why others fail ({len(task.notes)})")
    notes = Table(box=None, pad_edge=False, show_header=False)
    for identifier, reason in task.notes:
        notes.add_row(Text(identifier), Text(reason), Text(_as_shown(messages, identifier)))
    if task.notes:
        console.print(notes)
    heading("axes")
    console.print(Text(", ".join(f"{name} {value:g}" for name, value in task.axes.items())))
    console.print(Text(f"chance of a blind guess {task.chance:.2%}; attempts {task.attempts}"))


def _conversation(written: dict[str, Any]) -> list[dict[str, str]]:
    """The messages of a row, of whatever target."""
    if "messages" in written:
        messages: list[dict[str, str]] = written["messages"][:-1]
        return messages
    found: list[dict[str, str]] = written.get("prompt") or written["responses_create_params"]["input"]
    return found


def _as_shown(prompt: list[dict[str, str]], identifier: str) -> str:
    """The evidence line of an identifier, without it."""
    for message in prompt:
        for line in message["content"].splitlines():
            if identifier in line:
                text = " ".join(line.replace(identifier, "").split())
                return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"
    return ""
