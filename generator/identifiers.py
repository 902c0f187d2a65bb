"""Opaque identifiers: a keyed bijection from (split, kind, number) to six characters.

An identifier encodes neither type, price nor rank: neighbours in the catalog get unrelated ones, and every kind of
object and every split has its own part of the number space, so nothing ever shares an identifier.
"""

from ecomrlve.errors import InvalidArgument

# Crockford's base 32 without I, L, O and U, and a consonant first: never a number, rarely a word.
_FIRST = "BCDFGHJKMNPQRTVX"
_REST = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_BITS = 29
_SPACE = (1 << _BITS) - 1
_NUMBERS = 1 << 24

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
    value = ((KINDS.index(kind) << 3 | SPLITS.index(split)) << 24) | number
    # Three rounds of multiply and fold, each a bijection on 29 bits (odd multipliers, right shifts).
    for turn in range(3):
        value = (value * (0x9E3779B1 + 2 * ((key >> (9 * turn)) & 0xFFFF)) + (key >> turn) + 0x7F4A7C15) & _SPACE
        value ^= value >> 15
    letters = [_FIRST[value >> 25]]
    for shift in (20, 15, 10, 5, 0):
        letters.append(_REST[(value >> shift) & 31])
    return "".join(letters)
