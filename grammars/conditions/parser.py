"""From the words of conditions and rankings back to trees: the names to look for, and what each production means."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from ecomrlve.grammars.conditions.constraints import (
    AllOf,
    AnyOf,
    AtLeast,
    Between,
    Bound,
    Has,
    Is,
    Node,
    Not,
    Operator,
    Related,
)
from ecomrlve.grammars.conditions.units import UNITS
from ecomrlve.grammars.conditions.vocabulary import (
    ARTICLES,
    PREFIXES,
    WORDS,
    Ends,
    Phrase,
    Quantity,
    Vocabulary,
    find_integer,
    find_names,
    find_quantity,
)
from ecomrlve.grammars.engine.grammar import Meaning, Terminal, Token, words

Slots = Mapping[str, Any]
Direction = Literal["less", "more"]

OPERATORS: dict[str, Operator] = {
    "at least": ">=",
    "at most": "<=",
    "less than": "<",
    "more than": ">",
    "exactly": "=",
}

_DIRECTIONS: dict[Phrase, list[Direction]] = {
    **{words(word): ["more"] for word in WORDS["more_words"]},
    **{words(word): ["less"] for word in WORDS["less_words"]},
}
_RELATED: dict[str, tuple[str, Literal["same", "less", "more"], bool]] = {
    "same brand": ("brand", "same", False),
    "other brand": ("brand", "same", True),
    "cheaper": ("price", "less", False),
    "cheaper not": ("price", "less", True),
    "dearer": ("price", "more", False),
    "dearer not": ("price", "more", True),
    "same price": ("price", "same", False),
    "other price": ("price", "same", True),
    "lighter": ("weight", "less", False),
    "lighter not": ("weight", "less", True),
    "heavier": ("weight", "more", False),
    "heavier not": ("weight", "more", True),
}


def _longest(names: Iterable[Phrase]) -> int:
    return max(map(len, names), default=0)


def _signed(node: Node, negated: bool) -> Node:
    return Not(node) if negated else node


class ConditionParser:
    """The terminals and meanings of the condition grammar over one vocabulary.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES, Attribute
    >>> color = Attribute("color", "color", "choice", values=("red", "blue"))
    >>> reader = ConditionParser(Vocabulary({"color": color}, {}, {}, CURRENCIES["USD"]))
    >>> reader.meanings["choice"]({"value": ("color", "red"), "label": "color"})
    [Is(key='color', values=('red',))]
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.terminals: dict[str, Terminal] = self._terminals()
        self.meanings: dict[str, Meaning] = {
            **self._list_meanings(),
            **self._choice_meanings(),
            **self._feature_meanings(),
            **self._number_meanings(),
            **self._relation_meanings(),
            **self._compound_meanings(),
            **self._ranking_meanings(),
        }

    # --- terminals

    def _terminals(self) -> dict[str, Terminal]:
        vocabulary = self.vocabulary
        labels, values, nouns = vocabulary.labels, vocabulary.values, vocabulary.noun_phrases
        references: dict[Phrase, list[str]] = {}
        for name, phrase in vocabulary.references.items():
            references.setdefault(words(phrase), []).append(name)
        adjectives: dict[Phrase, list[str]] = {
            words(word): labels.get(words(label), []) for label, word in WORDS["adjectives"].items()
        }
        best: dict[Phrase, list[tuple[str, Direction]]] = {}
        better: dict[Phrase, list[tuple[str, Direction]]] = {}
        for scale in WORDS["scale_words"]:
            keys = [scale["key"]] if "key" in scale else _numbers(vocabulary, labels.get(words(scale["label"]), []))
            for table, name in ((best, "best"), (better, "better")):
                for word in scale[name]:
                    table.setdefault(words(word), []).extend((key, scale["first"]) for key in keys)
        prefixes = {prefix: [prefix] for prefix in PREFIXES}

        def named(names: Mapping[Phrase, Iterable[Any]]) -> Terminal:
            longest = _longest(names)
            return lambda tokens, at: find_names(names, longest, tokens, at)

        label = named(labels)

        def feature(tokens: Sequence[Token], at: int) -> Ends:
            skip = tokens[at].norm in ARTICLES and at + 1 < len(tokens)
            found = [*label(tokens, at), *(label(tokens, at + 1) if skip else ())]
            return [(end, key) for end, key in found if vocabulary.attributes[key].kind == "boolean"]

        return {
            "label": label,
            "label_one": named(vocabulary.singulars),
            "value": named(values),
            "noun": named(nouns),
            "reference": named(references),
            "adjective": named(adjectives),
            "prefix": named(prefixes),
            "most": named(_DIRECTIONS),
            "comparative": named(_DIRECTIONS),
            "best": named(best),
            "better_word": named(better),
            "feature": feature,
            "amount": lambda tokens, at: find_quantity(vocabulary.currency, tokens, at),
            "count": find_integer,
            "total": find_integer,
            "be": named({("is",): ["is"], ("are",): ["are"]}),
        }

    # --- helpers

    def _kind(self, key: str) -> str:
        attribute = self.vocabulary.attributes.get(key)
        return attribute.kind if attribute else ""

    def _weight(self) -> list[str]:
        return _numbers(self.vocabulary, self.vocabulary.labels.get(("weight",), []))

    def _position(self, key: str, quantity: Quantity) -> tuple[Fraction, str] | None:
        """An amount said of an attribute: None where it is not of its kind."""
        attribute = self.vocabulary.attributes.get(key)
        if attribute is None:
            return None
        if attribute.kind == "money":
            amount = quantity.amount * 10**self.vocabulary.currency.decimals
            return (amount, "") if quantity.unit == "money" else None
        if attribute.kind != "number" or quantity.unit == "money":
            return None
        same = UNITS[quantity.unit].dimension == UNITS[attribute.unit].dimension
        return (quantity.amount, quantity.unit) if same else None

    def _limited(self, key: str, limit: tuple[Any, ...]) -> list[Node]:
        if limit[0] == "between":
            first, last = limit[1:]
            if not first.unit and last.unit != "money":
                # "between 4 and 14 hours"
                first = Quantity(first.amount, last.unit)
            low, high = self._position(key, first), self._position(key, last)
            if low is None or high is None or low[1] != high[1]:
                return []
            return [Between(key, low[0], high[0], low[1])]
        position = self._position(key, limit[1])
        return [] if position is None else [Bound(key, limit[0], *position)]

    # --- meanings

    def _list_meanings(self) -> dict[str, Meaning]:
        def one(slots: Slots) -> list[Any]:
            key, value = slots["value"]
            return [(key, (value,))]

        def more(slots: Slots) -> list[Any]:
            key, value = slots["value"]
            other, values = slots["rest"]
            return [(key, (value, *values))] if key == other else []

        def items(slots: Slots) -> list[Any]:
            return [(slots["item"], *slots["rest"])]

        found: dict[str, Meaning] = {
            "one value": one,
            "more values": more,
            "one item": lambda slots: [(slots["item"],)],
            "item alone": lambda slots: [slots["item"]],
            "longer values": more,
            "more items": items,
            "longer items": items,
            "between": lambda slots: [("between", slots["low"], slots["high"])],
        }
        for name, operator in OPERATORS.items():
            found[name] = _limit(operator)
        return found

    def _choice_meanings(self) -> dict[str, Meaning]:
        vocabulary = self.vocabulary

        def brand(slots: Slots) -> list[Any]:
            key, values = slots["values"]
            return [Is(key, values)] if key == "brand" else []

        def brand_not(slots: Slots) -> list[Any]:
            key, value = slots["value"]
            return [Not(Is(key, (value,)))] if key == "brand" else []

        def brand_none(slots: Slots) -> list[Any]:
            key, values = slots.get("nor_values") or slots["and_values"]
            return [Not(Is(key, values))] if key == "brand" else []

        def alone(slots: Slots) -> list[Any]:
            key, values = slots["values"]
            fits = all((key, value) in vocabulary.owners_after(slots["prefix"], words(value)) for value in values)
            return [Is(key, values)] if fits else []

        def not_alone(slots: Slots) -> list[Any]:
            key, value = slots["value"]
            fits = (key, value) in vocabulary.owners_after(slots["prefix"], words(value))
            return [Not(Is(key, (value,)))] if fits else []

        def labelled(slots: Slots) -> list[Any]:
            key, value = slots["value"]
            return [Is(key, (value,))] if key == slots["label"] else []

        def choice_of(slots: Slots) -> list[Any]:
            key, values = slots["values"]
            return [Is(key, values)] if key == slots["label"] else []

        def choice_none(slots: Slots) -> list[Any]:
            key, values = slots.get("nor_values") or slots["and_values"]
            return [Not(Is(key, values))] if key == slots["label"] else []

        return {
            "brand is": brand,
            "brand is not": brand_not,
            "brand is none of": brand_none,
            "choice alone": alone,
            "choice not alone": not_alone,
            "choice": labelled,
            "choice in": labelled,
            "choice of": choice_of,
            "choice not": lambda slots: [Not(node) for node in labelled(slots)],
            "choice none of": choice_none,
        }

    def _feature_meanings(self) -> dict[str, Meaning]:
        def labelled(wanted: bool) -> Meaning:
            return lambda slots: [Has(slots["label"], wanted)] if self._kind(slots["label"]) == "boolean" else []

        return {
            "has": lambda slots: [Has(slots["feature"], True)],
            "has not": lambda slots: [Has(slots["feature"], False)],
            "quality": labelled(True),
            "quality not": labelled(False),
            "listed": labelled(True),
            "listed not": labelled(False),
        }

    def _number_meanings(self) -> dict[str, Meaning]:
        def of(key: str) -> Meaning:
            return lambda slots: self._limited(key, slots["limit"])

        def number(slots: Slots) -> list[Any]:
            return self._limited(slots.get("label") or slots["label_one"], slots["limit"])

        def number_not(slots: Slots) -> list[Any]:
            key = slots.get("label", "price")
            return [Not(node) for node in self._limited(key, ("=", slots["amount"]))]

        def outside(slots: Slots) -> list[Any]:
            key = slots.get("label", "price")
            return [Not(node) for node in self._limited(key, ("between", slots["low"], slots["high"]))]

        return {
            "number": number,
            "count": number,
            "amount of": number,
            "weight": lambda slots: [node for key in self._weight() for node in self._limited(key, slots["limit"])],
            "size": lambda slots: self._limited(slots["adjective"], slots["limit"]),
            "number exactly": lambda slots: self._limited(slots["label"], ("=", slots["amount"])),
            "number not": number_not,
            "number outside": outside,
            "price": of("price"),
            "price not": number_not,
            "price outside": outside,
            "rating": of("rating"),
            "stars": of("rating"),
            "reviews": of("reviews"),
        }

    def _relation_meanings(self) -> dict[str, Meaning]:
        def fixed(key: str, relation: Literal["same", "less", "more"], negated: bool) -> Meaning:
            def meaning(slots: Slots) -> list[Any]:
                keys = self._weight() if key == "weight" else [key]
                return [_signed(Related(name, relation, slots["reference"]), negated) for name in keys]

            return meaning

        def compared(negated: bool) -> Callable[[Slots], list[Any]]:
            def meaning(slots: Slots) -> list[Any]:
                if self._kind(slots["label"]) not in ("number", "money"):
                    return []
                return [_signed(Related(slots["label"], slots["comparative"], slots["reference"]), negated)]

            return meaning

        return {
            **{name: fixed(*parts) for name, parts in _RELATED.items()},
            "same": lambda slots: [Related(slots["label"], "same", slots["reference"])],
            "same count": lambda slots: [Related(slots["label"], "same", slots["reference"])],
            "not the same count": lambda slots: [Not(Related(slots["label"], "same", slots["reference"]))],
            "not the same": lambda slots: [Not(Related(slots["label"], "same", slots["reference"]))],
            "compared": compared(False),
            "compared not": compared(True),
            "compared count": compared(False),
            "compared count not": compared(True),
        }

    def _compound_meanings(self) -> dict[str, Meaning]:
        def some(slots: Slots) -> list[Any]:
            items = slots["items"]
            fits = slots["total"] == len(items) and 1 <= slots["count"] <= len(items)
            return [AtLeast(slots["count"], items)] if fits else []

        return {
            "any of": lambda slots: [AnyOf(slots["items"])],
            "none of": lambda slots: [Not(AnyOf(slots["items"]))],
            "all of": lambda slots: [AllOf(slots["items"])],
            "some of": some,
            "every one of": lambda slots: [AllOf(slots["items"])] if slots["total"] == len(slots["items"]) else [],
            "condition": lambda slots: [slots["modifier"]],
            "one condition": lambda slots: [(slots["condition"],)],
            "more conditions": lambda slots: [(slots["condition"], *slots["rest"])],
        }

    def _ranking_meanings(self) -> dict[str, Meaning]:
        def labelled(name: str) -> Callable[[Slots], list[Any]]:
            def meaning(slots: Slots) -> list[Any]:
                fits = self._kind(slots["label"]) in ("number", "money")
                return [(slots["label"], slots[name])] if fits else []

            return meaning

        return {
            "best adjective": lambda slots: [slots["best"]],
            "best label": labelled("most"),
            "better adjective": lambda slots: [slots["better_word"]],
            "better label": labelled("comparative"),
            "one key": lambda slots: [(slots["superlative"],)],
            "two keys": lambda slots: [(slots["superlative"], slots["better"])],
        }


def _numbers(vocabulary: Vocabulary, keys: Sequence[str]) -> list[str]:
    """Those of the details that are numbers: a choice that looks like one is no lighter than another."""
    return [key for key in keys if vocabulary.attributes[key].kind == "number"]


def _limit(operator: Operator) -> Meaning:
    return lambda slots: [(operator, slots["amount"])]
