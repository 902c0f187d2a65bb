"""``ecomrlve catalog``: real shops in, and how a shop compares with real ones."""

from pathlib import Path

import click

from ecomrlve.cli import debug_option


@click.group()
def command() -> None:
    """Import a shop's own catalog, or describe one."""


@command.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write the shop to.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["auto", "shopify", "retail-json", "amazon", "table"]),
    default="auto",
    show_default=True,
    help="What SOURCE is.",
)
@click.option(
    "--map", "mapping", type=click.Path(path_type=Path), help="A TOML file that names the columns of a table."
)
@debug_option
def import_command(source: Path, out: Path, kind: str, mapping: Path | None) -> None:
    """Read SOURCE into a shop that `generate --catalog` takes.

    SOURCE is a Shopify product export, a retail JSON, Amazon Reviews 2023 metadata, or any CSV, JSON lines or
    Parquet table. Rows that cannot be kept are listed with the reason in a rejects file.
    """
    from ecomrlve.generator.catalog.importers import import_catalog

    click.echo(import_catalog(source, out, format=kind, mapping=mapping))


@command.command("stats")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option(
    "--products", type=int, default=50_000, show_default=True, help="Without FOLDER: a synthetic shop's size."
)
@debug_option
def stats(folder: Path | None, products: int) -> None:
    """Counts and distributions of the shop in FOLDER, beside the bands of real shops."""
    from ecomrlve.generator.catalog.stats import describe

    click.echo(describe(folder if folder is not None else products))
