"""How numbers, amounts and names are found in a text, from a position on."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.conditions.units import UNITS
from ecomrlve.grammars.engine.tables import load_table
from ecomrlve.grammars.engine.tokens import Token, words

WORDS = load_table("grammars.conditions/words")
NUMBERS: dict[str, int] = {word: number for number, word in enumerate(WORDS["numbers"])}
_DIGITS = re.compile(r"-?\d+(,\d{3})*(\.\d+)?")

Phrase = tuple[str, ...]
Ends = list[tuple[int, Any]]
"""Where phrases that start at a position can end, and what they mean."""

_UNIT_PHRASES: dict[Phrase, list[str]] = {}
for _unit in UNITS.values():
    for _name in dict.fromkeys((_unit.name, *_unit.words)):
        if _name:
            _UNIT_PHRASES.setdefault(words(_name), []).append(_unit.name)
_LONGEST_UNIT = max(map(len, _UNIT_PHRASES))

MEASURE_WORDS = frozenset(word for phrase in _UNIT_PHRASES for word in phrase) | frozenset(NUMBERS) | {"half"}
"""Words of numbers and units, which noise leaves alone."""


class Quantity(NamedTuple):
    """An amount as said: in a unit, or in ``"money"`` (whole units of the currency)."""

    amount: Fraction
    unit: str


def is_number(norm: str) -> bool:
    """Whether a token is a number in digits or words.

    >>> is_number("1,500"), is_number("two"), is_number("2nd")
    (True, True, False)
    """
    return norm in NUMBERS or _DIGITS.fullmatch(norm) is not None


def number_value(norm: str) -> Fraction | None:
    """The number that a token says, or None.

    >>> number_value("1.5"), number_value("twelve")
    (Fraction(3, 2), Fraction(12, 1))
    """
    if norm in NUMBERS:
        return Fraction(NUMBERS[norm])
    return Fraction(norm.replace(",", "")) if _DIGITS.fullmatch(norm) else None


def find_names(names: Mapping[Phrase, Iterable[Any]], longest: int, tokens: Sequence[Token], at: int) -> Ends:
    """Every name of a table that starts at a position, as (end, owner); a quoted name is one token."""
    first = tokens[at].norm
    if first.startswith('"'):
        return [(at + 1, owner) for owner in names.get(tuple(first[1:].split(" ")), ())]
    found: Ends = []
    phrase: list[str] = []
    for end in range(at, min(at + longest, len(tokens))):
        phrase.append(tokens[end].norm)
        found.extend((end + 1, owner) for owner in names.get(tuple(phrase), ()))
    return found


def find_integer(tokens: Sequence[Token], at: int) -> Ends:
    """A whole number at a position."""
    number = number_value(tokens[at].norm)
    return [(at + 1, int(number))] if number is not None and number.denominator == 1 else []


@lru_cache(maxsize=64)
def _sign(currency: Currency) -> Phrase:
    """A currency's sign as it is parted from the amount behind it."""
    return words(f"{currency.symbol}1")[:-1]


def find_quantity(currency: Currency, tokens: Sequence[Token], at: int) -> Ends:
    """An amount at a position: a bare number, one with a unit, half a unit, or money."""
    sign = _sign(currency)
    if sign and tuple(token.norm for token in tokens[at : at + len(sign)]) == sign and at + len(sign) < len(tokens):
        number = number_value(tokens[at + len(sign)].norm)
        return [] if number is None else [(at + len(sign) + 1, Quantity(number, "money"))]
    if tokens[at].norm == "half" and at + 2 < len(tokens) and tokens[at + 1].norm in ("a", "an"):
        return [
            (end, Quantity(Fraction(1, 2), unit))
            for end, unit in find_names(_UNIT_PHRASES, _LONGEST_UNIT, tokens, at + 2)
        ]
    number = number_value(tokens[at].norm)
    if number is None:
        return []
    found: Ends = [(at + 1, Quantity(number, ""))]
    if at + 1 < len(tokens):
        if tokens[at + 1].norm == WORDS["currency_words"].get(currency.code):
            found.append((at + 2, Quantity(number, "money")))
        units = find_names(_UNIT_PHRASES, _LONGEST_UNIT, tokens, at + 1)
        found.extend((end, Quantity(number, unit)) for end, unit in units)
    return found


def unit_words(unit: str, amount: Fraction, spelled: bool) -> str:
    """A unit after an amount: its sign, or its word in the right number.

    >>> unit_words("lb", Fraction(2), True), unit_words("kg", Fraction(2), False)
    ('pounds', 'kg')
    """
    singular, plural = UNITS[unit].words
    if spelled or unit in WORDS["worded_units"]:
        return singular if amount == 1 else plural
    return unit
