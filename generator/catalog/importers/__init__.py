"""Product data that people have, made into a shop: exports of shop platforms, product feeds, metadata, any table.

Each format is one module with ``NAME``, ``fits(source)`` and ``read(source, hints)``; `FORMATS` lists them in the
order in which ``auto`` tries them.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ecomrlve.errors import CatalogError, InvalidArgument
from ecomrlve.generator.catalog import store
from ecomrlve.generator.catalog.importers import amazon, jsonld, merchant, retail_json, shopify, table, woocommerce
from ecomrlve.generator.catalog.importers.assembly import Assembled, assemble
from ecomrlve.generator.catalog.importers.doubts import doubt, titleless, warning
from ecomrlve.generator.catalog.importers.mapping import Hints, read_mapping
from ecomrlve.generator.catalog.importers.neutral import neutral
from ecomrlve.generator.catalog.importers.orders import add_orders, sheet_of_orders
from ecomrlve.generator.catalog.importers.raw import RawShop, Report, reasons_of
from ecomrlve.generator.catalog.importers.reading import read_source
from ecomrlve.generator.catalog.importers.sources import Source
from ecomrlve.generator.catalog.importers.tables import plain

__all__ = ["FORMATS", "Format", "Report", "import_catalog"]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of source: its name, whether a source is of it, and how it is read."""

    name: str
    fits: Callable[[Source], bool]
    read: Callable[[Source, Hints], RawShop]


FORMATS = tuple(
    Format(module.NAME, module.fits, module.read)
    for module in (shopify, woocommerce, merchant, jsonld, retail_json, amazon, table)
)

_SHOP_WORDS = {
    "shopify",
    "export",
    "exports",
    "products",
    "product",
    "catalog",
    "catalogue",
    "meta",
    "data",
    "dataset",
    "csv",
    "items",
}


def import_catalog(
    source: Path, out: Path, format: str = "auto", mapping: Path | None = None, orders: Path | None = None
) -> Report:
    """Read product data and write it as a shop that ``World.load`` opens.

    Args:
        source: a CSV, JSON, JSON lines, XML or Parquet file or a page of a shop, plain or gzipped.
        out: a folder that does not exist yet.
        format: ``"auto"`` or the name of one of `FORMATS`.
        mapping: a mapping file; see `ecomrlve.generator.catalog.importers.mapping`.
        orders: an export of the shop's orders, whose lines are found among its variants. No name, address or e-mail of
            a customer is kept.

    Raises:
        InvalidArgument: where the format is unknown, or ``out`` exists.
        CatalogError: where the source cannot become a shop; nothing is written then.
    """
    known = [one.name for one in FORMATS]
    if format != "auto" and format not in known:
        raise InvalidArgument("format", format, f"must be auto or one of {', '.join(known)}")
    if out.exists():
        raise InvalidArgument("out", str(out), "exists already; choose a folder that does not")
    hints = read_mapping(mapping)
    chosen, raw = _read_shop(source, format, hints)
    nameless = titleless(raw)
    if orders is not None:
        add_orders(raw, read_source(orders))
    digest = _digest([source, *([] if orders is None else [orders])], hints)
    made = assemble(raw, hints, _shop_name(source), int(digest[:12], 16))
    raw.products.clear()
    report = _report(chosen, raw, made, nameless)
    store.save(
        made.catalog,
        out,
        texts=made.texts,
        categories=made.categories,
        variant_ids=made.variant_ids,
        orders=made.orders,
        rejects=[reject.record() for reject in made.rejects],
        about={"source": neutral(source.name, 120), "sha256": digest, "format": chosen.name, "report": report.lines()},
    )
    return report


def _read_shop(source: Path, format: str, hints: Hints) -> tuple[Format, RawShop]:
    """Read a source as the format it is or is said to be; one that would come to nonsense is refused."""
    read = read_source(source)
    if format == "auto" and sheet_of_orders(read) is not None and "price" not in map(plain, read.columns):
        raise CatalogError(
            f"{source} is an export of orders, not of products. Import the products, and give it beside them: "
            f"ecomrlve catalog import PRODUCTS --orders {source.name} --out DIR"
        )
    chosen = _format_of(read, format)
    raw = chosen.read(read, hints)
    if format == "auto" and chosen.name == table.NAME and (why := doubt(read, raw)):
        raise CatalogError(why)
    return chosen, raw


def _report(chosen: Format, raw: RawShop, made: Assembled, nameless: int) -> Report:
    rejected = [reject for reject in made.rejects if reject.kind == "product"]
    used = dict.fromkeys(key for kind in made.catalog.types for key in kind.attributes)
    kinds = Counter(made.catalog.attributes[key].kind for key in used)
    counted = None
    if made.orders is not None:
        counted = (made.orders_read, len(made.orders), made.orders_read - len(made.orders))
    return Report(
        chosen.name,
        raw.read,
        made.kept,
        raw.merged,
        len(rejected),
        len(made.catalog),
        made.catalog.variants,
        len(made.catalog.types),
        made.catalog.currency.code,
        reasons_of(made.rejects),
        made.notes,
        made.catalog.drawn,
        counted,
        warning(raw.read, len(rejected), nameless, reasons_of(rejected)),
        {kind: kinds[kind] for kind in ("choice", "number", "boolean")},
    )


def _digest(sources: Sequence[Path], hints: Hints) -> str:
    """What seeds all that is drawn: the files and the mapping."""
    found = hashlib.sha256()
    for source in sources:
        with source.open("rb") as file:
            while chunk := file.read(1 << 20):
                found.update(chunk)
    found.update(b"\0" + hints.digest_text.encode())
    return found.hexdigest()


def _format_of(source: Source, name: str) -> Format:
    """The format to read a source as."""
    chosen = next((one for one in FORMATS if (one.fits(source) if name == "auto" else one.name == name)), None)
    if chosen is None or (chosen.name == table.NAME and source.kind == "json"):
        raise CatalogError(
            f'{source.path} is one JSON object without "products", so it is no catalog that I know. '
            "A list of product records can be imported as a table."
        )
    return chosen


def _shop_name(source: Path) -> str:
    """A name for the shop out of the file's.

    >>> _shop_name(Path("x/shopify_home-and-garden.csv")), _shop_name(Path("meta.jsonl.gz"))
    ('Home and garden', 'Shop')
    """
    stem = source.name.split(".")[0]
    parts = [part for part in re.split(r"[\s_\-]+", neutral(stem)) if part and part.lower() not in _SHOP_WORDS]
    text = " ".join(parts)
    return text[:1].upper() + text[1:] if text else "Shop"
