"""How customers speak of something they bought and of the order it was in: rendered, and parsed back.

What is said of a thing is its name, its options, its maker, its price, and its order; requests of several kinds (a
return, a question about a delivery) share these words.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Protocol

from ecomrlve.grammars.conditions.attributes import CURRENCIES, Currency
from ecomrlve.grammars.conditions.vocabulary import Vocabulary, find_integer, number_value
from ecomrlve.grammars.dialogue.sentences import SentenceRealizer, shuffled
from ecomrlve.grammars.engine.dates import MONTHS
from ecomrlve.grammars.engine.grammar import Meaning, Terminal, Token, words
from ecomrlve.grammars.engine.lexicon import Lexicon
from ecomrlve.grammars.engine.tables import load_table

TABLE = "grammars.dialogue/references"
"""The address of the productions; a request's own grammar is loaded together with them."""

OrderReference = tuple[Any, ...]
"""``("last",)``, ``("before last",)``, ``("placed", date)``, ``("delivered", date)`` or ``("month", year, month)``."""

PREPOSITIONS = ("in", "size", "made of", "finished in", "upholstered in", "set with", "scented with", "version")
"""Ways to say an option after the noun: the words before it, and around it for a size or a version."""
LONGEST_NAME = 7
"""Words in a name that is not quoted, at most."""
NUMBER_WORDS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
THIS_MONTH = ("this", "month")
"""How the current month is said."""
# Beyond this age a day or month is said with its year.
_YEAR_FROM = 330
_ONLY_CLAUSE = frozenset({"only clause"})


# --- names, days and numbers ------------------------------------------------------------------------------------------


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without the mark of its plural, so that "jackets" and "jacket" are one.

    >>> [stem(word) for word in ("shoes", "batteries", "dresses", "glass", "xs")]
    ['shoe', 'battery', 'dress', 'glass', 'xs']
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@lru_cache(maxsize=65536)
def stems(text: str) -> frozenset[str]:
    """The stems of a text's words.

    >>> sorted(stems("Orvane rain jacket"))
    ['jacket', 'orvane', 'rain']
    """
    return frozenset(map(stem, words(text)))


@lru_cache(maxsize=1)
def stops() -> frozenset[str]:
    """Words that end a name, unless it is quoted."""
    return frozenset(load_table(TABLE)["stops"])


@lru_cache(maxsize=65536)
def quoted_name(name: str) -> str:
    """A name as a sentence holds it: in quotation marks where a word of it would end it.

    >>> quoted_name("rain jacket"), quoted_name("Lamp in a Box")
    ('rain jacket', '"Lamp in a Box"')
    """
    parts = words(name)
    risky = (
        any(part in stops() or not (part[0].isalnum() or part == "&") for part in parts) or len(parts) > LONGEST_NAME
    )
    return f'"{name}"' if risky or name != name.strip() else name


def can_name(name: str) -> bool:
    """Whether a name can be said and heard.

    >>> can_name("rain jacket"), can_name('9" pan')
    (True, False)
    """
    return bool(words(name)) and not any(mark in name for mark in '"“”\n')


def render_recent_day(day: date, today: date) -> str:
    """A day as a customer says it: without its year where it is recent.

    >>> render_recent_day(date(2026, 2, 19), date(2026, 3, 11)), render_recent_day(date(2025, 3, 2), date(2026, 3, 11))
    ('19 February', '2 March 2025')
    """
    text = f"{day.day} {MONTHS[day.month - 1]}"
    return text if (today - day).days < _YEAR_FROM else f"{text} {day.year}"


def render_month(year: int, month: int, today: date) -> str:
    """A month as a customer says it.

    >>> render_month(2026, 2, date(2026, 3, 11))
    'February'
    """
    recent = (today - date(year, month, 1)).days < _YEAR_FROM
    return MONTHS[month - 1] if recent else f"{MONTHS[month - 1]} {year}"


def render_number(number: int) -> str:
    """A count as people write it.

    >>> render_number(3), render_number(12)
    ('three', '12')
    """
    return NUMBER_WORDS[number] if number < len(NUMBER_WORDS) else str(number)


# --- rendered --------------------------------------------------------------------------------------------------------


class Described(Protocol):
    """What is said of a thing.

    Attributes:
        item: what it is called, such as ``"rain jacket"``.
        looks: options said of it, such as ``("charcoal", "M")``.
        prepositions: how each option is said, by `PREPOSITIONS`; plainly where it is not here.
        maker: its brand, or ``""``.
        order: which order it was in, or None.
        price: unit price said, minor units, or None.
    """

    @property
    def item(self) -> str: ...  # noqa: D102
    @property
    def looks(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def prepositions(self) -> Mapping[str, str]: ...  # noqa: D102
    @property
    def maker(self) -> str: ...  # noqa: D102
    @property
    def order(self) -> OrderReference | None: ...  # noqa: D102
    @property
    def price(self) -> int | None: ...  # noqa: D102


@dataclass(slots=True)
class ReferenceRealizer:
    """One customer who speaks of things they bought.

    Args:
        realizer: of their sentences.
        currency: of prices.
        today: the day of the message.
    """

    realizer: SentenceRealizer
    currency: Currency
    today: date

    def thing(self, described: Described) -> str:
        """The noun phrase: an option before the noun at times, after it the rest: options, maker, price, order."""
        say = self.realizer.say
        looks = list(described.looks)
        item = quoted_name(described.item)
        if looks and _goes_before(looks[0], described) and self.realizer.often(50):
            head = say("head", "head of a look", look=looks.pop(0), item=item)
        else:
            head = say("head", "head", item=item)
        # Options stay together: "in green in the 5 m version by Acme".
        marks = shuffled([self.look(described, look) for look in looks], self.realizer.draws)
        if described.maker:
            marks.insert(len(marks) * self.realizer.often(50), say("mark", "maker", maker=quoted_name(described.maker)))
        if described.price is not None:
            only = frozenset() if described.order and described.order[0] in ("month", "delivered") else _ONLY_CLAUSE
            marks.append(say("mark", "price", only, price=self.currency.text(described.price)))
        if described.order is not None:
            marks.append(self.order(described.order))
        if not marks:
            return say("thing", "thing", head=head)
        chain = say("marks", "mark", mark=marks[-1])
        for mark in reversed(marks[:-1]):
            chain = say("marks", "more marks", mark=mark, rest=chain)
        return say("thing", "marked thing", head=head, marks=chain)

    def look(self, described: Described, look: str) -> str:
        """An option, as a mark of the thing."""
        return self.realizer.say("mark", f"look {described.prepositions.get(look, 'in')}", look=quoted_name(look))

    def order(self, order: OrderReference) -> str:
        """Which order, as a mark of the thing."""
        say = self.realizer.say
        if order[0] == "month" and order[1:] == (self.today.year, self.today.month):
            return say("mark", "ordered now", now=" ".join(THIS_MONTH))
        if order[0] == "month":
            return say("mark", "ordered in", month=render_month(order[1], order[2], self.today))
        if order[0] == "delivered":
            return say("mark", "delivered on", date=render_recent_day(order[1], self.today))
        if order[0] == "placed":
            return say("mark", "order", order=say("order", "placed on", date=render_recent_day(order[1], self.today)))
        return say("mark", "order", order=say("order", order[0]))


def _goes_before(look: str, described: Described) -> bool:
    """Whether an option reads well before the noun: "the navy rain jacket"."""
    return (
        described.prepositions.get(look, "in") == "in"
        and look.replace(" ", "").isalpha()
        and look.islower()
        and quoted_name(look) == look
    )


@lru_cache(maxsize=16)
def currency_vocabulary(currency: Currency) -> Vocabulary:
    """A vocabulary of a currency alone, for sentences that speak of no detail of a product."""
    return Vocabulary({}, {}, {}, currency)


# --- parsed ----------------------------------------------------------------------------------------------------------


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


def reference_terminals(today: date) -> Mapping[str, Terminal]:
    """The phrases that are no production: names, months, days, prices and counts, as said on a day."""
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


def reference_meanings() -> dict[str, Meaning]:
    """What each production about a thing or an order makes of its slots: events, or what it hands on."""
    found: dict[str, Meaning] = {
        "thing": told("head"),
        "marked thing": told("head", "marks"),
        "head": named("item"),
        "head of a look": named("look", "item"),
        "mark": told("mark"),
        "more marks": told("mark", "rest"),
        "maker": named("maker"),
        "order": told("order"),
        "ordered in": _to_order("month", "month"),
        "ordered now": _to_order("month", "now"),
        "delivered on": _to_order("delivered", "date"),
        "price": lambda values: [(("price", values["price"]),)],
        "last": one("order", ("last",)),
        "before last": one("order", ("before last",)),
        "placed on": _to_order("placed", "date"),
    }
    return found | {f"look {preposition}": named("look") for preposition in PREPOSITIONS}


def named(*slots: str) -> Meaning:
    """The words of some slots, each a name."""
    return lambda values: [(("words", frozenset(stem(word) for slot in slots for word in values[slot])),)]


def one(name: str, value: Any) -> Meaning:
    """One event, whatever the slots."""
    return lambda values: [((name, value),)]


def told(*parts: str, **facts: Any) -> Meaning:
    """The events of some slots, and others."""
    return lambda values: [(*(fact for part in parts for fact in values[part]), *facts.items())]


def _to_order(kind: str, slot: str) -> Meaning:
    def meaning(values: Mapping[str, Any]) -> list[Any]:
        value = values[slot]
        return [(("order", (kind, *(value if isinstance(value, tuple) else (value,)))),)]

    return meaning


class NamesLexicon(Lexicon):
    """The words that a listener knows: those of some productions, and the names on the page.

    Only the former are taken for what an unknown word was meant to be: a name is never guessed.

    Args:
        literals: of the productions.
        names: words of the titles and options on the page.

    >>> lexicon = NamesLexicon(frozenset({"return"}), frozenset({"lamp"}))
    >>> lexicon.correct("retrun"), lexicon.correct("lamb"), lexicon.knows("lamps")
    ('return', 'lamb', True)
    """

    __slots__ = ("_names", "_stems")

    def __init__(self, literals: frozenset[str], names: frozenset[str]) -> None:
        super().__init__([literals])
        self._names = names
        self._stems = frozenset(map(stem, names))

    def knows(self, word: str) -> bool:
        """Whether a word is one of the productions', or a name's."""
        # Of what the page names once, customers who bought two speak in the plural.
        return word in self._names or super().knows(word) or stem(word) in self._stems


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """The words of months, numbers and currencies, which no production holds."""
    signs = {word for currency in CURRENCIES.values() for word in words(currency.symbol)}
    months = {month.lower() for month in MONTHS} | set(THIS_MONTH)
    return frozenset(months | set(NUMBER_WORDS[1:]) | signs)
