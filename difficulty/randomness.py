"""The one door for randomness: every draw comes from a seed and a path, never from a neighbour's seed plus one.

It stands here, the lowest place that draws; tasks draw by `ecomrlve.generator.randomness`, which builds on it.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

import numpy as np

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


def bits_for(seed: int, *path: int | str) -> np.random.PCG64:
    """Raw random words for one purpose, named by its path."""
    return np.random.PCG64(_sequence(seed, path))


def rng_for(seed: int, *path: int | str) -> np.random.Generator:
    """A numpy generator for one purpose, named by its path.

    >>> int(rng_for(0, "catalog").integers(100)) == int(rng_for(0, "catalog").integers(100))
    True
    """
    return np.random.Generator(bits_for(seed, *path))


def rng_from_state(state: Mapping[str, Any]) -> np.random.Generator:
    """A generator that goes on from a saved state, ``rng.bit_generator.state``.

    Raises:
        TypeError, ValueError, KeyError: for what is no such state.

    >>> rng = rng_for(0, "scheduler")
    >>> rng_from_state(rng.bit_generator.state).random() == rng.random()
    True
    """
    bits = np.random.PCG64(0)
    bits.state = cast(Any, dict(state))
    return np.random.Generator(bits)
