"""Products of the types that the graph ties to another type: those that can stand in for it, those that go with it."""

import numpy as np

from ecomrlve.generator.catalog.columns import Catalog, Int64

# At most so many types of each sort stand beside a shelf, each with this share of its length.
_MOST_TYPES = {"substitutes": 3, "complements": 2}
_SHARES = {"substitutes": 5, "complements": 8}


def targets_of(catalog: Catalog, kind: int, sort: str) -> list[int]:
    """The types that edges of a sort lead to from a type, as places in the catalog's types.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> shop = synthesize(500)
    >>> duvet = shop.type_index["duvet"]
    >>> sorted(shop.types[other].key for other in targets_of(shop, duvet, "substitutes"))
    ['mattress_topper']
    """
    return list(catalog.targets.get((sort, kind), ()))


def related_rows(catalog: Catalog, rows: Int64) -> Int64:
    """A shelf's products, and where they are of one type, some of each type tied to it; sorted.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> shop = synthesize(20_000)
    >>> rows = max(shop.shelves, key=len)
    >>> len(related_rows(shop, rows)) > len(rows)
    True
    """
    kind = catalog.type_of(int(rows[0]))
    if catalog.type_of(int(rows[-1])) != kind:
        return rows
    parts = [rows]
    for sort, most in _MOST_TYPES.items():
        for other in targets_of(catalog, kind, sort)[:most]:
            start, end = int(catalog.type_start[other]), int(catalog.type_start[other + 1])
            count = min(end - start, -(-len(rows) // _SHARES[sort]))
            # Another shelf of the type stands beside other products.
            first = start + int(rows[0]) % (end - start - count + 1)
            parts.append(np.arange(first, first + count, dtype=np.int64))
    return np.unique(np.concatenate(parts))
