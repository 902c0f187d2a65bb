"""Stock and popularity: as the source says, and drawn where it says nothing."""

from collections.abc import Sequence

import numpy as np

from ecomrlve.generator.catalog.columns import Int32, Int64
from ecomrlve.generator.catalog.importers.tables import missing_words, words
from ecomrlve.generator.randomness import rng_for
from ecomrlve.grammars.conditions.attributes import MISSING

_MOST = 1_000_000
_SOLD_OUT = 120
"""Variants drawn as sold out where the source is silent, per thousand (10-20 % in real shops)."""
_LEVELS = np.array([1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 16, 18, 21, 25, 30, 36, 44, 60], dtype=np.int32)


def read_stocks(texts: Sequence[str], key: int) -> tuple[Int32, tuple[str, ...]]:
    """Units in stock of each variant, and what was drawn, in words.

    Args:
        texts: cells: a number, a word such as ``"In stock"``, or ``""``.
        key: of the shop, which seeds what is drawn.

    >>> stock, drawn = read_stocks(["3", "Out of stock", "-2"], 7)
    >>> stock.tolist(), drawn
    ([3, 0, 0], ())
    """
    generator = rng_for(key, "import", "stock")
    levels = _LEVELS[generator.integers(len(_LEVELS), size=len(texts))]
    lots = generator.integers(1000, size=len(texts))
    drawn_levels = levels.tolist()
    drawn_lots = lots.tolist()
    found: list[int] = []
    available = silent = 0
    said = {text: _known(text) for text in dict.fromkeys(texts)}
    for place, text in enumerate(texts):
        known = said[text]
        if known is not None and known >= 0:
            found.append(known)
        elif known is not None:
            available += 1
            found.append(drawn_levels[place])
        else:
            silent += 1
            found.append(drawn_levels[place] if drawn_lots[place] >= _SOLD_OUT else 0)
    drawn = []
    if available:
        drawn.append(f"units in stock of {available:,} variants that the source only calls available")
    if silent:
        drawn.append(f"stock of {silent:,} variants of which the source says nothing")
    return np.array(found, dtype=np.int32), tuple(drawn)


def _known(text: str) -> int | None:
    """Units in stock that a cell gives; -1 for "some"; None where it says nothing."""
    low = " ".join(text.lower().split())
    if low in words()["words"]["in_stock"]:
        return -1
    if low in words()["words"]["sold_out"]:
        return 0
    digits = low.replace(",", "").split(".")[0]
    head = digits.split(" ")[0].rstrip("+")
    if head.removeprefix("-").isdigit() and head.isascii():
        return max(0, min(int(head[:12]), _MOST))
    if low in missing_words():
        return None
    if "out of stock" in low or "sold out" in low or "unavailable" in low:
        return 0
    return -1 if "in stock" in low else None


def draw_popularity(reviews: Sequence[int], key: int) -> tuple[Int64, tuple[str, ...]]:
    """Relative sales of each product: its reviews where the source counts them, else drawn with a long tail.

    >>> draw_popularity([10, 0], 7)[0].tolist()
    [11, 1]
    """
    known = np.array(reviews, dtype=np.int64)
    if len(known) and bool((known != MISSING).all()):
        return known + 1, ()
    ranks = rng_for(key, "import", "popularity").integers(1, 1001, size=len(known))
    popularity = np.where(known != MISSING, known + 1, 1000 // ranks + 1).astype(np.int64)
    silent = int((known == MISSING).sum())
    return popularity, (f"how well {silent:,} products sell",)
