"""``ecomrlve validate``: check a run."""

import sys
from pathlib import Path

import click

from ecomrlve.cli import debug_option


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--against", type=click.Path(path_type=Path), help="Another run, with which this one must share nothing.")
@click.option("--workers", type=int, help="Processes to use.  [default: all processors]")
@debug_option
def command(out: Path, against: Path | None, workers: int | None) -> None:
    """Check the run in OUT: hashes, schema, every row re-made from its recipe, every oracle judged again.

    Where anything differs, a table says what, and the exit code is 1.
    """
    from rich.table import Table
    from rich.text import Text

    from ecomrlve.commands.terminal import Watch, processors, tables
    from ecomrlve.outputs.validate import rows_to_check, validate

    runs = [out] if against is None else [out, against]
    with Watch(rows_to_check(*runs), "rows") as watch:
        examined = validate(out, against, workers=processors() if workers is None else workers, progress=watch)
    for note in examined.notes:
        click.echo(f"Note: {note}.")
    if not examined.problems:
        click.echo(f"All {examined.rows:,} rows hold: hashes, recipes, answers and counts ({watch.seconds:,.1f} s).")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("where", "what", "should be", "is"):
        table.add_column(heading, overflow="fold")
    for problem in examined.problems:
        table.add_row(*(Text(text) for text in (problem.where, problem.what, problem.wanted, problem.found)))
    tables().print(table)
    count = len(examined.problems)
    click.echo(f"{count:,} {'thing differs' if count == 1 else 'things differ'} in {examined.rows:,} rows.", err=True)
    sys.exit(1)
