"""The twelve difficulty axes: one table from which levels, checks and the documentation come.

Three axes depart from the published system, where they change nothing (order switching, sold-out products) or make
hard tasks easier (turn and tool budgets that grow with the level).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from ecomrlve.check import check_whole, is_number
from ecomrlve.errors import InvalidArgument

Formula = Callable[[int], Fraction]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of difficulty.

    Args:
        name: as users write it.
        unit: what one unit of it is.
        formula: how the default follows from level d, in words of arithmetic.
        default: the same, as a function of the level.
        changes: what rises (or falls) with it.
        modes: in which modes it acts.
        low: least value that can be set by hand.
        high: greatest value that can be set by hand.
        whole: whether only whole numbers make sense.
    """

    name: str
    unit: str
    formula: str
    default: Formula
    changes: str
    modes: tuple[str, ...]
    low: int
    high: int
    whole: bool


def _share(cap: str, slope: str) -> Formula:
    return lambda level: min(Fraction(cap), Fraction(slope) * level)


_BOTH = ("context", "tools")

AXES: dict[str, Axis] = {
    axis.name: axis
    for axis in (
        Axis(
            "constraints",
            "conditions",
            "1 + ceil(d / 2)",
            lambda level: Fraction(1 + (level + 1) // 2),
            "conditions in the goal",
            _BOTH,
            1,
            12,
            True,
        ),
        Axis(
            "answers",
            "things",
            "min(10, 1 + floor(d / 3))",
            lambda level: Fraction(min(10, 1 + level // 3)),
            "things to return",
            _BOTH,
            1,
            10,
            True,
        ),
        Axis(
            "candidates",
            "products",
            "min(120, 12 + 6 d)",
            lambda level: Fraction(min(120, 12 + 6 * level)),
            "products in the scope",
            _BOTH,
            2,
            240,
            True,
        ),
        Axis(
            "decoys",
            "share",
            "min(0.9, 0.1 d)",
            _share("0.9", "0.1"),
            "share of the scope that breaks exactly one condition",
            _BOTH,
            0,
            1,
            False,
        ),
        Axis(
            "out_of_stock",
            "share",
            "min(0.5, 0.05 d)",
            _share("0.5", "0.05"),
            "share of otherwise right products that cannot be bought",
            _BOTH,
            0,
            1,
            False,
        ),
        Axis(
            "omission",
            "share",
            "min(0.8, 0.08 d)",
            _share("0.8", "0.08"),
            "conditions not said in the request: found in the profile or history, or by asking",
            _BOTH,
            0,
            1,
            False,
        ),
        Axis(
            "noise",
            "errors per letter",
            "min(0.125, 0.01 d)",
            _share("0.125", "0.01"),
            "typing errors per letter",
            _BOTH,
            0,
            1,
            False,
        ),
        Axis(
            "switching",
            "share",
            "min(0.6, 0.05 d)",
            _share("0.6", "0.05"),
            "corrections and changes of mind",
            _BOTH,
            0,
            1,
            False,
        ),
        Axis(
            "orders",
            "orders",
            "1 + floor(d / 2)",
            lambda level: Fraction(1 + level // 2),
            "past orders to tell apart",
            _BOTH,
            1,
            30,
            True,
        ),
        Axis(
            "branches",
            "rules",
            "1 + floor(d / 3)",
            lambda level: Fraction(1 + level // 3),
            "rules and exceptions that bear on the case",
            _BOTH,
            1,
            8,
            True,
        ),
        Axis(
            "turn_slack",
            "turns",
            "max(0, 6 - floor(d / 2))",
            lambda level: Fraction(max(0, 6 - level // 2)),
            "(falls) turns beyond what the oracle needs",
            ("tools",),
            0,
            100,
            True,
        ),
        Axis(
            "search_error",
            "share",
            "min(0.4, 0.02 d)",
            _share("0.4", "0.02"),
            "share of search hits that do not belong",
            ("tools",),
            0,
            1,
            False,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Axes:
    """The twelve numbers of one task; counts are whole, shares are in thousandths so that all arithmetic is exact."""

    constraints: int
    answers: int
    candidates: int
    decoys: int
    out_of_stock: int
    omission: int
    noise: int
    switching: int
    orders: int
    branches: int
    turn_slack: int
    search_error: int

    def numbers(self) -> dict[str, float]:
        """The axes as published in a row: shares as shares.

        >>> axes_at(3).numbers()["decoys"]
        0.3
        """
        return dict(_numbers(self))


@lru_cache(maxsize=1024)
def _numbers(axes: Axes) -> dict[str, float]:
    return {
        name: float(getattr(axes, name)) if axis.whole else getattr(axes, name) / 1000 for name, axis in AXES.items()
    }


def axes_at(level: int, overrides: Mapping[str, float] | None = None) -> Axes:
    """The axes of a level, some of them set by hand.

    Args:
        level: 0 or more.
        overrides: axis name to value; shares in [0, 1] are kept to thousandths.

    Raises:
        InvalidArgument: for a level below 0, an unknown axis, or a value outside the axis's range.

    >>> axes_at(4).constraints, axes_at(4, {"constraints": 1}).constraints
    (3, 1)
    """
    check_whole("level", level, 0)
    default = _default(level)
    if not overrides:
        return default
    return replace(default, **{name: _checked(name, given) for name, given in overrides.items()})


@lru_cache(maxsize=256)
def _default(level: int) -> Axes:
    values: dict[str, int] = {}
    for name, axis in AXES.items():
        amount = axis.default(level)
        values[name] = int(amount if axis.whole else amount * 1000)
    return Axes(**values)


@lru_cache(maxsize=4096)
def level_of(axis: str, value: float, most: int = 200) -> int:
    """The lowest level at which an axis is by default at least as hard as a value; ``most`` where none is.

    >>> level_of("decoys", 0.3), level_of("turn_slack", 4), level_of("noise", 1.0, most=20)
    (3, 4, 20)
    """
    first, default = AXES[axis].default(0), AXES[axis].default
    falls = default(200) < first
    for level in range(most + 1):
        here = float(default(level))
        if (here <= value) if falls else (here >= value):
            return level
    return most


@lru_cache(maxsize=1024)
def highest_step(axis: str, most: int) -> int:
    """The lowest level from which an axis no longer changes by default, ``most`` where it always does.

    >>> highest_step("decoys", 20), highest_step("constraints", 20)
    (9, 19)
    """
    return level_of(axis, float(AXES[axis].default(most)), most)


def _checked(name: str, given: float) -> int:
    axis = AXES.get(name)
    if axis is None:
        raise InvalidArgument("axis", name, f"no such axis; there are {', '.join(AXES)}")
    if not is_number(given) or not axis.low <= given <= axis.high:
        raise InvalidArgument(name, given, f"must lie between {axis.low} and {axis.high} ({axis.unit})")
    if axis.whole:
        if given != int(given):
            raise InvalidArgument(name, given, f"must be a whole number of {axis.unit}")
        return int(given)
    return round(given * 1000)
