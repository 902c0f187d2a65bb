"""What a run's manifest counts: per shard while it is written, then merged in bounded memory.

A shard leaves a small report (histograms) and one sorted file of hashes per kind of text. The merge reads the hash
files slice by slice, each slice one range of hashes over all shards, so its memory does not grow with the run.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy

from ecomrlve.generator.tasks import Task

KINDS = ("tasks", "goals", "prompts", "near_prompts")

# One hash of 128 bits and the cell (split, environment, level) of the task that it came from.
_RECORD = numpy.dtype([("high", "<u8"), ("low", "<u8"), ("cell", "<u4")])
_KEY = ["high", "low"]
_EMPTY = numpy.empty(0, dtype=_RECORD)
_RECORDS_AT_ONCE = 500_000
_RECORDS_PER_FILE = 100

_NOT_LETTERS = re.compile(r"[\W\d_]+")

Cell = tuple[str, str, int]
Records = numpy.ndarray[Any, numpy.dtype[numpy.void]]


def near_text(prompt: Sequence[Mapping[str, str]]) -> str:
    """The customer's words without case, digits and punctuation: prompts that share them are near-duplicates.

    >>> near_text([{"role": "user", "content": "Two of the 500 ml bottles, please!"}])
    'two of the ml bottles please'
    """
    words = " ".join(message["content"] for message in prompt if message["role"] == "user")
    return _NOT_LETTERS.sub(" ", unicodedata.normalize("NFKC", words).casefold()).strip()


def text_hash(*parts: str) -> bytes:
    """A hash of 16 bytes of some texts in order.

    >>> text_hash("a", "b") == text_hash("ab")
    False
    """
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()[:16]


class ShardStatistics:
    """Counts over the tasks of one shard.

    Args:
        split: the shard's split.
        cells: every (split, environment, level) of the run, in order; a hash record holds a place in it.
    """

    def __init__(self, split: str, cells: Sequence[Cell]) -> None:
        self._split = split
        self._numbers = {cell: number for number, cell in enumerate(cells)}
        self._hashes: dict[str, list[bytes]] = {kind: [] for kind in KINDS}
        self._cells: list[int] = []
        self._counts: dict[tuple[str, int], dict[str, Any]] = {}

    def add(self, task: Task, prompt: Sequence[Mapping[str, str]], prompt_chars: int) -> None:
        """Count one task, with its prompt as written."""
        counts = self._counts.get((task.env, task.level))
        if counts is None:
            counts = {"rows": 0, "impossible": 0, "chance": 0.0, "attempts": Counter(), "prompt_chars": Counter()}
            self._counts[task.env, task.level] = counts
        counts["rows"] += 1
        counts["impossible"] += task.impossible
        counts["chance"] += task.chance
        counts["attempts"][task.attempts] += 1
        counts["prompt_chars"][prompt_chars] += 1
        self._cells.append(self._numbers[self._split, task.env, task.level])
        hashes = self._hashes
        hashes["tasks"].append(text_hash(task.task_id))
        hashes["goals"].append(text_hash(task.env, task.goal))
        hashes["prompts"].append(text_hash(*(message["content"] for message in prompt)))
        hashes["near_prompts"].append(text_hash(near_text(task.prompt)))

    def report(self) -> list[dict[str, Any]]:
        """The counts as JSON, one entry per environment and level."""
        return [
            {
                "split": self._split,
                "env": env,
                "level": level,
                **counts,
                "attempts": sorted(counts["attempts"].items()),
                "prompt_chars": sorted(counts["prompt_chars"].items()),
            }
            for (env, level), counts in sorted(self._counts.items())
        ]

    def save_hashes(self, folder: Path, stem: str) -> None:
        """Write one sorted hash file per kind."""
        for kind, digests in self._hashes.items():
            halves = numpy.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, 2)
            records = numpy.empty(len(digests), dtype=_RECORD)
            records["high"], records["low"], records["cell"] = halves[:, 0], halves[:, 1], self._cells
            ordered = records[numpy.argsort(records["high"], kind="stable")]
            (folder / hash_file(stem, kind)).write_bytes(ordered.tobytes())


def hash_file(stem: str, kind: str) -> str:
    """The name of a shard's hash file.

    >>> hash_file("train-00000-of-00001", "goals")
    'train-00000-of-00001.goals'
    """
    return f"{stem}.{kind}"


def _read(file: Path) -> Records:
    return numpy.memmap(file, dtype=_RECORD, mode="r")


def _ranges(*runs: Sequence[Path]) -> Iterator[tuple[Records, ...]]:
    """The records of each run's sorted files, one range of hashes at a time."""
    total = sum(file.stat().st_size for files in runs for file in files) // _RECORD.itemsize
    # Each range opens every file, so their number must not grow with both.
    at_once = max(_RECORDS_AT_ONCE, _RECORDS_PER_FILE * sum(map(len, runs)))
    parts = max(1, -(-total // at_once))
    bounds = [numpy.uint64((part << 64) // parts) for part in range(parts)]
    for low, high in zip(bounds, [*bounds[1:], None], strict=True):
        yield tuple(
            numpy.concatenate([_EMPTY, *(_between(_read(file), low, high) for file in files)]) for files in runs
        )


def _between(records: Records, low: numpy.uint64, high: numpy.uint64 | None) -> Records:
    start = numpy.searchsorted(records["high"], low)
    stop = len(records) if high is None else numpy.searchsorted(records["high"], high)
    return numpy.array(records[start:stop])


def count_shared(ours: Sequence[Path], others: Sequence[Path]) -> int:
    """How many different hashes stand in the sorted hash files of both of two runs."""
    shared = 0
    for left, right in _ranges(ours, others):
        shared += len(numpy.intersect1d(left[_KEY], right[_KEY]))
    return shared


def _pairs(groups: numpy.ndarray[Any, Any], others: numpy.ndarray[Any, Any], width: int) -> tuple[Any, Any]:
    """The distinct (group, other) pairs, as two arrays."""
    distinct = numpy.unique(groups * width + others)
    return distinct // width, distinct % width


class Repeats:
    """How often texts of one kind repeat, per environment and level, within and across splits.

    Args:
        cells: every (split, environment, level) of the run.
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._splits = sorted({split for split, _, _ in cells})
        self._groups = sorted({(env, level) for _, env, level in cells})
        self._split_of = numpy.array([self._splits.index(split) for split, _, _ in cells])
        self._group_of = numpy.array([self._groups.index((env, level)) for _, env, level in cells])
        width = len(self._groups)
        self.rows = numpy.zeros(width, dtype=numpy.int64)
        self.distinct = numpy.zeros(width, dtype=numpy.int64)
        self.distinct_by_split = numpy.zeros(width, dtype=numpy.int64)
        self.across = numpy.zeros(width, dtype=numpy.int64)
        self.total_rows = numpy.zeros(len(self._splits), dtype=numpy.int64)
        self.total_distinct = numpy.zeros(len(self._splits), dtype=numpy.int64)
        self.total_across = 0

    def add(self, records: Records) -> None:
        """Count all records of one range of hashes."""
        if not len(records):
            return
        records = records[numpy.lexsort((records["low"], records["high"]))]
        new = numpy.ones(len(records), dtype=bool)
        new[1:] = (records["high"][1:] != records["high"][:-1]) | (records["low"][1:] != records["low"][:-1])
        text = numpy.cumsum(new) - 1
        split, group = self._split_of[records["cell"]], self._group_of[records["cell"]]
        splits, groups = len(self._splits), len(self._groups)
        text_of_pair, split_of_pair = _pairs(text, split, splits)
        shared = numpy.bincount(text_of_pair) > 1
        self.total_rows += numpy.bincount(split, minlength=splits)
        self.total_distinct += numpy.bincount(split_of_pair, minlength=splits)
        self.total_across += int(shared.sum())
        self.rows += numpy.bincount(group, minlength=groups)
        text_of_group, group_of_text = _pairs(text, group, groups)
        self.distinct += numpy.bincount(group_of_text, minlength=groups)
        self.across += numpy.bincount(group_of_text[shared[text_of_group]], minlength=groups)
        _, cell_of_text = _pairs(text, split * groups + group, splits * groups)
        self.distinct_by_split += numpy.bincount(cell_of_text % groups, minlength=groups)

    def of(self, env: str, level: int) -> dict[str, int]:
        """The counts of one environment and level."""
        at = self._groups.index((env, level))
        return {
            "distinct": int(self.distinct[at]),
            "repeated_within_splits": int(self.rows[at] - self.distinct_by_split[at]),
            "shared_across_splits": int(self.across[at]),
        }

    def totals(self) -> dict[str, Any]:
        """The counts over the whole run."""
        within = self.total_rows - self.total_distinct
        return {
            "repeated_within_splits": {name: int(within[at]) for at, name in enumerate(self._splits)},
            "shared_across_splits": self.total_across,
        }


def merge_hashes(files: Sequence[Path], cells: Sequence[Cell]) -> Repeats:
    """Count repeats over the sorted hash files of one kind, in memory that does not grow with their number."""
    repeats = Repeats(cells)
    for (records,) in _ranges(files):
        repeats.add(records)
    return repeats


def quantile(histogram: Mapping[int, int], share: tuple[int, int]) -> int:
    """The smallest counted value with at least a share (numerator, denominator) at or below it (nearest rank).

    >>> quantile({1: 98, 4: 2}, (1, 2)), quantile({1: 98, 4: 2}, (99, 100))
    (1, 4)
    """
    wanted = -(-sum(histogram.values()) * share[0] // share[1])
    for value in sorted(histogram):
        wanted -= histogram[value]
        if wanted <= 0:
            return value
    return max(histogram)


class Totals:
    """The counts of many shards, added up per environment and level."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, int], dict[str, Any]] = {}

    def add(self, report: Sequence[Mapping[str, Any]]) -> None:
        """Add what one shard's `ShardStatistics.report` says."""
        for entry in report:
            counts = self.counts.setdefault(
                (entry["env"], entry["level"]),
                {"rows": Counter(), "impossible": 0, "chance": 0.0, "attempts": Counter(), "prompt_chars": Counter()},
            )
            counts["rows"][entry["split"]] += entry["rows"]
            counts["impossible"] += entry["impossible"]
            counts["chance"] += entry["chance"]
            for name in ("attempts", "prompt_chars"):
                counts[name].update(dict(entry[name]))
