"""Reading a customer's turns: words corrected, sentences parted, and every combination of their readings."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product as combinations
from typing import Any, NamedTuple

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
from ecomrlve.grammars.engine.grammar import (
    Grammar,
    Meaning,
    Terminal,
    Token,
    TooManyReadings,
    sentences,
    tokenize,
    words,
)
from ecomrlve.grammars.engine.lexicon import Lexicon

Event = tuple[Any, ...]
"""What a sentence adds to a request: its name and its parts."""

_NODES = (Is, Has, Bound, Between, Related, Not, AllOf, AnyOf, AtLeast)
_MOST = 512


def canonical_event(value: Any) -> Any:
    """A form of an event that is equal for events that say the same.

    >>> canonical_event(("condition", Not(Has("lid", True)))) == canonical_event(("condition", Has("lid", False)))
    True
    """
    if isinstance(value, _NODES):
        return canonical(value)
    return tuple(map(canonical_event, value)) if isinstance(value, tuple) else value


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


class Parser(NamedTuple):
    """The phrases that are no production, and what the productions mean."""

    terminals: Mapping[str, Terminal]
    meanings: Mapping[str, Meaning]


def _tries(corrected: list[Token], plain: Mapping[int, Token]) -> Iterator[list[Token]]:
    """A sentence with its unknown words corrected, then with all but one of them: that one may be a strange name."""
    yield corrected
    for at, token in enumerate(corrected):
        if plain[token.start] is not token:
            yield [*corrected[:at], plain[token.start], *corrected[at + 1 :]]


def parse_turns(
    turns: Sequence[str], grammar: Grammar, parser: Parser, lexicon: Lexicon, names: Sequence[str] = ()
) -> list[list[Event]]:
    """Every way to understand some turns, each as the events of all their sentences in order.

    Args:
        turns: a customer's messages, oldest first.
        grammar: its symbol ``sentence`` is what a sentence can be, and means a tuple of events.
        parser: the terminals and meanings.
        lexicon: for undoing typing errors.
        names: proper names that no error goes into.

    Raises:
        TooManyReadings: where there are too many to list.
    """
    readings: list[list[tuple[Event, ...]]] = []
    count = 1
    for turn in turns:
        plain = {token.start: token for token in tokenize(turn)}
        for tokens in sentences(understood(turn, lexicon, names)):
            tries = (grammar.read("sentence", one, parser.terminals, parser.meanings) for one in _tries(tokens, plain))
            found: dict[Any, tuple[Event, ...]] = {}
            for events in next((readings for readings in tries if readings), ()):
                found.setdefault(canonical_event(events), events)
            readings.append(list(found.values()))
            count *= len(found)
            if count > _MOST:
                raise TooManyReadings(f"the messages have more than {_MOST} readings")
    return [[event for events in choice for event in events] for choice in combinations(*readings)]
