"""What customers say of something they send back, as data, and the grammar and names of its words.

`ecomrlve.grammars.dialogue.returns.render` puts a request into words, `ecomrlve.grammars.dialogue.returns.parse`
reads them back.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, Literal

from ecomrlve.grammars.engine.dates import MONTHS
from ecomrlve.grammars.engine.grammar import Grammar, compile_production, words
from ecomrlve.grammars.engine.tables import load_table

OrderReference = tuple[Any, ...]
"""``("last",)``, ``("before last",)``, ``("placed", date)``, ``("delivered", date)`` or ``("month", year, month)``."""

_BRACKETS = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
THIS_MONTH = ("this", "month")
"""How the current month is said."""
# Beyond this age a day or month is said with its year.
_YEAR_FROM = 330
MANNERS = ("in", "size", "made of", "finished in", "upholstered in", "set with", "scented with", "version")
"""Ways to say an option after the noun: the words before it, and around it for a size or a version."""
LONGEST_NAME = 7
"""Words in a name that is not quoted, at most."""
NUMBER_WORDS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class ReturnRequest:
    """What a customer says of a return, in the words said.

    Args:
        item: what it is called, such as ``"rain jacket"``.
        looks: options said of it, such as ``("charcoal", "M")``.
        manners: how each of those options, and of the version's, is said, by `MANNERS`; plainly where it is not here.
        maker: its brand, or ``""``.
        order: which order it was in, or None.
        price: unit price said, minor units, or None.
        bought: units on the line, for the words "two of the three"; 1 where nothing is said of number.
        count: units that come back, or None where that is not said.
        wish: money or an exchange.
        version: options wanted in exchange; empty for the same again.
        reason: one of `policy_rules.REASONS`, or None where it is not said.
        condition: one of `policy_rules.CONDITIONS`, or None where it is not said.
        worn: whether it is something to wear.
        many: whether what comes back is several, or a pair.
    """

    item: str
    looks: tuple[str, ...] = ()
    manners: Mapping[str, str] = field(default_factory=dict)
    maker: str = ""
    order: OrderReference | None = None
    price: int | None = None
    bought: int = 1
    count: int | None = None
    wish: Literal["money", "exchange"] = "money"
    version: tuple[str, ...] = ()
    reason: str | None = None
    condition: str | None = None
    worn: bool = False
    many: bool = False

    def heard(self) -> "Heard":
        """What a listener knows of the request."""
        said = [*words(self.item), *words(self.maker), *(word for look in self.looks for word in words(look))]
        version = frozenset(words(value) for value in self.version) if self.wish == "exchange" else None
        return Heard(
            frozenset(map(stem, said)), self.order, self.price, self.count, version, self.reason, self.condition
        )


@dataclass(frozen=True, slots=True)
class ReturnCorrection:
    """A change of mind about a `ReturnRequest`.

    Args:
        target: the number, the wish (with its version), one option of the thing itself, or its state.
        request: as it stands afterwards.
        old: for an option of the thing, the one said before.
        new: for an option of the thing, the one meant.
    """

    target: Literal["count", "wish", "look", "condition"]
    request: ReturnRequest
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """A return as a listener understands it: what the words say, without how they say it.

    Args:
        words: stems that the line's title or options must hold.
        order: which order, or None.
        price: unit price, or None.
        count: units that come back, None where nothing is said.
        version: words of each option wanted in exchange; None where money is wanted.
        reason: or None.
        condition: or None.
    """

    words: frozenset[str] = frozenset()
    order: OrderReference | None = None
    price: int | None = None
    count: int | None = None
    version: frozenset[tuple[str, ...]] | None = None
    reason: str | None = None
    condition: str | None = None


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
def return_grammar() -> Grammar:
    """The productions for returns; what stands in brackets makes one production for each number."""
    entries = []
    for group in load_table("grammars.dialogue.returns/returns")["production"]:
        rest = {key: value for key, value in group.items() if key != "texts"}
        for text in group["texts"]:
            if not _BRACKETS.search(text):
                entries.append({**rest, "text": text})
                continue
            for place, flag in ((1, "one"), (2, "many")):
                shown = _BRACKETS.sub(lambda match, place=place: match[place], text)  # type: ignore[misc]
                entries.append({**rest, "text": shown, "when": [*rest.get("when", ()), flag]})
    return Grammar(map(compile_production, entries))


@lru_cache(maxsize=1)
def stops() -> frozenset[str]:
    """Words that end a name, unless it is quoted."""
    return frozenset(load_table("grammars.dialogue.returns/returns")["stops"])


@lru_cache(maxsize=65536)
def said_name(name: str) -> str:
    """A name as a sentence holds it: in quotation marks where a word of it would end it.

    >>> said_name("rain jacket"), said_name("Lamp in a Box")
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


def day_said(day: date, today: date) -> str:
    """A day as a customer says it: without its year where it is recent.

    >>> day_said(date(2026, 2, 19), date(2026, 3, 11)), day_said(date(2025, 3, 2), date(2026, 3, 11))
    ('19 February', '2 March 2025')
    """
    text = f"{day.day} {MONTHS[day.month - 1]}"
    return text if (today - day).days < _YEAR_FROM else f"{text} {day.year}"


def month_said(year: int, month: int, today: date) -> str:
    """A month as a customer says it.

    >>> month_said(2026, 2, date(2026, 3, 11))
    'February'
    """
    recent = (today - date(year, month, 1)).days < _YEAR_FROM
    return MONTHS[month - 1] if recent else f"{MONTHS[month - 1]} {year}"


def number_said(number: int) -> str:
    """A count as people write it.

    >>> number_said(3), number_said(12)
    ('three', '12')
    """
    return NUMBER_WORDS[number] if number < len(NUMBER_WORDS) else str(number)
