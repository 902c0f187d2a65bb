"""``ecomrlve curriculum``: difficulty that follows a trainer, by files; and schedulers compared in simulation."""

import json
from pathlib import Path
from typing import Any

import click

from ecomrlve.cli import debug_option

_STATE = click.argument("state", metavar="STATE.json", type=click.Path(path_type=Path))


@click.group()
@debug_option
def command() -> None:
    """Draw tasks as hard as a learner needs them: init, then next and update by turns."""


def _options(texts: tuple[str, ...]) -> dict[str, Any]:
    """A scheduler's options from NAME=NUMBER items; whole numbers stay whole."""
    from ecomrlve.outputs.configuration import read_numbers

    numbers = read_numbers("option", texts)
    return {name: int(value) if value.denominator == 1 else float(value) for name, value in numbers}


@command.command("init")
@_STATE
@click.option("--scheduler", default=None, help="Its name; curriculum schedulers lists them.  [default: learnability]")
@click.option("--env", "env", multiple=True, metavar="NAME", help="An environment; repeat for more. Default: all.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draws, the shop and the tasks.")
@click.option("--max-level", type=int, default=20, show_default=True, help="No level above it is drawn.")
@click.option("--option", multiple=True, metavar="NAME=VALUE", help="One of the scheduler's own options.")
@click.option("--products", type=int, help="Size of the synthetic shop.  [default: 50000]")
@click.option("--catalog", type=click.Path(path_type=Path), help="An imported shop in place of a synthetic one.")
@click.option("--impossible", type=float, default=0.1, show_default=True, help="Share of tasks that nothing fits.")
@click.option("--axis", multiple=True, metavar="NAME=VALUE", help="A difficulty axis held by hand.")
@click.option("--max-prompt-tokens", type=int, help="Longest prompt (2.5 characters count as a token).")
@click.option("--system-role", type=click.Choice(["system", "merge", "none"]), default="system", show_default=True)
@debug_option
def init_command(
    state: Path,
    scheduler: str | None,
    env: tuple[str, ...],
    seed: int,
    max_level: int,
    option: tuple[str, ...],
    products: int | None,
    catalog: Path | None,
    impossible: float,
    axis: tuple[str, ...],
    max_prompt_tokens: int | None,
    system_role: str,
) -> None:
    """Begin a curriculum in STATE.json, a file that does not exist yet."""
    from ecomrlve.difficulty.schedulers import DEFAULT
    from ecomrlve.errors import InvalidArgument
    from ecomrlve.outputs.configuration import DEFAULT_PRODUCTS, read_axes
    from ecomrlve.outputs.curriculum import Curriculum

    if state.exists():
        raise InvalidArgument("STATE", str(state), "exists already; name another file, or remove it")
    if catalog is not None and products is not None:
        raise InvalidArgument("products", products, "a synthetic shop and --catalog exclude each other")
    synthetic = DEFAULT_PRODUCTS if products is None else products
    made = Curriculum.init(
        scheduler or DEFAULT,
        env,
        seed=seed,
        max_level=max_level,
        options=_options(option),
        shop=synthetic if catalog is None else str(catalog),
        impossible=impossible,
        axes=read_axes(axis),
        max_prompt_tokens=max_prompt_tokens,
        system_role=system_role,
    )
    made.save(state)
    names = ", ".join(made.scheduler.environments)
    click.echo(f"Began a curriculum of {names} by {made.scheduler.name} in {state}.")


@command.command("next")
@_STATE
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--count", type=int, required=True, help="Tasks of the phase.")
@click.option("--workers", type=int, help="Processes to use; the bytes do not depend on it.  [default: all processors]")
@click.option("--target", default="universal", show_default=True, help="The trainer whose form the shards have.")
@click.option("--resume", is_flag=True, help="Go on where writing this phase was stopped.")
@debug_option
def next_command(state: Path, out: Path, count: int, workers: int | None, target: str, resume: bool) -> None:
    """Write the shards of the next phase to OUT; no phase repeats a task, unless the scheduler shows it again."""
    from ecomrlve.commands.terminal import Watch, processors
    from ecomrlve.outputs.curriculum import Curriculum

    curriculum = Curriculum.load(state)
    with Watch(count, "tasks") as watch:
        manifest = curriculum.write_phase(
            out,
            count,
            workers=processors() if workers is None else workers,
            target=target,
            resume=resume,
            progress=watch,
        )
    # Last, so that a run that is stopped on the way leaves the curriculum as it was.
    curriculum.save(state)
    click.echo(f"Wrote phase {curriculum.phase}, {count:,} tasks in {len(manifest['shards']):,} shards, to {out}.")


@command.command("update")
@_STATE
@click.option("--rewards", type=click.Path(path_type=Path), required=True, help="JSON lines or Parquet.")
@click.option("--shards", type=click.Path(path_type=Path), help="The phase's shards, where they were moved.")
@click.option("--group", type=int, default=1, show_default=True, help="Rollouts in a row of one prompt, without ids.")
@debug_option
def update_command(state: Path, rewards: Path, shards: Path | None, group: int) -> None:
    """Learn from a trainer's rewards, each of which counts once however often it comes.

    A row has env, level and correct; or task_id and correct; or task_id and reply, which is judged here. Rows that
    cannot be counted are listed with the reason beside STATE.json.
    """
    from ecomrlve.outputs.curriculum import Curriculum
    from ecomrlve.outputs.files import write_text

    curriculum = Curriculum.load(state)
    found = curriculum.update(rewards, shards=shards, group=group)
    if found.rejects:
        lines = [json.dumps({"row": row, "reason": reason}) for row, reason in found.rejects]
        write_text(rejects_file(state), "\n".join(lines) + "\n")
    curriculum.save(state)
    click.echo(
        f"Read {found.rows:,} rows: counted {found.counted:,} rollouts of {found.groups:,} prompts, "
        f"{found.repeated:,} known already."
    )
    for reason, times in sorted(found.rejected.items()):
        click.echo(f"  not counted, {times:,}: {reason}")
    if found.rejects:
        click.echo(f"They are listed in {rejects_file(state)}.")


def rejects_file(state: Path) -> Path:
    """Where rows that cannot be counted are listed.

    >>> rejects_file(Path("run/state.json")).name
    'state.rejects.jsonl'
    """
    return state.with_suffix(".rejects.jsonl")


@command.command("show")
@_STATE
@debug_option
def show_command(state: Path) -> None:
    """Each environment's levels, success so far and prompts, as a small plot."""
    from rich.table import Table

    from ecomrlve.commands.terminal import tables
    from ecomrlve.outputs.curriculum import Curriculum
    from ecomrlve.outputs.curriculum_view import environment_lines

    curriculum = Curriculum.load(state)
    table = Table("environment", "levels", "level", "drawn", "success", "prompts", "recently")
    for line in environment_lines(curriculum.scheduler):
        table.add_row(*line)
    console = tables()
    console.print(f"{curriculum.scheduler.name}, phase {curriculum.phase}: {curriculum.scheduler.summary}")
    console.print(table)
    for number, folder, tasks, counted in curriculum.phases:
        console.print(f"phase {number}: {tasks:,} tasks in {folder}, {counted:,} rollouts counted")


@command.command("schedulers")
@debug_option
def schedulers_command() -> None:
    """All schedulers, what each does, and its options."""
    from ecomrlve.difficulty.schedulers import DEFAULT, schedulers

    for name, kind in schedulers().items():
        click.echo(f"{name}{' (default)' if name == DEFAULT else ''}: {kind.summary}\n    after {kind.source}")
        for option, default, what in kind.option_lines():
            click.echo(f"    {option}={default}  {what}")


@command.command("simulate")
@click.option("--schedulers", "chosen", help="Names, with commas between.  [default: all]")
@click.option("--learner", "learners", multiple=True, help="A simulated learner; repeat for more.  [default: all]")
@click.option("--seeds", type=int, default=30, show_default=True, help="Runs of each pair.")
@click.option("--report", type=click.Path(path_type=Path), help="An .html page with tables and curves, or a .png.")
@click.option("--markdown", type=click.Path(path_type=Path), help="The tables as Markdown; docs/curriculum.md is one.")
@click.option("--workers", type=int, help="Processes to use.  [default: all processors]")
@debug_option
def simulate_command(
    chosen: str | None,
    learners: tuple[str, ...],
    seeds: int,
    report: Path | None,
    markdown: Path | None,
    workers: int | None,
) -> None:
    """Train simulated learners by schedulers: rollouts to their goal, wasted prompts, wrong promotions, recovery."""
    from ecomrlve.commands.terminal import Watch, processors
    from ecomrlve.difficulty.learners import learners as all_learners
    from ecomrlve.difficulty.schedulers import schedulers
    from ecomrlve.difficulty.simulation import compare
    from ecomrlve.outputs.curriculum_view import markdown_page, summary_text, write_report
    from ecomrlve.outputs.files import write_text

    names = [name.strip() for name in chosen.split(",")] if chosen else list(schedulers())
    pupils = list(learners) or list(all_learners())
    done = 0
    with Watch(len(names) * len(pupils) * seeds, "runs") as watch:

        def finished(so_far: int) -> None:
            nonlocal done
            watch(so_far - done)
            done = so_far

        runs = compare(names, pupils, seeds, workers=processors() if workers is None else workers, finished=finished)
    click.echo(summary_text(runs))
    if markdown is not None:
        write_text(markdown, markdown_page(runs))
    if report is not None:
        write_report(runs, report)
        click.echo(f"Wrote {report}.")
