"""Things for a cart in a customer's words: a list of described items, and changes of mind; said and read."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.conditions.constraints import Node
from ecomrlve.grammars.conditions.parser import Slots
from ecomrlve.grammars.conditions.realizer import MANY, ONE
from ecomrlve.grammars.conditions.scales import number_text
from ecomrlve.grammars.conditions.trees import flatten, keys_of, simple
from ecomrlve.grammars.conditions.vocabulary import WORDS, Ends, Vocabulary, find_names
from ecomrlve.grammars.dialogue.noise import Utterance
from ecomrlve.grammars.dialogue.requests import CartCorrection, CartItem
from ecomrlve.grammars.dialogue.sentences import SentenceRealizer
from ecomrlve.grammars.dialogue.shopping import ShoppingParser
from ecomrlve.grammars.dialogue.turns import Event, Parser, parse_turns
from ecomrlve.grammars.engine.grammar import Chance, Grammar, Meaning, load_grammar, words
from ecomrlve.grammars.engine.tokens import first_word

_ORDINALS: list[str] = WORDS["ordinals"]
_SHORT_LINE, _NAMED, _PLACED = frozenset({"short line"}), frozenset({"named"}), frozenset({"placed"})
_LONE, _SEVERAL = frozenset({"lone wish"}), frozenset({"several wishes"})


def _grammar() -> Grammar:
    return load_grammar("grammars.conditions/conditions", "grammars.conditions/things", "grammars.dialogue/cart")


# --- said ------------------------------------------------------------------------------------------------------------


def render_cart(
    items: Sequence[CartItem],
    corrections: Sequence[CartCorrection],
    scope: str,
    scope_kind: str,
    vocabulary: Vocabulary,
    draws: Chance,
    style: str = "plain",
    held_out: bool = False,
) -> tuple[Utterance, ...]:
    """A cart as a customer asks for it, then each change of mind, one turn each.

    Args:
        items: in the order said; the first is not ``same_as_previous``, every condition speaks of one detail and
            passes `wording.can_say`.
        corrections: what changes, in order.
        scope: the name of the place to look in, or ``""``.
        scope_kind: ``"collection"``, ``"page"`` or ``"list"``.
        vocabulary: the names in reach.
        draws: the source of chance.
        style: ``"plain"``, ``"chatty"``, ``"polite"`` or ``"terse"``.
        held_out: use held-out wording.

    Raises:
        InvalidArgument: on items or corrections that no words could make plain.
    """
    if not items or items[0].same_as_previous:
        raise InvalidArgument("items", len(items), "must begin with an item described in full")
    realizer = SentenceRealizer(vocabulary, _grammar(), draws, style, held_out, ONE)
    names = (scope, *vocabulary.references.values())
    turns = [Utterance.of(_first_turn(items, scope, scope_kind, realizer), names)]
    current: list[CartItem | None] = list(spelled_out(items))
    for correction in corrections:
        _refuse_unclear(items, current, correction)
        turns.append(Utterance.of(realizer.message([_change(current, correction, realizer)]), names))
        change(current, correction)
    return tuple(turns)


def _refuse_unclear(items: Sequence[CartItem], current: Sequence[CartItem | None], correction: CartCorrection) -> None:
    place = correction.position
    if not 0 <= place < len(items) or place >= len(_ORDINALS) or current[place] is None:
        raise InvalidArgument("position", place, "must be the place of an item that is still there")
    if correction.target != "quantity" and any(item.same_as_previous for item in items[place : place + 2]):
        raise InvalidArgument("position", place, "must be of an item that no other is described by")


def _first_turn(items: Sequence[CartItem], scope: str, scope_kind: str, realizer: SentenceRealizer) -> str:
    lines = [_line(item, realizer) for item in items]
    together = len(lines) if len(lines) <= 4 and realizer.often(70) else 1 + realizer.draws.below(min(2, len(lines)))
    ask = realizer.sentence("put", lines=_line_list(lines[:together], realizer))
    parts = [ask, *(realizer.sentence("put next", line=line) for line in lines[together:])]
    asides = realizer.small_talk("chatter") if realizer.manner(2) else []
    if scope:
        asides.append(_look(items, realizer.where(scope_kind, scope, True), realizer))
    greets = first_word(ask) in ("hi", "hello")
    for aside in asides:
        # Before or after all items: "the same" and "also" speak of what stands right before them. A greeting comes
        # first, and so does the one thing that "it" is.
        first = realizer.often(25) and not greets and len(items) > 1
        parts.insert(0 if first else len(parts), aside)
    opening = realizer.small_talk("greeting") if realizer.manner(0) and not greets else []
    closing = realizer.small_talk("closing") if realizer.manner(1) else []
    return realizer.message([*opening, *parts, *closing])


def _look(items: Sequence[CartItem], where: str, realizer: SentenceRealizer) -> str:
    """Where to find what was asked for: "they're on your Spring page" of one wish, "it's all …" of several."""
    if len(items) > 1:
        return realizer.say("sentence", "look", _SEVERAL, where=where)
    realizer.flags = MANY if items[0].quantity > 1 else ONE
    text = realizer.say("sentence", "look", _LONE, where=where)
    realizer.flags = ONE
    return text


def _line(item: CartItem, realizer: SentenceRealizer) -> str:
    many = item.quantity > 1
    realizer.flags = MANY if many else ONE
    nodes = [part for node in item.conditions for part in flatten(node)]
    if any(simple(node) is None for node in nodes):
        raise InvalidArgument("conditions", item.conditions, "must each speak of one detail")
    count = {"count": number_text(item.quantity)} if many else {}
    if item.same_as_previous:
        chain = realizer.chain(nodes, light=True)
        text = realizer.say("line", "same lines" if many else "same one", chain=chain, **count)
    else:
        head, rest = realizer.head(item.noun, nodes, many)
        slots = {"head": head, "chain": realizer.chain(rest)} if rest else {"head": head}
        text = realizer.say("line", "lines" if many else "line", item=realizer.say("item", "item", **slots), **count)
    realizer.flags = ONE
    return text


def _line_list(lines: Sequence[str], realizer: SentenceRealizer) -> str:
    *rest, text = lines
    for place, line in enumerate(reversed(rest), start=1):
        # "in red and with a lid and a cup" would not say where the next item begins.
        flags = _SHORT_LINE if not {"and", "but"} & set(words(line)) else frozenset[str]()
        text = realizer.say("lines", "last lines" if place == 1 else "more lines", flags, line=line, rest=text)
    return text


def _which(
    current: Sequence[CartItem | None], place: int, many: bool, realizer: SentenceRealizer
) -> tuple[str, frozenset[str]]:
    """The item that a change is about, by its noun or its place, and the flag that tells which of the two."""
    item = current[place]
    named = [other for other in current if other is not None and item is not None and other.noun == item.noun]
    if item is not None and item.noun and len(named) == 1 and realizer.often(60):
        return realizer.say("which", "by noun", noun=realizer.vocabulary.noun_text(item.noun, many)), _NAMED
    return realizer.say("which", "by place", ordinal=_ORDINALS[place]), _PLACED


def _change(current: Sequence[CartItem | None], correction: CartCorrection, realizer: SentenceRealizer) -> str:
    place = correction.position
    item = current[place]
    many = item is not None and item.quantity > 1
    if correction.target == "quantity":
        which, flags = _which(current, place, True, realizer)
        count = number_text(correction.quantity or 1)
        return realizer.say("sentence", "change quantity", flags, count=count, which=which)
    which, _ = _which(current, place, many, realizer)
    if correction.target == "drop":
        return realizer.sentence("leave out", which=which)
    if correction.node is None:
        raise InvalidArgument("node", None, "must be given where an option changes")
    realizer.flags = MANY if many else ONE
    text = realizer.sentence("change option", which=which, modifier=realizer.light(correction.node))
    realizer.flags = ONE
    return text


# --- what it comes to ------------------------------------------------------------------------------------------------


def spelled_out(items: Sequence[CartItem]) -> list[CartItem]:
    """Items with "the same, but …" replaced by what it means.

    >>> from ecomrlve.grammars.conditions.constraints import Is
    >>> red, blue = Is("color", ("red",)), Is("color", ("blue",))
    >>> spelled_out([CartItem(2, "cup", (red,)), CartItem(1, "", (blue,), same_as_previous=True)])[1].noun
    'cup'
    """
    found: list[CartItem] = []
    for item in items:
        if item.same_as_previous:
            before = found[-1]
            found.append(replace(_with_options(before, item.conditions), quantity=item.quantity))
        else:
            found.append(item)
    return found


def _with_options(item: CartItem, nodes: Sequence[Node]) -> CartItem:
    """The item with these conditions in place of its own on the same details."""
    changed = {key for node in nodes for key in keys_of(node)}
    kept = [node for node in item.conditions if not keys_of(node) & changed]
    return replace(item, conditions=(*kept, *nodes))


def change(current: list[CartItem | None], correction: CartCorrection) -> bool:
    """Apply a change of mind to items spelled out, in place; False where it speaks of nothing that is there."""
    place = correction.position
    item = current[place] if 0 <= place < len(current) else None
    if item is None:
        return False
    if correction.target == "drop":
        current[place] = None
    elif correction.target == "quantity" and correction.quantity is not None:
        current[place] = replace(item, quantity=correction.quantity)
    elif correction.node is not None:
        current[place] = _with_options(item, (correction.node,))
    return True


# --- read ------------------------------------------------------------------------------------------------------------


def parse_cart(turns: Sequence[str], vocabulary: Vocabulary, scope: str | None = None) -> list[tuple[CartItem, ...]]:
    """Every way to understand a customer's turns as items for a cart, spelled out and with changes of mind applied.

    Args:
        turns: the customer's messages, oldest first.
        vocabulary: the names in reach; the page's are enough.
        scope: the name of the place in view, or None where any may be named.
    """
    reader = CartParser(vocabulary, scope)
    names = [] if scope is None else [scope]
    found: dict[Any, tuple[CartItem, ...]] = {}
    for events in parse_turns(turns, _grammar(), Parser(reader.terminals, reader.meanings), vocabulary.lexicon, names):
        items = _compose(events)
        if items:
            found.setdefault(tuple(item.meaning() for item in items), items)
    return list(found.values())


def _compose(events: Sequence[Event]) -> tuple[CartItem, ...] | None:
    items: list[CartItem] = []
    changes: list[Event] = []
    for event in events:
        if event[0] == "line":
            items.append(CartItem(*event[1:]))
        elif event[0] == "change":
            changes.append(event)
    if not items or items[0].same_as_previous:
        return None
    current: list[CartItem | None] = list(spelled_out(items))
    for _, (kind, name), target, quantity, node in changes:
        places = [name] if kind == "place" else [at for at, item in enumerate(current) if item and item.noun == name]
        if len(places) != 1 or not change(current, CartCorrection(target, places[0], quantity, node)):
            return None
    return tuple(item for item in current if item is not None)


class CartParser(ShoppingParser):
    """The terminals and meanings of carts over one vocabulary; a sentence means a tuple of events."""

    def __init__(self, vocabulary: Vocabulary, scope: str | None) -> None:
        super().__init__(vocabulary, scope)
        ordinals = {words(word): [place] for place, word in enumerate(_ORDINALS)}
        self.terminals["ordinal"] = lambda tokens, at: _find(ordinals, tokens, at)
        self.meanings.update(self._line_meanings())
        self.meanings.update(self._change_meanings())

    def _line_meanings(self) -> dict[str, Meaning]:
        def line(slots: Slots) -> list[Any]:
            noun = next(name for kind, name, *_ in slots["item"] if kind == "noun")
            nodes = tuple(event[1] for event in slots["item"] if event[0] == "condition")
            placed = any(event[0] == "scope" for event in slots["item"])
            return [] if placed else [("line", slots.get("count", 1), noun, nodes, False)]

        def same(slots: Slots) -> list[Any]:
            return [("line", slots.get("count", 1), "", tuple(slots["chain"]), True)]

        def more(slots: Slots) -> list[Any]:
            return [(slots["line"], *slots["rest"])]

        return {
            "line": line,
            "lines": line,
            "same one": same,
            "same lines": same,
            "one line": lambda slots: [(slots["line"],)],
            "more lines": more,
            "last lines": more,
            "put": lambda slots: [slots["lines"]],
            "put next": lambda slots: [(slots["line"],)],
        }

    def _change_meanings(self) -> dict[str, Meaning]:
        def changes(target: str) -> Meaning:
            return lambda slots: [
                (("change", slots["which"], target, slots.get("count"), slots.get("modifier")),),
            ]

        return {
            "by place": lambda slots: [("place", slots["ordinal"])],
            "by noun": lambda slots: [("noun", slots["noun"])],
            "change quantity": changes("quantity"),
            "leave out": changes("drop"),
            "change option": changes("option"),
        }


def _find(names: dict[tuple[str, ...], list[int]], tokens: Any, at: int) -> Ends:
    return find_names(names, 1, tokens, at)
