"""Which forms suit a condition: flags that choose among productions, shapes of numbers, the order of phrases."""

from ecomrlve.grammars.conditions.attributes import Attribute
from ecomrlve.grammars.conditions.constraints import Between, Bound
from ecomrlve.grammars.conditions.finding import WORDS
from ecomrlve.grammars.conditions.names import is_count, is_plural
from ecomrlve.grammars.conditions.units import UNITS
from ecomrlve.grammars.engine.tokens import words

Options = list[tuple[str, int]]
"""Forms to choose from, with their weights."""

NO_FLAGS: frozenset[str] = frozenset()
SINGULAR, PLURAL, IN = frozenset({"singular label"}), frozenset({"plural label"}), frozenset({"in label"})
COUNTED, UNCOUNTED = frozenset({"singular label", "counted label"}), frozenset({"singular label", "uncounted label"})
COUNT, MEASURE, LOOSE = frozenset({"count"}), frozenset({"measure"}), frozenset({"loose"})
SIZE = frozenset({"size label"})
AFFIRMED = frozenset({"affirmed"})
APART = frozenset({"apart"})
RELATIVES = ("that ", "whose ", "where ", "for which ")
ENDING = frozenset({"ending"})
SINGLE, SEVERAL = frozenset({"single"}), frozenset({"several"})
RATING, PLAIN_PRICE = frozenset({"rating"}), frozenset({"plain price"})


def in_order(texts: list[str]) -> list[str]:
    """Modifiers in the order they read best: "in navy", then "with a lid", then "that weighs at most 2 kg".

    >>> in_order(["that has a lid", "with a cap", "in navy"])
    ['in navy', 'with a cap', 'that has a lid']
    """
    return sorted(texts, key=_place)


def _place(text: str) -> int:
    return 2 if text.startswith(RELATIVES) else 1 if text.startswith(("with ", "without ")) else 0


def apart(text: str, after: str) -> frozenset[str]:
    """The flag that lets two modifiers stand side by side; two relative clauses need an "and", and so do two "with"."""
    paired = _place(text) == 2 == _place(after) or (text.startswith("with ") and after.startswith("with "))
    return NO_FLAGS if paired else APART


def number_forms(node: Bound | Between, attribute: Attribute) -> Options:
    """The forms that a limit can take, with their weights."""
    if node.key == "rating":
        return [("rating", 6), ("stars", 0 if is_single(node) else 1)]
    if node.key in ("price", "reviews"):
        return [(node.key, 1)]
    if is_count(attribute):
        return [("count", 1)]
    label = attribute.label.casefold()
    if label == "weight":
        return [("number", 1), ("weight", 5)]
    if label in WORDS["adjectives"] and attribute.unit and UNITS[attribute.unit].dimension == "length":
        return [("number", 3), ("size", 5)]
    parts = words(label)
    if node.unit and parts[-1] in WORDS["amount_of"] and not any(part in WORDS["measure_words"] for part in parts):
        return [("number", 3), ("amount of", 3)]
    return [("number", 1)]


def is_single(node: Bound | Between) -> bool:
    """Whether a limit speaks of one: "at least one pocket".

    >>> from fractions import Fraction
    >>> is_single(Bound("pockets", ">=", Fraction(1), ""))
    True
    """
    return isinstance(node, Bound) and node.amount == 1


def number_flags(node: Bound | Between) -> frozenset[str]:
    """The flags of forms that suit a limit's grammatical number."""
    return SINGLE if is_single(node) else SEVERAL


def be(attribute: Attribute) -> str:
    """The verb for a label: "is" or "are"."""
    return "are" if is_plural(attribute.label) else "is"


def takes_verb(attribute: Attribute) -> bool:
    """Whether a label has no place after "with a": "straps", "longest blade".

    >>> takes_verb(Attribute("blade", "longest blade", "number", unit="cm"))
    True
    """
    most = attribute.kind == "number" and words(attribute.label)[0] in WORDS["most_of_all"]
    return most or is_plural(attribute.label)


def label_flags(attribute: Attribute, prefix: str = "") -> frozenset[str]:
    """The flags of forms that suit a label: "a texture" or "textures" or "storage"."""
    uncounted = words(attribute.label)[-1] in WORDS["uncounted"]
    flags = PLURAL if is_plural(attribute.label) else UNCOUNTED if uncounted else COUNTED
    if takes_verb(attribute):
        flags &= SINGULAR | PLURAL
    return flags | IN if prefix == "in" else flags


def own_prefix(attribute: Attribute) -> str:
    """ "in" where a choice is said to come in its values, as colors are; else ``""``."""
    phrases = attribute.phrases or (WORDS["default_phrases"].get(attribute.label.casefold(), ""),)
    return "in" if "in {value}" in phrases else ""
