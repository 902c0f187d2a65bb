"""``ecomrlve generate``: write shards of tasks."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ecomrlve.cli import debug_option, with_notes

if TYPE_CHECKING:
    from ecomrlve.outputs.configuration import Configuration

_KILLED = 128
_MORE_THAN_ANY_CLUSTER = 1_000_000


@click.command()
@click.argument("out", type=click.Path(), default="shards")
@click.option("--count", type=int, required=True, help="Tasks in all, over environments, levels and splits.")
@click.option(
    "--env", "env", multiple=True, metavar="NAME[=WEIGHT]", help="An environment; repeat for more. Default: all alike."
)
@click.option("--levels", default="0-8", show_default=True, help="A level, a range, or a list such as 0,2,4-6.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the shop and the tasks.")
@click.option(
    "--split",
    default="train=0.9,test=0.1",
    show_default=True,
    help="Splits and their shares: train, test, test_wording, test_types, test_hard. Each has its own shop.",
)
@click.option("--products", type=int, help="Size of the synthetic shop.  [default: 50000]")
@click.option("--catalog", type=click.Path(path_type=Path), help="An imported shop in place of a synthetic one.")
@click.option(
    "--mode", type=click.Choice(["context"]), default="context", show_default=True, help="Where the evidence is."
)
@click.option(
    "--target",
    default="universal",
    show_default=True,
    help="Whose form the shards have: verl, trl, openrlhf, slime, skyrl, nemo-gym; or sft for a warm start.",
)
@click.option("--impossible", type=float, default=0.1, show_default=True, help="Share of tasks that nothing fits.")
@click.option("--axis", multiple=True, metavar="NAME=VALUE", help="A difficulty axis set by hand; repeat for more.")
@click.option("--max-prompt-tokens", type=int, help="Longest prompt (2.5 characters count as a token).")
@click.option("--tokenizer", help="A tokenizer.json, or a folder with one, to count tokens exactly.")
@click.option(
    "--system-role",
    type=click.Choice(["system", "merge", "none"]),
    default="system",
    show_default=True,
    help="The shop's text as a system message, before the customer's first words, or as a first turn of its own.",
)
@click.option("--shard-rows", type=int, default=5_000, show_default=True, help="Most rows in a shard.")
@click.option("--workers", type=int, help="Processes to use; the bytes do not depend on it.  [default: all processors]")
@click.option(
    "--curriculum",
    type=click.Path(path_type=Path),
    metavar="STATE.json",
    help="Draw environments, levels and axes as this curriculum would next; its file stays as it is.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="This machine's processes, or a Ray cluster (RAY_ADDRESS, or the one that runs here); the bytes are the same.",
)
@click.option("--resume", is_flag=True, help="Go on with the same run where it was stopped, by whatever it was.")
@debug_option
@click.pass_context
def command(
    context: click.Context,
    out: str,
    count: int,
    env: tuple[str, ...],
    levels: str,
    seed: int,
    split: str,
    products: int | None,
    catalog: Path | None,
    mode: str,
    target: str,
    impossible: float,
    axis: tuple[str, ...],
    max_prompt_tokens: int | None,
    tokenizer: str | None,
    system_role: str,
    shard_rows: int,
    workers: int | None,
    curriculum: Path | None,
    engine: str,
    resume: bool,
) -> None:
    """Write tasks as Parquet shards under OUT, with a manifest and a dataset card.

    OUT is a folder that does not exist or is empty, or a URL of an object store, such as s3://bucket/run. The same
    options give the same bytes, on any number of workers. A run that is stopped keeps its finished shards, and the
    same command with --resume completes it to the same bytes.
    """
    from ecomrlve.commands.terminal import Watch
    from ecomrlve.errors import InvalidArgument
    from ecomrlve.outputs import configuration as settings
    from ecomrlve.outputs.engine import generate

    if catalog is not None and products is not None:
        raise InvalidArgument("products", products, "a synthetic shop and --catalog exclude each other")
    if curriculum is not None:
        configuration = replace(
            _as_a_curriculum_draws(context, curriculum, count), shard_rows=shard_rows, target=target
        )
    else:
        synthetic = settings.DEFAULT_PRODUCTS if products is None else products
        chosen = settings.read_environments(env)
        if catalog is not None and not env:
            chosen, lacks = settings.carried_environments(str(catalog), seed)
            for name, reason in lacks.items():
                click.echo(f"{name} is left out. {reason}", err=True)
        configuration = settings.Configuration(
            count=count,
            environments=chosen,
            levels=settings.read_levels(levels),
            splits=settings.read_split(split),
            seed=seed,
            shop=synthetic if catalog is None else str(catalog),
            mode=mode,
            impossible=impossible,
            axes=settings.read_axes(axis),
            max_prompt_tokens=max_prompt_tokens,
            tokenizer=tokenizer,
            system_role=system_role,
            shard_rows=shard_rows,
            target=target,
        )
    signal.signal(signal.SIGTERM, _end)
    # A terminal that is closed ends the run too, but not under nohup, which has the signal ignored.
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, _end)
    with _told_what_is_kept(), Watch(count, "tasks") as watch:
        manifest = generate(
            configuration,
            out,
            workers=_all_workers(engine) if workers is None else workers,
            engine=engine,
            resume=resume,
            progress=watch,
        )
    shards = len(manifest["shards"])
    click.echo(
        f"Wrote {count:,} tasks in {shards:,} {'shard' if shards == 1 else 'shards'} to {out} "
        f"in {watch.seconds:,.1f} s ({count / watch.seconds:,.0f} a second)."
    )


def _all_workers(engine: str) -> int:
    """As many as there are: of this machine, or, since Ray takes no more than it has, more than any cluster has."""
    from ecomrlve.commands.terminal import processors

    return processors() if engine == "local" else _MORE_THAN_ANY_CLUSTER


_OF_THE_CURRICULUM = (
    "env", "levels", "seed", "split", "products", "catalog", "mode", "impossible", "axis",
    "max_prompt_tokens", "tokenizer", "system_role",
)  # fmt: skip
"""Options that a curriculum's file holds already, or that its draws decide."""


def _as_a_curriculum_draws(context: click.Context, state: Path, count: int) -> "Configuration":
    """What the next phase of a curriculum would be, without moving the curriculum on."""
    from ecomrlve.errors import InvalidArgument
    from ecomrlve.outputs.curriculum import Curriculum

    for name in _OF_THE_CURRICULUM:
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            rule = "is decided by the curriculum; leave it out, or begin another one by curriculum init"
            raise InvalidArgument(name, context.params[name], rule)
    return Curriculum.load(state).plan(count)


def _end(number: int, _: FrameType | None) -> None:
    """End as if by an error, so that what was half-written is removed."""
    raise _Ended(_KILLED + number)


class _Ended(SystemExit):
    """A signal asks the process to end; the code says which."""


@contextmanager
def _told_what_is_kept() -> Iterator[None]:
    """Say what is kept of a run that a signal ended; other ends are told by the command line."""
    try:
        yield
    except _Ended as error:
        click.echo(with_notes("Stopped.", error), err=True)
        raise
