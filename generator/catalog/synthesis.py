"""A synthetic shop of any size, drawn from the ontology in columns.

Every draw is an integer draw from a table, so a shop is the same on every machine. The tables are quantiles of the
distributions that real shops show; `ecomrlve catalog stats` prints how the result compares.
"""

from collections import Counter
from functools import lru_cache
from math import exp
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ecomrlve.check import check_whole
from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.catalog.columns import Catalog, Int32, Int64, with_built_in
from ecomrlve.generator.catalog.ontology import AttributeDraw, Ontology, ProductType, load_ontology
from ecomrlve.generator.catalog.splits import held_out_departments
from ecomrlve.generator.identifiers import SPLITS
from ecomrlve.generator.randomness import rng_for
from ecomrlve.grammars.conditions.attributes import CURRENCIES, MISSING

LEAST_PRODUCTS = 500
MOST_PRODUCTS = 4_000_000

_QUANTILES = 4096
_SCALE = 1 << 16

# Sold-out variants: 10-20 % in real shops; stock of the rest is small and long-tailed.
_SOLD_OUT = 140
_STOCK = np.array([1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 16, 18, 21, 25, 30, 36, 44, 60, 90], dtype=np.int32)

# Last digits of prices in cents, with weights: 61 % of prices end in 9 (Complete Journey: 55-75 %).
_ENDINGS = np.array([99, 49, 95, 0, 50, 29, 79, 75, 25], dtype=np.int64)
_ENDING_WEIGHTS = (40, 9, 16, 12, 6, 6, 6, 3, 2)

# Stars of a product's only review (J-shaped: Hu, Zhang, Pavlou 2009), and the averages of the reviewed ones in tenths.
_SINGLE_STARS = np.array([50, 40, 30, 20, 10], dtype=np.int32)
_SINGLE_WEIGHTS = (62, 16, 7, 4, 11)
_AVERAGES = np.array([50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 38, 36, 34, 31, 28, 24, 18, 12], dtype=np.int32)
_AVERAGE_WEIGHTS = (9, 7, 9, 11, 12, 11, 9, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 2)

# Sales are log-normal with this spread: Gini 0.72, top tenth 60 % of sales (KONECT, Complete Journey). Four in ten
# products then have a single review (Woolf 2017) when reviews are `_REVIEWS_PER_SALE` times the sales.
_SALES_SPREAD = 1.53
_SALES_UNIT = 1000
_REVIEWS_PER_SALE = 2.94

# Grid cells of variant options that exist, per thousand (tau2: about half; shops: 40-90 %).
_GRID_FILL = 700
# Optional details that a page does not give, per thousand (15-30 %).
_NOT_GIVEN = 220


@lru_cache(maxsize=64)
def _log_normal(spread: float, unit: int) -> NDArray[np.int64]:
    """Quantiles of exp(spread * z) times ``unit``, as integers, so that no machine's exp() reaches a price."""
    normal = NormalDist()
    points = [normal.inv_cdf((index + 0.5) / _QUANTILES) for index in range(_QUANTILES)]
    return np.array([round(exp(spread * point) * unit) for point in points], dtype=np.int64)


def _weighted(rng: np.random.Generator, weights: tuple[int, ...], size: int) -> NDArray[np.int64]:
    """Indices drawn in proportion to integer weights."""
    bounds = np.cumsum(weights)
    return np.searchsorted(bounds, rng.integers(0, int(bounds[-1]), size=size), side="right")


def _codes(rng: np.random.Generator, draw: AttributeDraw, size: int) -> Int32:
    if draw.codes:
        return np.array(draw.codes, dtype=np.int32)[_weighted(rng, draw.weights, size)]
    steps = (draw.high - draw.low) // draw.step
    return (draw.low + draw.step * rng.integers(0, steps + 1, size=size)).astype(np.int32)


def _priced(rng: np.random.Generator, median: Int64) -> Int64:
    """Prices with a shop's endings, near the drawn ones; never below 0.79."""
    ending = _ENDINGS[_weighted(rng, _ENDING_WEIGHTS, len(median))]
    # Above 100 most prices are whole, ending in 9 or 0.
    whole = median // 100
    grand = whole >= 100
    whole = np.where(grand, whole // 10 * 10 + np.where(ending % 10 == 9, 9, np.where(ending == 0, 0, 5)), whole)
    cents = np.where(grand & (ending != 99), np.where(ending % 10 == 9, 99, 0), ending)
    return np.maximum(whole * 100 + cents, 79)


def _apportion(shares: NDArray[np.float64], products: int) -> list[int]:
    """Whole numbers in proportion to the shares, each at least 1, that sum to ``products``."""
    exact = shares / shares.sum() * (products - len(shares))
    whole = np.floor(exact).astype(int)
    order = np.argsort(-(exact - whole), kind="stable")
    whole[order[: products - len(shares) - int(whole.sum())]] += 1
    return [int(count) + 1 for count in whole]


class _Block:
    """The products of one type, as arrays."""

    def __init__(
        self, ontology: Ontology, kind: ProductType, brand_codes: Int32, count: int, slots: int, seed: int, split: str
    ):
        rng = rng_for(seed, "synthesis", split, kind.key)
        self.values = np.full((count, slots), MISSING, dtype=np.int32)
        for slot, draw in enumerate(kind.draws):
            codes = _codes(rng, draw, count)
            if slot % 2 and draw.key not in kind.variant_axes:
                codes[rng.integers(0, 1000, size=count) < _NOT_GIVEN] = MISSING
            self.values[:, slot] = codes
        # A brand makes some types more than others: a few brands hold most of a type.
        weights = tuple(int(60 / (place + 1)) + 4 for place in range(len(brand_codes)))
        self.brand = rng.permutation(brand_codes)[_weighted(rng, weights, count)]
        self.series = rng.integers(0, len(kind.series), size=count).astype(np.int32)
        sales = _log_normal(_SALES_SPREAD, _SALES_UNIT)[rng.integers(0, _QUANTILES, size=count)]
        self.popularity = sales
        self.reviews = np.maximum(1, sales * round(_REVIEWS_PER_SALE * 100) // (_SALES_UNIT * 100)).astype(np.int32)
        self.rating = _AVERAGES[_weighted(rng, _AVERAGE_WEIGHTS, count)]
        single = self.reviews == 1
        self.rating[single] = _SINGLE_STARS[_weighted(rng, _SINGLE_WEIGHTS, int(single.sum()))]
        median = (
            kind.price_median * _log_normal(kind.price_sd, _SCALE)[rng.integers(0, _QUANTILES, size=count)] // _SCALE
        )
        self._variants(rng, ontology, kind, median)

    def _variants(self, rng: np.random.Generator, ontology: Ontology, kind: ProductType, median: Int64) -> None:
        count = len(median)
        if not kind.variant_axes:
            self.counts = np.ones(count, dtype=np.int64)
            self.options = np.full((count, 3), MISSING, dtype=np.int32)
            product = np.arange(count)
            factor = np.full(count, 100, dtype=np.int64)
        else:
            product, self.options, factor = self._grid(rng, ontology, kind, count)
            self.counts = np.bincount(product, minlength=count)
        price = _priced(rng, median)
        # Most options are free; a capacity or a size that is a number costs more the more there is of it.
        scaled = price[product] * factor // 100
        self.price = np.where(factor == 100, scaled, _priced(rng, scaled))
        stock = _STOCK[rng.integers(0, len(_STOCK), size=len(product))]
        stock[rng.integers(0, 1000, size=len(product)) < _SOLD_OUT] = 0
        self.stock = stock

    def _grid(
        self, rng: np.random.Generator, ontology: Ontology, kind: ProductType, count: int
    ) -> tuple[NDArray[np.int64], Int32, Int64]:
        """Cells of the option grid that exist, product by product: (product, option codes, price in percent)."""
        draws = [draw for key in kind.variant_axes for draw in kind.draws if draw.key == key]
        widest = (6, 4, 3)[len(draws) - 1]
        masks, firsts = [], []
        for draw in draws:
            size = len(draw.codes)
            first = rng.integers(0, size, size=count)
            width = rng.integers(2, min(size, widest) + 1, size=count)
            masks.append((np.arange(size)[None, :] - first[:, None]) % size < width[:, None])
            firsts.append(first)
        grid = masks[0]
        for mask in masks[1:]:
            grid = (grid[..., None] & mask.reshape(count, *([1] * (grid.ndim - 1)), -1)).reshape(
                count, *grid.shape[1:], -1
            )
        grid = grid & (rng.integers(0, 1000, size=grid.shape, dtype=np.int16) < _GRID_FILL)
        grid[(np.arange(count), *firsts)] = True
        product, *cells = np.nonzero(grid)
        options = np.full((len(product), 3), MISSING, dtype=np.int32)
        factor = np.full(len(product), 100, dtype=np.int64)
        for axis, (draw, cell) in enumerate(zip(draws, cells, strict=True)):
            options[:, axis] = np.array(draw.codes, dtype=np.int32)[cell]
            if ontology.attributes[draw.key].kind == "number":
                rank = cell - firsts[axis][product]
                factor = factor * (100 + 18 * (rank % len(draw.codes))) // 100
        # What the buyer picks is no detail of the product as a whole.
        for key in kind.variant_axes:
            self.values[:, kind.attributes.index(key)] = MISSING
        return product, options, factor


def departments_of_split(ontology: Ontology, split: str) -> frozenset[str]:
    """The departments that a split's shop stocks.

    >>> ontology = load_ontology()
    >>> sorted(departments_of_split(ontology, "test_types"))
    ['beauty_care', 'furniture', 'office_supplies']
    >>> len(departments_of_split(ontology, "train"))
    21
    """
    held_out = held_out_departments(Counter(kind.department for kind in ontology.types))
    return held_out if split == "test_types" else frozenset(ontology.departments) - held_out


def synthesize(
    products: int = 50_000, seed: int = 0, split: str = "train", departments: tuple[str, ...] = ()
) -> Catalog:
    """Draw a shop from the shipped ontology.

    Args:
        products: how many, 500 to 4,000,000.
        seed: the run's seed.
        split: whose products; splits of one seed share none.
        departments: keys of the departments to stock; by default those of the split: ``test_types`` has a few for
            itself, and the other splits have all others.

    Raises:
        InvalidArgument: for a size outside the range or an unknown split or department.

    >>> shop = synthesize(1_000)
    >>> len(shop), shop.variants > 1_000
    (1000, True)
    """
    check_whole("products", products, LEAST_PRODUCTS, MOST_PRODUCTS)
    if split not in SPLITS:
        raise InvalidArgument("split", split, f"must be one of {', '.join(SPLITS)}")
    ontology = load_ontology()
    unknown = sorted(set(departments) - set(ontology.departments))
    if unknown:
        raise InvalidArgument("departments", unknown[0], f"must be among {', '.join(sorted(ontology.departments))}")
    stocked = frozenset(departments) or departments_of_split(ontology, split)
    kinds = tuple(kind for kind in ontology.types if kind.department in stocked)
    brands = tuple(sorted({brand for kind in kinds for brand in kind.brands}))
    place = {brand: code for code, brand in enumerate(brands)}
    slots = max(len(kind.attributes) for kind in kinds)
    counts = _apportion(np.array([kind.share for kind in kinds]), products)
    blocks = [
        _Block(
            ontology, kind, np.array([place[brand] for brand in kind.brands], dtype=np.int32), count, slots, seed, split
        )
        for kind, count in zip(kinds, counts, strict=True)
    ]
    used = {kind.key for kind in kinds}
    own = {key for kind in kinds for key in kind.attributes}
    currency = CURRENCIES["USD"]
    return Catalog(
        name="Harbor Lane",
        currency=currency,
        departments={key: name for key, name in ontology.departments.items() if key in stocked},
        categories={key: pair for key, pair in ontology.categories.items() if pair[1] in stocked},
        types=kinds,
        attributes=with_built_in(
            {key: attribute for key, attribute in ontology.attributes.items() if key in own},
            currency,
            brands,
            [kind.singular for kind in kinds],
        ),
        edges=tuple(edge for edge in ontology.edges if edge.source in used and edge.target in used),
        type_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        brand=np.concatenate([block.brand for block in blocks]),
        rating=np.concatenate([block.rating for block in blocks]),
        reviews=np.concatenate([block.reviews for block in blocks]),
        popularity=np.concatenate([block.popularity for block in blocks]),
        values=np.concatenate([block.values for block in blocks]),
        variant_start=np.concatenate([[0], np.cumsum(np.concatenate([block.counts for block in blocks]))]).astype(
            np.int64
        ),
        price=np.concatenate([block.price for block in blocks]),
        stock=np.concatenate([block.stock for block in blocks]),
        options=np.concatenate([block.options for block in blocks]),
        series=np.concatenate([block.series for block in blocks]),
        split=split,
        key=int(rng_for(seed, "identifiers").integers(0, 1 << 40)),
    )
