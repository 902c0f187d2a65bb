"""The twelve difficulty axes: one table (``data/axes.toml``) from which levels, checks and the documentation come."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from ecomrlve.check import check_whole, is_number
from ecomrlve.difficulty.formulas import evaluate
from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.engine.tables import load_table

_BOTH = ("context", "tools")


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis of difficulty.

    Args:
        name: as users write it.
        unit: what one unit of it is.
        formula: the default at level d, as `formulas.evaluate` reads it.
        changes: what rises (or falls) with it.
        modes: in which modes it acts.
        low: least value that can be set by hand.
        high: greatest value that can be set by hand.
        whole: whether only whole numbers make sense.
    """

    name: str
    unit: str
    formula: str
    changes: str
    modes: tuple[str, ...] = _BOTH
    low: int = 0
    high: int = 1
    whole: bool = False

    def default(self, level: int) -> Fraction:
        """The value at a level.

        >>> AXES["decoys"].default(3)
        Fraction(3, 10)
        """
        return evaluate(self.formula, level)


AXES: dict[str, Axis] = {
    name: Axis(name=name, **{**row, "modes": tuple(row.get("modes", _BOTH))})
    for name, row in load_table("difficulty/axes").items()
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
