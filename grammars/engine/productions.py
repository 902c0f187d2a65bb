"""Productions compiled from their tables: format strings for speaking, steps for reading."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ecomrlve.grammars.engine.tokens import SENTENCE_ENDS, words


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a template that another phrase fills."""

    name: str
    symbol: str


# What reading compares at one step: the token sequences that may stand here, or a slot.
Step = tuple[tuple[str, ...], ...] | Slot


@dataclass(frozen=True, slots=True)
class Production:
    """A compiled production.

    Attributes:
        variants: a format string for each combination of its choices of words.
        articles: slots that also appear as ``an_<slot>``, with their article.
        steps: what reading compares, in order.
        slots: names of the slots.
        first: the words it can begin with, None where a slot (or nothing) can come first.
    """

    symbol: str
    meaning: str
    text: str
    weight: int
    styles: frozenset[str]
    when: frozenset[str]
    held_out: bool
    variants: tuple[str, ...]
    articles: tuple[str, ...]
    steps: tuple[Step, ...]
    slots: frozenset[str]
    first: frozenset[str] | None


_SEGMENT = re.compile(r"\{(a/an )?(\w+)(?::(\w+))?\}|\(([^()]*\|[^()]*)\)|([^{}(|)]+)")
_ARTICLES: Step = (("a",), ("an",))


def _compile_text(text: str) -> tuple[list[tuple[str, ...]], list[Step]]:
    """The alternatives of each piece as format strings, and the steps of reading."""
    pieces: list[tuple[str, ...]] = []
    steps: list[Step] = []
    at = 0
    source = text.replace("a/an {", "{a/an ")
    for found in _SEGMENT.finditer(source):
        if found.start() != at:
            break
        at = found.end()
        with_article, name, symbol, choice, plain = found.groups()
        if name:
            pieces.append((f"{{an_{name}}}" if with_article else f"{{{name}}}",))
            slot = Slot(name, symbol or name)
            steps.extend((_ARTICLES, slot) if with_article else (slot,))
        elif plain:
            pieces.append((plain,))
            # A sentence's end mark parts it from the next, so the tokens of one sentence hold none.
            steps.extend(((word,),) for word in words(plain) if word not in SENTENCE_ENDS)
        else:
            options = tuple(choice.split("|"))
            pieces.append(options)
            steps.append(tuple(dict.fromkeys(words(option) for option in options)))
    if at != len(source) or not pieces:
        raise ValueError(f"the production {text!r} cannot be read from {source[at:]!r} on")
    return pieces, steps


def _first_words(steps: Sequence[Step]) -> frozenset[str] | None:
    """The words that can come first, or None where a slot (or nothing) can."""
    first: set[str] = set()
    for step in steps:
        if isinstance(step, Slot):
            return None
        first.update(option[0] for option in step if option)
        if all(step):
            return frozenset(first)
    return None


def compile_production(entry: Mapping[str, Any]) -> Production:
    """A production from its table; a fault in it is a ValueError that shows the text.

    >>> compile_production({"symbol": "s", "meaning": "m", "text": "with a/an {label}"}).slots
    frozenset({'label'})
    """
    text: str = entry["text"]
    unknown = set(entry) - {"symbol", "meaning", "text", "weight", "styles", "when", "held_out"}
    if unknown:
        raise ValueError(f"unknown fields {sorted(unknown)} in the production {text!r}")
    pieces, steps = _compile_text(text)
    names = [step.name for step in steps if isinstance(step, Slot)]
    if len(set(names)) != len(names):
        raise ValueError(f"a slot stands twice in the production {text!r}")
    return Production(
        entry["symbol"],
        entry["meaning"],
        text,
        entry.get("weight", 1),
        frozenset(entry.get("styles", ())),
        frozenset(entry.get("when", ())),
        entry.get("held_out", False),
        tuple("".join(chosen) for chosen in product(*pieces)),
        tuple(name for name in names if (f"{{an_{name}}}",) in pieces),
        tuple(steps),
        frozenset(names),
        _first_words(steps),
    )
