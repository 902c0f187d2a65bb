"""Orders as an imported shop gives them: what was bought, without dates, which are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ImportedOrder:
    """One order of the source.

    Args:
        source_id: the source's own identifier.
        customer: number of the customer, 0 upwards in order of first appearance.
        lines: (variant row, quantity, unit price in minor units) of each line.
        state: as the source says it, ``""`` where it says nothing.

    >>> ImportedOrder("#W1", 0, ((4, 2, 1999),), "delivered").lines[0]
    (4, 2, 1999)
    """

    source_id: str
    customer: int
    lines: tuple[tuple[int, int, int], ...]
    state: str


def keep_orders(orders: Sequence[ImportedOrder], kept: NDArray[np.int64]) -> tuple[ImportedOrder, ...]:
    """The orders of a shop of which only some variants were kept (sorted old rows), with rows numbered anew.

    A line whose variant went goes with it, and an order without lines too.

    >>> keep_orders([ImportedOrder("#W1", 0, ((4, 2, 1999), (9, 1, 500)), "")], np.array([3, 9]))[0].lines
    ((1, 1, 500),)
    """
    place = {row: number for number, row in enumerate(kept.tolist())}
    found = []
    for order in orders:
        lines = tuple((place[row], quantity, price) for row, quantity, price in order.lines if row in place)
        if lines:
            found.append(ImportedOrder(order.source_id, order.customer, lines, order.state))
    return tuple(found)
