"""Checking a run: its files, each row, and every count of its manifest; and what it shares with another run."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ecomrlve.errors import InvalidArgument, ShardError
from ecomrlve.outputs.card import CARD, card
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.examine import ExamineJob, Problem, differences
from ecomrlve.outputs.manifest import MANIFEST, build_manifest, is_as_written, load_manifest, versions
from ecomrlve.outputs.plan import Plan
from ecomrlve.outputs.statistics import KINDS, count_shared, hash_file
from ecomrlve.outputs.stores import DATA
from ecomrlve.outputs.workers import Tick, nothing, run_jobs


@dataclass(frozen=True, slots=True)
class Examination:
    """What checking a run found.

    Args:
        rows: rows checked.
        problems: what differs.
        notes: what is worth knowing and no fault.
    """

    rows: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def validate(
    out: str | Path, against: str | Path | None = None, *, workers: int = 1, progress: Tick = nothing
) -> Examination:
    """Check a run, and that it shares nothing with another.

    Args:
        out: the run's folder.
        against: another run's folder.
        workers: processes to use.
        progress: told how many more rows are done.

    Raises:
        ShardError: where a folder is not a finished run.
    """
    if workers < 1:
        raise InvalidArgument("workers", workers, "must be at least 1")
    runs = [Path(folder).absolute() for folder in (out, against) if folder is not None]
    with tempfile.TemporaryDirectory(prefix="ecomrlve-validate-") as scratch:
        examined = [
            _Run(folder, Path(scratch) / str(number)).examine(workers, progress) for number, folder in enumerate(runs)
        ]
        problems = [
            replace(problem, where=f"{run.name}/{problem.where}") if len(runs) == 2 else problem
            for run, examination in zip(runs, examined, strict=True)
            for problem in examination.problems
        ]
        if len(runs) == 2:
            problems.extend(_overlap(runs, [Path(scratch) / str(number) for number in range(2)]))
            problems.extend(_held_out_elsewhere(runs))
    notes = tuple(note for examination in examined for note in examination.notes)
    return Examination(sum(examination.rows for examination in examined), tuple(problems), notes)


def rows_to_check(*outs: str | Path) -> int:
    """How many rows the manifests of some runs speak of."""
    return sum(sum(load_manifest(Path(out))["splits"].values()) for out in outs)


def _overlap(runs: list[Path], scratches: list[Path]) -> Iterator[Problem]:
    for kind in KINDS:
        files = [sorted(scratch.glob(hash_file("*", kind))) for scratch in scratches]
        shared = count_shared(*files)
        # Another run may well use the same words; it must not ask the same or show the same.
        if shared and kind != "near_prompts":
            yield Problem(runs[0].name, f"shares {shared:,} {kind} with {runs[1]}", "0", f"{shared:,}")


def _held_out_elsewhere(runs: list[Path]) -> Iterator[Problem]:
    """Departments that the test_types split of one run holds out, and another split of the other run shops in."""
    for run, other in (runs, reversed(runs)):
        held_out = load_manifest(run)["worlds"].get("test_types")
        others = load_manifest(other)["worlds"]
        for split, world in sorted(others.items()) if held_out else ():
            if split == "test_types" or world.get("shop") != held_out.get("shop"):
                continue
            if shared := sorted({*held_out.get("departments", ())} & {*world.get("departments", ())}):
                what = f"test_types holds out departments that {split} of {other} shops in"
                yield Problem(run.name, what, "none", ", ".join(shared))


class _Run:
    """One run's folder under examination."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self._folder = folder
        self._scratch = scratch
        self._manifest = load_manifest(folder)
        try:
            self._configuration = Configuration.from_json(self._manifest["configuration"])
        except InvalidArgument as error:
            raise ShardError(f"{folder / MANIFEST} is not as it was written: {error}") from error
        self._problems: list[Problem] = []

    def examine(self, workers: int, progress: Tick) -> Examination:
        """Check files, rows, and the counts of the manifest."""
        self._scratch.mkdir()
        shards = self._manifest["shards"]
        for path, wanted, found in differences(self._planned(), {shard["path"]: shard["rows"] for shard in shards}):
            self._problems.append(Problem("manifest.json", f"shards{path} differs", wanted, found))
        listed = {shard["path"] for shard in shards}
        there = {f"{DATA}/{file.name}" for file in (self._folder / DATA).glob("*") if file.is_file()}
        for path in sorted(listed - there):
            self._problems.append(Problem(path, "is in the manifest but missing"))
        for path in sorted(there - listed):
            self._problems.append(Problem(path, "is not in the manifest"))
        self._check_texts()
        numbers = [number for number, shard in enumerate(shards) if shard["path"] in there]
        reports: list[dict[str, Any]] = []
        job = ExamineJob(self._folder, self._manifest, self._scratch)
        rows = 0
        for examined in run_jobs(job, numbers, workers, progress):
            rows += examined.rows
            self._problems.extend(examined.problems)
            if examined.report is not None:
                reports.append(examined.report)
        self._recount(reports)
        return Examination(rows, tuple(self._problems), tuple(self._other_versions()))

    def _check_texts(self) -> None:
        """The manifest's own hash, and the card that follows from it."""
        if not is_as_written(self._folder):
            self._problems.append(Problem(MANIFEST, "was edited: its own hash differs"))
        path = self._folder / CARD
        written = path.read_bytes() if path.is_file() else None
        if written is None:
            self._problems.append(Problem(CARD, "is missing"))
        elif written != card(self._manifest).encode():
            self._problems.append(Problem(CARD, "was edited"))

    def _planned(self) -> dict[str, int]:
        return {f"{DATA}/{shard.name}": shard.rows for shard in Plan(self._configuration).files}

    def _recount(self, reports: list[dict[str, Any]]) -> None:
        """Compare the manifest's counts with counts over the rows."""
        if len(reports) < len(self._manifest["shards"]):
            self._problems.append(
                Problem("manifest.json", "its counts were not checked, since not every row could be re-made")
            )
            return
        counted = build_manifest(self._configuration, reports, self._scratch)
        for part in ("worlds", "splits", "environments", "repeats"):
            for path, wanted, found in differences(counted[part], self._manifest.get(part)):
                self._problems.append(Problem("manifest.json", f"{part}{path} differs", wanted, found))

    def _other_versions(self) -> Iterator[str]:
        for name, now in versions().items():
            then = self._manifest["versions"].get(name)
            if then != now:
                yield f"{self._folder.name} was written with {name} {then}; this is {now}"
