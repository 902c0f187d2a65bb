"""One form for each value of a reply, so that its spelling never decides a verdict.

The readers below take what JSON gave and return the canonical value, or raise `ReplyShapeError` with the sentence
that the verdict shows. They never echo the reply.
"""

import re
from dataclasses import dataclass
from unicodedata import normalize

from ecomrlve.generator.verifiers.errors import ReplyShapeError

# Nothing that a shop names is longer; and putting combining marks in order costs the square of their number.
_LONGEST = 64

# NFKC keeps all of these apart.
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u02bc\u0060\u00b4"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
_INVISIBLE = (
    *(0x00AD, 0x034F, 0x061C, 0x180E, 0xFEFF),  # soft hyphen, joiners, marks of direction, byte order mark
    *range(0x200B, 0x2010),  # zero width, left-to-right and right-to-left marks
    *range(0x202A, 0x202F),  # embeddings and overrides of direction
    *range(0x2060, 0x2070),  # word joiner, invisible operators, isolates
    *range(0xFE00, 0xFE10),  # variation selectors
)
_TABLE: dict[int, str | None] = {
    **{ord(sign): "-" for sign in _DASHES},
    **{ord(sign): "'" for sign in _SINGLE_QUOTES},
    **{ord(sign): '"' for sign in _DOUBLE_QUOTES},
    **dict.fromkeys(_INVISIBLE),
}

_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?")
_NOTHING = frozenset({"", "NULL", "NONE"})


@dataclass(frozen=True, slots=True)
class NumberText:
    """A JSON number kept as it was written, so that no rounding can make 1.9999999999999999999 a 2.

    >>> whole_number(NumberText("2.0"), "quantity")
    2
    """

    text: str


def clean(text: str) -> str:
    """The text in compatibility form (NFKC), without invisible marks, with plain dashes and quotes, stripped.

    >>> clean(" \\u22125\\u200b ")
    '-5'
    """
    text = text.strip()
    if text.isascii() or len(text) > _LONGEST:
        return text
    return normalize("NFKC", text).translate(_TABLE).strip()


def canonical_identifier(text: str) -> str:
    """An identifier in upper case, cleaned, without a leading "#".

    >>> canonical_identifier(" #k7qx3m")
    'K7QX3M'
    """
    if not (text.isascii() and text.isalnum()):
        text = clean(text).lstrip("#").strip()
    return text.upper()


def identifier(value: object, name: str) -> str:
    """Read one identifier of a reply.

    Args:
        value: what JSON gave: a string, or an integer where an identifier has digits only.
        name: what the value is, for the sentence, such as 'a product'.

    Raises:
        ReplyShapeError: where it is anything else.

    >>> identifier("b8lw4c", "a product")
    'B8LW4C'
    """
    if isinstance(value, str):
        return canonical_identifier(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ReplyShapeError(f"The reply gives {name} that is not an identifier.")


def identifier_or_none(value: object, name: str) -> str | None:
    """Read an identifier that may be null; the words "null" and "none" and the empty string say the same.

    >>> identifier_or_none("None", "an order") is None
    True
    """
    if value is None:
        return None
    text = canonical_identifier(value) if isinstance(value, str) else identifier(value, name)
    return None if text in _NOTHING else text


def identifiers(value: object, name: str, key: str) -> tuple[str, ...]:
    """Read a list of identifiers, repeats and all.

    >>> identifiers(["#a1", "B2"], "a product", "products")
    ('A1', 'B2')
    """
    if not isinstance(value, list):
        raise ReplyShapeError(f'The "{key}" of the reply are not a list.')
    return tuple([identifier(item, name) for item in value])


def integer_of(value: object) -> int | None:
    """The integer that a JSON value spells, or None: 2, 2.0, 2e0, "2", " 2.00 ", "−2" and "+2" do, true and 2.5 don't.

    >>> [integer_of(value) for value in (2, "2.00", "\\u22125", True, "19.99", NumberText("1.999e3"))]
    [2, 2, -5, None, None, 1999]
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, NumberText):
        text = value.text
    elif isinstance(value, str):
        text = clean(value)
    else:
        return None
    if len(text) > _LONGEST or not (match := _NUMBER.fullmatch(text)):
        return None
    sign, whole, fraction, power = match.groups("")
    number = int(whole + fraction)
    shift = int(power or "0") - len(fraction)
    if shift >= 0:
        number *= int(10**shift)
    else:
        number, rest = divmod(number, int(10**-shift))
        if rest:
            return None
    return -number if sign == "-" else number


def whole_number(value: object, name: str) -> int:
    """Read an integer of a reply in any of its spellings.

    Args:
        value: what JSON gave.
        name: what the value is, for the sentence, such as "a quantity".

    Raises:
        ReplyShapeError: where it is not an integer, such as 1.5, true or "two".

    >>> whole_number(" 2.0", "a quantity")
    2
    """
    number = integer_of(value)
    if number is None:
        raise ReplyShapeError(f"The reply gives {name} that is not a whole number.")
    return number


def whole_number_or_none(value: object, name: str) -> int | None:
    """Read an integer that may be null; the words "null" and "none" and the empty string say the same.

    >>> whole_number_or_none("null", "a refund") is None
    True
    """
    if type(value) is int:
        return value
    if value is None or (isinstance(value, str) and clean(value).upper() in _NOTHING):
        return None
    return whole_number(value, name)


def word(value: object, name: str) -> str:
    """Read a word from a fixed list, such as a decision: cleaned, and without regard to letter case.

    >>> word(" Refund ", "a decision")
    'refund'
    """
    if not isinstance(value, str):
        raise ReplyShapeError(f"The reply gives {name} that is not a word.")
    return clean(value).casefold()


def counted(number: int, noun: str) -> str:
    """A number with its noun, for the sentences of verdicts.

    >>> counted(1, "product"), counted(2, "product")
    ('1 product', '2 products')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
