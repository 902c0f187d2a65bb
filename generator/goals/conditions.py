"""Drawing conditions that a chosen variant meets, each loose or tight enough for the scope that is wanted."""

from collections.abc import Container
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.goals.amounts import nice, sayable
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import MISSING, Attribute
from ecomrlve.grammars.conditions.constraints import (
    AnyOf,
    AtLeast,
    Between,
    Bound,
    Has,
    Is,
    Node,
    Not,
    Operator,
    code_bound,
)
from ecomrlve.grammars.conditions.units import SPOKEN, UNITS, convert
from ecomrlve.grammars.conditions.vocabulary import Vocabulary
from ecomrlve.grammars.conditions.wording import can_say

# Weights of the shapes a condition can take; a shape that the page cannot carry falls back to the plain one.
SHAPES: tuple[tuple[str, int], ...] = (("plain", 62), ("either", 12), ("neither", 8), ("k of n", 10), ("not", 8))

_WEIGHTS = tuple(weight for _, weight in SHAPES)

# A bound said in another unit than the table's keeps this distance from every value on the page, so that a reader
# who converts with a rounded factor still gets the same answer.
_MARGIN = Fraction(1, 100)
# What people say in a unit of their own lies between these: nobody asks for 0.03 TB or for 1,000 cm.
_LEAST_SAID, _MOST_SAID = Fraction(1, 2), Fraction(300)
# The most stars there are, and the fewest that anybody asks for.
_FULL_STARS, _FEWEST_STARS = 5, 3
# In how many thousandths of the bounds buyers ask for much of what they like more of, or for little of the rest.
_PREFERRED = 940
# By how much a limit that is taken back was off, the likelier first.
_STRETCHES = (Fraction(3, 2), Fraction(5, 4), Fraction(11, 10))


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a goal, the keys it uses, and the choice values it mentions (which the page must show)."""

    node: Node
    keys: tuple[str, ...]
    mentioned: tuple[tuple[str, str], ...]


def mentioned_values(node: Node) -> tuple[tuple[str, str], ...]:
    """(key, value) of every choice that a tree speaks of.

    >>> mentioned_values(Not(Is("color", ("red",))))
    (('color', 'red'),)
    """
    match node:
        case Is(key, values):
            return tuple((key, value) for value in values)
        case Not(part):
            return mentioned_values(part)
        case AnyOf(parts) | AtLeast(_, parts):
            return tuple(pair for part in parts for pair in mentioned_values(part))
        case _:
            return ()


class GoalDrawer:
    """Draws conditions over one page.

    Args:
        page: the products to tell apart.
        target: variant on the page (a place, not a row) that must meet every condition.
        draws: randomness.
        vocabulary: what can be named on the page; every node drawn can be said in it.
    """

    def __init__(self, page: Page, target: int, draws: Draws, vocabulary: Vocabulary) -> None:
        self.page = page
        self.target = target
        self.draws = draws
        self.vocabulary = vocabulary

    @property
    def kind(self) -> int:
        """The target's product type, as its place in the catalog's types."""
        return int(self.page.types[self.page.products[self.target]])

    def said(self, node: Node | None) -> Node | None:
        """The node where it can be put in words with one reading, else None."""
        return node if node is not None and can_say(node, self.vocabulary) else None

    def keys(self, axes_too: bool = True) -> list[str]:
        """Attribute keys the target gives, the type's own first."""
        given = self.page.given(self.target)
        if axes_too:
            return given
        axes = self.page.catalog.types[self.kind].variant_axes
        return [key for key in given if key not in axes]

    def conditions(self, count: int, share: int, exclude: Container[str] = ()) -> list[Condition] | None:
        """``count`` conditions on different details, each met by about ``share`` thousandths of the page.

        ``exclude`` names details that are spoken for.

        Returns None where the target does not give enough details.
        """
        keys = self.draws.shuffle([key for key in self.keys() if key not in exclude])
        found: list[Condition] = []
        while len(found) < count:
            if len(keys) < count - len(found):
                return None
            spare = len(keys) - (count - len(found))
            shape = SHAPES[self.draws.weighted(_WEIGHTS)][0]
            need = {"either": 2, "neither": 2, "k of n": 3}.get(shape, 1)
            if need - 1 > spare:
                shape, need = "plain", 1
            chosen, keys = keys[:need], keys[need:]
            node = self.said(self._shaped(shape, chosen, share))
            if node is None:
                # The detail has one value on the whole page: it cannot tell anything apart.
                keys = [*chosen[1:], *keys]
                continue
            found.append(Condition(node, tuple(chosen), mentioned_values(node)))
        return found

    def _shaped(self, shape: str, keys: list[str], share: int) -> Node | None:
        if shape == "either":
            # Two ways to qualify, one of them the target's: each tighter than the whole.
            own, other = self.true(keys[0], share // 2), self.any_condition(keys[1], share // 2)
            return None if own is None or other is None else self._ordered(AnyOf, (own, other))
        if shape == "neither":
            parts = [self.false(key) for key in keys]
            if parts[0] is None or parts[1] is None:
                return self.true(keys[0], share)
            return Not(AnyOf((parts[0], parts[1])))
        if shape == "k of n":
            nodes = [self.true(keys[0], share), self.true(keys[1], share), self.any_condition(keys[2], share)]
            if any(node is None for node in nodes):
                return self.true(keys[0], share)
            return AtLeast(2, tuple(self.draws.shuffle([node for node in nodes if node is not None])))
        if shape == "not":
            node = self.false(keys[0])
            return self.true(keys[0], share) if node is None else Not(node)
        return self.true(keys[0], share)

    def _ordered(self, kind: type[AnyOf], parts: tuple[Node, Node]) -> Node:
        return kind(parts if self.draws.chance(500) else (parts[1], parts[0]))

    # --- single details ------------------------------------------------------------------------------------------

    def true(self, key: str, share: int) -> Node | None:
        """A condition on one detail that the target meets; None where the page has but one value."""
        attribute = self.page.attribute(key)
        if attribute is None:
            return None
        code = int(self.page.codes(key)[self.target])
        known = self.page.ordered(key)
        if code == MISSING or known[0] == known[-1]:
            return None
        if attribute.kind == "boolean":
            return self.said(Has(key, bool(code)))
        if attribute.kind == "choice":
            return self.said(self._choice(attribute, known, code, share))
        return self.said(self._number(attribute, known, code, share))

    def exactly(self, key: str) -> Node | None:
        """The target's own choice or number as a condition; None where it is not given."""
        attribute = self.page.attribute(key)
        code = int(self.page.codes(key)[self.target])
        if attribute is None or code == MISSING:
            return None
        if attribute.kind == "choice":
            return self.said(Is(key, (attribute.values[code],)))
        return self.said(Bound(key, "=", attribute.quantity(code), attribute.unit))

    def false(self, key: str) -> Node | None:
        """A plain condition on one detail that the target fails, and another product meets."""
        attribute = self.page.attribute(key)
        if attribute is None:
            return None
        code = int(self.page.codes(key)[self.target])
        others = [other for other in self.page.frequencies(key) if other != code]
        if code == MISSING or not others:
            return None
        if attribute.kind == "boolean":
            return self.said(Has(key, not code))
        if attribute.kind == "choice":
            return self.said(Is(key, (attribute.values[self.draws.choice(others)],)))
        return None

    def any_condition(self, key: str, share: int) -> Node | None:
        """A plain condition on one detail that some product on the page meets, whether the target does or not."""
        attribute = self.page.attribute(key)
        if attribute is None or attribute.kind not in ("choice", "boolean"):
            return self.true(key, share)
        known = list(self.page.frequencies(key))
        if len(known) < 2:
            return None
        code = self.draws.choice(known)
        return self.said(Has(key, bool(code)) if attribute.kind == "boolean" else Is(key, (attribute.values[code],)))

    def wrong(self, node: Node) -> Node | None:
        """A first version of a condition that the customer will take back; it must differ in what it asks."""
        return self.said(self._wrong(node))

    def _wrong(self, node: Node) -> Node | None:
        match node:
            case Is(key, values) if len(values) == 1:
                attribute = self.page.attribute(key)
                if attribute is None:
                    return None
                others = [
                    attribute.values[code] for code in self.page.frequencies(key) if attribute.values[code] != values[0]
                ]
                return Is(key, (self.draws.choice(others),)) if others else None
            case Has(key, wanted):
                return Has(key, not wanted)
            case Bound(key, operator, amount, unit) if key != "rating":
                return self._other_bound(key, operator, amount, unit)
            case _:
                return None

    def _other_bound(self, key: str, operator: Operator, amount: Fraction, unit: str) -> Node | None:
        """Another limit within what the page has: no watch is 60 mm across, and nothing is 145% accurate."""
        attribute = self.page.attribute(key)
        if attribute is None:
            return None
        # Most have to ask for less than they had hoped.
        larger = (operator in (">=", ">")) == self.draws.chance(750)
        ordered = self.page.ordered(key)
        minor = 1 if attribute.currency is None else 10**attribute.currency.decimals
        for stretch in (*_STRETCHES, *(1 / one for one in _STRETCHES)):
            factor = stretch if larger else 1 / stretch
            other = nice(amount * factor / minor, factor > 1) * minor
            if key in ("price", "reviews") or not unit:
                other = Fraction(max(1, round(other)))
            code = other if attribute.kind == "money" else code_bound(attribute, other, unit)
            if other != amount and sayable(other) and int(ordered[0]) <= code <= int(ordered[-1]):
                return Bound(key, operator, other, unit)
        return None

    def _choice(self, attribute: Attribute, known: NDArray[np.int32], code: int, share: int) -> Node:
        frequency = self.page.frequencies(attribute.key)
        total = len(known)
        others = [other for other in frequency if other != code]
        if frequency[code] * 1000 >= share * total * 3 // 4 or share <= 450:
            return Is(attribute.key, (attribute.values[code],))
        if self.draws.chance(500):
            # Leaving out one value keeps most of the page.
            return Not(Is(attribute.key, (attribute.values[self.draws.choice(others)],)))
        chosen, covered = [code], frequency[code]
        for other in self.draws.shuffle(others):
            if covered * 1000 >= share * total or len(chosen) == 4 or len(chosen) == len(frequency) - 1:
                break
            chosen.append(other)
            covered += frequency[other]
        return Is(attribute.key, tuple(attribute.values[other] for other in self.draws.shuffle(chosen)))

    def _number(self, attribute: Attribute, ordered: NDArray[np.int32], code: int, share: int) -> Node | None:
        low, high = int(ordered[0]), int(ordered[-1])
        # Nobody asks for a poor rating or for few reviews.
        only_up = attribute.key in ("rating", "reviews")
        if only_up and code == low:
            return None
        if not only_up and self.draws.chance(120):
            least = min(code, int(ordered[len(ordered) * (1000 - share) // 2000]))
            most = max(code, int(ordered[min(len(ordered) - 1, len(ordered) * (1000 + share) // 2000)]))
            if least < most and (low < least or most < high):
                return self._between(attribute, least, most)
        place = len(ordered) * share // 1000
        upward = {"more": _PREFERRED, "less": 1000 - _PREFERRED}.get(attribute.better, 500)
        if only_up or code == high or (low < code and self.draws.chance(upward)):
            bound = min(code, int(ordered[max(0, len(ordered) - 1 - place)]))
            if attribute.key == "rating":
                # Nobody asks for 1.2 stars.
                stars = self.page.frequencies("rating")
                fewest = next((one for one in stars if attribute.quantity(one) >= _FEWEST_STARS), code + 1)
                if fewest > code:
                    return None
                bound = max(bound, fewest)
            # A bound at the end of the scale would exclude nothing.
            if bound == low:
                bound = int(ordered[ordered.searchsorted(low, "right")])
            if attribute.key == "rating" and attribute.quantity(bound) == _FULL_STARS:
                # Nobody asks for "5 or better".
                bound = int(ordered[ordered.searchsorted(bound) - 1])
                if bound == low or attribute.quantity(bound) < _FEWEST_STARS:
                    return None
            return self._bound(attribute, bound, code, ordered, low)
        bound = max(code, int(ordered[min(len(ordered) - 1, place)]))
        if bound == high:
            bound = int(ordered[ordered.searchsorted(high) - 1])
        return self._bound(attribute, bound, code, ordered, high)

    def _between(self, attribute: Attribute, low: int, high: int) -> Node:
        if attribute.kind == "money":
            return Between(attribute.key, nice(Fraction(low), False), nice(Fraction(high), True), "")
        return Between(attribute.key, attribute.quantity(low), attribute.quantity(high), attribute.unit)

    def _bound(self, attribute: Attribute, bound: int, code: int, known: NDArray[np.int32], edge: int) -> Node:
        """A bound that people would say near ``bound``: true at ``code``, false at ``edge``, an end of the scale."""
        upward = edge < code
        plain: Operator = ">=" if upward else "<="
        if attribute.currency is not None:
            minor = 10**attribute.currency.decimals
            amount = nice(Fraction(bound, minor), not upward) * minor
            operator: Operator = plain if self.draws.chance(700) else ">" if upward else "<"
            if amount.denominator == 1 and _tells(operator, code, edge, int(amount)):
                return Bound(attribute.key, operator, amount, "")
            return Bound(attribute.key, plain, Fraction(bound), "")
        quantity = attribute.quantity(bound)
        units = SPOKEN.get(attribute.unit, ())
        if units and self.draws.chance(350):
            unit = self.draws.choice(units)
            amount = nice(convert(quantity, attribute.unit, unit), not upward)
            if (
                _LEAST_SAID <= amount <= _MOST_SAID
                and self._clear(attribute, amount, unit, known)
                and _tells(plain, code, edge, code_bound(attribute, amount, unit))
            ):
                return Bound(attribute.key, plain, amount, unit)
        if self.draws.chance(700):
            # No finer than the shop's own numbers.
            rounded = code_bound(attribute, nice(quantity, not upward), attribute.unit)
            if rounded.denominator == 1 and _tells(plain, code, edge, int(rounded)):
                quantity = attribute.quantity(int(rounded))
        return Bound(attribute.key, plain, quantity, attribute.unit)

    def _clear(self, attribute: Attribute, amount: Fraction, unit: str, known: NDArray[np.int32]) -> bool:
        if not sayable(amount):
            return False
        if _nobody_rounds(unit, attribute.unit):
            return True
        bound = code_bound(attribute, amount, unit)
        low, high = ceil(bound * (1 - _MARGIN)), floor(bound * (1 + _MARGIN))
        return int(known.searchsorted(low)) == int(known.searchsorted(high, side="right"))


@lru_cache(maxsize=1024)
def _nobody_rounds(unit: str, other: str) -> bool:
    """Whether the factor between two units is one that nobody rounds: metric to metric and the like."""
    factors = UNITS[unit].factor, UNITS[other].factor
    factor = factors[0] / factors[1]
    return all(one.denominator == 1 for one in factors) and 1 in (factor.numerator, factor.denominator)


def _tells(operator: Operator, code: int, edge: int, bound: Fraction | int) -> bool:
    """Whether a bound is true at one code and false at the other."""
    match operator:
        case ">=":
            return code >= bound > edge
        case "<=":
            return code <= bound < edge
        case ">":
            return code > bound >= edge
        case "<":
            return code < bound <= edge
        case "=":
            return code == bound != edge
