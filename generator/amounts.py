"""Numbers that people would say."""

from fractions import Fraction
from functools import lru_cache

# Steps of the numbers people say, relative to the power of ten below the number.
_STEPS = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1))


def sayable(amount: Fraction) -> bool:
    """Whether an amount is a decimal of at most two places.

    >>> sayable(Fraction(7, 4)), sayable(Fraction(1, 3))
    (True, False)
    """
    return (amount * 100).denominator == 1


@lru_cache(maxsize=1 << 16)
def nice(amount: Fraction, up: bool) -> Fraction:
    """The nearest number above (or below) that people would say: a multiple of a step that changes it by little.

    >>> nice(Fraction(47), True), nice(Fraction(226), False)
    (Fraction(50, 1), Fraction(225, 1))
    """
    if amount <= 0:
        return amount
    power = Fraction(1)
    while power * 10 <= amount:
        power *= 10
    while power > amount:
        power /= 10
    best = amount
    for step in _STEPS:
        unit = step * power
        times = amount / unit
        rounded = (-(-times.numerator // times.denominator) if up else times.numerator // times.denominator) * unit
        if abs(rounded - amount) * 12 <= amount or best == amount:
            best = rounded
    return best if sayable(best) else amount
