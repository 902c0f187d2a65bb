"""How proofs compare words, on their own: what customers say against what a line is called."""

import re
from typing import Any


def _same_word(said: str, shown: str) -> bool:
    """Whether two words are one, but for the mark of a plural on either."""
    forms = []
    for word in (said, shown):
        ends = {word}
        for ending, rest in (("s", ""), ("es", ""), ("ies", "y")):
            if len(word) > 3 and word.endswith(ending):
                ends.add(word[: -len(ending)] + rest)
        forms.append(ends)
    return bool(forms[0] & forms[1])


def _split(text: str) -> list[str]:
    """The words of a text; "1.2" is one of them, and holds no 2."""
    return re.findall(r"\d+(?:\.\d+)+|\w+", text.casefold())


def has_words(text: str, line: Any) -> bool:
    """Whether a line's title or options have every word of a text, as proofs read them.

    >>> from types import SimpleNamespace
    >>> has_words("blue rain jackets", SimpleNamespace(title="Acme rain jacket", options="M / blue"))
    True
    """
    shown = _split(f"{line.title} {line.options}")
    return all(any(_same_word(said, word) for word in shown) for said in _split(text))
