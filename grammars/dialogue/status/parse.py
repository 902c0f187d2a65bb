"""What a customer's words about an order can mean: every reading of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache, reduce
from typing import Any

from ecomrlve.grammars.dialogue.references import (
    NamesLexicon,
    common_words,
    named,
    one,
    reference_meanings,
    reference_terminals,
    stem,
    told,
)
from ecomrlve.grammars.dialogue.status.request import ORDINALS, ParsedStatus, status_grammar
from ecomrlve.grammars.dialogue.turns import Event, Parser, parse_turns
from ecomrlve.grammars.engine.grammar import Meaning

ORDER_WORD = "order"
"""No item is called so: "my order" is always an order."""


def status_lexicon(names: frozenset[str]) -> NamesLexicon:
    """The words that a listener to a question about an order knows, beside the names on the page.

    >>> status_lexicon(frozenset({"lamp"})).correct("waitign")
    'waiting'
    """
    return NamesLexicon(status_grammar().words | common_words(), names)


def parse_status(turns: Sequence[str], names: frozenset[str], today: date) -> list[ParsedStatus]:
    """Everything that a customer's turns can mean; a later turn overrides what it speaks of.

    Args:
        turns: in order.
        names: words of the names on the page.
        today: the day of the message.

    >>> parse_status(["Where is my last order?"], frozenset(), date(2026, 3, 11))[0].references
    frozenset({('last',)})
    """
    parser = Parser(reference_terminals(today), _meanings())
    readings = parse_turns(turns, status_grammar(), parser, status_lexicon(names))
    return sorted({reduce(_told, events, ParsedStatus()) for events in readings}, key=repr)


def _told(parsed: ParsedStatus, event: Event) -> ParsedStatus:
    name, value = event
    if name == "anew":
        return ParsedStatus()
    if name == "words":
        return replace(parsed, words=parsed.words | value)
    if name == "order":
        return replace(parsed, references=parsed.references | {value})
    if name == "not":
        for kind, old in value:
            if kind == "words":
                parsed = replace(parsed, words=parsed.words - old)
            elif kind == "order":
                parsed = replace(parsed, references=parsed.references - {old})
        return parsed
    return replace(parsed, **{name: value})


def _head(*slots: str) -> Meaning:
    """A name that is no order's."""
    plain = named(*slots)

    def meaning(values: Mapping[str, Any]) -> Any:
        return () if any(stem(word) == ORDER_WORD for slot in slots for word in values[slot]) else plain(values)

    return meaning


def _reference(kind: str, slot: str) -> Meaning:
    return lambda values: [(("order", (kind, values[slot])),)]


def _exchanged(values: Mapping[str, Any]) -> Any:
    """What was said before is not meant, something else is."""
    return [(("not", values["old"]), *values["new"])]


@lru_cache(maxsize=1)
def _meanings() -> Mapping[str, Meaning]:
    """What each production makes of its slots: events, names, or what it hands on."""
    found = reference_meanings() | {
        "head": _head("item"),
        "head of a look": _head("look", "item"),
        "plain order": lambda values: [()],
        "known order": told("order"),
        "known order with traits": told("order", "traits"),
        "order with traits": told("traits"),
        "trait": told("trait"),
        "more traits": told("trait", "rest"),
        "destination": _reference("destination", "city"),
        "gift": _reference("gift", "person"),
        "total": _reference("total", "price"),
        "contents": told("thing"),
        "from consignment": told("consignment"),
        "ask line": told("thing", about="line"),
        "ask order": told("consignment", about="order"),
        "another line": lambda values: [(("anew", None), *values["thing"], ("about", "line"))],
        "another order": lambda values: [(("anew", None), *values["consignment"], ("about", "order"))],
        "detail line": told("mark"),
        "detail order": told("trait"),
        "other mark": _exchanged,
        "other trait": _exchanged,
        "other order": _exchanged,
        "denied": one("denied", True),
    }
    found["placed in"], found["placed now"] = found["ordered in"], found["ordered now"]
    found |= {kind: one("order", (kind,)) for kind in ORDINALS}
    found |= dict.fromkeys(("waiting", "see form", "greeting", "closing", "chatter"), lambda values: [()])
    return found
