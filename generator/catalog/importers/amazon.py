"""Product metadata in the form of Amazon Reviews 2023: JSON lines or Parquet, one product a row."""

import json
import re
from collections.abc import Mapping
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.neutral import LONG, plain_text
from ecomrlve.generator.catalog.importers.raw import RawProduct, RawShop, RawVariant, Reject
from ecomrlve.generator.catalog.importers.sources import Source
from ecomrlve.generator.catalog.importers.tables import missing_words
from ecomrlve.generator.catalog.importers.trees import split_path

NAME = "amazon"
_STORE = re.compile(r"^\s*(?:visit the\s+)?(.*?)(?:\s+store)?\s*$", re.IGNORECASE)


def fits(source: Source) -> bool:
    """Whether rows carry the names of that form.

    >>> from pathlib import Path
    >>> fits(Source(Path("a.jsonl"), "records", ["main_category", "title", "price", "parent_asin"]))
    True
    """
    return source.kind != "json" and {"title", "price", "parent_asin"} <= set(source.columns)


def read(source: Source, hints: Hints) -> RawShop:
    """Read one product a row; a second row with the same ``parent_asin`` is merged when it says the same."""
    if not fits(source):
        raise CatalogError(
            f"{source.path} lacks title, price or parent_asin, so it is no metadata in the Amazon Reviews form. "
            "Import it as a table."
        )
    shop = RawShop(rejects=list(source.rejects), read=source.read)
    known: dict[str, int] = {}
    for place, (number, record) in enumerate(source.rows):
        own_id = plain_text(record.get("parent_asin")).strip()
        if own_id and own_id in known:
            if source.rows[known[own_id]][1] == record:
                shop.merged += 1
            else:
                shop.rejects.append(Reject(number, "another row with this parent_asin says something else", record))
            continue
        if own_id:
            known[own_id] = place
        shop.products.append(_product(number, own_id, record))
    return shop


def _product(number: int, own_id: str, record: Mapping[str, Any]) -> RawProduct:
    details = _details(record.get("details"))
    main = plain_text(record.get("main_category")).strip()
    path = split_path(record.get("categories"))
    if not path:
        path = split_path(main)
    price = plain_text(record.get("price"))
    store = plain_text(record.get("store")).strip()
    found = _STORE.match(store)
    return RawProduct(
        number,
        own_id,
        plain_text(record.get("title")),
        path,
        [RawVariant(number, own_id, price)],
        brand=details.pop("Brand", "") or details.pop("Brand Name", "") or (found.group(1) if found else store),
        rating=plain_text(record.get("average_rating")),
        reviews=plain_text(record.get("rating_number")),
        details=details,
        text=" ".join(part for part in (_joined(record.get("features")), _joined(record.get("description"))) if part)[
            :LONG
        ],
        companions=tuple(_ids(record.get("bought_together"))),
    )


def _details(value: Any) -> dict[str, str]:
    """The details of a product: an object, its JSON text, or pairs as Parquet maps give them."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    pairs = list(value.items()) if isinstance(value, dict) else value if isinstance(value, list) else []
    found = {}
    for pair in pairs:
        if isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[1], str | int | float | bool):
            text = plain_text(pair[1]).strip()
            if text and text.lower() not in missing_words():
                found[str(pair[0])] = text
    return found


def _joined(value: Any) -> str:
    return " ".join(plain_text(part) for part in value) if isinstance(value, list) else plain_text(value)


def _ids(value: Any) -> list[str]:
    if isinstance(value, str) and value.startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return [plain_text(part) for part in value if part] if isinstance(value, list) else []
