"""``ecomrlve envs``: what environments there are."""

import click

from ecomrlve.cli import debug_option


@click.command()
@debug_option
def command() -> None:
    """Environments, their modes and the difficulty axes each uses."""
    from rich.table import Table

    from ecomrlve.commands.terminal import tables
    from ecomrlve.difficulty.axes import AXES
    from ecomrlve.generator.environments import environment, environments

    table = Table(box=None, pad_edge=False)
    for heading in ("environment", "what the customer wants", "mode", "axes"):
        table.add_column(heading, overflow="fold")
    for name in environments():
        made = environment(name)
        for at, (mode, axes) in enumerate(made.axes.items()):
            first = (name, made.summary) if at == 0 else ("", "")
            table.add_row(*first, mode, ", ".join(axes))
    legend = Table(box=None, pad_edge=False)
    for heading in ("axis", "at level d", "what it changes"):
        legend.add_column(heading, overflow="fold")
    for axis in AXES.values():
        legend.add_row(axis.name, axis.formula, axis.changes)
    console = tables()
    console.print(table)
    console.print()
    console.print(legend)
