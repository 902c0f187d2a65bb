"""The shops that the laws are tried in: each is made once and kept."""

from functools import lru_cache

from ecomrlve import World

LARGE = (20_000, 5, "train")
SHOPS = (LARGE, LARGE, LARGE, (3_000, 1, "test"), (900, 2, "train"), (2_000, 4, "test_wording"))
"""(products, seed, split), the large one most often."""


@lru_cache(maxsize=8)
def shop(products: int = LARGE[0], seed: int = LARGE[1], split: str = LARGE[2]) -> World:
    """A synthetic shop.

    >>> shop(900, 2, "train") is shop(900, 2, "train")
    True
    """
    return World.synthetic(products=products, seed=seed, split=split)
