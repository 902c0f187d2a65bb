"""The words a reader knows, and how it understands a word with one typing error."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ecomrlve.grammars.engine import Token

SHORTEST = 3
"""Shorter words are taken as they stand."""


class Lexicon:
    """The words a reader knows; an unknown word is taken for the only known one at one error's distance.

    Args:
        groups: sets of words, in their compared form; each set's index is kept for as long as the set lives in a cache.

    >>> lexicon = Lexicon([frozenset({"please", "cheapest"})])
    >>> lexicon.correct("plaese"), lexicon.correct("cheap")
    ('please', 'cheap')
    """

    __slots__ = ("_indexes", "groups")

    def __init__(self, groups: Iterable[frozenset[str]]) -> None:
        self.groups = tuple(groups)
        self._indexes = tuple(map(_index, self.groups))

    def knows(self, word: str) -> bool:
        """Whether a word is in the lexicon."""
        return any(word in group for group in self.groups)

    def near(self, word: str) -> frozenset[str]:
        """The known words that one error turns into ``word``."""
        found: set[str] = set()
        for cut in _cuts(word):
            for index in self._indexes:
                found.update(known for known in index.get(cut, ()) if within_one(known, word))
        return frozenset(found)

    def correct(self, word: str) -> str:
        """The word meant: itself where it is known, else the only known word near it, else itself."""
        if self.knows(word) or len(word) < SHORTEST or not word.isalpha():
            return word
        near = self.near(word)
        return next(iter(near)) if len(near) == 1 else word

    def corrected(self, tokens: Sequence[Token]) -> list[Token]:
        """The tokens with each unknown word corrected; quoted names are left as they are."""
        found = []
        for token in tokens:
            norm = self.correct(token.norm)
            found.append(token if norm == token.norm else Token(norm, token.raw, token.start))
        return found


def _cuts(word: str) -> set[str]:
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


@lru_cache(maxsize=512)
def _index(group: frozenset[str]) -> dict[str, list[str]]:
    """Each known word of letters under itself and under itself less one letter."""
    found: dict[str, list[str]] = {}
    for word in group:
        if word.isalpha() and len(word) >= SHORTEST - 1:
            for cut in _cuts(word):
                found.setdefault(cut, []).append(word)
    return found


def within_one(left: str, right: str) -> bool:
    """Whether one dropped, added, changed or swapped letter at most parts two words.

    >>> within_one("form", "from"), within_one("lid", "lids"), within_one("cat", "dog")
    (True, True, False)
    """
    if len(left) > len(right):
        left, right = right, left
    if len(right) - len(left) > 1:
        return False
    at = 0
    while at < len(left) and left[at] == right[at]:
        at += 1
    if len(left) < len(right):
        return left[at:] == right[at + 1 :]
    if left[at + 1 :] == right[at + 1 :]:
        return True
    return left[at : at + 2] == right[at : at + 2][::-1] and left[at + 2 :] == right[at + 2 :]
