"""The clocks of fuzzing: how long a verdict takes, when to stop, and a bound on a verdict that never comes."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

Result = TypeVar("Result")


class TookTooLong(Exception):
    """A verdict has not come within the patience for it."""


class Deadline:
    """A moment at which to stop, so many seconds from now; None for never.

    >>> Deadline(None).passed, Deadline(0.0).passed
    (False, True)
    """

    def __init__(self, seconds: float | None) -> None:
        self._at = None if seconds is None else time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        """Whether the moment is over."""
        return self._at is not None and time.monotonic() >= self._at

    @property
    def left(self) -> float | None:
        """Seconds to go, at least 0; None where there is no end."""
        return None if self._at is None else max(0.0, self._at - time.monotonic())


def timed(call: Callable[[], Result]) -> tuple[Result, float]:
    """What a call gives, and its processor time in seconds: what other programs do meanwhile does not count.

    >>> timed(lambda: 3)[0]
    3
    """
    began = time.process_time()
    given = call()
    return given, time.process_time() - began


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raise `TookTooLong` inside the block after so many seconds of processor time.

    It works by a timer signal, so only in a process's main thread, and where the system has such timers; elsewhere the
    block has all the time it takes.

    >>> with patience(1.0):
    ...     pass
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"no verdict after {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
