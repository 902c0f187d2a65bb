"""How a shop compares with real ones: each statistic beside the band it should lie in."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.imported import ImportedOrder
from ecomrlve.generator.catalog.store import load, load_orders
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.engine.tables import load_table

NOT_GIVEN = "not given"
_ROOT = "the shop"
_LEAST_OF_TYPE = 10


@dataclass(frozen=True, slots=True)
class Statistic:
    """One line of the comparison.

    Args:
        name: what is measured.
        value: as shown, or ``"not given"``.
        band: as shown, ``""`` for plain counts.
        source: of the band.
        inside: whether the value lies in the band; None where there is no value or no band.
    """

    name: str
    value: str
    band: str = ""
    source: str = ""
    inside: bool | None = None


@lru_cache(maxsize=1)
def _bands() -> dict[str, dict[str, Any]]:
    return load_table("generator.catalog/bands")


def describe(shop: Catalog | Path | str) -> list[Statistic]:
    """Counts of a shop, then its statistics beside the bands of real shops.

    Args:
        shop: a catalog, or the folder of one.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> describe(synthesize(500))[0]
    Statistic(name='products', value='500', band='', source='', inside=None)
    """
    if isinstance(shop, Catalog):
        catalog, orders = shop, None
    else:
        catalog, orders = load(Path(shop)), load_orders(Path(shop))
    found = _counts(catalog, orders)
    for key, band in _bands().items():
        measure = _ORDER_MEASURES.get(key)
        if measure is None:
            found.append(_statistic(band, _MEASURES[key](catalog)))
        elif orders:
            found.append(_statistic(band, measure(orders)))
    return found


def _counts(catalog: Catalog, orders: list[ImportedOrder] | None) -> list[Statistic]:
    kinds = ("substitutes", "complements", "fits")
    edges = ", ".join(f"{sum(edge.kind == kind for edge in catalog.edges):,} {kind}" for kind in kinds)
    pairs = [
        ("products", f"{len(catalog):,}"),
        ("variants", f"{catalog.variants:,}"),
        (
            "departments, categories, types",
            f"{len(catalog.departments):,}, {len(catalog.categories):,}, {len(catalog.types):,}",
        ),
        ("attributes", f"{len(catalog.attributes):,}"),
        ("edges between types", edges),
        ("brands", f"{len(catalog.attributes['brand'].values):,}"),
        ("prices", _price_range(catalog)),
    ]
    if orders is not None:
        pairs.append(("orders", f"{len(orders):,}"))
    return [Statistic(name, value) for name, value in pairs]


def _price_range(catalog: Catalog) -> str:
    low, middle, high = (int(part) for part in np.percentile(catalog.price, [5, 50, 95]))
    text = catalog.currency.text
    return f"{text(middle)} in the middle, nine in ten from {text(low)} to {text(high)}"


def _statistic(band: dict[str, Any], value: float | None) -> Statistic:
    def shown(number: float) -> str:
        return f"{number * 100:.0f} %" if band.get("unit") == "%" else f"{number:.2f}".rstrip("0").rstrip(".")

    low, high = band["low"], band["high"]
    text = (
        shown(low)
        if low == high
        else f"at least {shown(low)}"
        if high >= 1_000_000
        else f"{shown(low)} to {shown(high)}"
    )
    if value is None:
        return Statistic(band["label"], NOT_GIVEN, text, band["source"])
    return Statistic(band["label"], shown(value), text, band["source"], bool(low <= value <= high))


def _tree(catalog: Catalog) -> "nx.DiGraph[str]":
    """The shop above its departments, categories and types."""
    tree: nx.DiGraph[str] = nx.DiGraph()
    tree.add_edges_from((_ROOT, key) for key in catalog.departments)
    tree.add_edges_from((target, source) for source, target, kind in catalog.graph.edges(keys=True) if kind == "is_a")
    return tree


def _type_levels(catalog: Catalog) -> list[int]:
    depth = nx.single_source_shortest_path_length(_tree(catalog), _ROOT)
    return [1 + depth[kind.key] for kind in catalog.types]


def _levels(catalog: Catalog) -> float:
    return float(max(_type_levels(catalog)))


def _leaf_depth(catalog: Catalog) -> float:
    return float(np.mean(_type_levels(catalog)))


def _branching(catalog: Catalog) -> float:
    return float(np.median([degree for _, degree in _tree(catalog).out_degree() if degree]))


def _log_prices(catalog: Catalog) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.log(catalog.price[catalog.variant_start[:-1]].astype(np.float64))


def _price_sd_in_type(catalog: Catalog) -> float | None:
    prices = _log_prices(catalog)
    bounds = catalog.type_start.tolist()
    spreads = [float(prices[start:end].std()) for start, end in pairwise(bounds) if end - start >= _LEAST_OF_TYPE]
    return float(np.median(spreads)) if spreads else None


def _price_sd(catalog: Catalog) -> float | None:
    return float(_log_prices(catalog).std()) if len(catalog) > 1 else None


def _nine_endings(catalog: Catalog) -> float:
    return float((catalog.price % 10 == 9).mean())


def _stars(catalog: Catalog) -> np.ndarray[Any, np.dtype[np.int64]] | None:
    rated = catalog.rating[catalog.rating != MISSING]
    return np.bincount(np.clip((rated + 5) // 10, 1, 5), minlength=6)[1:] if len(rated) else None


def _top_star(catalog: Catalog) -> float | None:
    stars = _stars(catalog)
    return None if stars is None else float(stars.argmax() + 1)


def _one_over_two(catalog: Catalog) -> float | None:
    stars = _stars(catalog)
    return None if stars is None or not stars[1] else float(stars[0] / stars[1])


def _given_sales(catalog: Catalog) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """Sales, sorted, where they are not drawn for want of a source."""
    if catalog.titles is not None and any("sell" in words for words in catalog.drawn):
        return None
    return np.sort(catalog.popularity.astype(np.float64))


def _sales_gini(catalog: Catalog) -> float | None:
    sales = _given_sales(catalog)
    if sales is None or len(sales) < 2:
        return None
    ranks = np.arange(1, len(sales) + 1)
    return float((2 * (ranks * sales).sum() / (len(sales) * sales.sum())) - (len(sales) + 1) / len(sales))


def _sales_top(catalog: Catalog) -> float | None:
    sales = _given_sales(catalog)
    return None if sales is None else float(sales[-max(1, len(sales) // 10) :].sum() / sales.sum())


def _single_review(catalog: Catalog) -> float | None:
    reviewed = catalog.reviews[catalog.reviews > 0]
    return float((reviewed == 1).mean()) if len(reviewed) else None


def _with_options(catalog: Catalog) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.diff(catalog.variant_start) > 1


def _option_axes(catalog: Catalog) -> float | None:
    chosen = _with_options(catalog)
    if not chosen.any():
        return None
    return float((catalog.options[catalog.variant_start[:-1][chosen]] != MISSING).sum(axis=1).max())


def _variants(catalog: Catalog) -> float | None:
    counts = np.diff(catalog.variant_start)
    counts = counts[counts > 1]
    return float(np.median(counts)) if len(counts) else None


def _grid_fill(catalog: Catalog) -> float | None:
    rows = np.flatnonzero(_with_options(catalog))
    cells = real = 0
    for row in rows[:: max(1, len(rows) // 2000)].tolist():
        options = catalog.options[catalog.variant_start[row] : catalog.variant_start[row + 1]]
        size = 1
        for axis in range(options.shape[1]):
            size *= len(np.unique(options[:, axis]))
        cells, real = cells + size, real + len(options)
    return real / cells if cells else None


def _sold_out(catalog: Catalog) -> float | None:
    if any(words.startswith("stock of") for words in catalog.drawn):
        return None
    return float((catalog.stock == 0).mean())


def _details_missing(catalog: Catalog) -> float | None:
    """Over the details that are optional, which some product of the type lacks."""
    missing = total = 0
    for place, kind in enumerate(catalog.types):
        rows = catalog.values[catalog.type_start[place] : catalog.type_start[place + 1]]
        slots = [slot for slot, key in enumerate(kind.attributes) if key not in kind.variant_axes]
        lacking = (rows[:, slots] == MISSING).sum(axis=0)
        missing += int(lacking.sum())
        total += rows.shape[0] * int((lacking > 0).sum())
    return missing / total if total else None


_MEASURES: dict[str, Callable[[Catalog], float | None]] = {
    "tree_levels": _levels,
    "leaf_depth": _leaf_depth,
    "branching": _branching,
    "price_sd_in_type": _price_sd_in_type,
    "price_sd": _price_sd,
    "nine_endings": _nine_endings,
    "top_star": _top_star,
    "one_over_two": _one_over_two,
    "sales_gini": _sales_gini,
    "sales_top": _sales_top,
    "single_review": _single_review,
    "option_axes": _option_axes,
    "variants": _variants,
    "grid_fill": _grid_fill,
    "sold_out": _sold_out,
    "details_missing": _details_missing,
}

_ORDER_MEASURES: dict[str, Callable[[list[ImportedOrder]], float]] = {
    "lines_per_order": lambda orders: float(np.mean([len(order.lines) for order in orders])),
    "single_line": lambda orders: float(np.mean([len(order.lines) == 1 for order in orders])),
    "quantity_one": lambda orders: float(np.mean([count == 1 for order in orders for _, count, _ in order.lines])),
}
