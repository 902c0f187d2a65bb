"""Requests for products in a customer's words: one turn for the wish, one for each change of mind; said and read."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.conditions.constraints import AnyOf, Criterion, Has, Is, Node, Not
from ecomrlve.grammars.conditions.parser import ConditionParser, Slots
from ecomrlve.grammars.conditions.realizer import MANY, ONE
from ecomrlve.grammars.conditions.scales import number_text, scale_words
from ecomrlve.grammars.conditions.trees import flatten, simple, without_condition
from ecomrlve.grammars.conditions.vocabulary import Ends, Vocabulary
from ecomrlve.grammars.dialogue.noise import Utterance
from ecomrlve.grammars.dialogue.requests import Correction, ShoppingRequest
from ecomrlve.grammars.dialogue.sentences import SentenceRealizer, shuffled, stands_unquoted
from ecomrlve.grammars.dialogue.turns import Event, Parser, parse_turns
from ecomrlve.grammars.engine.grammar import Chance, Grammar, Meaning, Terminal, Token, load_grammar, words
from ecomrlve.grammars.engine.tokens import first_word


def _grammar() -> Grammar:
    return load_grammar("grammars.conditions/conditions", "grammars.conditions/things", "grammars.dialogue/shopping")


# --- said ------------------------------------------------------------------------------------------------------------


def render_shopping(
    request: ShoppingRequest,
    corrections: Sequence[Correction],
    vocabulary: Vocabulary,
    draws: Chance,
    style: str = "plain",
    held_out: bool = False,
) -> tuple[Utterance, ...]:
    """A request as a customer writes it, then each change of mind, one turn each.

    Args:
        request: the wish as first said.
        corrections: what changes, in order.
        vocabulary: the names in reach; every condition must pass `wording.can_say`.
        draws: the source of chance.
        style: ``"plain"``, ``"chatty"``, ``"polite"`` or ``"terse"``.
        held_out: use held-out wording.

    Raises:
        InvalidArgument: on a correction of a condition that was not said, or said only as part of another.
    """
    realizer = SentenceRealizer(vocabulary, _grammar(), draws, style, held_out, _number(request.count))
    names = (request.scope, *vocabulary.references.values())
    turns = [Utterance.of(_first_turn(request, realizer), names)]
    for correction in corrections:
        changed = corrected(request, correction)
        if changed is None:
            raise InvalidArgument("corrections", correction.key, "must name a detail with a condition of its own")
        realizer.flags = _number(changed.count)
        turns.append(Utterance.of(_change_of_mind(correction, realizer), names))
        request = changed
    return tuple(turns)


def _number(count: int) -> frozenset[str]:
    return ONE if count == 1 else MANY


def _first_turn(request: ShoppingRequest, realizer: SentenceRealizer) -> str:
    nodes = [part for node in request.conditions for part in flatten(node)]
    alone = shuffled([node for node in nodes if simple(node) is not None], realizer.draws)
    joined = [node for node in nodes if simple(node) is None]
    head, alone = realizer.head(request.noun, alone, request.count > 1)
    kept_inline = min(len(alone), (0, 1, 1, 2)[realizer.draws.below(4)])
    inline, alone = alone[:kept_inline], alone[kept_inline:]
    slots = {"head": head}
    if inline:
        slots["chain"] = realizer.chain(inline)
    where_inline = bool(request.scope) and realizer.often(65)
    if where_inline:
        slots["where"] = realizer.where(request.scope_kind, request.scope)
    item = realizer.say("item", "item", **slots)
    best = _best_word(request, realizer)
    ask = _ask(request, item, best, realizer)
    parts = [realizer.wish(node) for node in joined]
    while alone:
        taken = 2 if len(alone) > 1 and realizer.often(25) else 1
        parts.append(_wishes(alone[:taken], realizer))
        alone = alone[taken:]
    if request.scope and not where_inline:
        parts.append(realizer.sentence("look", where=realizer.where(request.scope_kind, request.scope, True)))
    if realizer.manner(2):
        parts += realizer.small_talk("chatter")
    parts = shuffled(parts, realizer.draws)
    if not best:
        rank = realizer.sentence("rank", ranking=realizer.ranking(request.criterion))
        parts.insert(0 if realizer.often(12) else len(parts), rank)
    opening = realizer.small_talk("greeting") if realizer.manner(0) and not _greets(ask) else []
    closing = realizer.small_talk("closing") if realizer.manner(1) else []
    return realizer.message([*opening, ask, *parts, *closing])


def _wishes(nodes: Sequence[Node], realizer: SentenceRealizer) -> str:
    if len(nodes) == 1:
        return realizer.wish(nodes[0])
    return realizer.say("wish", "need", conditions=realizer.conditions(tuple(nodes)))


def _best_word(request: ShoppingRequest, realizer: SentenceRealizer) -> str:
    """A superlative for the request itself ("the cheapest microphone"), or "" where the ranking is said apart."""
    if len(request.criterion.keys) != 1 or not realizer.often(30):
        return ""
    key, first = request.criterion.keys[0]
    found = scale_words(realizer.vocabulary.attributes[key], first, "best")
    return found[0] if found else ""


def _ask(request: ShoppingRequest, item: str, best: str, realizer: SentenceRealizer) -> str:
    count = {"count": number_text(request.count)} if request.count > 1 else {}
    if best:
        meaning = "best things" if count else "best thing"
        thing = realizer.say("best_thing", meaning, best=best, item=item, **count)
        return realizer.sentence("ask best", best_thing=thing)
    return realizer.sentence("ask", thing=realizer.say("thing", "things" if count else "thing", item=item, **count))


def _greets(text: str) -> bool:
    return first_word(text) in ("hi", "hello", "hey", "hiya", "good")


def _change_of_mind(correction: Correction, realizer: SentenceRealizer) -> str:
    if correction.target == "count":
        text = realizer.sentence("recount", count=number_text(correction.count or 1))
    elif correction.target == "criterion":
        if correction.criterion is None:
            raise InvalidArgument("criterion", None, "must be given where it is what changes")
        text = realizer.sentence("rerank", ranking=realizer.ranking(correction.criterion))
    else:
        text = realizer.condition_changed(correction.key, correction.node)
    return realizer.message([text])


# --- changes of mind, applied ----------------------------------------------------------------------------------------


def corrected(request: ShoppingRequest, correction: Correction) -> ShoppingRequest | None:
    """The request after a change of mind; None where it speaks of a condition that is not there.

    >>> asked = ShoppingRequest("lamp", 1, "Sale", "page", (), Criterion((("price", "less"),)))
    >>> corrected(asked, Correction("count", count=2)).count
    2
    >>> corrected(asked, Correction("condition", "color")) is None
    True
    """
    if correction.target == "count":
        return replace(request, count=correction.count or 1)
    if correction.target == "criterion":
        return request if correction.criterion is None else replace(request, criterion=correction.criterion)
    kept = without_condition(request.conditions, correction.key)
    if kept is None:
        return None
    return replace(request, conditions=kept if correction.node is None else (*kept, correction.node))


# --- read ------------------------------------------------------------------------------------------------------------


def parse_shopping(turns: Sequence[str], vocabulary: Vocabulary, scope: str | None = None) -> list[ShoppingRequest]:
    """Every way to understand a customer's turns as one request, its changes of mind applied; distinct in meaning.

    Args:
        turns: the customer's messages, oldest first.
        vocabulary: the names in reach; the page's are enough.
        scope: the name of the place in view, or None where any may be named.
    """
    reader = ShoppingParser(vocabulary, scope)
    names = [] if scope is None else [scope]
    found: dict[Any, ShoppingRequest] = {}
    for events in parse_turns(turns, _grammar(), Parser(reader.terminals, reader.meanings), vocabulary.lexicon, names):
        request = _compose(events)
        if request is not None:
            found.setdefault(request.meaning(), request)
    return list(found.values())


def _compose(events: Sequence[Event]) -> ShoppingRequest | None:
    """The request that events make, or None where they do not make one."""
    single: dict[str, Event] = {}
    conditions: list[Node] = []
    changes: list[Correction] = []
    for event in events:
        name, *parts = event
        if name == "condition":
            conditions.append(parts[0])
        elif name == "replace":
            key, nodes = parts
            if len(nodes) > 1:
                return None
            changes.append(Correction("condition", key, nodes[0] if nodes else None))
        elif name == "recount":
            changes.append(Correction("count", count=parts[0]))
        elif name == "rerank":
            changes.append(Correction("criterion", criterion=Criterion(parts[0])))
        elif name in single:
            return None
        else:
            single[name] = tuple(parts)
    if "noun" not in single or "rank" not in single:
        return None
    kind, scope = single.get("scope", ("", ""))
    request: ShoppingRequest | None = ShoppingRequest(
        single["noun"][0], single["count"][0], scope, kind, tuple(conditions), Criterion(single["rank"][0])
    )
    for change in changes:
        request = None if request is None else corrected(request, change)
    return request


def _terminal_scope(scope: str | None) -> Terminal:
    """Finds the name of a place: the one known, or any quoted or capitalised one."""
    known = words(scope) if scope is not None else ()

    def find(tokens: Sequence[Token], at: int) -> Ends:
        first = tokens[at]
        if first.norm.startswith('"'):
            inner = first.raw[1:-1]
            return [(at + 1, inner)] if scope is None or words(inner) == known else []
        if scope is not None:
            end = at + len(known)
            return [(end, scope)] if tuple(token.norm for token in tokens[at:end]) == known else []
        found: Ends = []
        for end in range(at + 1, min(at + 9, len(tokens) + 1)):
            name = " ".join(token.raw for token in tokens[at:end])
            if stands_unquoted(name):
                found.append((end, name))
        return found

    return find


class ShoppingParser(ConditionParser):
    """The terminals and meanings of requests over one vocabulary; a sentence means a tuple of events.

    Args:
        vocabulary: the names in reach.
        scope: the name of the place in view, or None where the customer may name any.
    """

    def __init__(self, vocabulary: Vocabulary, scope: str | None) -> None:
        super().__init__(vocabulary)
        self.terminals["scope"] = _terminal_scope(scope)
        self.meanings.update(self._thing_meanings())
        self.meanings.update(self._wish_meanings())
        self.meanings.update(self._sentence_meanings())

    def _thing_meanings(self) -> dict[str, Meaning]:
        def of_a_kind(slots: Slots) -> list[Any]:
            key, value = slots["value"]
            return [(("noun", slots["noun"]), ("condition", Is(key, (value,))))]

        def item(slots: Slots) -> list[Any]:
            conditions = tuple(("condition", node) for node in slots.get("chain", ()))
            where = (slots["where"],) if "where" in slots else ()
            return [(*slots["head"], *conditions, *where)]

        def place(kind: str) -> Meaning:
            return lambda slots: [("scope", kind, slots["scope"])]

        def best(slots: Slots) -> tuple[Event, ...]:
            return (("count", slots.get("count", 1)), ("rank", (slots["best"],)), *slots["item"])

        return {
            "head": lambda slots: [(("noun", slots["noun"]),)],
            "head of a kind": of_a_kind,
            "item": item,
            "thing": lambda slots: [(("count", 1), *slots["item"])],
            "things": lambda slots: [(("count", slots["count"]), *slots["item"])],
            "best thing": lambda slots: [best(slots)],
            "best things": lambda slots: [best(slots)],
            **{kind: place(kind) for kind in ("collection", "page", "list")},
        }

    def _wish_meanings(self) -> dict[str, Meaning]:
        def brand_not(slots: Slots) -> list[Any]:
            key, value = slots["value"]
            return [(Not(Is(key, (value,))),)] if key == "brand" else []

        def bounded(operator: str) -> Meaning:
            return lambda slots: [(node,) for node in self._limited("price", (operator, slots["amount"]))]

        def single(name: str) -> Meaning:
            inner = self.meanings[name]
            return lambda slots: [(node,) for node in inner(slots)]

        return {
            "need": lambda slots: [slots["conditions"]],
            "avoid": lambda slots: [(Not(slots["modifier"]),)],
            "wish any of": lambda slots: [(AnyOf(slots["items"]),)],
            "wish none of": lambda slots: [(Not(AnyOf((slots["first"], slots["last"]))),)],
            "state choice": single("choice of"),
            "state choice not": single("choice not"),
            "state number": single("number"),
            "state count": single("count"),
            "state weight": single("weight"),
            "state has": single("has"),
            "state has not": lambda slots: [(Has(slots["feature"], False),)],
            "state quality": single("quality"),
            "state quality not": single("quality not"),
            "state listed": single("listed"),
            "state listed not": single("listed not"),
            "state brand not": brand_not,
            "state price up to": bounded("<="),
            "state price below": bounded("<"),
            "state rating": single("rating"),
            "state stars": single("stars"),
        }

    def _sentence_meanings(self) -> dict[str, Meaning]:
        def of_a_quality(slots: Slots) -> list[Any]:
            fits = self._kind(slots["label"]) == "boolean"
            return [(("replace", slots["label"], slots.get("wish", ())),)] if fits else []

        return {
            "ask": lambda slots: [slots["thing"]],
            "ask best": lambda slots: [slots["best_thing"]],
            "look": lambda slots: [(slots["where"],)],
            "wish": lambda slots: [tuple(("condition", node) for node in slots["wish"])],
            "rank": lambda slots: [(("rank", slots["ranking"]),)],
            "on file": _nothing,
            "greeting": _nothing,
            "closing": _nothing,
            "chatter": _nothing,
            "replace": lambda slots: [(("replace", slots["label"], slots["wish"]),)],
            "drop": lambda slots: [(("replace", slots["label"], ()),)],
            "replace quality": of_a_quality,
            "drop quality": of_a_quality,
            "recount": lambda slots: [(("recount", slots["count"]),)],
            "rerank": lambda slots: [(("rerank", slots["ranking"]),)],
        }


def _nothing(slots: Slots) -> list[Any]:
    return [()]
