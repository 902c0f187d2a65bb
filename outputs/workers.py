"""Numbered jobs over worker processes of one machine: results in order, prompt to stop, quiet when a worker dies.

A job must be a pure function of its number; which worker runs it, and when, then changes nothing.
"""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait as wait_for
from multiprocessing.sharedctypes import Synchronized
from types import FrameType
from typing import Any, Generic, Protocol, TypeVar

from ecomrlve.errors import ShardError

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

Tick = Callable[[int], None]

_SECONDS_BETWEEN_REPORTS = 0.2


class Job(Protocol[Result_co]):
    """Work by number. It is pickled once per worker, and may keep what it builds there between calls."""

    def __call__(self, number: int, tick: Tick) -> Result_co:
        """Do one job, telling ``tick`` now and then how many more rows are done."""
        ...


def nothing(_rows: int) -> None:
    """Progress that nobody watches."""


def run_jobs(job: Job[Result], numbers: Sequence[int], workers: int, progress: Tick = nothing) -> Iterator[Result]:
    """The results of a job for each number, in order.

    Args:
        job: the work; with one worker it runs in this process.
        numbers: what to call it with.
        workers: the most processes to use.
        progress: told how many more rows are done.

    Raises:
        ShardError: where a worker process dies.
    """
    workers = min(workers, len(numbers))
    if workers <= 1:
        for number in numbers:
            yield job(number, progress)
        return
    with _Pool(job, workers) as pool:
        yield from pool.results(numbers, progress)


@contextmanager
def _interrupt_held() -> Iterator[None]:
    """Hold Ctrl-C back while processes start, so that they inherit it blocked; this process gets it afterwards."""
    # A mask alone is not enough: it is this thread's, and a library's thread that takes the signal would interrupt
    # this one between a child's start and what the child waits to be told.
    held: list[tuple[int, FrameType | None]] = []
    handler = signal.getsignal(signal.SIGINT)
    ours = handler is not None and threading.current_thread() is threading.main_thread()
    if ours:
        signal.signal(signal.SIGINT, lambda number, frame: held.append((number, frame)))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if ours:
            signal.signal(signal.SIGINT, handler)
    if held and callable(handler):
        handler(*held[0])


class _Pool(Generic[Result]):
    """Worker processes that all end with the ``with`` block, whatever ends it."""

    def __init__(self, job: Job[Result], workers: int) -> None:
        context = get_context("spawn")
        self._others = {child.pid for child in active_children()}
        self._done = context.Value("q", 0)
        self._told = 0
        self._ahead = 2 * workers
        self._executor = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_start, initargs=(job, self._done)
        )

    def __enter__(self) -> "_Pool[Result]":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            # Nobody waits for the results, and no half-written file has a name yet. A polite word would not do:
            # a worker may be importing its libraries or opening a large shop, which takes seconds.
            for child in active_children():
                if child.pid not in self._others:
                    child.kill()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def results(self, numbers: Sequence[int], progress: Tick) -> Iterator[Result]:
        """The results in order, a few jobs ahead of what is asked for."""
        waiting: deque[Future[Result]] = deque()
        left = deque(numbers)
        try:
            while left or waiting:
                while left and len(waiting) < self._ahead:
                    with _interrupt_held():
                        waiting.append(self._executor.submit(_do, left.popleft()))
                self._await(waiting, progress)
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise ShardError(
                "a worker process was killed, most likely for want of memory; try fewer --workers or a smaller shop"
            ) from error

    def _await(self, waiting: deque[Future[Result]], progress: Tick) -> None:
        """Wait for the first job to end, or for any to fail."""
        while not waiting[0].done():
            wait([waiting[0]], timeout=_SECONDS_BETWEEN_REPORTS)
            self._report(progress)
            for future in waiting:
                if future.done() and future.exception() is not None:
                    future.result()
        self._report(progress)

    def _report(self, progress: Tick) -> None:
        # Without its lock, which a worker that was killed may hold.
        done = self._done.get_obj().value
        if done > self._told:
            progress(done - self._told)
            self._told = done


# What a worker process works with; set once by _start, in that process only.
_worker: dict[str, Any] = {}


def _start(job: Job[Any], done: "Synchronized[int]") -> None:
    """Set up a worker process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def tick(rows: int) -> None:
        with done.get_lock():
            done.value += rows

    _worker.update(job=job, tick=tick)


def _end_with_parent() -> None:
    """End this process when its parent is gone (even killed): finished files have their names, others never will."""
    parent = parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


def _do(number: int) -> Any:
    return _worker["job"](number, _worker["tick"])
