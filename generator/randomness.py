"""Integer draws for tasks, in blocks; the door to randomness itself is `ecomrlve.difficulty.randomness`."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeVar

import numpy as np

from ecomrlve.difficulty.randomness import bits_for
from ecomrlve.difficulty.randomness import rng_for as rng_for

Item = TypeVar("Item")

_BLOCK = 128


def _blocks(bits: np.random.PCG64) -> Iterator[list[int]]:
    """Raw integers in [0, 2**64), block by block."""
    while True:
        yield bits.random_raw(_BLOCK).tolist()


class Draws:
    """Integer draws for one task, taken from blocks of raw 64-bit words.

    Only integer arithmetic is used, so a draw is the same on every machine.

    Args:
        seed: the run's seed, at least 0.
        path: what the draws are for, integers of at least 0 and strings.

    >>> draws = Draws(0, "task", 17)
    >>> 0 <= draws.below(6) < 6
    True
    """

    __slots__ = ("_words", "word")

    word: Callable[[], int]
    """The next raw integer in [0, 2**64)."""

    def __init__(self, seed: int, *path: int | str) -> None:
        self._words = chain.from_iterable(_blocks(bits_for(seed, *path)))
        self.word = self._words.__next__

    def below(self, bound: int) -> int:
        """An integer in [0, bound); its bias is below bound / 2**64."""
        return (self.word() * bound) >> 64

    def between(self, low: int, high: int) -> int:
        """An integer in [low, high], both ends included."""
        return low + ((self.word() * (high - low + 1)) >> 64)

    def chance(self, numerator: int, denominator: int = 1000) -> bool:
        """True with probability numerator / denominator."""
        return (self.word() * denominator) >> 64 < numerator

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items, each as likely."""
        return items[(self.word() * len(items)) >> 64]

    def weighted(self, weights: Sequence[int]) -> int:
        """An index, drawn in proportion to its weight."""
        at = self.below(sum(weights))
        for index, weight in enumerate(weights):
            at -= weight
            if at < 0:
                return index
        raise AssertionError("weights must be positive")

    def sample(self, items: Sequence[Item], count: int) -> list[Item]:
        """Up to ``count`` different items in random order."""
        size = len(items)
        if count >= size:
            return self.shuffle(items)
        pool = list(items)
        for at, word in enumerate(islice(self._words, max(0, count))):
            other = at + ((word * (size - at)) >> 64)
            pool[at], pool[other] = pool[other], pool[at]
        return pool[: max(0, count)]

    def shuffle(self, items: Sequence[Item]) -> list[Item]:
        """All items in random order, as a new list."""
        # Each item gets a word, and the words are sorted; of 2**64 words no two are alike.
        words = list(islice(self._words, len(items)))
        return [items[at] for at in sorted(range(len(items)), key=words.__getitem__)]
