"""What customers say when they ask where something is, as data, and the grammar of its words.

`ecomrlve.grammars.dialogue.status.render` puts a request into words, `ecomrlve.grammars.dialogue.status.parse` reads
them back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from ecomrlve.grammars.dialogue.references import TABLE, OrderReference, stem
from ecomrlve.grammars.engine.grammar import Grammar, load_grammar, words

Mark = tuple[str, Any]
"""One thing said: ``("look", text)``, ``("maker", text)``, ``("price", minor units)`` or ``("order", reference)``."""

ORDINALS = ("last", "before last", "third last")
"""Kinds of references by place among the orders, the newest first."""

NAMED = ("gift", "destination")
"""Kinds of references by a name: of the person it is for, of the city where it goes."""


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """What a customer says of something that is to come, in the words said.

    Args:
        about: whether one item is asked about, or an order as a whole.
        item: what the item (or one that the order holds) is called; ``""`` where none is named.
        looks: options said of it.
        prepositions: how each option is said, by `PREPOSITIONS`; plainly where it is not here.
        maker: its brand, or ``""``.
        price: unit price said, minor units, or None.
        references: to the order: ``("last",)``, ``("before last",)``, ``("third last",)``, ``("placed", date)``,
            ``("month", year, month)``, ``("gift", name)``, ``("destination", city)``, ``("total", minor units)``.
        many: whether the item is several, or a pair.
        complaint: ``"waiting"``, ``"denied"`` (the carrier says that it was delivered) or ``""``.
    """

    about: Literal["line", "order"]
    item: str = ""
    looks: tuple[str, ...] = ()
    prepositions: Mapping[str, str] = field(default_factory=dict)
    maker: str = ""
    price: int | None = None
    references: tuple[OrderReference, ...] = ()
    many: bool = False
    complaint: str = ""

    @property
    def order(self) -> OrderReference | None:
        """The references to the order, where there are any: what the thing is said to be from."""
        return self.references or None

    def parsed(self) -> "ParsedStatus":
        """What a listener knows of the request."""
        said = [*words(self.item), *words(self.maker), *(word for look in self.looks for word in words(look))]
        references = frozenset(map(heard_reference, self.references))
        return ParsedStatus(self.about, frozenset(map(stem, said)), references, self.price, self.complaint == "denied")


def heard_reference(reference: OrderReference) -> OrderReference:
    """A reference as a listener has it: a name by its words.

    >>> heard_reference(("gift", "Anna-Lena")), heard_reference(("last",))
    (('gift', ('anna', 'lena')), ('last',))
    """
    return (reference[0], words(reference[1])) if reference[0] in NAMED else reference


@dataclass(frozen=True, slots=True)
class StatusCorrection:
    """A change of mind about a `StatusRequest`.

    Args:
        request: as it stands afterwards.
        old: what was said before and is not meant; None where something else altogether is asked about.
        new: what is meant in its place.
    """

    request: StatusRequest
    old: Mark | None = None
    new: Mark | None = None


@dataclass(frozen=True, slots=True)
class ParsedStatus:
    """A question as a listener understands it: what the words say, without how they say it.

    Args:
        about: ``"line"`` or ``"order"``; ``""`` where that is not said.
        words: stems that the title or the options of the line, or of one line of the order, must hold.
        references: to the order, names by their words.
        price: unit price of the line, or None.
        denied: whether the customer says that what was delivered never came.
    """

    about: str = ""
    words: frozenset[str] = frozenset()
    references: frozenset[OrderReference] = frozenset()
    price: int | None = None
    denied: bool = False


@lru_cache(maxsize=1)
def status_grammar() -> Grammar:
    """The productions for questions about orders."""
    return load_grammar(TABLE, "grammars.dialogue.status/status")
