"""Typing errors that never change what a message says, and their correction.

An error goes into a word only where the right word stays the only word within reach that the reader knows, so reading
a noisy message gives exactly what reading the clean one gives. Names, identifiers, numbers and units are left alone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ecomrlve.grammars.conditions.vocabulary import MEASURE_WORDS
from ecomrlve.grammars.engine.grammar import Chance
from ecomrlve.grammars.engine.lexicon import SHORTEST, Lexicon

# Beside each letter's key, on the same row and the rows around it.
_NEIGHBORS = {
    "q": "wa", "w": "qes", "e": "wrd", "r": "etf", "t": "ryg", "y": "tuh", "u": "yij", "i": "uok", "o": "ipl",
    "p": "ol", "a": "qsz", "s": "awdx", "d": "sefc", "f": "drgv", "g": "fthb", "h": "gyjn", "j": "hukm", "k": "jilm",
    "l": "kop", "z": "asx", "x": "zsdc", "c": "xdfv", "v": "cfgb", "b": "vghn", "n": "bhjm", "m": "njk",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Utterance:
    """One customer turn, and the names in it (of places, people, things) that noise leaves alone."""

    text: str
    names: tuple[str, ...] = ()

    @staticmethod
    def of(text: str, names: Iterable[str] = ()) -> "Utterance":
        """A turn whose names are protected wherever they stand, and every quoted one.

        >>> Utterance.of("from your Desk Audio page", ("Desk Audio",)).protected
        ((10, 20),)
        """
        return Utterance(text, tuple(names))

    @property
    def protected(self) -> tuple[tuple[int, int], ...]:
        """The spans of names and of quotations."""
        spans = [match.span() for match in re.finditer(r"\"[^\"]*\"|“[^”]*”", self.text)]
        low = self.text.casefold()
        for name in self.names:
            at = low.find(name.casefold()) if name and len(low) == len(self.text) else -1
            while at >= 0:
                spans.append((at, at + len(name)))
                at = low.find(name.casefold(), at + 1)
        return tuple(sorted(spans))


class HasLexicon(Protocol):
    """A reader, or whatever else knows which words its reader knows."""

    @property
    def lexicon(self) -> Lexicon:
        """The words that the reader of the text knows."""


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Noisy:
    """A message with typing errors: its text, its number of letters and of errors."""

    text: str
    letters: int
    errors: int


def noisy(utterance: Utterance, rate_millis: int, known: HasLexicon, draws: Chance) -> Noisy:
    """A message with typing errors, and how many.

    Args:
        utterance: what to spoil.
        rate_millis: errors per thousand letters; one in a word at most, and only where it can be undone, so a high
            rate is not always reached.
        known: who will read it.
        draws: the source of chance.
    """
    text = utterance.text
    letters = sum(map(str.isalpha, text))
    wanted, rest = divmod(letters * rate_millis, 1000)
    wanted += draws.below(1000) < rest
    if not wanted:
        return Noisy(text, letters, 0)
    lexicon = known.lexicon
    protected = utterance.protected
    places = [match.span() for match in _WORD.finditer(text)]
    edits: list[tuple[int, int, str]] = []
    while places and len(edits) < wanted:
        at = draws.below(len(places))
        places[at], places[-1] = places[-1], places[at]
        start, end = places.pop()
        if _may_err(text, start, end, protected) and (spoiled := _spoil(text, start, end, lexicon, draws)):
            edits.append((start, end, spoiled))
    for start, end, spoiled in sorted(edits, reverse=True):
        text = text[:start] + spoiled + text[end:]
    return Noisy(text, letters, len(edits))


def add_noise(utterance: Utterance, rate_millis: int, vocabulary: HasLexicon, draws: Chance) -> str:
    """The text of a message with typing errors; see `noisy`.

    >>> class First:
    ...     def below(self, bound):
    ...         return 0
    >>> class Known:
    ...     lexicon = Lexicon([frozenset({"thanks"})])
    >>> add_noise(Utterance("Thanks 12."), 125, Known(), First())
    'thanks 12.'
    """
    return noisy(utterance, rate_millis, vocabulary, draws).text


def _may_err(text: str, start: int, end: int, protected: Sequence[tuple[int, int]]) -> bool:
    word = text[start:end]
    # A capital inside a sentence marks a name or a sign; the first word of a sentence has one anyway.
    if not word[1:].islower() or (word[0].isupper() and not _begins_sentence(text, start)):
        return False
    if (start and text[start - 1] not in " \n(") or word.casefold() in MEASURE_WORDS:
        return False
    if end < len(text) and text[end] not in " \n.,;:!?)":
        return False
    return not any(low < end and start < high for low, high in protected)


def _begins_sentence(text: str, start: int) -> bool:
    return start == 0 or text[:start].rstrip(" ")[-1:] in (".", "!", "?", "\n")


def _spoil(text: str, start: int, end: int, lexicon: Lexicon, draws: Chance) -> str:
    """A word with one error that its reader undoes, or "" where none of a few tries is safe."""
    word = text[start:end]
    if word[0].isupper() and draws.below(3) == 0:
        return word[0].lower() + word[1:]
    mark = next((at for at, letter in enumerate(word) if letter in "'’"), -1)
    if mark >= 0:
        return word[:mark] + word[mark + 1 :]
    low = word.casefold()
    if len(word) < SHORTEST or not lexicon.knows(low):
        return ""
    for _ in range(4):
        wrong = _mistype(word, draws)
        if wrong != word and _is_safe(lexicon, low, wrong.casefold()):
            return wrong
    return ""


def _is_safe(lexicon: Lexicon, word: str, wrong: str) -> bool:
    return len(wrong) >= SHORTEST and not lexicon.knows(wrong) and lexicon.is_only(word, wrong)


def _mistype(word: str, draws: Chance) -> str:
    """A letter dropped, doubled, swapped with the next, or replaced by its neighbor on the keyboard."""
    at = draws.below(len(word))
    match draws.below(4):
        case 0:
            return word[:at] + word[at + 1 :]
        case 1:
            return word[: at + 1] + word[at:]
        case 2 if at + 1 < len(word):
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case _:
            near = _NEIGHBORS.get(word[at].lower(), "")
            if not near:
                return word
            letter = near[draws.below(len(near))]
            return word[:at] + (letter.upper() if word[at].isupper() else letter) + word[at + 1 :]
