"""``ecomrlve catalog``: real shops in, and how a shop compares with real ones."""

from pathlib import Path

import click

from ecomrlve.cli import debug_option


@click.group()
@debug_option
def command() -> None:
    """Import a shop's own catalog, or describe one."""


@command.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write the shop to.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["auto", "shopify", "woocommerce", "merchant", "jsonld", "retail-json", "amazon", "table"]),
    default="auto",
    show_default=True,
    help="What SOURCE is.",
)
@click.option(
    "--map", "mapping", type=click.Path(path_type=Path), help="A TOML file that names the columns of a table."
)
@click.option(
    "--orders", type=click.Path(path_type=Path), help="An export of the shop's orders; no customer's name is kept."
)
@debug_option
def import_command(source: Path, out: Path, kind: str, mapping: Path | None, orders: Path | None) -> None:
    """Read SOURCE into a shop that `generate --catalog` takes.

    SOURCE is a product export of Shopify or WooCommerce, a Google Merchant feed, schema.org JSON-LD, a retail JSON,
    Amazon Reviews 2023 metadata, or any CSV, JSON, JSON lines or Parquet table. Rows that cannot be kept are listed
    with the reason in a rejects file.
    """
    from rich.table import Table
    from rich.text import Text

    from ecomrlve.commands.terminal import tables
    from ecomrlve.generator.catalog.importers import import_catalog

    report = import_catalog(source, out, format=kind, mapping=mapping, orders=orders)
    click.echo("\n".join([report.lines()[0], *report.column_lines()]))
    if report.warning:
        click.echo(f"Warning: {report.warning}", err=True)
    summary = Table(box=None, pad_edge=False, show_header=False)
    for what, how_many in report.table():
        summary.add_row(Text(what), Text(how_many))
    tables().print(summary)
    click.echo(f"Wrote the shop to {out}.")


@command.command("stats")
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)
@click.option("--products", type=int, help="Without DIR: the size of the synthetic shop.  [default: 50000]")
@click.option("--seed", type=int, help="Without DIR: its seed.  [default: 0]")
@debug_option
def stats_command(folder: Path | None, products: int | None, seed: int | None) -> None:
    """Counts and distributions of the shop in DIR, or of the synthetic one, beside the bands of real shops."""
    from rich.table import Table
    from rich.text import Text

    from ecomrlve.commands.terminal import tables
    from ecomrlve.errors import InvalidArgument
    from ecomrlve.generator.catalog.stats import describe
    from ecomrlve.generator.world import World
    from ecomrlve.outputs.configuration import DEFAULT_PRODUCTS

    if folder is None:
        size = DEFAULT_PRODUCTS if products is None else products
        found = describe(World.synthetic(products=size, seed=seed or 0).catalog)
    elif products is not None or seed is not None:
        raise InvalidArgument("DIR", str(folder), "excludes --products and --seed, which are of a synthetic shop")
    else:
        found = describe(folder)
    table = Table(box=None, pad_edge=False)
    for heading in ("statistic", "this shop", "real shops", "", "source"):
        table.add_column(heading, overflow="fold")
    marks = {True: "inside", False: "outside", None: ""}
    for line in found:
        table.add_row(*(Text(text) for text in (line.name, line.value, line.band, marks[line.inside], line.source)))
    tables().print(table)
