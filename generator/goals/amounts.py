"""Numbers that people would say."""

from fractions import Fraction
from functools import lru_cache

# Steps of the numbers people say, in twentieths of the power of ten below the number.
_STEPS = (1, 2, 5, 10, 20)


def sayable(amount: Fraction) -> bool:
    """Whether an amount is a decimal of at most two places.

    >>> sayable(Fraction(7, 4)), sayable(Fraction(1, 3))
    (True, False)
    """
    return 100 % amount.denominator == 0


@lru_cache(maxsize=1 << 16)
def nice(amount: Fraction, up: bool) -> Fraction:
    """The nearest number above (or below) that people would say: a multiple of a step that changes it by little.

    >>> nice(Fraction(47), True), nice(Fraction(226), False)
    (Fraction(50, 1), Fraction(225, 1))
    """
    if amount <= 0:
        return amount
    # All in whole numbers: a fraction at each step would cost thirty times as much.
    power = Fraction(10) ** (len(str(amount.numerator)) - len(str(amount.denominator)))
    if power > amount:
        power /= 10
    elif power * 10 <= amount:
        power *= 10
    share = amount / power * 20
    best, whole, part = 0, share.numerator, share.denominator
    for step in _STEPS:
        times = whole // (part * step)
        if up and times * part * step < whole:
            times += 1
        if abs(times * step * part - whole) * 12 <= whole or best * part == whole or not best:
            best = times * step
    found = best * power / 20
    return found if sayable(found) else amount
