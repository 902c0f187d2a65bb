"""Condition trees over product details, and three of their four faces: columns, one product, JSON.

The fourth face, words, is in `ecomrlve.grammars.conditions.wording`. A condition is true, false or unknown (Kleene's
strong three-valued logic): a detail that the shop does not give makes a condition on it unknown, whether it is
positive or negated, and a product qualifies only where the whole tree is true.

The two evaluations share nothing on purpose. `evaluate` compares integer codes in numpy columns; `holds` reads the
text that a shop page shows. A law of the test suite compares them on every kind of tree.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ecomrlve.grammars.conditions.attributes import MISSING, Attribute
from ecomrlve.grammars.conditions.units import UNITS, convert, unit_named

Operator = Literal["<=", ">=", "<", ">", "="]
Mask = NDArray[np.bool_]
Facts = Mapping[str, str]
"""One product as its page shows it: attribute key to text; an absent key is a detail not given."""


@dataclass(frozen=True, slots=True)
class Is:
    """The choice is one of ``values`` (compared without letter case)."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Has:
    """The feature is there (or, with ``wanted=False``, is not)."""

    key: str
    wanted: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """The number compares with ``amount`` in ``unit`` (money: minor units, unit ``""``)."""

    key: str
    operator: Operator
    amount: Fraction
    unit: str


@dataclass(frozen=True, slots=True)
class Between:
    """The number lies from ``low`` to ``high``, both included."""

    key: str
    low: Fraction
    high: Fraction
    unit: str


@dataclass(frozen=True, slots=True)
class Related:
    """The detail is the ``same`` as, ``less`` or ``more`` than that of another object, named by ``reference``."""

    key: str
    relation: Literal["same", "less", "more"]
    reference: str


@dataclass(frozen=True, slots=True)
class Not:
    """The condition is false (not merely unknown)."""

    part: "Node"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least ``count`` of the parts hold."""

    count: int
    parts: tuple["Node", ...]


Node = Is | Has | Bound | Between | Related | Not | AllOf | AnyOf | AtLeast


@dataclass(frozen=True, slots=True)
class Criterion:
    """How to rank what qualifies: ``keys`` in turn, each ``"more"`` or ``"less"`` first; then the id, alphabetically.

    A product that lacks a detail comes after those that have it.
    """

    keys: tuple[tuple[str, Literal["more", "less"]], ...]


class Columns(Protocol):
    """Integer codes of products (or of their variants), one array per attribute."""

    def attribute(self, key: str) -> Attribute | None:
        """The attribute of a key, or None where none of the products has it."""

    def codes(self, key: str) -> NDArray[np.int32]:
        """The codes of an attribute, `MISSING` where a product does not give it."""

    def __len__(self) -> int: ...


# --- first face: columns -------------------------------------------------------------------------------------------


def code_bound(attribute: Attribute, amount: Fraction, unit: str) -> Fraction:
    """An amount said in ``unit`` as an exact position on the attribute's scale of codes."""
    return amount if attribute.kind == "money" else _scaled(amount, unit, attribute.unit, attribute.decimals)


@lru_cache(maxsize=1 << 16)
def _scaled(amount: Fraction, source: str, target: str, decimals: int) -> Fraction:
    factor: int = 10**decimals
    return convert(amount, source, target) * factor


def evaluate(node: Node, columns: Columns) -> tuple[Mask, Mask]:
    """Where the tree is true and where it is false; elsewhere it is unknown.

    Returns:
        Two boolean arrays of shape ``(len(columns),)``.
    """
    match node:
        case AllOf(parts):
            true, false = np.ones(len(columns), dtype=bool), np.zeros(len(columns), dtype=bool)
            for part in parts:
                part_true, part_false = evaluate(part, columns)
                true &= part_true
                false |= part_false
            return true, false
        case AnyOf(parts):
            true, false = np.zeros(len(columns), dtype=bool), np.ones(len(columns), dtype=bool)
            for part in parts:
                part_true, part_false = evaluate(part, columns)
                true |= part_true
                false &= part_false
            return true, false
        case AtLeast(count, parts):
            sure, barred = np.zeros(len(columns), dtype=np.int32), np.zeros(len(columns), dtype=np.int32)
            for part in parts:
                part_true, part_false = evaluate(part, columns)
                sure += part_true
                barred += part_false
            return sure >= count, len(parts) - barred < count
        case Not(part):
            true, false = evaluate(part, columns)
            return false, true
        case Related():
            raise TypeError("resolve() the tree before evaluating it")
        case _:
            return _evaluate_atom(node, columns)


def _evaluate_atom(node: Is | Has | Bound | Between, columns: Columns) -> tuple[Mask, Mask]:
    attribute = columns.attribute(node.key)
    if attribute is None:
        nothing = np.zeros(len(columns), dtype=bool)
        return nothing, nothing.copy()
    codes = columns.codes(node.key)
    known = codes != MISSING
    match node:
        case Is(_, values):
            hits = [code for value in values for code in _codes_of(attribute, value)]
            match_ = np.zeros(len(codes), dtype=bool)
            for code in hits:
                match_ |= codes == code
        case Has(_, wanted_feature):
            match_ = codes == int(wanted_feature)
        case Bound(_, operator, amount, unit):
            match_ = _compare(codes, operator, code_bound(attribute, amount, unit))
        case Between(_, low, high, unit):
            match_ = (codes >= ceil(code_bound(attribute, low, unit))) & (
                codes <= floor(code_bound(attribute, high, unit))
            )
    return match_ & known, ~match_ & known


def _codes_of(attribute: Attribute, value: str) -> Sequence[int]:
    return _codes_by_text(attribute).get(value.casefold(), ())


@lru_cache(maxsize=1 << 14)
def _codes_by_text(attribute: Attribute) -> Mapping[str, Sequence[int]]:
    """The codes of each choice, compared without letter case."""
    found: dict[str, list[int]] = {}
    for code, text in enumerate(attribute.values):
        found.setdefault(text.casefold(), []).append(code)
    return found


def _compare(codes: NDArray[np.int32], operator: Operator, bound: Fraction) -> Mask:
    if operator == "<=":
        return codes <= floor(bound)
    if operator == ">=":
        return codes >= ceil(bound)
    if operator == "<":
        return codes < ceil(bound)
    if operator == ">":
        return codes > floor(bound)
    return codes == int(bound) if bound.denominator == 1 else np.zeros(len(codes), dtype=bool)


# --- second face: one product, from the text of its page -------------------------------------------------------------

_NUMBER = re.compile(r"(-?)\s*([0-9][0-9,]*(?:\.[0-9]+)?)")


def parse_quantity(text: str) -> tuple[Fraction, str]:
    """The number and the unit in a shown text, such as ``"1.5 m"`` or ``"$1,234.50"`` (unit ``""``).

    >>> parse_quantity("1.5 m")
    (Fraction(3, 2), 'm')
    """
    found = _NUMBER.search(text)
    if found is None:
        raise ValueError(f"no number in {text!r}")
    amount = Fraction(found[2].replace(",", ""))
    unit = unit_named(text[found.end() :])
    return (-amount if found[1] else amount), unit.name if unit else ""


def holds(node: Node, facts: Facts, minor: int = 100) -> bool | None:
    """Whether one product meets the tree: True, False, or None for unknown.

    Args:
        node: a tree without `Related`.
        facts: the product's details as shown.
        minor: minor units in one unit of the currency (a price is shown in whole units, said in minor ones).

    >>> holds(Not(Is("color", ("red",))), {"color": "Blue"}), holds(Not(Is("color", ("red",))), {})
    (True, None)
    """
    if isinstance(node, Not):
        inner = holds(node.part, facts, minor)
        return None if inner is None else not inner
    if isinstance(node, AllOf):
        return _at_least(len(node.parts), [holds(part, facts, minor) for part in node.parts])
    if isinstance(node, AnyOf):
        return _at_least(1, [holds(part, facts, minor) for part in node.parts])
    if isinstance(node, AtLeast):
        return _at_least(node.count, [holds(part, facts, minor) for part in node.parts])
    if isinstance(node, Related):
        raise TypeError("resolve() the tree before checking it")
    shown = facts.get(node.key)
    if shown is None:
        return None
    if isinstance(node, Is):
        return shown.casefold() in [value.casefold() for value in node.values]
    if isinstance(node, Has):
        return (shown == "yes") == node.wanted
    amount, unit = parse_quantity(shown)
    if node.key == "price":
        amount *= minor
    elif unit != node.unit:
        # Both sides in base units, so that this path shares no conversion with the columns.
        amount *= UNITS[unit].factor / UNITS[node.unit].factor
    if isinstance(node, Between):
        return node.low <= amount <= node.high
    return {
        "<=": amount <= node.amount,
        ">=": amount >= node.amount,
        "<": amount < node.amount,
        ">": amount > node.amount,
        "=": amount == node.amount,
    }[node.operator]


def _at_least(count: int, verdicts: list[bool | None]) -> bool | None:
    if sum(verdict is True for verdict in verdicts) >= count:
        return True
    if sum(verdict is not False for verdict in verdicts) < count:
        return False
    return None


# --- relations -------------------------------------------------------------------------------------------------------


def resolve(node: Node, references: Mapping[str, Facts], attributes: Mapping[str, Attribute], minor: int = 100) -> Node:
    """The tree with every `Related` replaced by a condition on the value that the other object shows.

    Args:
        node: the tree.
        references: the details of other objects as shown, by reference.
        attributes: by key; their kind says how a shown text is meant ("18 mm" can be a choice).
        minor: minor units in one unit of the currency.

    Raises:
        KeyError: where a reference or the detail it rests on is not there; the pose must not let this happen.
    """
    match node:
        case Related(key, relation, reference):
            shown, kind = references[reference][key], attributes[key].kind
            if kind == "choice":
                return Is(key, (shown,))
            if kind == "boolean":
                return Has(key, shown == "yes")
            amount, unit = parse_quantity(shown)
            operators: dict[str, Operator] = {"same": "=", "less": "<", "more": ">"}
            return Bound(key, operators[relation], amount * minor if kind == "money" else amount, unit)
        case Not(part):
            return Not(resolve(part, references, attributes, minor))
        case AllOf(parts):
            return AllOf(tuple(resolve(part, references, attributes, minor) for part in parts))
        case AnyOf(parts):
            return AnyOf(tuple(resolve(part, references, attributes, minor) for part in parts))
        case AtLeast(count, parts):
            return AtLeast(count, tuple(resolve(part, references, attributes, minor) for part in parts))
        case _:
            return node


# --- logical equivalence ---------------------------------------------------------------------------------------------

Canonical = tuple[Any, ...]

_OPPOSITE = {"<=": ">", ">=": "<", "<": ">=", ">": "<=", "=": "!="}


def canonical(node: Node) -> Canonical:
    """A form that is equal for trees that say the same: negation at the atoms, nests flattened, parts sorted.

    >>> red, blue = Is("color", ("red",)), Is("color", ("blue",))
    >>> canonical(Not(AnyOf((red, blue)))) == canonical(AllOf((Not(blue), Not(red))))
    True
    """
    return _canonical(node, False)


def _canonical(node: Node, negated: bool) -> Canonical:
    match node:
        case Not(part):
            return _canonical(part, not negated)
        case AllOf(parts) | AnyOf(parts):
            kind = "all" if isinstance(node, AllOf) != negated else "any"
            return _join(kind, [_canonical(part, negated) for part in parts])
        case AtLeast(count, parts):
            inner = [_canonical(part, negated) for part in parts]
            # "not at least k of n" is "at least n - k + 1 of the n are false".
            needed = len(parts) - count + 1 if negated else count
            if needed == len(parts):
                return _join("all", inner)
            return _join("any", inner) if needed == 1 else ("at least", needed, *sorted(inner, key=repr))
        case Is(key, values):
            return ("is not" if negated else "is", key, *sorted({value.casefold() for value in values}))
        case Has(key, wanted):
            return ("has", key, wanted != negated)
        case Related(key, relation, reference):
            return ("not related" if negated else "related", key, relation, reference)
        case Between(key, low, high, unit):
            both = AllOf((Bound(key, ">=", low, unit), Bound(key, "<=", high, unit)))
            return _canonical(both, negated)
        case Bound(key, operator, amount, unit):
            base = amount if key == "price" else amount * UNITS[unit].factor
            return ("bound", key, _OPPOSITE[operator] if negated else operator, str(base))


def _join(kind: str, parts: list[Canonical]) -> Canonical:
    flat: list[Canonical] = []
    for part in parts:
        flat.extend(part[1:] if part[0] == kind else (part,))
    # "either red or blue" is one membership, and so is "not red and not blue".
    merge = "is" if kind == "any" else "is not"
    merged: dict[str, set[str]] = {}
    rest: list[Canonical] = []
    for part in flat:
        if part[0] == merge:
            merged.setdefault(part[1], set()).update(part[2:])
        else:
            rest.append(part)
    rest.extend((merge, key, *sorted(values)) for key, values in merged.items())
    unique = sorted(set(rest), key=repr)
    return unique[0] if len(unique) == 1 else (kind, *unique)


# --- third face: JSON ------------------------------------------------------------------------------------------------


def to_json(node: Node) -> list[Any]:
    """The tree as JSON-ready lists.

    >>> to_json(Not(Is("color", ("red",))))
    ['not', ['is', 'color', ['red']]]
    """
    match node:
        case Is(key, values):
            return ["is", key, list(values)]
        case Has(key, wanted):
            return ["has", key, wanted]
        case Bound(key, operator, amount, unit):
            return ["bound", key, operator, str(amount), unit]
        case Between(key, low, high, unit):
            return ["between", key, str(low), str(high), unit]
        case Related(key, relation, reference):
            return ["related", key, relation, reference]
        case Not(part):
            return ["not", to_json(part)]
        case AllOf(parts):
            return ["all", *map(to_json, parts)]
        case AnyOf(parts):
            return ["any", *map(to_json, parts)]
        case AtLeast(count, parts):
            return ["at least", count, *map(to_json, parts)]


def from_json(value: Sequence[Any]) -> Node:
    """The tree that `to_json` wrote.

    >>> from_json(["not", ["is", "color", ["red"]]])
    Not(part=Is(key='color', values=('red',)))
    """
    kind, *rest = value
    match kind:
        case "is":
            return Is(rest[0], tuple(rest[1]))
        case "has":
            return Has(rest[0], rest[1])
        case "bound":
            return Bound(rest[0], rest[1], Fraction(rest[2]), rest[3])
        case "between":
            return Between(rest[0], Fraction(rest[1]), Fraction(rest[2]), rest[3])
        case "related":
            return Related(rest[0], rest[1], rest[2])
        case "not":
            return Not(from_json(rest[0]))
        case "all":
            return AllOf(tuple(map(from_json, rest)))
        case "any":
            return AnyOf(tuple(map(from_json, rest)))
        case "at least":
            return AtLeast(rest[0], tuple(map(from_json, rest[1:])))
    raise ValueError(f"unknown kind of condition: {kind!r}")
