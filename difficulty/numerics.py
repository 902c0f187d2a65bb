"""Forms of common functions that neither overflow nor lose what is small."""

from typing import Any, TypeVar

import numpy as np

Number = TypeVar("Number", float, "np.ndarray[Any, np.dtype[np.float64]]")


def logistic(value: Number) -> Number:
    """1 / (1 + exp(-x)), for any x, as tanh, which saturates where exp would overflow.

    >>> logistic(0.0), logistic(-1e6), logistic(1e6)
    (0.5, 0.0, 1.0)
    """
    half = 0.5 * (1.0 + np.tanh(0.5 * np.asarray(value, dtype=np.float64)))
    return half if isinstance(value, np.ndarray) else float(half)


def standardised(values: "np.ndarray[Any, np.dtype[np.float64]]") -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Distances from the mean in standard deviations; nothing where the values differ by rounding alone.

    >>> standardised(np.array([1.0, 3.0])).tolist(), standardised(np.array([0.1, 0.1 + 1e-17])).tolist()
    ([-1.0, 1.0], [0.0, 0.0])
    """
    spread = float(values.std())
    if spread <= _ROUNDING * float(abs(values).max(initial=0.0)):
        return np.zeros_like(values)
    return np.asarray((values - values.mean()) / spread)


_ROUNDING = 1e-12
