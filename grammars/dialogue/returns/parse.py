"""What a customer's words about a return can mean: every reading of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from itertools import product
from typing import Any

from ecomrlve.grammars.conditions.attributes import CURRENCIES
from ecomrlve.grammars.conditions.vocabulary import find_integer, number_value
from ecomrlve.grammars.dialogue.returns.request import (
    LONGEST_NAME,
    MANNERS,
    NUMBER_WORDS,
    THIS_MONTH,
    Heard,
    return_grammar,
    stem,
    stops,
)
from ecomrlve.grammars.engine.dates import MONTHS
from ecomrlve.grammars.engine.grammar import Meaning, Terminal, Token, sentences, tokenize, words
from ecomrlve.grammars.engine.lexicon import Lexicon
from ecomrlve.grammars.policy.rules import CONDITIONS, REASONS


class ReturnLexicon(Lexicon):
    """The words that a listener knows: those of the productions, and the names on the page.

    Only the former are taken for what an unknown word was meant to be: a name is never guessed.

    Args:
        names: words of the titles and options on the page.

    >>> lexicon = ReturnLexicon(frozenset({"lamp"}))
    >>> lexicon.correct("retrun"), lexicon.correct("lamb")
    ('return', 'lamb')
    """

    __slots__ = ("_names",)

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__([_grammar_words()])
        self._names = names

    def knows(self, word: str) -> bool:
        """Whether a word is one of the productions', or a name's."""
        return word in self._names or super().knows(word)


@lru_cache(maxsize=1)
def _grammar_words() -> frozenset[str]:
    signs = {word for currency in CURRENCIES.values() for word in words(currency.symbol)}
    months = {month.lower() for month in MONTHS} | set(THIS_MONTH)
    return return_grammar().words | months | set(NUMBER_WORDS[1:]) | signs


def _tries(tokens: list[Token], lexicon: Lexicon) -> Iterator[list[Token]]:
    """A sentence with its unknown words corrected, then with all but one of them: that one may be a strange name."""
    corrected = lexicon.corrected(tokens)
    yield corrected
    for at, token in enumerate(corrected):
        if token is not tokens[at]:
            yield [*corrected[:at], tokens[at], *corrected[at + 1 :]]


def read_return(turns: Sequence[str], names: frozenset[str], today: date) -> list[Heard]:
    """Everything that a customer's turns can mean; a later turn overrides what it speaks of.

    Args:
        turns: in order.
        names: words of the titles and options on the page.
        today: the day of the message.

    >>> heard = read_return(["I'd like a refund for the rain jacket in navy."], frozenset(), date(2026, 3, 11))
    >>> [sorted(one.words) for one in heard], heard[0].version
    ([['jacket', 'navy', 'rain']], None)
    """
    lexicon = ReturnLexicon(names)
    meanings, terminals = _meanings(), _terminals(today)
    found = {Heard()}
    for turn in turns:
        for sentence in sentences(tokenize(turn)):
            tries = (return_grammar().read("sentence", one, terminals, meanings) for one in _tries(sentence, lexicon))
            readings = set(next((readings for readings in tries if readings), ()))
            found = {_told(heard, reading) for heard, reading in product(found, readings)}
    return sorted(found, key=repr)


Facts = tuple[tuple[str, Any], ...]


def _told(heard: Heard, facts: Facts) -> Heard:
    for name, value in facts:
        if name == "words":
            heard = replace(heard, words=heard.words | value)
        elif name == "not words":
            heard = replace(heard, words=heard.words - value)
        else:
            heard = replace(heard, **{name: value})
    return heard


def _name_at(tokens: Sequence[Token], at: int) -> list[tuple[int, tuple[str, ...]]]:
    """Names from a position on: a quoted one, or any run of words that could be one."""
    first = tokens[at].norm
    if first.startswith('"'):
        return [(at + 1, tuple(first[1:].split(" ")))]
    found = []
    for end in range(at, min(at + LONGEST_NAME, len(tokens))):
        norm = tokens[end].norm
        if norm in stops() or not (norm[0].isalnum() or norm == "&"):
            break
        found.append((end + 1, tuple(token.norm for token in tokens[at : end + 1])))
    return found


def _terminals(today: date) -> Mapping[str, Terminal]:
    months = {month.lower(): number + 1 for number, month in enumerate(MONTHS)}

    def year_at(tokens: Sequence[Token], at: int) -> int | None:
        return int(tokens[at].norm) if at < len(tokens) and re.fullmatch(r"20\d\d", tokens[at].norm) else None

    def month_at(tokens: Sequence[Token], at: int) -> list[tuple[int, tuple[int, int]]]:
        number = months.get(tokens[at].norm) if at < len(tokens) else None
        if number is None:
            return []
        year = year_at(tokens, at + 1)
        if year is not None:
            return [(at + 2, (year, number))]
        return [(at + 1, (today.year - (number > today.month), number))]

    def now_at(tokens: Sequence[Token], at: int) -> list[tuple[int, tuple[int, int]]]:
        end = at + len(THIS_MONTH)
        said = tuple(token.norm for token in tokens[at:end])
        return [(end, (today.year, today.month))] if said == THIS_MONTH else []

    def date_at(tokens: Sequence[Token], at: int) -> list[tuple[int, date]]:
        found = month_at(tokens, at + 1)
        if not found or not tokens[at].norm.isdigit():
            return []
        end, (year, month) = found[0]
        try:
            day = date(year, month, int(tokens[at].norm))
            # This month's days after today were those of the year before.
            return [(end, day if day <= today or end == at + 3 else day.replace(year=year - 1))]
        except ValueError:
            return []

    def price_at(tokens: Sequence[Token], at: int) -> list[tuple[int, int]]:
        # A shop always writes all decimals of its currency, so the digits say the amount; its sign stands before.
        for start in range(at, min(at + 4, len(tokens))):
            norm = tokens[start].norm
            if norm[0].isdigit() and number_value(norm) is not None:
                return [(start + 1, int(re.sub(r"\D", "", norm)))]
            if norm in stops():
                break
        return []

    return {
        "name": _name_at,
        "month": month_at,
        "now": now_at,
        "date": date_at,
        "price": price_at,
        "count": find_integer,
        "bought": find_integer,
    }


@lru_cache(maxsize=1)
def _meanings() -> Mapping[str, Meaning]:
    """What each production makes of its slots: facts, names, or what it hands on."""

    def named(*slots: str) -> Meaning:
        return lambda values: [(("words", frozenset(stem(word) for slot in slots for word in values[slot])),)]

    def one(name: str, value: Any) -> Meaning:
        return lambda values: [((name, value),)]

    def told(*parts: str, **facts: Any) -> Meaning:
        """The facts of some slots, and others."""
        return lambda values: [(*(fact for part in parts for fact in values[part]), *facts.items())]

    def to_order(kind: str, slot: str) -> Meaning:
        return lambda values: [(("order", (kind, *_parts(values[slot]))),)]

    found: dict[str, Meaning] = {
        "thing": told("head"),
        "marked thing": told("head", "marks"),
        "head": named("item"),
        "head of a look": named("look", "item"),
        "mark": told("mark"),
        "more marks": told("mark", "rest"),
        "maker": named("maker"),
        "order": told("order"),
        "ordered in": to_order("month", "month"),
        "ordered now": to_order("month", "now"),
        "delivered on": to_order("delivered", "date"),
        "price": lambda values: [(("price", values["price"]),)],
        "last": one("order", ("last",)),
        "before last": one("order", ("before last",)),
        "placed on": to_order("placed", "date"),
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
    found |= {f"look {manner}": named("look") for manner in MANNERS}
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


def _parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
