"""The one door for randomness: every draw comes from a seed and a path, never from a neighbour's seed plus one."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")

_BLOCK = 128
# Words of a SeedSequence's pool.
_POOL = 4


def _words(number: int) -> list[int]:
    """An integer of at least 0 as 32-bit words, the lowest first."""
    words = [number & 0xFFFFFFFF]
    while number := number >> 32:
        words.append(number & 0xFFFFFFFF)
    return words


@lru_cache(maxsize=1024)
def _encoded(text: str) -> list[int]:
    """A string as its length, told apart from a number's, and its bytes."""
    data = text.encode()
    return [(len(data) << 1) | 1, *(int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4))]


def _sequence(seed: int, path: tuple[int | str, ...]) -> np.random.SeedSequence:
    """The sequence of a seed whose spawn key holds a path.

    It is put together here the way numpy does it for ``SeedSequence(seed, spawn_key=...)`` (the seed filled up to four
    words, then the key), which takes a quarter of the time.
    """
    words = _words(seed)
    words += [0] * (_POOL - len(words))
    for part in path:
        words += _encoded(part) if isinstance(part, str) else _words(part << 1)
    return np.random.SeedSequence(np.array(words, dtype=np.uint32))


def rng_for(seed: int, *path: int | str) -> np.random.Generator:
    """A numpy generator for one purpose, named by its path.

    >>> int(rng_for(0, "catalog").integers(100)) == int(rng_for(0, "catalog").integers(100))
    True
    """
    return np.random.Generator(np.random.PCG64(_sequence(seed, path)))


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
        self._words = chain.from_iterable(_blocks(np.random.PCG64(_sequence(seed, path))))
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
