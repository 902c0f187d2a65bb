"""Opaque identifiers: a keyed bijection from (split, kind, number) to six characters.

An identifier encodes neither type, price nor rank: neighbours in the catalog get unrelated ones, and every kind of
object and every split has its own part of the number space, so nothing ever shares an identifier.
"""

from functools import lru_cache
from itertools import product
from operator import add
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ecomrlve.errors import InvalidArgument

# Crockford's base 32 without I, L, O and U, and a consonant first: never a number, rarely a word.
_FIRST = "BCDFGHJKMNPQRTVX"
_REST = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_BITS = 29
_SPACE = (1 << _BITS) - 1
_NUMBERS = 1 << 24

Numbers = TypeVar("Numbers", int, NDArray[np.int64])

KINDS = ("product", "variant", "order", "line")
SPLITS = ("train", "test", "test_wording", "test_types", "test_hard")


def mint(kind: str, number: int, split: str, key: int) -> str:
    """The identifier of one object.

    Args:
        kind: one of `KINDS`.
        number: the object's number among its kind, 0 to 2**24 - 1.
        split: one of `SPLITS`, so that two splits never share an identifier.
        key: the shop's key; the same for all splits of one run.

    Raises:
        InvalidArgument: where the number is outside its range.

    >>> mint("product", 0, "train", 7) != mint("product", 1, "train", 7)
    True
    >>> len(mint("variant", 5, "test", 7))
    6
    """
    if not 0 <= number < _NUMBERS:
        raise InvalidArgument("number", number, f"identifiers of one kind run from 0 to {_NUMBERS - 1}")
    value = _scrambled(_space(kind, split) | number, key)
    heads, tails = _letters()
    return heads[value >> 15] + tails[value & 0x7FFF]


def mint_all(kind: str, numbers: NDArray[np.int64], split: str, key: int) -> list[str]:
    """The identifiers of many objects, as `mint` gives each.

    >>> mint_all("line", np.array([3, 4]), "train", 7) == [mint("line", 3, "train", 7), mint("line", 4, "train", 7)]
    True
    """
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < _NUMBERS:
        outside = next(number for number in numbers.tolist() if not 0 <= number < _NUMBERS)
        raise InvalidArgument("number", outside, f"identifiers of one kind run from 0 to {_NUMBERS - 1}")
    heads, tails = _letters()
    values = _scrambled(_space(kind, split) | numbers, key)
    first, last = (values >> 15).tolist(), (values & 0x7FFF).tolist()
    return list(map(add, map(heads.__getitem__, first), map(tails.__getitem__, last)))


@lru_cache(maxsize=64)
def _space(kind: str, split: str) -> int:
    return (KINDS.index(kind) << 3 | SPLITS.index(split)) << 24


def _scrambled(value: Numbers, key: int) -> Numbers:
    """Three rounds of multiply and fold, each a bijection on 29 bits (odd multipliers, right shifts)."""
    for factor, term in _rounds(key):
        value = (value * factor + term) & _SPACE
        value ^= value >> 15
    return value


@lru_cache(maxsize=64)
def _rounds(key: int) -> tuple[tuple[int, int], ...]:
    return tuple(
        (0x9E3779B1 + 2 * ((key >> (9 * turn)) & 0xFFFF), ((key >> turn) + 0x7F4A7C15) & _SPACE) for turn in range(3)
    )


@lru_cache(maxsize=1)
def _letters() -> tuple[list[str], list[str]]:
    """The first three characters for the upper 14 bits, and the last three for the lower 15."""
    heads = ["".join(letters) for letters in product(_FIRST, _REST, _REST)]
    return heads, ["".join(letters) for letters in product(_REST, _REST, _REST)]
