"""What a customer's words about a return can mean: every reading of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache, reduce

from ecomrlve.grammars.dialogue.references import (
    NamesLexicon,
    common_words,
    one,
    reference_meanings,
    reference_terminals,
    told,
)
from ecomrlve.grammars.dialogue.returns.request import ParsedReturn, return_grammar
from ecomrlve.grammars.dialogue.turns import Event, Parser, parse_turns
from ecomrlve.grammars.engine.grammar import Meaning
from ecomrlve.grammars.policy.rules import CONDITIONS, REASONS


def return_lexicon(names: frozenset[str]) -> NamesLexicon:
    """The words that a listener to a return knows, beside the names on the page.

    >>> return_lexicon(frozenset({"lamp"})).correct("retrun")
    'return'
    """
    return NamesLexicon(return_grammar().words | common_words(), names)


def parse_return(turns: Sequence[str], names: frozenset[str], today: date) -> list[ParsedReturn]:
    """Everything that a customer's turns can mean; a later turn overrides what it speaks of.

    Args:
        turns: in order.
        names: words of the titles and options on the page.
        today: the day of the message.

    >>> parsed = parse_return(["I'd like a refund for the rain jacket in navy."], frozenset(), date(2026, 3, 11))
    >>> [sorted(one.words) for one in parsed], parsed[0].version
    ([['jacket', 'navy', 'rain']], None)
    """
    parser = Parser(reference_terminals(today), _meanings())
    readings = parse_turns(turns, return_grammar(), parser, return_lexicon(names))
    return sorted({reduce(_told, events, ParsedReturn()) for events in readings}, key=repr)


def _told(parsed: ParsedReturn, event: Event) -> ParsedReturn:
    name, value = event
    if name == "words":
        return replace(parsed, words=parsed.words | value)
    if name == "not words":
        return replace(parsed, words=parsed.words - value)
    return replace(parsed, **{name: value})


@lru_cache(maxsize=1)
def _meanings() -> Mapping[str, Meaning]:
    """What each production makes of its slots: events, names, or what it hands on."""
    found = reference_meanings() | {
        "version": lambda values: [values["values"]],
        "same again": lambda values: [frozenset()],
        "about": told("thing"),
        "about money": told("thing", version=None),
        "about exchange": lambda values: [(*values["thing"], ("version", values["version"]))],
        "some of": lambda values: [(("count", values["count"]),)],
        "all of": lambda values: [(("count", values["bought"]),)],
        "both": one("count", 2),
        "recount both": one("count", 2),
        "recount": lambda values: [(("count", values["count"]),)],
        "other look": lambda values: [(("not words", dict(values["old"]).get("words", frozenset())), *values["look"])],
    }
    for manner in ("in", "size", "version"):
        found[f"value {manner}"] = lambda values: [frozenset({values["value"]})]
        found[f"more values {manner}"] = lambda values: [values["rest"] | {values["value"]}]
    for again in ("", " again"):
        found[f"money{again}"] = one("version", None)
        found[f"exchange{again}"] = lambda values: [(("version", values["version"]),)]
    found |= {f"reason {reason}": one("reason", reason) for reason in REASONS}
    found |= {f"condition {condition}": one("condition", condition) for condition in CONDITIONS}
    found |= dict.fromkeys(
        ("see form", "state again", "sealed after all", "greeting", "closing", "chatter"), lambda values: [()]
    )
    return found
