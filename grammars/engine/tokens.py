"""Words and marks of a text, in the form in which they are compared."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

# A hyphen within a number range, and a slash, belong to their word; other hyphens part words.
_PIECE = re.compile(
    r"“[^”]*”|\"[^\"]*\""  # a quoted name, one token
    r"|[^\W\d_]{0,3}[$€£¥₹₺₩](?=\d)|[$€£¥₹₺₩]"  # $40, C$40
    r"|(?<![^\s(])[-−]\d+(?:[.,]\d+)*"  # below zero
    r"|\d+(?:[.,]\d+)*(?=%)|%"
    r"|[^\s.,;:!?()\"“”%$€£¥₹₺₩\-]+(?:[.,:](?=\w)[^\s.,;:!?()\"“”%$€£¥₹₺₩\-]+|(?<=\d)-(?=\d)\w+)*"
    r"|[.,;:!?()]|\n"
)
_APOSTROPHES = str.maketrans("", "", "'’`")
SENTENCE_ENDS = frozenset(".!?\n")
PUNCTUATION = frozenset(".,;:!?()\n")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark: ``norm`` is compared (no letter case, no apostrophe), ``raw`` is as written.

    A quoted name is one token whose ``norm`` begins with a quotation mark.
    """

    norm: str
    raw: str
    start: int


def _norm(raw: str) -> str:
    if raw.isascii() and raw.isalpha():
        return raw.lower()
    if raw[0] in '"“' and len(raw) > 1:
        return '"' + " ".join(words(raw[1:-1]))
    return raw.casefold().translate(_APOSTROPHES).replace("−", "-")


def tokenize(text: str) -> list[Token]:
    """The words and marks of a text.

    >>> [token.norm for token in tokenize("It's a USB-C one, under $40!")]
    ['its', 'a', 'usb', 'c', 'one', ',', 'under', '$', '40', '!']
    """
    found = [Token(_norm(match[0]), match[0], match.start()) for match in _PIECE.finditer(text)]
    return [token for token in found if token.norm]


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[str, ...]:
    """The compared forms of a text's tokens.

    >>> words("Tallow & Finch")
    ('tallow', '&', 'finch')
    """
    return tuple(norm for match in _PIECE.finditer(text) if (norm := _norm(match[0])))


def first_word(text: str) -> str:
    """The word that a text of words begins with, without the comma behind it.

    >>> first_word("Hi, I need a lamp.")
    'hi'
    """
    return text.split(" ", 1)[0].rstrip(",").casefold()


def sentences(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens parted at full stops, question and exclamation marks and line ends, which are left out.

    >>> [[token.norm for token in part] for part in sentences(tokenize("Hi! Under 1.5 kg."))]
    [['hi'], ['under', '1.5', 'kg']]
    """
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.norm in SENTENCE_ENDS:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


_LETTER_AN = frozenset("aefhilmnorsx")
_SPOKEN_WHOLE = frozenset({"ram", "rom", "sim", "lan", "nas", "mah", "sad", "fit", "san"})


@lru_cache(maxsize=8192)
def article(phrase: str) -> str:
    """``"a"`` or ``"an"``, by the sound that the phrase begins with.

    >>> article("USB microphone"), article("LED lamp"), article("hourglass"), article("8 pack"), article("oak desk")
    ('a', 'an', 'an', 'an', 'an')
    """
    found = re.match(r"[\"“]?([^\s\-/]+)", phrase)
    word = found[1] if found else "x"
    low = word.casefold()
    if low[0].isdigit():
        return "an" if low[0] == "8" or re.match(r"1[18](\D|$|\d{3}\b)", low) else "a"
    # Spoken letter by letter: no vowel inside, or capitals throughout.
    short = len(word) <= 3 or not re.search("[AEIOU]", word)
    if (word.isupper() and short and low not in _SPOKEN_WHOLE) or len(word) == 1:
        return "an" if low[0] in _LETTER_AN else "a"
    if re.match(r"(hour|honest|heir|honor)", low):
        return "an"
    if re.match(r"(uni([^nm]|$)|use|usa|usu|eu|one\b|once|ute|ubi)", low):
        return "a"
    return "an" if low[0] in "aeiou" else "a"
