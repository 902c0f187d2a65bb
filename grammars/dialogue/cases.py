"""A customer's question about a shop's rules, with what they tell of their case: rendered, and read back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.conditions.vocabulary import find_integer
from ecomrlve.grammars.dialogue.noise import Utterance
from ecomrlve.grammars.dialogue.references import (
    NamesLexicon,
    common_words,
    currency_vocabulary,
    one,
    reference_terminals,
)
from ecomrlve.grammars.dialogue.sentences import SentenceRealizer, shuffled
from ecomrlve.grammars.dialogue.turns import Parser, parse_turns
from ecomrlve.grammars.engine.dates import parse_day
from ecomrlve.grammars.engine.grammar import (
    Chance,
    Grammar,
    Meaning,
    Production,
    Terminal,
    Token,
    compile_production,
    load_grammar,
    words,
)
from ecomrlve.grammars.terms.form import Fact, Value, facts, topics

_ON_NO_DAY = parse_day("1 January 2026")


@dataclass(frozen=True, slots=True)
class CaseRequest:
    """A question about the rules, as a customer puts it.

    Args:
        topic: what it is about.
        ask: ``"value"``, ``"left"``, ``"within"`` or ``"due"``.
        told: (fact, value) as first said.
        corrections: (fact, value) of each change of mind, in order.
        on_file: whether more stands in the case file.
    """

    topic: str
    ask: str
    told: tuple[tuple[str, Value], ...]
    corrections: tuple[tuple[str, Value], ...] = ()
    on_file: bool = False


@dataclass(frozen=True, slots=True)
class ParsedCase:
    """A question as a listener understands it: topic, what is asked, and the facts told, in the order of their keys."""

    topic: str = ""
    ask: str = ""
    told: tuple[tuple[str, Value], ...] = ()


@lru_cache(maxsize=1)
def case_grammar() -> Grammar:
    """The productions of questions and of every fact."""
    found: list[Production] = list(load_grammar("grammars.dialogue/cases").productions)
    for fact in facts().values():
        for meaning, texts in (("tell", fact.said), ("deny", fact.said_not)):
            for text in texts:
                slot = text.replace("{value}", f"{{value:{_terminal_name(fact)}}}")
                found.append(
                    compile_production({"symbol": "sentence", "meaning": f"{meaning} {fact.key}", "text": slot})
                )
    return Grammar(found)


def _terminal_name(fact: Fact) -> str:
    return {"choice": f"value of {fact.key}".replace(" ", "_"), "money": "price", "number": "count"}.get(fact.kind, "")


def _value_at(fact: Fact) -> Terminal:
    phrases = {value: words(value) for value in fact.values}

    def at(tokens: Sequence[Token], start: int) -> list[tuple[int, str]]:
        return [
            (start + len(phrase), value)
            for value, phrase in phrases.items()
            if tuple(token.norm for token in tokens[start : start + len(phrase)]) == phrase
        ]

    return at


@lru_cache(maxsize=1)
def _parser() -> Parser:
    terminals = dict(reference_terminals(_ON_NO_DAY)) | {"count": find_integer}
    terminals |= {_terminal_name(fact): _value_at(fact) for fact in facts().values() if fact.kind == "choice"}
    meanings: dict[str, Meaning] = {}
    for key, fact in facts().items():
        meanings[f"tell {key}"] = one(key, True) if fact.kind == "yes_no" else _to_fact(key)
        meanings[f"deny {key}"] = one(key, False)
    for topic in topics().values():
        meanings |= {f"ask {topic.key} {ask}": one("ask", (topic.key, ask)) for ask in topic.asks}
    nothing: Meaning = lambda values: [()]  # noqa: E731 - one meaning for all that says nothing
    return Parser(
        terminals, meanings | dict.fromkeys(("on file", "correct", "greeting", "closing", "chatter"), nothing)
    )


def _to_fact(key: str) -> Meaning:
    return lambda values: [((key, values["value"]),)]


@lru_cache(maxsize=1)
def case_lexicon() -> NamesLexicon:
    """The words that a listener to such a question knows.

    >>> case_lexicon().correct("delivrey")
    'delivery'
    """
    names = chain.from_iterable(words(value) for fact in facts().values() for value in fact.values)
    return NamesLexicon(case_grammar().words | common_words(), frozenset(names))


def parse_case(turns: Sequence[str]) -> list[ParsedCase]:
    """Everything that a customer's turns can mean; what is said later stands in place of what was said before.

    >>> parse_case(["Can I still cancel my order? It's been 30 hours since my order."])
    [ParsedCase(topic='cancellation', ask='within', told=(('hours', 30),))]
    """
    found = set()
    for events in parse_turns(turns, case_grammar(), _parser(), case_lexicon()):
        told: dict[str, Any] = dict(events)
        topic, ask = told.pop("ask", ("", ""))
        found.add(ParsedCase(topic, ask, tuple(sorted(told.items()))))
    return sorted(found, key=repr)


def render_value(fact: Fact, value: Value, currency: Currency) -> str:
    """A fact's value as a page or a customer has it.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> (
    ...     render_value(facts()["spend"], 1999, CURRENCIES["USD"]),
    ...     render_value(facts()["bulky"], False, CURRENCIES["USD"]),
    ... )
    ('$19.99', 'no')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return currency.text(int(value)) if fact.kind == "money" else str(value)


class _CaseRealizer(SentenceRealizer):
    """One customer with a question."""

    __slots__ = ()

    def tell(self, key: str, value: Value, currency: Currency) -> str:
        fact = facts()[key]
        if fact.kind == "yes_no":
            return self.sentence(f"{'tell' if value else 'deny'} {key}")
        return self.sentence(f"tell {key}", value=render_value(fact, value, currency))

    def first(self, request: CaseRequest, tell: Callable[[tuple[str, Value]], str]) -> str:
        parts = [*map(tell, shuffled(request.told, self.draws))]
        ask = self.sentence(f"ask {request.topic} {request.ask}")
        parts = [ask, *parts] if self.often(50) else [*parts, ask]
        if self.manner(2):
            parts.insert(self.draws.below(len(parts) + 1), *self.small_talk("chatter") or [self.sentence("closing")])
        if request.on_file:
            parts.append(self.sentence("on file"))
        opening = self.small_talk("greeting") if self.manner(0) else []
        closing = self.small_talk("closing") if self.manner(1) else []
        return self.message([*opening, *parts, *closing])


def render_case(
    request: CaseRequest, currency: Currency, draws: Chance, style: str = "plain", held_out: bool = False
) -> tuple[Utterance, ...]:
    """A question as a customer writes it, then each change of mind, one turn each.

    Args:
        request: what is asked and told.
        currency: of amounts.
        draws: the source of chance.
        style: ``"plain"``, ``"chatty"``, ``"polite"`` or ``"terse"``.
        held_out: use held-out wording where there is any.

    >>> class First:
    ...     def below(self, bound):
    ...         return 0
    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> request = CaseRequest("cancellation", "within", (("hours", 30),))
    >>> render_case(request, CURRENCIES["USD"], First(), "terse")[0].text.split("? ")[1]
    'I ordered 30 hours ago. Thanks.'
    """
    realizer = _CaseRealizer(currency_vocabulary(currency), case_grammar(), draws, style, held_out)
    names: Mapping[str, None] = dict.fromkeys(
        str(value) for _, value in (*request.told, *request.corrections) if isinstance(value, str)
    )

    def tell(one: tuple[str, Value]) -> str:
        return realizer.tell(*one, currency)

    turns = [realizer.first(request, tell)]
    turns += [realizer.message([realizer.sentence("correct"), tell(one)]) for one in request.corrections]
    return tuple(Utterance.of(turn, names) for turn in turns)
