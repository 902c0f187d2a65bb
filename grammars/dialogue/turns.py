"""Reading a customer's turns: words corrected, sentences parted, and every combination of their readings."""

from collections.abc import Sequence
from itertools import product as combinations
from typing import Any

from ecomrlve.grammars.conditions.constraints import (
    AllOf,
    AnyOf,
    AtLeast,
    Between,
    Bound,
    Has,
    Is,
    Not,
    Related,
    canonical,
)
from ecomrlve.grammars.conditions.reader import ConditionReader
from ecomrlve.grammars.engine.grammar import Grammar, Token, TooManyReadings, sentences, tokenize, words
from ecomrlve.grammars.engine.lexicon import Lexicon

Event = tuple[Any, ...]
"""What a sentence adds to a request: its name and its parts."""

_NODES = (Is, Has, Bound, Between, Related, Not, AllOf, AnyOf, AtLeast)
_MOST = 512


def likeness(value: Any) -> Any:
    """A form of an event that is equal for events that say the same.

    >>> likeness(("condition", Not(Has("lid", True)))) == likeness(("condition", Has("lid", False)))
    True
    """
    if isinstance(value, _NODES):
        return canonical(value)
    return tuple(map(likeness, value)) if isinstance(value, tuple) else value


def understood(text: str, lexicon: Lexicon, names: Sequence[str]) -> list[Token]:
    """The tokens of a text with typing errors undone; the names stand as they are.

    >>> [token.norm for token in understood("form Desk page", Lexicon([frozenset({"from", "dusk"})]), ["Desk"])]
    ['from', 'desk', 'page']
    """
    tokens = tokenize(text)
    norms = [token.norm for token in tokens]
    kept = set[int]()
    for name in names:
        phrase = list(words(name))
        for at in range(len(norms)):
            if phrase and norms[at : at + len(phrase)] == phrase:
                kept.update(range(at, at + len(phrase)))
    return [
        token if at in kept else fixed
        for at, (token, fixed) in enumerate(zip(tokens, lexicon.corrected(tokens), strict=True))
    ]


def read_turns(
    turns: Sequence[str], grammar: Grammar, reader: ConditionReader, lexicon: Lexicon, names: Sequence[str]
) -> list[list[Event]]:
    """Every way to understand some turns, each as the events of all their sentences in order.

    Args:
        turns: a customer's messages, oldest first.
        grammar: its symbol ``sentence`` is what a sentence can be, and means a tuple of events.
        reader: the terminals and meanings.
        lexicon: for undoing typing errors.
        names: proper names that no error goes into.

    Raises:
        TooManyReadings: where there are too many to list.
    """
    readings: list[list[tuple[Event, ...]]] = []
    count = 1
    for turn in turns:
        for tokens in sentences(understood(turn, lexicon, names)):
            found: dict[Any, tuple[Event, ...]] = {}
            for events in grammar.read("sentence", tokens, reader.terminals, reader.meanings):
                found.setdefault(likeness(events), events)
            readings.append(list(found.values()))
            count *= len(found)
            if count > _MOST:
                raise TooManyReadings(f"the messages have more than {_MOST} readings")
    return [[event for events in choice for event in events] for choice in combinations(*readings)]
