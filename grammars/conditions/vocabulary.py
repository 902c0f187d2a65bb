"""The words a conversation can turn on: what a page shows, and how each name is found again in a text."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from ecomrlve.grammars.conditions.attributes import Attribute, Currency
from ecomrlve.grammars.conditions.finding import (
    MEASURE_WORDS,
    NUMBERS,
    WORDS,
    Ends,
    Phrase,
    Quantity,
    find_integer,
    find_names,
    find_quantity,
    is_number,
    number_value,
    unit_words,
)
from ecomrlve.grammars.conditions.names import Feature, feature, is_count, is_plural, quoted, sayable, singular
from ecomrlve.grammars.engine.grammar import load_grammar, words
from ecomrlve.grammars.engine.lexicon import Lexicon

# The tables whose literal words a reader of requests and carts knows.
SPOKEN = (
    "grammars.conditions/conditions",
    "grammars.conditions/things",
    "grammars.dialogue/shopping",
    "grammars.dialogue/cart",
)

__all__ = [
    "ANY_PRODUCT",
    "ARTICLES",
    "MEASURE_WORDS",
    "NUMBERS",
    "PREFIXES",
    "WORDS",
    "Ends",
    "Feature",
    "Phrase",
    "Quantity",
    "Vocabulary",
    "feature",
    "find_integer",
    "find_names",
    "find_quantity",
    "is_count",
    "is_number",
    "is_plural",
    "number_value",
    "quoted",
    "sayable",
    "singular",
    "unit_words",
]

ARTICLES = ("a", "an", "the", "any")
PREFIXES = frozenset(words(prefix) for prefix in WORDS["prefixes"])
ANY_PRODUCT: tuple[tuple[str, str], ...] = tuple(map(tuple, WORDS["any_product"]))


def _all_words(table: Any) -> Iterable[str]:
    if isinstance(table, str):
        yield from words(table.replace("{value}", ""))
    elif isinstance(table, dict | list):
        for entry in table.values() if isinstance(table, dict) else table:
            yield from _all_words(entry)


_COMMON_WORDS = MEASURE_WORDS | frozenset(_all_words(WORDS))
_LONG = 200
"""A list of so many choices is kept apart from other names."""


@lru_cache(maxsize=64)
def _with_common(literals: frozenset[str]) -> frozenset[str]:
    return literals | _COMMON_WORDS


@lru_cache(maxsize=8192)
def _values_of(attribute: Attribute) -> dict[Phrase, str]:
    return {words(value): value for value in reversed(attribute.values)}


@lru_cache(maxsize=256)
def _owners_of(key: str, attribute: Attribute) -> dict[Phrase, list[tuple[str, str]]]:
    return {phrase: [(key, value)] for phrase, value in _values_of(attribute).items()}


@lru_cache(maxsize=1024)
def _words_of(attributes: tuple[Attribute, ...]) -> frozenset[str]:
    """The words of all choices of some attributes."""
    return frozenset(word for attribute in attributes for value in attribute.values for word in words(value))


@lru_cache(maxsize=8192)
def _twins_of(attribute: Attribute) -> frozenset[Phrase]:
    """Values that sound like another value of the same attribute."""
    first: dict[Phrase, str] = {}
    return frozenset(
        words(value)
        for value in attribute.values
        if first.setdefault(words(value), value.casefold()) != value.casefold()
    )


@dataclass(frozen=True)
class Vocabulary:
    """What can be named in a conversation.

    All of it can be read off a page, so a reader who has only the page can build the same. A vocabulary that knows
    more than the page does no harm: it only makes wording more careful.

    Args:
        attributes: key to attribute, with ``price``, ``rating``, ``reviews`` and ``brand`` among them where shown.
        nouns: type key to (singular, plural).
        references: reference id to the phrase that names the thing, such as "the headphones I ordered on 3 March".
        currency: of all prices.
    """

    attributes: Mapping[str, Attribute]
    nouns: Mapping[str, tuple[str, str]]
    references: Mapping[str, str]
    currency: Currency
    _kept: dict[str, dict[Any, Any]] = field(default_factory=partial(defaultdict, dict), repr=False, compare=False)

    def with_references(self, references: Mapping[str, str]) -> "Vocabulary":
        """The same words with other references; what was worked out about the rest is kept."""
        return Vocabulary(self.attributes, self.nouns, references, self.currency, self._kept)

    def kept(self, name: str) -> dict[Any, Any]:
        """A memory for things worked out from attributes and nouns, by name."""
        return self._kept[name]

    # --- names and their owners

    @property
    def labels(self) -> dict[Phrase, list[str]]:
        """The keys of each label."""
        found = self.kept("labels")
        if not found:
            for key, attribute in self.attributes.items():
                found.setdefault(words(attribute.label), []).append(key)
        return found

    @property
    def singulars(self) -> dict[Phrase, list[str]]:
        """The keys of the singular of each label that counts things."""
        found = self.kept("singulars")
        if not found:
            for key, attribute in self.attributes.items():
                if is_count(attribute) and key != "reviews":
                    found.setdefault(words(singular(attribute.label)), []).append(key)
        return found

    @property
    def values(self) -> dict[Phrase, list[tuple[str, str]]]:
        """The (key, value) pairs that each value's words can mean."""
        found = self.kept("values")
        if not found:
            choices = [(key, attribute) for key, attribute in self.attributes.items() if attribute.kind == "choice"]
            # A shop's brands are many, and the same for all its vocabularies.
            choices.sort(key=lambda choice: -len(choice[1].values))
            for place, (key, attribute) in enumerate(choices):
                if place == 0:
                    found.update(_owners_of(key, attribute))
                    continue
                for phrase, value in _values_of(attribute).items():
                    found[phrase] = [*found.get(phrase, ()), (key, value)]
        return found

    @property
    def noun_phrases(self) -> dict[Phrase, list[str]]:
        """The type keys of each noun, singular or plural; ``""`` for the words for any product."""
        found = self.kept("nouns")
        if not found:
            for key, pair in (*self.nouns.items(), *(("", pair) for pair in ANY_PRODUCT)):
                for noun in dict.fromkeys(pair):
                    owners = found.setdefault(words(noun), [])
                    if key not in owners:
                        owners.append(key)
        return found

    # --- what can be said with one reading

    def label_is_clear(self, key: str) -> bool:
        """Whether an attribute's label names it alone."""
        memory = self.kept("clear")
        known = memory.get(key)
        if known is None:
            known = memory[key] = self._label_is_clear(key)
        return bool(known)

    def _label_is_clear(self, key: str) -> bool:
        attribute = self.attributes.get(key)
        if attribute is None or not sayable(attribute.label) or attribute.label.casefold() in WORDS["reserved_labels"]:
            return False
        return len(self.labels[words(attribute.label)]) == 1

    def single(self, key: str) -> str:
        """The label in the singular, for "at least one pocket"; ``""`` where that is no name of its own."""
        label = singular(self.attributes[key].label)
        phrase = words(label)
        clear = self.singulars.get(phrase) == [key] and phrase not in self.labels and phrase not in self.values
        return label if clear and quoted(label) == label else ""

    def value_is_clear(self, key: str, value: str) -> bool:
        """Whether a value, its attribute being known, names one choice."""
        memory = self.kept("clear value")
        known = memory.get((key, value))
        if known is None:
            attribute = self.attributes.get(key)
            known = memory[key, value] = (
                attribute is not None
                and attribute.kind == "choice"
                and sayable(value)
                and words(value) in _values_of(attribute)
                and words(value) not in _twins_of(attribute)
            )
        return bool(known)

    def stands_alone(self, key: str, value: str) -> bool:
        """Whether a value needs no label: no other attribute, feature or noun goes by these words."""
        memory = self.kept("alone")
        known = memory.get((key, value))
        if known is None:
            phrase = words(value)
            known = memory[key, value] = (
                self.value_is_clear(key, value)
                and len(self.values.get(phrase, ())) == 1
                and phrase not in self.labels
                and phrase not in self.noun_phrases
                and not is_number(phrase[0])
                and len(phrase[0]) > 1
                and phrase[0] not in ("a", "an", "the")
            )
        return bool(known)

    def phrase_for(self, key: str, values: Sequence[str]) -> str:
        """The words before the values that let them stand without their label; ``""`` where there are none."""
        memory = self.kept("phrase")
        known = memory.get((key, *values))
        if known is None:
            known = memory[key, *values] = self._phrase_for(key, values)
        return str(known)

    def _phrase_for(self, key: str, values: Sequence[str]) -> str:
        attribute = self.attributes[key]
        default: str = WORDS["default_phrases"].get(attribute.label.casefold(), "")
        ways = [default, *attribute.phrases] if attribute.label.casefold() == "size" else [*attribute.phrases, default]
        for phrase in ways:
            prefix = phrase.removesuffix("{value}").strip()
            if words(prefix) not in PREFIXES or any(quoted(value) != value for value in values):
                continue
            if all(self._phrase_is_clear(key, prefix, value) for value in values):
                return prefix
        return ""

    def _phrase_is_clear(self, key: str, prefix: str, value: str) -> bool:
        sized = words(prefix)[-1] == "size"
        if sized and "size" in words(value):
            return False
        if not (self.value_is_clear(key, value) if sized else self.stands_alone(key, value)):
            return False
        whole = words(f"{prefix} {value}")
        hits = sum(len(self.owners_after(whole[:cut], whole[cut:])) for cut in range(1, len(whole)))
        if hits != 1:
            return False
        return whole[0] != "with" or self.with_readings(whole[2:] if whole[1] in ("a", "an") else whole[1:]) == 1

    def owners_after(self, prefix: Phrase, phrase: Phrase) -> list[tuple[str, str]]:
        """The (key, value) pairs that a value can mean after a prefix ("in size" speaks of the label "size" only)."""
        if prefix not in PREFIXES:
            return []
        owners = self.values.get(phrase, [])
        if prefix[-1] != "size":
            return [owner for owner in owners if owner[0] != "brand"]
        return [owner for owner in owners if words(self.attributes[owner[0]].label) == ("size",)]

    def with_readings(self, phrase: Phrase) -> int:
        """In how many ways "with (a)" and these words can be read: a choice, a feature, a value and its label."""
        hits = len(self.values.get(phrase, ()))
        # A label may bring its own article: "a lid" beside the value "lid".
        for label in (phrase, *((article, *phrase) for article in ARTICLES)):
            hits += sum(self.attributes[key].kind == "boolean" for key in self.labels.get(label, ()))
        for cut in range(1, len(phrase)):
            owners = {key for key, _ in self.values.get(phrase[:cut], ())}
            hits += sum(key in owners for key in self.labels.get(phrase[cut:], ()))
        return hits

    def feature(self, key: str) -> Feature:
        """How to ask for a yes-or-no detail among these names."""
        memory = self.kept("feature")
        known = memory.get(key)
        if known is None:
            attribute = self.attributes[key]
            known = feature(attribute)
            if known.form == "with" and self.with_readings(words(attribute.label)) != 1:
                known = Feature("listed", quoted(attribute.label))
            memory[key] = known
        found: Feature = known
        return found

    def before_noun(self, key: str, value: str, noun: str) -> bool:
        """Whether a value can stand before a noun: "a black armchair", "an Orvane microphone"."""
        memory = self.kept("before")
        known = memory.get((key, value, noun))
        if known is None:
            known = memory[key, value, noun] = self._before_noun(key, value, noun)
        return bool(known)

    def _before_noun(self, key: str, value: str, noun: str) -> bool:
        attribute = self.attributes[key]
        if key != "brand" and attribute.label.casefold() not in WORDS["before_noun"]:
            return False
        if quoted(value) != value or not self.stands_alone(key, value) or noun not in self.nouns:
            return False
        return all(
            sum(
                len(self.noun_phrases.get(whole[cut:], ())) * (len(self.values.get(whole[:cut], ())) if cut else 1)
                for cut in range(len(whole))
            )
            == 1
            for whole in (words(value) + words(form) for form in self.nouns[noun])
        )

    def reference_is_clear(self, reference: str) -> bool:
        """Whether a reference's phrase names it alone, and is not the beginning of another's."""
        if reference not in self.references:
            return False
        own = words(self.references[reference])
        return bool(own) and not any(
            other != reference and words(phrase)[: len(own)] == own for other, phrase in self.references.items()
        )

    def noun_is_clear(self, noun: str) -> bool:
        """Whether a type's nouns name it alone (``""``, for any product, always does)."""
        if not noun:
            return True
        memory = self.kept("clear noun")
        known = memory.get(noun)
        if known is None:
            known = memory[noun] = noun in self.nouns and all(
                sayable(form) and self.noun_phrases[words(form)] == [noun] for form in self.nouns[noun]
            )
        return bool(known)

    def noun_text(self, noun: str, many: bool) -> str:
        """A type's noun as a sentence holds it: in quotation marks where a part of it could be read apart."""
        memory = self.kept("noun text")
        known = memory.get((noun, many))
        if known is None:
            form = self.nouns[noun][many]
            phrase = words(form)
            parted = any(
                phrase[:cut] in self.values and phrase[cut:] in self.noun_phrases for cut in range(1, len(phrase))
            )
            plain = quoted(form) == form and not parted and not is_number(phrase[0])
            known = memory[noun, many] = form if plain else quoted(form) if quoted(form) != form else f'"{form}"'
        return str(known)

    # --- for noise

    @property
    def lexicon(self) -> Lexicon:
        """The words known to a reader of requests and carts over this vocabulary."""
        return self.lexicon_with(load_grammar(*SPOKEN).words)

    def lexicon_with(self, literals: frozenset[str]) -> Lexicon:
        """The words known to a reader over this vocabulary whose grammar has these words of its own."""
        memory = self.kept("lexicon")
        if not memory:
            texts = [self.currency.symbol, *(form for pair in self.nouns.values() for form in pair)]
            for attribute in self.attributes.values():
                texts.append(attribute.label)
                if is_count(attribute):
                    texts.append(singular(attribute.label))
            # Long lists of choices, such as a shop's brands, are the same for many vocabularies.
            long = tuple(attribute for attribute in self.attributes.values() if len(attribute.values) >= _LONG)
            short = tuple(attribute for attribute in self.attributes.values() if len(attribute.values) < _LONG)
            memory["names"] = (_words_of(short).union(*map(words, texts)), _words_of(long))
        references = frozenset(word for phrase in self.references.values() for word in words(phrase))
        return Lexicon((_with_common(literals), *memory["names"], references))
