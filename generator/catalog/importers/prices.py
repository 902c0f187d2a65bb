"""Prices as shops write them, read exactly or not at all."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from ecomrlve.generator.catalog.importers.tables import missing_words, plain, words
from ecomrlve.grammars.conditions.attributes import Currency

MOST = 2**31 - 1
"""Largest price in minor units that a code holds."""

_NUMBER = r"\d+(?:[.,'’   ]\d+)*"
_PARSED = re.compile(
    rf"^(?P<before>[^\d\-+]*?)\s*(?P<sign>[-−+]?)\s*(?P<number>{_NUMBER}|(?<![^\W\d_])[.,]\d{{1,2}})"
    r"(?P<dash>[.,:][-–—]+)?\s*(?P<after>\D*)$"
)
# What stands between an amount's characters unseen, and the Arabic signs for decimals and groups.
_UNSEEN = "\u200b\u200c\u200d\u200e\u200f\u061c\u2066\u2067\u2068\u2069\ufeff"
_WRITTEN = str.maketrans("\u066b\u066c", ".,", _UNSEEN)
_SPACES = re.compile(r"[\s  ]+")
# Groups of three, or of two before the last three, as in India.
_GROUPED = re.compile(r"^\d{1,3}(?:[.,'’ ]\d{2,3})*[.,'’ ]\d{3}$")


@lru_cache(maxsize=1)
def _currency_codes() -> dict[str, str]:
    return {
        spelling: code for code, spellings in words()["currencies"].items() for spelling in [*spellings, code.lower()]
    }


def currency_named(text: str) -> str | None:
    """The code of a currency as a shop spells it, or None.

    >>> currency_named("SR"), currency_named("€"), currency_named("euros"), currency_named("kr")
    ('SAR', 'EUR', 'EUR', None)
    """
    return _currency_codes().get(_SPACES.sub("", text).lower()) or _currency_codes().get(
        _SPACES.sub(" ", text).strip().lower()
    )


def shared_sign(text: str) -> tuple[str, ...]:
    """The currencies that share a sign, such as "kr"; () where a sign is of one or of none.

    >>> shared_sign("kr"), shared_sign("€")
    (('SEK', 'NOK', 'DKK'), ())
    """
    return tuple(words()["shared_signs"].get(_SPACES.sub("", text).lower(), ()))


def unsupported(text: str) -> str:
    """The code of a currency that shops here cannot have, as a shop spells it, or "".

    >>> unsupported("Rp"), unsupported("€")
    ('IDR', '')
    """
    low = _SPACES.sub("", text).lower().rstrip(".")
    return next(
        (code for code, signs in words()["other_currencies"].items() if low == code.lower() or low in signs), ""
    )


def in_ascii(text: str) -> str:
    """Digits of any script, and full-width characters, as the plain ones; what cannot be seen is dropped.

    >>> in_ascii("￥１２００"), in_ascii("٣٫٥٠"), in_ascii("\u200e€5")
    ('¥1200', '3.50', '€5')
    """
    if text.isascii():
        return text
    return "".join(
        str(digit)
        if (digit := unicodedata.decimal(character, None)) is not None
        else unicodedata.normalize("NFKC", character)
        if "\uff01" <= character <= "\uffe6"
        else character
        for character in text.translate(_WRITTEN)
    )


def currency_of_column(name: str) -> str | None:
    """The currency that a column's name tells, or None.

    >>> (
    ...     currency_of_column("Price_euros"),
    ...     currency_of_column("price (USD)"),
    ...     currency_of_column("price"),
    ...     currency_of_column("Preis €"),
    ... )
    ('EUR', 'USD', None, 'EUR')
    """
    parts = [*plain(name).split(), *(part for part in re.split(r"[\s()\[\]_]+", name) if part)]
    for part in parts:
        # Short letters such as "sr" or "try" mean a currency beside an amount, not in a header.
        found = currency_named(part)
        if found is not None and (len(part) >= 4 or part.upper() == found or not part.isalnum()):
            return found
    return None


@dataclass(frozen=True, slots=True)
class Convention:
    """How a column writes numbers: which of ``.`` and ``,`` starts the decimals."""

    point: str = "."


def convention_of(texts: Iterable[str], decimals: int = 2) -> Convention:
    """The decimal sign of a column of amounts: what stands before one or two last digits, or last of two signs.

    Args:
        texts: the cells.
        decimals: of the currency; where it has three, three digits behind a point are decimals too.

    >>> (
    ...     convention_of(["1.339,69 €", "15,00 €"]).point,
    ...     convention_of(["1,385", "15.99"]).point,
    ...     convention_of(["1.385", "2.000"]).point,
    ... )
    (',', '.', ',')
    """
    votes: Counter[str] = Counter()
    grouped: Counter[str] = Counter()
    for text in texts:
        for number in re.findall(r"\d[\d.,]*\d", in_ascii(text)):
            signs = [character for character in number if character in ".,"]
            if not signs:
                continue
            tail = len(number) - 1 - max(number.rfind("."), number.rfind(","))
            if len(set(signs)) == 2:
                votes[signs[-1]] += 2
            elif len(signs) > 1:
                grouped[signs[0]] += 1
            elif tail != 3 or number.startswith("0") or (decimals == 3 and signs[0] == "."):
                votes[signs[0]] += 1
            else:
                grouped[signs[0]] += 1
    if votes:
        return Convention(max(".,", key=lambda sign: (votes[sign], sign == ".")))
    return Convention("," if grouped["."] and not grouped[","] else ".")


def number_of(text: str, convention: Convention) -> Decimal | None:
    """The number that digits with grouping mean, or None.

    >>> (
    ...     number_of("1.339,69", Convention(",")),
    ...     number_of("1,339.69", Convention(".")),
    ...     number_of("1,3", Convention(".")),
    ... )
    (Decimal('1339.69'), Decimal('1339.69'), None)
    """
    text = _SPACES.sub(" ", text.strip())
    point, group = convention.point, "," if convention.point == "." else "."
    whole, mark, decimals = text.rpartition(point)
    if not mark:
        whole, decimals = text, ""
    if mark and not whole:
        whole = "0"
    if point in whole or (decimals and not decimals.isdigit()):
        return None
    if not whole.isdigit():
        if not _GROUPED.match(whole) or len({character for character in whole if not character.isdigit()}) != 1:
            return None
        whole = re.sub(rf"[{re.escape(group)}'’ ]", "", whole)
    if not (whole.isascii() and whole.isdigit()):
        return None
    try:
        return Decimal(f"{whole}.{decimals}" if decimals else whole)
    except InvalidOperation:
        return None


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of money as read: its number, the currency beside it (or None), or why it cannot be read.

    ``any_of`` holds the currencies that may be meant where they share a sign.
    """

    number: Decimal | None = None
    currency: str | None = None
    why: str = ""
    any_of: tuple[str, ...] = ()


def read_amount(text: str, convention: Convention) -> Amount:
    """Read a cell that should hold one price.

    >>> read_amount("SR 1,385", Convention()).number, read_amount("1.339,69 €", Convention(",")).currency
    (Decimal('1385'), 'EUR')
    >>> read_amount("from 12.99", Convention()).why
    "price 'from 12.99' is not one plain amount"
    >>> read_amount("No old price", Convention()).why
    'no price'
    """
    text = _SPACES.sub(" ", in_ascii(text)).strip()
    if text.lower() in missing_words():
        return Amount(why="no price")
    found = _PARSED.match(text) if len(text) <= 60 else None
    if found is None:
        return Amount(why=f"price {text[:40]!r} is not one plain amount")
    spellings = [part.strip() for part in (found["before"], found["after"]) if part.strip()]
    codes = [currency_named(part) for part in spellings]
    shared = shared_sign(spellings[0]) if len(spellings) == 1 else ()
    number = number_of(found["number"], convention)
    unknown = [part for part, code in zip(spellings, codes, strict=True) if code is None]
    other = next((code for part in unknown if (code := unsupported(part))), "")
    if number is not None and other:
        return Amount(why=f"price {text[:40]!r} is in {other}, a currency that shops here cannot have")
    if number is None or (unknown and not shared) or len(set(codes)) > 1:
        return Amount(why=f"price {text[:40]!r} is not one plain amount")
    if found["sign"] in ("-", "−"):
        number = -number
    return Amount(number, codes[0] if codes else None, any_of=shared)


def two_ways(text: str, convention: Convention, currency: Currency) -> bool:
    """Whether a cell stands apart from its column: "1,234" where a comma starts decimals is no amount of cents.

    Three digits behind a point are left as they are: tables of floating-point numbers have them.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> two_ways("1,234 €", Convention(","), CURRENCIES["EUR"]), two_ways("1,23 €", Convention(","), CURRENCIES["EUR"])
    (True, False)
    """
    if convention.point != "," or currency.decimals > 2:
        return False
    return re.search(r"(?<![\d.,])[1-9]\d{0,2},\d{3}(?![\d.,])", in_ascii(text)) is not None


def minor_units(number: Decimal, currency: Currency) -> int | str:
    """The amount in minor units, or why it cannot be a price.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> minor_units(Decimal("1339.69"), CURRENCIES["EUR"]), minor_units(Decimal("0"), CURRENCIES["EUR"])
    (133969, 'price is not above zero')
    """
    if number <= 0:
        return "price is not above zero"
    if number > MOST:
        return "price is too large"
    # Tables of floating-point numbers write 12.99 as 12.989999771; the nearest minor unit is what was meant.
    units = int((number * 10**currency.decimals).quantize(Decimal(1)))
    if units == 0:
        return "price is not above zero"
    return units if units <= MOST else "price is too large"
