"""Which products, departments and customers belong to which split of a shop: fixed functions of the shop alone.

A run can therefore be made split by split, today or in a year, and its splits are still apart.
"""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from ecomrlve.generator.catalog.columns import Catalog, Int64
from ecomrlve.generator.catalog.imported import ImportedOrder

# An imported shop with fewer products than this is not parted: its splits would be too small to shop in.
PARTED_FROM = 2_500
# The splits that get products of their own of an imported shop, in per cent; training has the rest.
PRODUCT_SHARES = {"test": 15, "test_wording": 10, "test_hard": 10}
# Of ten imported customers in a row, whose orders belong to which split.
_CUSTOMERS = (*["train"] * 5, "test", "test_wording", "test", "test_types", "test_hard")

# Departments are held out until they make up this share of the shop, by number of products or types, and never more
# than the second one.
_HELD_OUT, _AT_MOST = (1, 8), (1, 3)


def held_out_departments(sizes: Mapping[str, int]) -> frozenset[str]:
    """The departments that only the split ``test_types`` shops in: about an eighth of the shop.

    They are taken in an order that depends on their keys alone. Where every department is more than a third of the
    shop, none can be held out.

    Args:
        sizes: key of each department to its number of products (or of product types).

    >>> sorted(held_out_departments({f"department {number}": 9 for number in range(16)}))
    ['department 11', 'department 2']
    """
    total = sum(sizes.values())
    chosen: set[str] = set()
    held = 0
    for key in sorted(sizes, key=lambda key: hashlib.sha256(key.encode()).digest()):
        if held * _HELD_OUT[1] >= total * _HELD_OUT[0]:
            break
        if (held + sizes[key]) * _AT_MOST[1] <= total * _AT_MOST[0]:
            chosen.add(key)
            held += sizes[key]
    return frozenset(chosen)


def rows_of_departments(catalog: Catalog, departments: frozenset[str], inside: bool) -> Int64:
    """The products of some departments, or those of all others."""
    kinds = np.array([(kind.department in departments) == inside for kind in catalog.types], dtype=bool)
    return np.flatnonzero(np.repeat(kinds, np.diff(catalog.type_start))).astype(np.int64)


def rows_of_split(catalog: Catalog, split: str) -> Int64:
    """The products of one split of an imported shop: by a hash of the source's own id, so that a re-import parts alike.

    ``test_types`` is parted by department, and has them all here.
    """
    if split == "test_types":
        return np.arange(len(catalog), dtype=np.int64)
    ids = catalog.source_ids or [str(row) for row in range(len(catalog))]
    hashes = np.array([hashlib.sha256(str(text).encode()).digest()[0] for text in ids], dtype=np.int64) * 100
    start = 0
    for name, share in PRODUCT_SHARES.items():
        if name == split:
            return np.flatnonzero((hashes >= start * 256) & (hashes < (start + share) * 256)).astype(np.int64)
        start += share
    return np.flatnonzero(hashes >= start * 256).astype(np.int64)


def orders_of_split(orders: Sequence[ImportedOrder], split: str) -> tuple[ImportedOrder, ...]:
    """The orders of the imported customers that belong to a split: no two splits share a customer or an order.

    >>> orders = [ImportedOrder(f"#{number}", number, ((0, 1, 500),), "") for number in range(20)]
    >>> [order.customer for order in orders_of_split(orders, "test")]
    [5, 7, 15, 17]
    """
    return tuple(order for order in orders if _CUSTOMERS[order.customer % len(_CUSTOMERS)] == split)
