"""The words a reader knows, and how it understands a word with one typing error."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ecomrlve.grammars.engine.grammar import Token, words

SHORTEST = 3
"""Shorter words are taken as they stand."""


class Lexicon:
    """The words a reader knows; an unknown word is taken for the only known one at one error's distance.

    Args:
        groups: sets of words, in their compared form; what is worked out about a set is kept for the next lexicon.

    >>> lexicon = Lexicon([frozenset({"please", "cheapest"})])
    >>> lexicon.correct("plaese"), lexicon.correct("cheap")
    ('please', 'cheap')
    """

    __slots__ = ("groups",)

    def __init__(self, groups: Iterable[frozenset[str]]) -> None:
        self.groups = tuple(group for group in groups if group)

    def knows(self, word: str) -> bool:
        """Whether a word is in the lexicon."""
        for group in self.groups:  # noqa: SIM110 - as `any` it costs twice the time, and noise asks it for each word
            if word in group:
                return True
        return False

    def near(self, word: str) -> frozenset[str]:
        """The known words that one error turns into ``word``."""
        return frozenset().union(*(_near_in(group, word) for group in self.groups))

    def is_only(self, word: str, wrong: str) -> bool:
        """Whether one error turns no other known word into ``wrong``, but does this one."""
        cuts = _cuts(wrong)
        found = False
        for group in self.groups:
            index = _index(group)
            for cut in cuts:
                for known in index.get(cut, ()):
                    if (known != word or not found) and within_one(known, wrong):
                        if known != word:
                            return False
                        found = True
        return found

    def correct(self, word: str) -> str:
        """The word meant: itself where it is known, else the only known word near it, else itself."""
        if self.knows(word) or len(word) < SHORTEST or not word.isalpha():
            return word
        near = self.near(word)
        return next(iter(near)) if len(near) == 1 else word

    def mistyped(self, turns: Iterable[str]) -> int:
        """How many words of some turns are understood as other words.

        >>> Lexicon([frozenset({"please"})]).mistyped(["A lamp, plaese."])
        1
        """
        return sum(self.correct(word) != word for turn in turns for word in words(turn))

    def corrected(self, tokens: Sequence[Token]) -> list[Token]:
        """The tokens with each unknown word corrected; quoted names are left as they are."""
        found = []
        for token in tokens:
            norm = self.correct(token.norm)
            found.append(token if norm == token.norm else Token(norm, token.raw, token.start))
        return found


def _cuts(word: str) -> set[str]:
    cuts = {word[:at] + word[at + 1 :] for at in range(len(word))}
    cuts.add(word)
    return cuts


@lru_cache(maxsize=1 << 16)
def _near_in(group: frozenset[str], word: str) -> frozenset[str]:
    index = _index(group)
    return frozenset(known for cut in _cuts(word) for known in index.get(cut, ()) if within_one(known, word))


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
    at = len(left)
    for place, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            at = place
            break
    if len(left) < len(right):
        return left[at:] == right[at + 1 :]
    if left[at + 1 :] == right[at + 1 :]:
        return True
    return left[at : at + 2] == right[at : at + 2][::-1] and left[at + 2 :] == right[at + 2 :]
