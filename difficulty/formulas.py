"""Formulas of the level, as text that both people and the program read."""

import ast
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Any

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max, "ceil": ceil, "floor": floor}


@lru_cache(maxsize=64)
def _parsed(formula: str) -> ast.expr:
    return ast.parse(formula, mode="eval").body


def evaluate(formula: str, level: int) -> Fraction:
    """A formula's value at level d, exactly: sums, products, quotients, min, max, ceil and floor.

    Args:
        formula: such as ``"min(10, 1 + floor(d / 3))"``.
        level: the d in it.

    Raises:
        ValueError: where it holds anything else.

    >>> evaluate("min(10, 1 + floor(d / 3))", 7), evaluate("min(0.9, 0.1 * d)", 3)
    (Fraction(3, 1), Fraction(3, 10))
    """
    return _value(_parsed(formula), Fraction(level))


def _value(node: ast.expr, level: Fraction) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as number):
            return Fraction(str(number))
        case ast.Name(id="d"):
            return level
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return Fraction(_OPERATORS[type(op)](_value(left, level), _value(right, level)))
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in _FUNCTIONS:
            return Fraction(_FUNCTIONS[name](*(_value(part, level) for part in parts)))
    raise ValueError(f"{ast.unparse(node)} is no part of a formula")
