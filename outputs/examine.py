"""Checking one shard: its hashes, its schema, and every row against the task that its recipe makes."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ecomrlve.errors import EcomrlveError, ShardError, TruthError
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.verifiers import verify
from ecomrlve.generator.world import World
from ecomrlve.outputs.canonical import canonical_line
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.files import file_hash
from ecomrlve.outputs.plan import Place, Plan
from ecomrlve.outputs.prompts import arrange
from ecomrlve.outputs.reader import open_shard, read_rows
from ecomrlve.outputs.schema import recipe_of, truth_of, values
from ecomrlve.outputs.shards import cells, describe_world
from ecomrlve.outputs.statistics import ShardStatistics
from ecomrlve.outputs.targets import target
from ecomrlve.outputs.workers import Tick

# Of one kind of trouble in one shard this many rows are named; the others are counted.
_NAMED_ROWS = 5
_SHOWN_CHARS = 120
_ROWS_PER_TICK = 50


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that differs.

    Args:
        where: file, row or part of the manifest.
        what: the sentence.
        wanted: what should stand there, or "".
        found: what stands there, or "".
    """

    where: str
    what: str
    wanted: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class Examined:
    """What checking one shard gave.

    Args:
        rows: how many were read.
        report: as the shard's job reported it when it was written, but from the rows; None where a row cannot be
            re-made.
        problems: what is wrong.
    """

    rows: int
    report: dict[str, Any] | None
    problems: tuple[Problem, ...]


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"


def differences(wanted: Any, found: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Where two JSON values differ: path, wanted, found.

    >>> list(differences({"a": {"b": 1}}, {"a": {"b": 2}}))
    [('.a.b', '1', '2')]
    """
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        for name in sorted({*wanted, *found}):
            yield from differences(wanted.get(name), found.get(name), f"{path}.{name}")
    elif type(wanted) is not type(found) or wanted != found:
        yield path, *_around(wanted, found)


def _around(wanted: object, found: object) -> tuple[str, str]:
    """Two values as text, from shortly before the place where they part."""
    texts = [
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
        for value in (wanted, found)
    ]
    shortest = min(len(text) for text in texts)
    parted = next((at for at in range(shortest) if texts[0][at] != texts[1][at]), shortest)
    start = max(0, parted - 40)
    left, right = (_short(("…" if start else "") + text[start:]) for text in texts)
    return left, right


class _Problems:
    """The problems of one shard; of each kind the first few in full."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._named: list[Problem] = []
        self._counts: Counter[str] = Counter()

    def add(self, what: str, wanted: str = "", found: str = "", row: int | None = None) -> None:
        self._counts[what] += 1
        if self._counts[what] <= _NAMED_ROWS:
            where = self._path if row is None else f"{self._path} row {row}"
            self._named.append(Problem(where, what, wanted, found))

    def all(self) -> tuple[Problem, ...]:
        more = (
            Problem(self._path, f"{what}: {count - _NAMED_ROWS:,} more rows")
            for what, count in self._counts.items()
            if count > _NAMED_ROWS
        )
        return (*self._named, *more)


class ExamineJob:
    """Checks the shards of a run by number; for `run_jobs`.

    Args:
        folder: the run's folder.
        manifest: its manifest.
        scratch: a folder for hash files.
    """

    def __init__(self, folder: Path, manifest: Mapping[str, Any], scratch: Path) -> None:
        self._folder = folder
        self._shards = manifest["shards"]
        self._configuration = Configuration.from_json(manifest["configuration"])
        self._layout = target(self._configuration.target).layout
        self._scratch = scratch
        self._open: tuple[str, World] | None = None

    def __call__(self, number: int, tick: Tick) -> Examined:
        """Check shard ``number``."""
        listed = self._shards[number]
        path = self._folder / listed["path"]
        problems = _Problems(listed["path"])
        statistics = ShardStatistics(listed["split"], cells(self._configuration))
        facts: dict[str, Any] = {"bytes": path.stat().st_size, "sha256": file_hash(path)}
        content = hashlib.sha256()
        rows = made = 0
        try:
            if path.suffix == ".parquet":
                wanted, schema = self._layout.arrow_schema, open_shard(path).schema_arrow
                if not schema.equals(wanted):
                    problems.add("schema differs", *_around(wanted.to_string(), schema.to_string()))
            for rows, (written, place) in enumerate(self._paired(number, path), start=1):
                content.update(canonical_line(written))
                made += self._check(written, place, statistics, problems, rows - 1)
                if rows % _ROWS_PER_TICK == 0:
                    tick(_ROWS_PER_TICK)
            tick(rows % _ROWS_PER_TICK)
            facts |= {"rows": rows, "content_sha256": content.hexdigest()}
        except ShardError as error:
            problems.add("cannot be read", found=str(error))
        for name, found in facts.items():
            if listed[name] != found:
                problems.add(f"{name} differs", str(listed[name]), str(found))
        if made:
            statistics.save_hashes(self._scratch, path.stem)
        if "rows" not in facts or made < rows or self._open is None:
            return Examined(rows, None, problems.all())
        report = {**listed, **facts, "statistics": statistics.report(), "world": describe_world(self._open[1])}
        return Examined(rows, report, problems.all())

    def _paired(self, number: int, path: Path) -> Iterator[tuple[dict[str, Any], Place | None]]:
        """Each row with the place that the plan gives it."""
        plan = Plan(self._configuration)
        places = plan.places(plan.files[number]) if number < len(plan.files) else iter(())
        for written, place in zip_longest(read_rows(path), places):
            if written is None:
                return
            yield written, place

    def _world(self, recipe: str) -> World:
        """The world of a recipe; rows of one shard share it."""
        known = json.loads(recipe)
        key = json.dumps([known["world"], known["digest"]], sort_keys=True)
        if self._open is None or self._open[0] != key:
            self._open = (key, World.from_recipe(known["world"]))
        return self._open[1]

    def _check(
        self, written: dict[str, Any], place: Place | None, statistics: ShardStatistics, problems: _Problems, at: int
    ) -> bool:
        """Check one row; whether it could be re-made and counted."""
        try:
            self._layout.check(written)
            recipe = recipe_of(written)
            task = Task.from_recipe(recipe, self._world(recipe))
            prompt = arrange(task.prompt, self._configuration.system_role)
            primary = values(task, prompt)
            made = self._layout.row(primary)
            verdict = verify(truth_of(written), task.oracle)
        except TruthError as error:
            problems.add("its ground truth is damaged", found=str(error), row=at)
            return False
        except (EcomrlveError, KeyError, TypeError, ValueError, RecursionError) as error:
            problems.add("cannot be re-made", found=str(error), row=at)
            return False
        for field, wanted, found in differences(made, written):
            problems.add(f"{field.lstrip('.')} differs", wanted, found, row=at)
        if not verdict.correct or verdict.score != 1.0:
            problems.add("its oracle is not judged correct", "correct", f"{verdict.outcome}: {verdict.message}", row=at)
        stands = Place(task.split, task.env, task.level, task.index)
        if stands != place:
            problems.add("is not the task that the plan has there", str(place), str(stands), row=at)
            return False
        statistics.add(task, prompt, primary["prompt_chars"])
        return True
