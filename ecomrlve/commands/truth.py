"""``ecomrlve truth``: hold many tasks to every law."""

import shlex
import sys
from pathlib import Path

import click

from ecomrlve.cli import debug_option


@click.command()
@click.option("--env", "env", multiple=True, metavar="NAME", help="An environment; repeat for more.  [default: all]")
@click.option("--count", type=int, default=4_000, show_default=True, help="Tasks in all, shared by the environments.")
@click.option("--levels", default="0-12", show_default=True, help="A level, a range, or a list such as 0,2,4-6.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the shop and the tasks.")
@click.option("--products", type=int, help="Size of the synthetic shop.  [default: 20000]")
@click.option("--catalog", type=click.Path(path_type=Path), help="An imported shop in place of a synthetic one.")
@click.option("--workers", type=int, help="Processes to use.  [default: all processors]")
@click.option("--out", type=click.Path(path_type=Path), help="A file for the tables, as Markdown.")
@debug_option
def command(
    env: tuple[str, ...],
    count: int,
    levels: str,
    seed: int,
    products: int | None,
    catalog: Path | None,
    workers: int | None,
    out: Path | None,
) -> None:
    """What oracles, cheats, wrong answers, rewrites and solvers get, by environment and level.

    Where a law is broken, the exit code is 1, and what re-makes the task is shown.
    """
    from ecomrlve.commands.terminal import Watch, processors, show_tables
    from ecomrlve.errors import InvalidArgument
    from ecomrlve.outputs.configuration import read_levels
    from ecomrlve.outputs.files import write_text
    from ecomrlve.outputs.truth import Proof, prove
    from ecomrlve.outputs.truth_report import page, parts

    if catalog is not None and products is not None:
        raise InvalidArgument("products", products, "a synthetic shop and --catalog exclude each other")
    if out is not None and not out.absolute().parent.is_dir():
        raise InvalidArgument("out", str(out), "is in no folder that exists")
    asked = Proof(
        environments=tuple(name.upper() for name in env),
        count=count,
        levels=read_levels(levels),
        catalog=None if catalog is None else str(catalog),
        seed=seed,
        **({} if products is None else {"products": products}),
    )
    with Watch(count, "tasks") as watch:
        found = prove(asked, workers=processors() if workers is None else workers, progress=watch)
    show_tables(parts(found))
    if out is not None:
        write_text(out, page(found, _again(env, count, levels, seed, products, catalog, out)))
    faults = list(found.faults())
    if not faults:
        click.echo(f"Every law holds in {count:,} tasks ({watch.seconds:,.0f} s).")
        return
    for fault in faults:
        click.echo(fault, err=True)
    sys.exit(1)


def _again(
    env: tuple[str, ...],
    count: int,
    levels: str,
    seed: int,
    products: int | None,
    catalog: Path | None,
    out: Path,
) -> str:
    """The command that makes the same file."""
    words = ["ecomrlve", "truth", *(word for name in env for word in ("--env", name)), "--count", str(count)]
    options = {"--levels": levels, "--seed": seed, "--products": products, "--catalog": catalog}
    usual = {"--levels": "0-12", "--seed": 0, "--products": None, "--catalog": None}
    for name, value in options.items():
        if value != usual[name]:
            words += [name, str(value)]
    return shlex.join([*words, "--out", str(out)])
