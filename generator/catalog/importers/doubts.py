"""What speaks against reading a source as a plain table, said before nonsense is imported."""

from collections import Counter

from ecomrlve.generator.catalog.importers.headers import nearest_format
from ecomrlve.generator.catalog.importers.neutral import cell_text
from ecomrlve.generator.catalog.importers.raw import RawShop
from ecomrlve.generator.catalog.importers.rows import cell
from ecomrlve.generator.catalog.importers.sources import LOOKED_AT, Source
from ecomrlve.generator.catalog.importers.table import CONTRADICTS
from ecomrlve.generator.catalog.importers.tables import missing_words

SHARE = 0.2
"""Share of a table's rows that may be odd before it is doubted, and of a source's before a warning is given."""


def titleless(shop: RawShop) -> int:
    """How many products have no title of their own.

    >>> titleless(RawShop())
    0
    """
    return sum(product.title.strip().lower() in missing_words() for product in shop.products)


def doubt(source: Source, shop: RawShop) -> str:
    """One sentence or two on why a source is no plain table and what to say instead, or "".

    Args:
        source: the file.
        shop: what was read of it as a table.
    """
    repeated = sum(reject.reason.startswith(CONTRADICTS) for reject in shop.rejects)
    nameless = titleless(shop)
    least = max(2, SHARE * source.read)
    if repeated < least and nameless < least:
        return ""
    found = []
    if repeated >= least:
        found.append(f"{repeated:,} of {source.read:,} rows repeat the id of an earlier row but say something else")
    if nameless >= least:
        found.append(f"{nameless:,} of {source.read:,} rows have no title")
    advice = 'name the columns in a mapping file (--map MAP.toml): [columns] id = "…", title = "…"'
    shared = shop.key_column if repeated >= least else _shared_column(source)
    looks = "is no table of one product a row"
    if shared:
        looks = f"looks like a table in which the rows of one product share {cell_text(shared)!r}"
        advice = f'say so in a mapping file (--map MAP.toml): [columns] group = "{cell_text(shared)}", option = ["…"]'
    near = nearest_format(source.columns)
    if near:
        advice = f"try --format {near}, whose columns these resemble, or {advice}"
    return (
        f"{source.path} {looks}: {' and '.join(found)}. {advice[:1].upper()}{advice[1:]}. "
        "To import it as it stands, give --format table."
    )


def _shared_column(source: Source) -> str:
    """The column by which rows belong together: filled everywhere, each value in some two to fifty rows that differ."""
    rows = [record for _, record in source.rows[:LOOKED_AT]]
    best, best_count = "", 0
    for column in source.columns:
        counts = Counter(cell(record, column) for record in rows)
        several = [count for count in counts.values() if count > 1]
        if "" in counts or not several or max(several) > 50 or len(counts) < 2:
            continue
        # Prices repeat too, between products.
        named = any(character.isalpha() for value in counts for character in value)
        if named and sum(several) > len(rows) / 3 and len(counts) > best_count:
            best, best_count = column, len(counts)
    return best


def warning(read: int, rejected: int, nameless: int, reasons: dict[str, int]) -> str:
    """A sentence where more than a fifth of the rows were rejected or lack a title, with the commonest reasons, or "".

    >>> warning(10, 3, 0, {"no price": 2, "no handle": 1})
    '3 of 10 rows were rejected or have no title: no price (2), no handle (1).'
    """
    if rejected + nameless <= SHARE * read:
        return ""
    counted = {**reasons, **({"no title": nameless} if nameless else {})}
    common = sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))[:3]
    said = ", ".join(f"{reason} ({count:,})" for reason, count in common)
    return f"{rejected + nameless:,} of {read:,} rows were rejected or have no title: {said}."
