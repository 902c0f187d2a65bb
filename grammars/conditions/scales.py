"""The words for more and less of a detail: cheapest, longer, fewest; and small numbers in words."""

from ecomrlve.grammars.conditions.attributes import Attribute
from ecomrlve.grammars.conditions.vocabulary import WORDS, is_count
from ecomrlve.grammars.engine.tokens import words


def number_text(number: int) -> str:
    """A small number in words, others in digits.

    >>> number_text(2), number_text(40)
    ('two', '40')
    """
    return str(WORDS["numbers"][number]) if number < len(WORDS["numbers"]) else str(number)


def _scale(attribute: Attribute) -> tuple[str, str, str, str]:
    if is_count(attribute) or attribute.key == "reviews":
        return ("most", "fewest", "more", "fewer")
    last = words(attribute.label)[-1] if words(attribute.label) else ""
    most, least, more, less = WORDS["scales"].get(last, ("highest", "lowest", "higher", "lower"))
    return (most, least, more, less)


def superlative_of(attribute: Attribute, first: str) -> str:
    """The superlative for the label of a number.

    >>> superlative_of(Attribute("life", "battery life", "number", unit="h"), "more")
    'longest'
    """
    return _scale(attribute)[0 if first == "more" else 1]


def comparative_of(attribute: Attribute, first: str) -> str:
    """The comparative for the label of a number.

    >>> comparative_of(Attribute("shelves", "shelves", "number"), "less")
    'fewer'
    """
    return _scale(attribute)[2 if first == "more" else 3]


def scale_words(attribute: Attribute, first: str, name: str) -> list[str]:
    """The words of their own that a detail has for an end of its scale, such as "cheapest"; often none."""
    for scale in WORDS["scale_words"]:
        mine = scale.get("key") == attribute.key or scale.get("label") == attribute.label.casefold()
        if mine and scale["first"] == first:
            found: list[str] = scale[name]
            return found
    return []
