"""What customers ask for: products to be found, things for a cart, and their changes of mind, as data."""

from dataclasses import dataclass
from typing import Literal

from ecomrlve.grammars.conditions.constraints import AllOf, Canonical, Criterion, Node, canonical


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


def _meaning(conditions: tuple[Node, ...]) -> Canonical:
    return canonical(AllOf(conditions)) if conditions else ()
