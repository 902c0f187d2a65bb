"""A customer's sentences: conditions in sentences of their own, where to look, and how sentences make a message."""

import re
from collections.abc import Sequence
from typing import TypeVar

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.conditions.attributes import Attribute
from ecomrlve.grammars.conditions.constraints import AnyOf, Between, Bound, Has, Is, Node, Not, Related
from ecomrlve.grammars.conditions.forms import NO_FLAGS, Options, apart, in_order, is_single, label_flags, number_flags
from ecomrlve.grammars.conditions.realizer import ONE, ConditionRealizer
from ecomrlve.grammars.conditions.trees import lists, negate, simple
from ecomrlve.grammars.conditions.vocabulary import ANY_PRODUCT, is_count, quoted
from ecomrlve.grammars.engine.grammar import Chance, words

Item = TypeVar("Item")


def shuffled(items: Sequence[Item], draws: Chance) -> list[Item]:
    """The items in random order.

    >>> class First:
    ...     def below(self, bound):
    ...         return 0
    >>> shuffled(["a", "b"], First())
    ['a', 'b']
    """
    pool = list(items)
    for at in range(len(pool) - 1):
        other = at + draws.below(len(pool) - at)
        pool[at], pool[other] = pool[other], pool[at]
    return pool


# How often, of 100: a greeting, a closing, an aside; and whether sentences begin with a capital.
_MANNERS: dict[str, tuple[int, int, int, int]] = {
    "plain": (25, 25, 15, 97),
    "chatty": (55, 45, 80, 85),
    "polite": (60, 70, 30, 100),
    "terse": (0, 8, 8, 35),
}
_MARKS = ".!?"
_AT, _FROM_OR_AT = frozenset({"at"}), frozenset({"from", "at"})


class SentenceRealizer(ConditionRealizer):
    """A voice that makes whole sentences and messages."""

    __slots__ = ()

    def often(self, percent: int) -> bool:
        """True this often of a hundred times."""
        return self.draws.below(100) < percent

    def manner(self, place: int) -> bool:
        """Whether this customer greets (0), closes (1), digresses (2), or writes capitals (3), this time."""
        return self.often(_MANNERS.get(self.style, _MANNERS["plain"])[place])

    def sentence(self, meaning: str, **slots: str) -> str:
        """A sentence of a meaning."""
        return self.say("sentence", meaning, **slots)

    def message(self, parts: Sequence[str]) -> str:
        """Sentences put together, with capitals and end marks."""
        capitals = self.manner(3)
        finished = []
        for part in parts:
            text = part if part[-1] in _MARKS else f"{part}."
            finished.append(text[0].upper() + text[1:] if capitals else text)
        return " ".join(finished)

    def small_talk(self, meaning: str) -> list[str]:
        """A greeting, a closing or an aside, where this customer has one for it."""
        fits = self.grammar.can_say("sentence", meaning, (), style=self.style, held_out=self.held_out, when=self.flags)
        return [self.sentence(meaning)] if fits else []

    # --- the thing and where it is

    def head(self, noun: str, nodes: list[Node], many: bool) -> tuple[str, list[Node]]:
        """The noun, with one of the conditions before it where that reads well, and the conditions that are left."""
        vocabulary = self.vocabulary
        if not noun:
            free = [pair for pair in ANY_PRODUCT if all(vocabulary.noun_phrases[words(form)] == [""] for form in pair)]
            if not free:
                raise InvalidArgument("nouns", [pair[1] for pair in ANY_PRODUCT], "must leave a word for any product")
            return self.say("head", "head", noun=free[:2][self.draws.below(2) % len(free)][many]), nodes
        if not vocabulary.noun_is_clear(noun):
            raise InvalidArgument("noun", noun, "must name one type of the vocabulary, and no other")
        name = vocabulary.noun_text(noun, many)
        for place, node in enumerate(nodes):
            if (
                isinstance(node, Is)
                and len(node.values) == 1
                and vocabulary.before_noun(node.key, node.values[0], noun)
            ):
                if self.often(50):
                    break
                text = self.say("head", "head of a kind", value=quoted(node.values[0]), noun=name)
                return text, nodes[:place] + nodes[place + 1 :]
        return self.say("head", "head", noun=name), nodes

    def chain(self, nodes: Sequence[Node], light: bool = False) -> str:
        """Conditions on single details in a row after the noun; ``light`` for none that needs the noun beside it."""
        texts = in_order([self.light(node) for node in nodes] if light else self.alike(nodes))
        text = texts[-1]
        for earlier in reversed(texts[:-1]):
            text = self.say("chain", "more conditions", apart(earlier, text), condition=earlier, rest=text)
        return text

    def where(self, kind: str, name: str, still: bool = False) -> str:
        """A place as a phrase: 'from your "Desk audio" collection'; ``still`` for "in" and "on" only."""
        text = quoted(name)
        if text == name and (not stands_unquoted(name) or self.often(50)):
            text = f'"{name}"'
        return self.say("where", kind, _AT if still else _FROM_OR_AT, scope=text)

    # --- a condition as a sentence

    def wish(self, node: Node) -> str:
        """A condition as a clause of its own: "it should have a lid", "nothing over $40"."""
        parts = simple(node)
        if parts is None:
            return self._joined_wish(node)
        atom, negated = parts
        attribute = self.vocabulary.attributes[atom.key]
        opposite = _positive_opposite(node)
        stated = self._stated(atom, attribute, negated)
        options: Options = [("need", 2)]
        if opposite is not None:
            options.append(("avoid", 3))
        if stated:
            options.append(("state", 5))
        form = self.pick(options)
        if form == "avoid" and opposite is not None:
            return self.say("wish", "avoid", modifier=self._denied(opposite))
        if form == "state":
            return self._state(stated, atom, attribute)
        return self.say("wish", "need", conditions=self.modifier(node))

    def _joined_wish(self, node: Node) -> str:
        """A condition that joins several as a clause of its own."""
        either = isinstance(node, AnyOf) and all(simple(part) is not None and not lists(part) for part in node.parts)
        if either and isinstance(node, AnyOf) and self.often(50):
            items = in_order([self.light(part, strict=True) for part in node.parts])
            return self.say("wish", "wish any of", items=self.item_list("or_items", items))
        pair = node.part.parts if isinstance(node, Not) and isinstance(node.part, AnyOf) else ()
        if len(pair) == 2 and self.often(65):
            first, last = (self._denied(part) for part in pair)
            return self.say("wish", "wish none of", first=first, last=last)
        return self.say("wish", "need", conditions=self.compound(node))

    def _denied(self, node: Node) -> str:
        """A condition after "nothing"."""
        flags, self.flags, self.denied = self.flags, ONE, True
        text = self.modifier(node, strict=True)
        self.flags, self.denied = flags, False
        return text

    def _stated(self, atom: Is | Has | Bound | Between | Related, attribute: Attribute, negated: bool) -> str:
        """The meaning of the clause that states a condition through its label, or "" where none fits."""
        if isinstance(atom, Is):
            if not negated:
                return "state choice" if self.vocabulary.label_is_clear(atom.key) else ""
            if len(atom.values) > 1:
                return ""
            return "state brand not" if atom.key == "brand" else "state choice not"
        if isinstance(atom, Has):
            form = self.vocabulary.feature(attribute.key).form
            return f"state {'has' if form == 'with' else form}{'' if atom.wanted else ' not'}"
        if isinstance(atom, Related) or negated or atom.key == "reviews":
            return ""
        if atom.key == "price":
            operator = atom.operator if isinstance(atom, Bound) else ""
            return {"<=": "state price up to", "<": "state price below"}.get(operator, "")
        if atom.key == "rating":
            return "state rating" if is_single(atom) or self.often(75) else "state stars"
        if is_count(attribute):
            return "state count"
        return "state weight" if attribute.label.casefold() == "weight" else "state number"

    def _state(self, meaning: str, atom: Is | Has | Bound | Between | Related, attribute: Attribute) -> str:
        label = quoted(attribute.label)
        if isinstance(atom, Is):
            if meaning == "state brand not":
                return self.say("wish", meaning, value=quoted(atom.values[0]))
            if meaning == "state choice not":
                return self.say("wish", meaning, label=label, value=quoted(atom.values[0]))
            values = self.value_list("values", tuple(dict.fromkeys(atom.values)))
            return self.say("wish", meaning, label=label, values=values)
        if isinstance(atom, Has):
            form, text = self.vocabulary.feature(attribute.key)
            return self.say("wish", meaning, **{"feature" if form == "with" else "label": text})
        if isinstance(atom, Bound) and meaning.startswith("state price"):
            return self.say("wish", meaning, amount=self.amount(attribute, atom.amount, atom.unit))
        if not isinstance(atom, Bound | Between):
            raise TypeError(f"{atom} is stated by no label")
        ending = meaning in ("state number", "state weight")
        limit = self.limit(atom, attribute, ending=ending, rated=meaning == "state rating")
        if meaning in ("state rating", "state stars"):
            return self.say("wish", meaning, number_flags(atom), limit=limit)
        if meaning == "state weight":
            return self.say("wish", meaning, limit=limit)
        one = self.vocabulary.single(atom.key) if meaning == "state count" and is_single(atom) else ""
        if one:
            return self.say("wish", meaning, limit=limit, label_one=one)
        return self.say("wish", meaning, label=label, limit=limit)

    def condition_changed(self, key: str, node: Node | None) -> str:
        """That a condition on a detail is dropped, or another takes its place."""
        attribute = self.vocabulary.attributes[key]
        label = quoted(attribute.label)
        quality = attribute.kind == "boolean" and self.vocabulary.feature(key).form == "quality"
        # "What I said about it being refillable", not "about the refillable".
        ending = " quality" if quality else ""
        if node is None:
            flags = NO_FLAGS if quality else label_flags(attribute)
            return self.say("sentence", f"drop{ending}", flags, label=label)
        return self.sentence(f"replace{ending}", label=label, wish=self.wish(node))


_CAPITALS = re.compile(r"(?:[A-Z][\w'’]*|\d\w*|&)(?: (?:[A-Z][\w'’]*|\d\w*|&))*")


def stands_unquoted(name: str) -> bool:
    """Whether a place's name is known for a name without quotation marks: each word of it has a capital.

    >>> stands_unquoted("Desk Audio"), stands_unquoted("storage clearance")
    (True, False)
    """
    return _CAPITALS.fullmatch(name) is not None


def _positive_opposite(node: Node) -> Node | None:
    """What "nothing …" is said of to mean the condition, where that holds no negation itself."""
    parts = simple(node)
    if parts is None:
        return None
    atom, negated = parts
    if negated:
        return atom
    if isinstance(atom, Has):
        return None if atom.wanted else Has(atom.key, True)
    return negate(atom) if isinstance(atom, Bound) and atom.operator in ("<=", ">=") else None
