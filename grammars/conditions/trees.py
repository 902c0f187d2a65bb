"""Condition trees taken apart for wording: details, negations moved down, nests opened."""

from ecomrlve.grammars.conditions.constraints import (
    AllOf,
    AnyOf,
    AtLeast,
    Between,
    Bound,
    Has,
    Is,
    Node,
    Not,
    Operator,
    Related,
)

Atom = Is | Has | Bound | Between | Related
"""A condition on one detail."""

_OPPOSITE: dict[Operator, Operator] = {"<=": ">", ">=": "<", "<": ">=", ">": "<="}


def simple(node: Node) -> tuple[Atom, bool] | None:
    """A condition on one detail with whether it is negated, or None for what joins several.

    >>> simple(Not(Has("lid", True)))
    (Has(key='lid', wanted=False), False)
    """
    negated = False
    while isinstance(node, Not):
        node, negated = node.part, not negated
    if isinstance(node, AllOf | AnyOf | AtLeast):
        return None
    if negated and isinstance(node, Has):
        return Has(node.key, not node.wanted), False
    if negated and isinstance(node, Bound) and node.operator != "=":
        return Bound(node.key, _OPPOSITE[node.operator], node.amount, node.unit), False
    return node, negated


def negate(node: Node) -> Node:
    """The opposite of a tree, with the negation moved down to the details.

    >>> negate(AnyOf((Has("lid", True), Is("color", ("red",)))))
    AllOf(parts=(Has(key='lid', wanted=False), Not(part=Is(key='color', values=('red',)))))
    """
    if isinstance(node, Not):
        return node.part
    if isinstance(node, AllOf):
        return AnyOf(tuple(map(negate, node.parts)))
    if isinstance(node, AnyOf):
        return AllOf(tuple(map(negate, node.parts)))
    if isinstance(node, AtLeast):
        return AtLeast(len(node.parts) - node.count + 1, tuple(map(negate, node.parts)))
    if isinstance(node, Has):
        return Has(node.key, not node.wanted)
    if isinstance(node, Bound) and node.operator != "=":
        return Bound(node.key, _OPPOSITE[node.operator], node.amount, node.unit)
    return Not(node)


def flatten(node: Node) -> tuple[Node, ...]:
    """The conditions that must all hold, nests opened.

    >>> len(flatten(AllOf((Has("lid", True), AllOf((Has("cap", True), Has("bag", True)))))))
    3
    """
    if isinstance(node, Not) and isinstance(node.part, Not):
        return flatten(node.part.part)
    if isinstance(node, AtLeast) and node.count == len(node.parts):
        return flatten(AllOf(node.parts))
    if isinstance(node, AllOf):
        return tuple(part for inner in node.parts for part in flatten(inner))
    if isinstance(node, Not) and isinstance(node.part, AnyOf) and not all(map(_can_be_denied, node.part.parts)):
        return flatten(negate(node.part))
    return (node,)


def _can_be_denied(node: Node) -> bool:
    """Whether "neither" can stand before a condition: it denies nothing itself, and holds no list."""
    parts = simple(node)
    if parts is None or parts[1] or lists(node):
        return False
    atom = parts[0]
    return not (isinstance(atom, Has) and not atom.wanted)


def keys_of(node: Node) -> set[str]:
    """The details that a tree speaks of.

    >>> keys_of(Not(Has("lid", True)))
    {'lid'}
    """
    if isinstance(node, Not):
        return keys_of(node.part)
    if isinstance(node, AllOf | AnyOf | AtLeast):
        return {key for part in node.parts for key in keys_of(part)}
    return {node.key}


def lists(node: Node) -> bool:
    """Whether a detail's condition holds a list of its own, which would run into a list around it."""
    parts = simple(node)
    return parts is not None and isinstance(parts[0], Is) and len(parts[0].values) > 1


def without_condition(conditions: tuple[Node, ...], key: str) -> tuple[Node, ...] | None:
    """The conditions less the one on a detail; None where there is none, or it is said only as part of another.

    >>> without_condition((Has("lid", True), Has("cap", True)), "lid")
    (Has(key='cap', wanted=True),)
    """
    kept = tuple(node for node in conditions if keys_of(node) != {key})
    spread = any(key in keys_of(node) for node in kept)
    return None if len(kept) == len(conditions) or spread else kept
