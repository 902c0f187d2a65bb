"""Numbered jobs over a Ray cluster, as `ecomrlve.outputs.workers` has them on one machine: the extra ``ray``.

Jobs are pure functions of their numbers, and a shard that is finished is left as it is; so a task that is lost with
its worker or its machine is simply done again, by Ray.
"""

import os
import pickle
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from ecomrlve.errors import InvalidArgument, ShardError
from ecomrlve.outputs.workers import Job, Result, Tick, nothing

# How often a task is begun again whose worker died.
_RETRIES = 5
_SECONDS_BETWEEN_REPORTS = 0.5


def run_jobs(job: Job[Result], numbers: Sequence[int], workers: int, progress: Tick = nothing) -> Iterator[Result]:
    """The results of a job for each number, in order.

    Ray is the cluster that this process is connected to, that ``RAY_ADDRESS`` names, or that runs on this machine;
    where there is none, one is started here for the time being.

    Args:
        job: the work; it is pickled once.
        numbers: what to call it with.
        workers: the most tasks at once; no more than the cluster has processors.
        progress: told how many more rows are done.

    Raises:
        InvalidArgument: where Ray is not installed.
        ShardError: where a task's worker dies again and again.
    """
    try:
        ray = import_module("ray")
    except ImportError as error:
        raise InvalidArgument("engine", "ray", "needs the package ray (pip install 'ecomrlve[ray]')") from error
    ours = not ray.is_initialized()
    if ours:
        _connect(ray, workers)
    at_once = max(1, min(workers, int(ray.cluster_resources().get("CPU", 1))))
    do = ray.remote(_do).options(max_retries=_RETRIES, num_cpus=1)
    waiting: deque[Any] = deque()
    try:
        yield from _results(ray, do, pickle.dumps(job), numbers, at_once, waiting, progress)
    finally:
        for reference in waiting:
            ray.cancel(reference, force=True)
        if ours:
            ray.shutdown()


def _connect(ray: Any, workers: int) -> None:
    quiet = {"log_to_driver": False, "logging_level": "error"}
    try:
        ray.init(address="auto", **quiet)
    except ConnectionError:
        ray.init(num_cpus=min(workers, _processors()), include_dashboard=False, **quiet)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _results(
    ray: Any, do: Any, job: bytes, numbers: Sequence[int], at_once: int, waiting: deque[Any], progress: Tick
) -> Iterator[Any]:
    """The results in order; no more than a few tasks are known to the driver, so its memory does not grow."""
    exceptions = import_module("ray.exceptions")
    left = deque(numbers)
    try:
        while left or waiting:
            while left and len(waiting) < 2 * at_once:
                waiting.append(do.remote(job, left.popleft()))
            ready, _ = ray.wait([waiting[0]], timeout=_SECONDS_BETWEEN_REPORTS)
            if ready:
                result, rows = ray.get(waiting[0])
                waiting.popleft()
                progress(rows)
                yield result
    except exceptions.RayTaskError as error:
        raise error.cause from error
    except exceptions.RayError as error:
        raise ShardError(
            f"a task's worker died {_RETRIES + 1} times, most likely for want of memory: {error}"
        ) from error


@lru_cache(maxsize=1)
def _job(pickled: bytes) -> Job[Any]:
    """The job as this process keeps it, with the world that it opened."""
    found: Job[Any] = pickle.loads(pickled)
    return found


def _do(pickled: bytes, number: int) -> tuple[Any, int]:
    rows: list[int] = []
    result = _job(pickled)(number, rows.append)
    return result, sum(rows)
