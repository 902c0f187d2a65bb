"""What labels and values are like as words: plural or not, safe to say bare or only in quotation marks."""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from ecomrlve.grammars.conditions.attributes import Attribute
from ecomrlve.grammars.conditions.finding import WORDS
from ecomrlve.grammars.engine.tokens import PUNCTUATION, article, tokenize, words

_JOINING = frozenset(WORDS["joining"])
_NOT_PLURAL = frozenset(WORDS["not_plural"])


class Feature(NamedTuple):
    """How a yes-or-no detail is asked for: ``"with"`` a noun, as a ``"quality"``, or as ``"listed"``; and the words."""

    form: Literal["with", "quality", "listed"]
    text: str


@lru_cache(maxsize=65536)
def quoted(name: str) -> str:
    """A label or value as a sentence holds it: in quotation marks where it could fall apart.

    >>> quoted("USB-C"), quoted("cotton, linen")
    ('USB-C', '"cotton, linen"')
    """
    parts = words(name)
    if '"' not in name and not any(part in PUNCTUATION or part in _JOINING for part in parts):
        return name
    return f"“{name}”" if '"' in name else f'"{name}"'


@lru_cache(maxsize=65536)
def sayable(name: str) -> bool:
    """Whether a name survives being said: it has a word, and no marks that would break its quotation.

    >>> sayable("15.6"), sayable("–"), sayable("a “b”")
    (True, True, False)
    """
    tokens = tokenize(quoted(name))
    return bool(words(name)) and "”" not in name and "“" not in name and "\n" not in name and bool(tokens)


@lru_cache(maxsize=16384)
def is_plural(label: str) -> bool:
    """Whether a label is a plural noun.

    >>> is_plural("card slots"), is_plural("thickness"), is_plural("threads per inch"), is_plural("lens")
    (True, False, True, False)
    """
    last = label.casefold().split(" per ")[0].split(" of ")[0].split()[-1]
    return last in WORDS["singulars"] or (
        last.endswith("s") and not last.endswith(("ss", "us", "is")) and last not in _NOT_PLURAL
    )


@lru_cache(maxsize=16384)
def singular(label: str) -> str:
    """The singular of a plural label.

    >>> singular("shelves"), singular("outer pockets"), singular("batteries per pack"), singular("glasses")
    ('shelf', 'outer pocket', 'battery per pack', 'glass')
    """
    head, *rest = re.split("( per | of )", label, maxsplit=1)
    *first, last = head.split(" ")
    low = last.casefold()
    if low in WORDS["singulars"]:
        last = WORDS["singulars"][low]
    elif low.endswith("ies"):
        last = f"{last[:-3]}y"
    else:
        last = last[:-2] if low.endswith(("sses", "shes", "ches", "xes")) else last[:-1]
    return " ".join((*first, last)) + "".join(rest)


@lru_cache(maxsize=16384)
def is_count(attribute: Attribute) -> bool:
    """Whether a number counts things that its label names: "at least 4 shelves"."""
    parts = words(attribute.label)
    return (
        attribute.kind == "number"
        and not attribute.unit
        and is_plural(attribute.label)
        and not any(part in WORDS["measure_words"] for part in parts)
    )


@lru_cache(maxsize=16384)
def feature(attribute: Attribute) -> Feature:
    """How to ask for a yes-or-no detail, in words that its label gives back.

    >>> feature(Attribute("lid", "lid", "boolean", yes="with a snap-on lid")).text
    'a lid'
    >>> feature(Attribute("dim", "dimmable", "boolean", yes="that is dimmable"))
    Feature(form='quality', text='dimmable')
    """
    label, yes = quoted(attribute.label), attribute.yes
    own, said = words(attribute.label), words(yes)
    if yes.startswith("that is ") and said[2:] == own:
        return Feature("quality", label)
    if any(own[-1:] and own[-1].endswith(ending) for ending in WORDS["quality_endings"]) and said[:1] != ("with",):
        return Feature("quality", label)
    mass = attribute.label.casefold().endswith(tuple(WORDS["mass_endings"]))
    if said[:1] != ("with",):
        return Feature("with" if own[-1] in WORDS["virtue_endings"] else "listed", label)
    last = said[-len(own) :] == own
    if not last and not mass and any(said[at : at + len(own)] == own for at in range(1, len(said))):
        # An adjective of something else: "with a varnished finish".
        return Feature("quality" if own[-1].endswith("ed") else "listed", label)
    counted = len(said) > 1 and said[1] in ("a", "an") and "of" not in said and not is_plural(attribute.label)
    if counted and (last or not mass):
        return Feature("with", f"{article(label)} {label}")
    return Feature("with", label)
