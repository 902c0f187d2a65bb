"""Requests for a substitute in a customer's words: what cannot be had, what has to stay, what comes nearest."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.conditions.constraints import Criterion, Node
from ecomrlve.grammars.conditions.parser import Slots
from ecomrlve.grammars.conditions.realizer import MANY, ONE
from ecomrlve.grammars.conditions.trees import flatten, without_condition
from ecomrlve.grammars.conditions.units import decimal_text
from ecomrlve.grammars.conditions.vocabulary import Ends, Phrase, Vocabulary, find_names, is_plural, quoted, sayable
from ecomrlve.grammars.dialogue.noise import Utterance
from ecomrlve.grammars.dialogue.requests import Preference, SubstituteCorrection, SubstituteRequest, Tolerance
from ecomrlve.grammars.dialogue.sentences import SentenceRealizer, shuffled
from ecomrlve.grammars.dialogue.shopping import ShoppingParser
from ecomrlve.grammars.dialogue.turns import Event, Parser, parse_turns
from ecomrlve.grammars.engine.grammar import SENTENCE_ENDS, Chance, Grammar, Meaning, Token, load_grammar, words
from ecomrlve.grammars.engine.lexicon import Lexicon
from ecomrlve.grammars.engine.tables import load_table

_TABLE = "grammars.dialogue/substitutes"
_MOST_TITLE_WORDS = 12


def _grammar() -> Grammar:
    return load_grammar(
        "grammars.conditions/conditions", "grammars.conditions/things", "grammars.dialogue/shopping", _TABLE
    )


@lru_cache(maxsize=1)
def pronouns() -> dict[str, dict[str, str]]:
    """How customers go on speaking of what cannot be had, by whether it is ``"listed"`` or was ``"bought"``.

    Each phrase goes by a reference of its own.

    >>> pronouns()["listed"]["wanted 1"]
    'my first choice'
    """
    table = load_table(_TABLE)["pronouns"]
    return {
        "listed": {f"wanted {place}": phrase for place, phrase in enumerate(table["listed"])},
        "bought": {f"again {place}": phrase for place, phrase in enumerate(table["bought"])},
    }


def stands_for_wanted(reference: str) -> bool:
    """Whether a reference is one of the `pronouns`.

    >>> stands_for_wanted("again 0"), stands_for_wanted("bought 0")
    (True, False)
    """
    return any(reference in names for names in pronouns().values())


def substitute_lexicon(vocabulary: Vocabulary) -> Lexicon:
    """The words known to a reader of requests for substitutes over a vocabulary."""
    return vocabulary.lexicon_with(_grammar().words)


def can_name(title: str) -> bool:
    """Whether a customer would say a title, in quotation marks perhaps: of a few words, and no sentence.

    >>> can_name("Orvane Clip USB microphone"), can_name("Box, red"), can_name("Wow! A box"), can_name('15" laptop')
    (True, True, False, False)
    """
    parts = words(title)
    return sayable(title) and '"' not in title and len(parts) <= _MOST_TITLE_WORDS and not SENTENCE_ENDS & set(title)


# --- said ------------------------------------------------------------------------------------------------------------


def render_substitute(
    request: SubstituteRequest,
    corrections: Sequence[SubstituteCorrection],
    title: str,
    vocabulary: Vocabulary,
    draws: Chance,
    style: str = "plain",
    held_out: bool = False,
) -> tuple[Utterance, ...]:
    """A request as a customer writes it, then each change of mind, one turn each.

    Args:
        request: the wish as first said; every condition must pass `wording.can_say`.
        corrections: what changes, in order.
        title: of what was wanted; ``""`` where ``request.wanted`` is a reference.
        vocabulary: the names in reach; one of its references is a pronoun for what was wanted.
        draws: the source of chance.
        style: ``"plain"``, ``"chatty"``, ``"polite"`` or ``"terse"``.
        held_out: use held-out wording.

    Raises:
        InvalidArgument: on a correction of what was not said.
    """
    voice = _Voice(SentenceRealizer(vocabulary, _grammar(), draws, style, held_out, ONE))
    names = (request.scope, title, *vocabulary.references.values())
    turns = [Utterance.of(voice.first(request, title), names)]
    for correction in corrections:
        changed = corrected(request, correction)
        if changed is None:
            raise InvalidArgument("corrections", correction, "must change something that was said")
        turns.append(Utterance.of(voice.changed(correction), names))
        request = changed
    return tuple(turns)


class _Voice:
    """One customer who cannot have what they wanted."""

    def __init__(self, realizer: SentenceRealizer) -> None:
        self.realizer = realizer
        self.pronouns = [name for name in realizer.vocabulary.references if stands_for_wanted(name)]

    def reference(self) -> str:
        """What was wanted, in a few words."""
        realizer = self.realizer
        return realizer.vocabulary.references[self.pronouns[realizer.draws.below(len(self.pronouns))]]

    def lost(self, request: SubstituteRequest, title: str) -> str:
        """That what was wanted cannot be had."""
        realizer = self.realizer
        if not title:
            return realizer.sentence("discontinued", reference=realizer.vocabulary.references[request.wanted])
        bare = quoted(title) == title and realizer.often(75)
        slots = {"title": title if bare else f'"{title}"'}
        if request.version:
            slots["chain"] = realizer.chain(request.version, light=True)
        wanted = realizer.say("wanted", "wanted", **slots)
        realizer.flags = MANY if is_plural(title) else ONE
        text = realizer.sentence("sold out", wanted=wanted)
        realizer.flags = ONE
        return text

    def first(self, request: SubstituteRequest, title: str) -> str:
        """The first turn."""
        realizer = self.realizer
        where_inline = bool(request.scope) and realizer.often(60)
        where = {"where": realizer.where(request.scope_kind, request.scope)} if where_inline else {}
        opening = realizer.small_talk("greeting") if realizer.manner(0) else []
        parts = [realizer.wish(part) for node in request.conditions for part in flatten(node)]
        if request.tolerance is not None:
            parts.append(realizer.sentence("tolerance", tolerance=self.tolerance(request.tolerance)))
        if request.scope and not where_inline:
            parts.append(realizer.sentence("look", where=realizer.where(request.scope_kind, request.scope, True)))
        if realizer.manner(2):
            parts += realizer.small_talk("chatter")
        parts = shuffled(parts, realizer.draws)
        preferred = realizer.sentence("prefer", preference=self.preference(request.preference))
        parts.insert(0 if realizer.often(12) else len(parts), preferred)
        closing = realizer.small_talk("closing") if realizer.manner(1) else []
        ask = realizer.sentence("ask substitute", **where)
        return realizer.message([*opening, self.lost(request, title), ask, *parts, *closing])

    def tolerance(self, tolerance: Tolerance) -> str:
        """How far the price may go."""
        realizer = self.realizer
        if tolerance.unit:
            amount = f"{decimal_text(tolerance.amount)}{'%' if realizer.often(70) else ' percent'}"
        else:
            amount = realizer.amount(realizer.vocabulary.attributes["price"], tolerance.amount, "")
        meaning = "price above" if tolerance.above_only else "price around"
        return realizer.say("tolerance", meaning, amount=amount, reference=self.reference())

    def preference(self, preference: Preference) -> str:
        """Which of those that would do."""
        realizer = self.realizer
        (key, first), *rest = preference
        if first != "near":
            ranking = realizer.ranking(Criterion(_without_near(preference)))
            return realizer.say("preference", "ranking", ranking=ranking)
        slots = {"label": quoted(realizer.vocabulary.attributes[key].label)}
        if realizer.often(50):
            slots["reference"] = self.reference()
        text = realizer.say("closest", "closest", **slots)
        if not rest:
            return realizer.say("preference", "one key", superlative=text)
        key, first = rest[0]
        if first == "near":
            label = quoted(realizer.vocabulary.attributes[key].label)
            better = realizer.say("closer", "closest", label=label)
            return realizer.say("preference", "two near", superlative=text, better=better)
        better = realizer.better(key, first)
        return realizer.say("preference", "two keys", superlative=text, better=better)

    def changed(self, correction: SubstituteCorrection) -> str:
        """The turn of a change of mind."""
        realizer = self.realizer
        if correction.target == "preference":
            text = realizer.sentence("prefer otherwise", preference=self.preference(correction.preference))
        elif correction.target == "tolerance" and correction.tolerance is not None:
            text = realizer.sentence("other tolerance", tolerance=self.tolerance(correction.tolerance))
        else:
            text = realizer.condition_changed(correction.key, correction.node)
        return realizer.message([text])


def _without_near(preference: Preference) -> tuple[tuple[str, Literal["more", "less"]], ...]:
    return tuple((key, first) for key, first in preference if first != "near")


# --- changes of mind, applied ----------------------------------------------------------------------------------------


def corrected(request: SubstituteRequest, correction: SubstituteCorrection) -> SubstituteRequest | None:
    """The request after a change of mind; None where it speaks of something that is not there.

    >>> asked = SubstituteRequest("lamp", (), "", "", (), None, (("price", "less"),))
    >>> corrected(asked, SubstituteCorrection("condition", "color")) is None
    True
    """
    if correction.target == "preference":
        return replace(request, preference=correction.preference)
    if correction.target == "tolerance":
        return None if request.tolerance is None else replace(request, tolerance=correction.tolerance)
    kept = without_condition(request.conditions, correction.key)
    if kept is None:
        return None
    return replace(request, conditions=kept if correction.node is None else (*kept, correction.node))


# --- read ------------------------------------------------------------------------------------------------------------


def parse_substitute(
    turns: Sequence[str], vocabulary: Vocabulary, titles: Mapping[str, str], scope: str | None = None
) -> list[SubstituteRequest]:
    """Every way to understand a customer's turns as one request, its changes of mind applied; distinct in meaning.

    Args:
        turns: the customer's messages, oldest first.
        vocabulary: the names in reach; its references are what can be spoken of.
        titles: key to title of everything that can be wanted by its title.
        scope: the name of the place in view, or None where any may be named.
    """
    said = "\n".join(turns).casefold()
    mentioned = {key: title for key, title in titles.items() if title.casefold() in said}
    reader = SubstituteParser(vocabulary, mentioned, scope)
    names = [*mentioned.values(), *([] if scope is None else [scope])]
    parser = Parser(reader.terminals, reader.meanings)
    found: dict[Any, SubstituteRequest] = {}
    for events in parse_turns(turns, _grammar(), parser, substitute_lexicon(vocabulary), names):
        request = _compose(events)
        if request is not None:
            found.setdefault(request.meaning(), request)
    return list(found.values())


def _compose(events: Sequence[Event]) -> SubstituteRequest | None:
    """The request that events make, or None where they do not make one."""
    single: dict[str, Event] = {}
    conditions: list[Node] = []
    changes: list[SubstituteCorrection] = []
    for event in events:
        name, *parts = event
        if name == "condition":
            conditions.append(parts[0])
        elif name == "replace":
            key, nodes = parts
            if len(nodes) > 1:
                return None
            changes.append(SubstituteCorrection("condition", key, nodes[0] if nodes else None))
        elif name == "other tolerance":
            changes.append(SubstituteCorrection("tolerance", tolerance=parts[0]))
        elif name == "rerank":
            changes.append(SubstituteCorrection("preference", preference=parts[0]))
        elif name in single:
            return None
        else:
            single[name] = tuple(parts)
    if not {"wanted", "ask", "rank"} <= single.keys() or single.keys() & {"noun", "count"}:
        return None
    kind, scope = single.get("scope", ("", ""))
    (tolerance,) = single.get("tolerance", (None,))
    wanted, version = single["wanted"]
    request: SubstituteRequest | None = SubstituteRequest(
        wanted, version, scope, kind, tuple(conditions), tolerance, single["rank"][0]
    )
    for change in changes:
        request = None if request is None else corrected(request, change)
    return request


class SubstituteParser(ShoppingParser):
    """The terminals and meanings of requests for substitutes over one vocabulary.

    Args:
        vocabulary: the names in reach.
        titles: key to title of what can be wanted.
        scope: the name of the place in view, or None where the customer may name any.
    """

    def __init__(self, vocabulary: Vocabulary, titles: Mapping[str, str], scope: str | None) -> None:
        super().__init__(vocabulary, scope)
        named: dict[Phrase, list[str]] = {}
        for key, title in titles.items():
            named.setdefault(words(title), []).append(key)
        longest = max(map(len, named), default=0)

        def find(tokens: Sequence[Token], at: int) -> Ends:
            return find_names(named, longest, tokens, at)

        self.terminals["title"] = find
        self.meanings.update(self._substitute_meanings())

    def _substitute_meanings(self) -> dict[str, Meaning]:
        def discontinued(slots: Slots) -> list[Any]:
            reference = slots["reference"]
            return [] if stands_for_wanted(reference) else [(("wanted", reference, ()),)]

        def tolerance(above_only: bool) -> Meaning:
            def meaning(slots: Slots) -> list[Any]:
                found = self._distance(slots["amount"])
                return [] if found is None else [Tolerance(*found, above_only)]

            return meaning

        def closest(slots: Slots) -> list[Any]:
            return [(slots["label"], "near")] if self._kind(slots["label"]) in ("number", "money") else []

        return {
            "wanted": lambda slots: [("wanted", slots["title"], tuple(slots.get("chain", ())))],
            "sold out": lambda slots: [(slots["wanted"],)],
            "discontinued": discontinued,
            "ask substitute": lambda slots: [(("ask",), *([slots["where"]] if "where" in slots else []))],
            "price above": tolerance(True),
            "price around": tolerance(False),
            "tolerance": lambda slots: [(("tolerance", slots["tolerance"]),)],
            "other tolerance": lambda slots: [(("other tolerance", slots["tolerance"]),)],
            "closest": closest,
            "two near": lambda slots: [(slots["superlative"], slots["better"])],
            "ranking": lambda slots: [slots["ranking"]],
            "prefer": lambda slots: [(("rank", slots["preference"]),)],
            "prefer otherwise": lambda slots: [(("rerank", slots["preference"]),)],
        }

    def _distance(self, quantity: Any) -> tuple[Fraction, Literal["", "%"]] | None:
        """An amount of money in minor units, or a share; None where it is neither."""
        if quantity.unit == "money":
            return quantity.amount * 10**self.vocabulary.currency.decimals, ""
        return (quantity.amount, "%") if quantity.unit == "%" else None
