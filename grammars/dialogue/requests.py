"""What customers ask for: products to be found, things for a cart, and their changes of mind, as data."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ecomrlve.grammars.conditions.constraints import AllOf, Between, Bound, Canonical, Criterion, Node, canonical


@dataclass(frozen=True, slots=True)
class ShoppingRequest:
    """A customer's wish for products.

    Args:
        noun: a type's key in the vocabulary, or ``""`` for any product.
        count: how many products to name.
        scope: the name of the place to look in.
        scope_kind: ``"collection"``, ``"page"`` or ``"list"``.
        conditions: all must hold.
        criterion: what comes first among those that fit.
    """

    noun: str
    count: int
    scope: str
    scope_kind: str
    conditions: tuple[Node, ...]
    criterion: Criterion

    def meaning(self) -> tuple[object, ...]:
        """A form that is equal for requests that ask the same.

        >>> from dataclasses import replace
        >>> from ecomrlve.grammars.conditions.constraints import Is
        >>> one = ShoppingRequest("lamp", 1, "Sale", "page", (Is("color", ("red",)),), Criterion((("price", "less"),)))
        >>> one.meaning() == replace(one, conditions=(Is("color", ("Red",)),)).meaning()
        True
        """
        return (
            self.noun,
            self.count,
            self.scope.casefold(),
            self.scope_kind,
            _meaning(self.conditions),
            self.criterion.keys,
        )


@dataclass(frozen=True, slots=True)
class Correction:
    """A change of mind about a `ShoppingRequest`.

    Args:
        target: what changes.
        key: for a condition, the attribute whose earlier condition is dropped.
        node: for a condition, what is wanted in its place (None: it no longer matters).
        count: the new number of products.
        criterion: the new criterion.
    """

    target: Literal["condition", "count", "criterion"]
    key: str = ""
    node: Node | None = None
    count: int | None = None
    criterion: Criterion | None = None


@dataclass(frozen=True, slots=True)
class CartItem:
    """One described item for a cart; with ``same_as_previous`` only what differs from the item before is given."""

    quantity: int
    noun: str
    conditions: tuple[Node, ...]
    same_as_previous: bool = False

    def meaning(self) -> tuple[object, ...]:
        """A form that is equal for items that ask the same."""
        return (self.quantity, self.noun, _meaning(self.conditions), self.same_as_previous)


@dataclass(frozen=True, slots=True)
class CartCorrection:
    """A change of mind about a cart.

    Args:
        target: change a quantity, drop an item, or ask for another option in place of the one said.
        position: which item, counted from 0 in the order first said.
        quantity: the new quantity.
        node: the condition that replaces the item's condition on the same attribute.
    """

    target: Literal["quantity", "drop", "option"]
    position: int
    quantity: int | None = None
    node: Node | None = None


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a substitute's price may be from that of what was wanted.

    Args:
        amount: minor units of the currency, or per cent.
        unit: ``""`` for money, ``"%"`` for a share of what was wanted.
        above_only: whether any lower price will do.
    """

    amount: Fraction
    unit: Literal["", "%"]
    above_only: bool

    def around(self, price: int) -> Bound | Between:
        """The condition on a price, for something wanted that costs ``price`` minor units.

        >>> Tolerance(Fraction(10), "%", True).around(1995)
        Bound(key='price', operator='<=', amount=Fraction(4389, 2), unit='')
        """
        distance = self.amount if not self.unit else price * self.amount / 100
        if self.above_only:
            return Bound("price", "<=", price + distance, "")
        return Between("price", price - distance, price + distance, "")


Preference = tuple[tuple[str, Literal["more", "less", "near"]], ...]
"""Which of several is best: details in turn, each with what comes first; near is nearest to what was wanted."""


@dataclass(frozen=True, slots=True)
class SubstituteRequest:
    """A customer's wish for something in place of what cannot be had.

    Args:
        wanted: what cannot be had: the key of a title, or a reference.
        version: which options of it were wanted.
        scope: the name of the place to look in, or ``""`` where none is said.
        scope_kind: ``"collection"``, ``"page"`` or ``"list"``.
        conditions: all must hold.
        tolerance: of the price, or None where any will do.
        preference: which of those that would do.
    """

    wanted: str
    version: tuple[Node, ...]
    scope: str
    scope_kind: str
    conditions: tuple[Node, ...]
    tolerance: Tolerance | None
    preference: Preference

    def meaning(self) -> tuple[object, ...]:
        """A form that is equal for requests that ask the same."""
        place = (self.scope.casefold(), self.scope_kind)
        wanted = (self.wanted, _meaning(self.version))
        return (*wanted, *place, _meaning(self.conditions), self.tolerance, self.preference)


@dataclass(frozen=True, slots=True)
class SubstituteCorrection:
    """A change of mind about a `SubstituteRequest`.

    Args:
        target: what changes.
        key: for a condition, the attribute whose earlier condition is dropped.
        node: for a condition, what is wanted in its place (None: it no longer matters).
        tolerance: the new tolerance.
        preference: the new preference.
    """

    target: Literal["condition", "tolerance", "preference"]
    key: str = ""
    node: Node | None = None
    tolerance: Tolerance | None = None
    preference: Preference = ()


def _meaning(conditions: tuple[Node, ...]) -> Canonical:
    return canonical(AllOf(conditions)) if conditions else ()
