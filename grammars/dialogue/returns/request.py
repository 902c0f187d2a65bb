"""What customers say of something they send back, as data, and the grammar and names of its words.

`ecomrlve.grammars.dialogue.returns.render` puts a request into words, `ecomrlve.grammars.dialogue.returns.parse`
reads them back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from ecomrlve.grammars.dialogue.references import TABLE, OrderReference, stem
from ecomrlve.grammars.engine.grammar import Grammar, load_grammar, words


@dataclass(frozen=True, slots=True)
class ReturnRequest:
    """What a customer says of a return, in the words said.

    Args:
        item: what it is called, such as ``"rain jacket"``.
        looks: options said of it, such as ``("charcoal", "M")``.
        prepositions: how each of those options, and of the version's, is said, by `PREPOSITIONS`; plainly where it is
            not here.
        maker: its brand, or ``""``.
        order: which order it was in, or None.
        price: unit price said, minor units, or None.
        bought: units on the line, for the words "two of the three"; 1 where nothing is said of number.
        count: units that come back, or None where that is not said.
        wish: money or an exchange.
        version: options wanted in exchange; empty for the same again.
        reason: one of `policy_rules.REASONS`, or None where it is not said.
        condition: one of `policy_rules.CONDITIONS`, or None where it is not said.
        worn: whether it is something to wear.
        many: whether what comes back is several, or a pair.
    """

    item: str
    looks: tuple[str, ...] = ()
    prepositions: Mapping[str, str] = field(default_factory=dict)
    maker: str = ""
    order: OrderReference | None = None
    price: int | None = None
    bought: int = 1
    count: int | None = None
    wish: Literal["money", "exchange"] = "money"
    version: tuple[str, ...] = ()
    reason: str | None = None
    condition: str | None = None
    worn: bool = False
    many: bool = False

    def parsed(self) -> "ParsedReturn":
        """What a listener knows of the request."""
        said = [*words(self.item), *words(self.maker), *(word for look in self.looks for word in words(look))]
        version = frozenset(words(value) for value in self.version) if self.wish == "exchange" else None
        return ParsedReturn(
            frozenset(map(stem, said)), self.order, self.price, self.count, version, self.reason, self.condition
        )


@dataclass(frozen=True, slots=True)
class ReturnCorrection:
    """A change of mind about a `ReturnRequest`.

    Args:
        target: the number, the wish (with its version), one option of the thing itself, or its state.
        request: as it stands afterwards.
        old: for an option of the thing, the one said before.
        new: for an option of the thing, the one meant.
    """

    target: Literal["count", "wish", "look", "condition"]
    request: ReturnRequest
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class ParsedReturn:
    """A return as a listener understands it: what the words say, without how they say it.

    Args:
        words: stems that the line's title or options must hold.
        order: which order, or None.
        price: unit price, or None.
        count: units that come back, None where nothing is said.
        version: words of each option wanted in exchange; None where money is wanted.
        reason: or None.
        condition: or None.
    """

    words: frozenset[str] = frozenset()
    order: OrderReference | None = None
    price: int | None = None
    count: int | None = None
    version: frozenset[tuple[str, ...]] | None = None
    reason: str | None = None
    condition: str | None = None


@lru_cache(maxsize=1)
def return_grammar() -> Grammar:
    """The productions for returns."""
    return load_grammar(TABLE, "grammars.dialogue.returns/returns")
