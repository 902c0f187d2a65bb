"""One template grammar for both directions: productions kept as data render a meaning, and parse its words back.

A production is a table in a TOML file::

    [[production]]
    symbol = "modifier"  # what it is an instance of
    meaning = "bound_label"  # what it says: a name that code gives and interprets
    text = "with a/an {label} of {limit}"
    weight = 4  # optional, default 1
    styles = ["plain", "chatty"]  # optional: only for these writing styles
    when = ["one"]  # optional: only when the caller sets all of these flags
    held_out = true  # optional: rendered only where held-out wording is asked for

In ``text``, ``{name}`` is a slot, parsed by the symbol or the terminal of that name (``{last:value}`` is a slot
``last`` parsed by ``value``); ``(please|kindly|)`` is a choice of plain words, one of which may be empty;
``a/an`` before a slot becomes the right article. The same productions serve `Grammar.say` and `Grammar.read`, so
what can be said can be read; reading returns every derivation, so a text with two meanings shows itself.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from ecomrlve.errors import EcomrlveError
from ecomrlve.grammars.engine.productions import Production, Slot, compile_production
from ecomrlve.grammars.engine.tables import load_table
from ecomrlve.grammars.engine.tokens import (
    PUNCTUATION,
    SENTENCE_ENDS,
    Token,
    article,
    sentences,
    tokenize,
    words,
)

__all__ = [
    "PUNCTUATION",
    "SENTENCE_ENDS",
    "Chance",
    "Grammar",
    "Meaning",
    "Production",
    "Slot",
    "Terminal",
    "Token",
    "TooManyReadings",
    "article",
    "compile_production",
    "load_grammar",
    "sentences",
    "tokenize",
    "words",
]


class Chance(Protocol):
    """What the engine needs of a source of random draws."""

    def below(self, bound: int) -> int:
        """An integer in [0, bound)."""


class TooManyReadings(EcomrlveError):
    """A text whose derivations outgrew the limit; no text of the shipped grammars does."""


# --- the grammar -----------------------------------------------------------------------------------------------------

Terminal = Callable[[Sequence[Token], int], Iterable[tuple[int, Any]]]
"""From tokens and a position: where a phrase that starts there can end, and what it means."""

Meaning = Callable[[Mapping[str, Any]], Iterable[Any]]
"""From the values of a production's slots: what it can mean (nothing where the slots do not go together)."""

_NO_FLAGS: frozenset[str] = frozenset()


class Grammar:
    """Productions, indexed for rendering and for reading.

    Args:
        productions: in any order; a symbol may not begin with itself.

    >>> grammar = Grammar(
    ...     [
    ...         compile_production({"symbol": "wish", "meaning": "color", "text": "(please,|) in {color}"}),
    ...     ]
    ... )
    >>> class First:
    ...     def below(self, bound):
    ...         return 0
    >>> grammar.say("wish", "color", {"color": "red"}, First())
    'please, in red'
    >>> terminals = {"color": lambda tokens, at: [(at + 1, tokens[at].norm)]}
    >>> grammar.read("wish", tokenize("in red"), terminals, {"color": lambda slots: [slots["color"]]})
    ['red']
    """

    def __init__(self, productions: Iterable[Production]) -> None:
        self.productions = tuple(productions)
        self.by_symbol: dict[str, list[Production]] = {}
        for production in self.productions:
            self.by_symbol.setdefault(production.symbol, []).append(production)
        self._choices: dict[tuple[Any, ...], tuple[list[Production], list[int]]] = {}
        self._openings: dict[str, dict[str | None, list[Production]]] = {
            symbol: self._by_opening(members) for symbol, members in self.by_symbol.items()
        }
        self._refuse_left_recursion()
        self.words: frozenset[str] = frozenset(
            word
            for production in self.productions
            for step in production.steps
            if not isinstance(step, Slot)
            for option in step
            for word in option
        )

    @staticmethod
    def _by_opening(members: Sequence[Production]) -> dict[str | None, list[Production]]:
        openings: dict[str | None, list[Production]] = {None: []}
        for production in members:
            for word in (None,) if production.first is None else production.first:
                openings.setdefault(word, []).append(production)
        return openings

    def _refuse_left_recursion(self) -> None:
        corners: dict[str, set[str]] = {}
        for production in self.productions:
            for step in production.steps:
                if isinstance(step, Slot):
                    corners.setdefault(production.symbol, set()).add(step.symbol)
                    break
                if all(step):
                    break
        for start in corners:
            reached, waiting = set[str](), list(corners[start])
            while waiting:
                symbol = waiting.pop()
                if symbol == start:
                    raise ValueError(f"the symbol {start!r} can begin with itself")
                if symbol not in reached:
                    reached.add(symbol)
                    waiting.extend(corners.get(symbol, ()))

    def can_say(
        self,
        symbol: str,
        meaning: str,
        slots: Iterable[str],
        *,
        style: str = "",
        held_out: bool = False,
        when: frozenset[str] = _NO_FLAGS,
    ) -> bool:
        """Whether a production has this meaning with exactly these slots, for this style and these flags."""
        return bool(self._candidates((symbol, meaning, tuple(slots), style, held_out, when))[0])

    def say(
        self,
        symbol: str,
        meaning: str,
        slots: Mapping[str, str],
        draws: Chance,
        *,
        style: str = "",
        held_out: bool = False,
        when: frozenset[str] = _NO_FLAGS,
    ) -> str:
        """One wording of a meaning, drawn by weight among the productions that have exactly these slots.

        Args:
            symbol: what to say, such as ``"modifier"``.
            meaning: the name of the meaning.
            slots: the text of each slot.
            draws: the source of chance.
            style: the customer's writing style; productions bound to other styles are left out.
            held_out: use the held-out productions wherever there are any.
            when: the flags that are set; productions that want others are left out.

        Raises:
            ValueError: where no production fits; the data files and the code that calls must agree.
        """
        productions, sums = self._candidates((symbol, meaning, tuple(slots), style, held_out, when))
        if not productions:
            raise ValueError(f"no production says {symbol}/{meaning} with {sorted(slots)} when {sorted(when)}")
        production = productions[bisect_right(sums, draws.below(sums[-1])) if len(sums) > 1 else 0]
        variants = production.variants
        text = variants[draws.below(len(variants))] if len(variants) > 1 else variants[0]
        if production.articles:
            slots = {**slots, **{f"an_{name}": f"{article(slots[name])} {slots[name]}" for name in production.articles}}
        return text.format_map(slots)

    def _candidates(
        self, key: tuple[str, str, tuple[str, ...], str, bool, frozenset[str]]
    ) -> tuple[list[Production], list[int]]:
        known = self._choices.get(key)
        if known is None:
            symbol, meaning, names, style, held_out, when = key
            slots = frozenset(names)
            fitting = [
                production
                for production in self.by_symbol.get(symbol, ())
                if production.meaning == meaning and production.slots == slots and production.when <= when
            ]
            fitting = [item for item in fitting if not item.styles or style in item.styles] or fitting
            chosen = [item for item in fitting if item.held_out == held_out]
            if held_out and not chosen:
                chosen = fitting
            sums: list[int] = []
            for item in chosen:
                sums.append(item.weight + (sums[-1] if sums else 0))
            known = self._choices[key] = (chosen, sums)
        return known

    def read(
        self,
        symbol: str,
        tokens: Sequence[Token],
        terminals: Mapping[str, Terminal],
        meanings: Mapping[str, Meaning],
        limit: int = 200_000,
    ) -> list[Any]:
        """Everything that the tokens, all of them, can mean as an instance of ``symbol``; repeats are left in.

        Args:
            symbol: what the tokens are to be.
            tokens: the text.
            terminals: how to read the slots that no production defines.
            meanings: what each production's meaning makes of its slots.
            limit: how many steps to take at most.

        Raises:
            TooManyReadings: past the limit.
        """
        chart = _Chart(self._openings, tokens, terminals, meanings, limit)
        return [value for end, value in chart.at(symbol, 0) if end == len(tokens)]


class _Chart:
    """One text being read: what each symbol can be from each position, found once."""

    def __init__(
        self,
        openings: Mapping[str, Mapping[str | None, Sequence[Production]]],
        tokens: Sequence[Token],
        terminals: Mapping[str, Terminal],
        meanings: Mapping[str, Meaning],
        limit: int,
    ) -> None:
        self.openings, self.tokens, self.terminals, self.meanings = openings, tokens, terminals, meanings
        self.norms = [token.norm for token in tokens]
        self.left = limit
        self.known: dict[tuple[str, int], list[tuple[int, Any]]] = {}

    def at(self, symbol: str, start: int) -> list[tuple[int, Any]]:
        """Where an instance of the symbol from ``start`` can end, with its value."""
        key = (symbol, start)
        found = self.known.get(key)
        if found is not None:
            return found
        openings = self.openings.get(symbol)
        if openings is None:
            found = list(self.terminals[symbol](self.tokens, start)) if start < len(self.tokens) else []
        else:
            found = []
            word = self.norms[start] if start < len(self.norms) else None
            for opening in (None,) if word is None else (None, word):
                for production in openings.get(opening, ()):
                    self._match(production, 0, start, {}, found)
        self.known[key] = found
        return found

    def _match(
        self, production: Production, step_at: int, at: int, slots: dict[str, Any], found: list[tuple[int, Any]]
    ) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooManyReadings("the text has too many readings to list")
        steps = production.steps
        while step_at < len(steps):
            step = steps[step_at]
            step_at += 1
            if isinstance(step, Slot):
                for end, value in self.at(step.symbol, at):
                    self._match(production, step_at, end, {**slots, step.name: value}, found)
                return
            if len(step) == 1:
                option = step[0]
                if tuple(self.norms[at : at + len(option)]) != option:
                    return
                at += len(option)
                continue
            for option in step:
                if tuple(self.norms[at : at + len(option)]) == option:
                    self._match(production, step_at, at + len(option), slots, found)
            return
        found.extend((at, value) for value in self.meanings[production.meaning](slots))


# --- data files ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def load_grammar(*addresses: str) -> Grammar:
    """The grammar made of the productions of some tables, compiled once.

    >>> load_grammar("grammars.conditions/conditions") is load_grammar("grammars.conditions/conditions")
    True
    """
    entries = (entry for address in addresses for entry in load_table(address)["production"])
    return Grammar(compile_production(one) for entry in entries for one in spread(entry))


def spread(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """An entry of a table, parted: each of its ``texts`` by itself, and for each number where brackets hold both.

    >>> [(one["text"], one.get("when")) for one in spread({"symbol": "s", "texts": ["keep [it|them]", "no"]})]
    [('keep it', ['one']), ('keep them', ['many']), ('no', None)]
    """
    rest = {key: value for key, value in entry.items() if key != "texts"}
    for text in entry.get("texts", [entry.get("text")]):
        if not _BRACKETS.search(text):
            yield {**rest, "text": text}
            continue
        for place, flag in ((1, "one"), (2, "many")):
            shown = _BRACKETS.sub(lambda match, place=place: match[place], text)  # type: ignore[misc]
            yield {**rest, "text": shown, "when": [*rest.get("when", ()), flag]}


_BRACKETS = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
