"""A curriculum kept in a file: shards for the next phase out, a trainer's rewards in.

The file holds the scheduler with its random state, what every phase is generated with, the next index of each
environment and level, so that no phase repeats a task, and which rewards were counted, so that none counts twice.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import ecomrlve
from ecomrlve.difficulty.schedulers import DEFAULT, Draw, Scheduler, make_scheduler, scheduler_from_state
from ecomrlve.errors import EcomrlveError, InvalidArgument
from ecomrlve.generator.environments import environment, environments
from ecomrlve.outputs.configuration import Configuration, Drawn
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.files import write_text
from ecomrlve.outputs.reward_rows import RewardRow, TaskFacts, facts_of_tasks, read_rewards
from ecomrlve.outputs.workers import Tick, nothing

VERSION = 1

REMEMBERED_PHASES = 4
"""Rewards of the last so many phases can be counted; of earlier ones it is no longer known which were."""

_HASH_BYTES = 8
_MOST_SAMPLED = 5_000_000

Place = tuple[str, int]


@dataclass(slots=True)
class Update:
    """What a file of rewards came to.

    Attributes:
        rows: how many rows it has.
        counted: rollouts that the scheduler learnt from.
        groups: prompts that they belong to.
        repeated: rollouts that were counted before.
        rejected: reason to how many rows.
        rejects: (row, reason) of those rows, in order.
    """

    rows: int = 0
    counted: int = 0
    groups: int = 0
    repeated: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    rejects: list[tuple[int, str]] = field(default_factory=list)

    def reject(self, row: int, reason: str) -> None:
        """Note a row that cannot be counted."""
        self.rejected[reason] += 1
        self.rejects.append((row, reason))


@dataclass(slots=True)
class _Phase:
    """A phase that was written: its number, its folder, and hashes of the rewards counted for it."""

    number: int
    folder: str
    tasks: int
    counted: set[str] = field(default_factory=set)


class Curriculum:
    """A scheduler and what it takes to go on with it from a file.

    Args:
        scheduler: draws the tasks.
        settings: what every phase is generated with: `Configuration` without count, environments, levels and phase.

    >>> curriculum = Curriculum.init("rlve", ["PD"], shop=2_000)
    >>> configuration = curriculum.plan(10)
    >>> configuration.count, configuration.levels
    (10, (0,))
    """

    def __init__(self, scheduler: Scheduler, settings: Mapping[str, Any]) -> None:
        self.scheduler = scheduler
        self.settings = dict(settings)
        self.phase = 0
        self._next: dict[Place, int] = {}
        self._stored: dict[str, tuple[str, int, int]] = {}
        self._phases: list[_Phase] = []

    @classmethod
    def init(
        cls,
        scheduler: str = DEFAULT,
        names: Iterable[str] = (),
        *,
        seed: int = 0,
        max_level: int = 20,
        options: Mapping[str, float] | None = None,
        **settings: Any,
    ) -> "Curriculum":
        """A curriculum at its beginning.

        Args:
            scheduler: its name.
            names: environments; all where none is given.
            seed: of the draws, the shop and the tasks.
            max_level: the highest level that is drawn.
            options: the scheduler's own.
            settings: fields of `Configuration`, such as ``shop`` and ``impossible``.

        Raises:
            InvalidArgument: for an unknown name or a value outside its range.
        """
        wanted = [name.upper() for name in names] or list(environments())
        for name in wanted:
            if name not in environments():
                raise InvalidArgument("env", name, f"is not an environment; there are {', '.join(environments())}")
        axes = {name: environment(name).axes["context"] for name in wanted}
        made = make_scheduler(
            scheduler, environments=wanted, seed=seed, max_level=max_level, axes=axes, **dict(options or {})
        )
        # Checked now, not when the first phase is written.
        Configuration(count=1, splits=(("train", Fraction(1)),), seed=seed, **settings)
        return cls(made, {"seed": seed, **settings})

    # --- phases --------------------------------------------------------------------------------------------------

    def plan(self, count: int) -> Configuration:
        """Draw the next phase; the scheduler's random state and the next indices move on.

        Args:
            count: tasks.

        Raises:
            InvalidArgument: for a count outside [1, 5,000,000].
        """
        if not 1 <= count <= _MOST_SAMPLED:
            raise InvalidArgument("count", count, f"must lie between 1 and {_MOST_SAMPLED:,}")
        fresh: Counter[tuple[str, int, tuple[tuple[str, float], ...]]] = Counter()
        again: dict[str, tuple[str, int, int]] = {}
        for draw in self._draws(count):
            if draw.replay is None:
                fresh[draw.env, draw.level, tuple(sorted(draw.axes.items()))] += 1
            else:
                again[draw.replay] = self._stored[draw.replay]
        phase = []
        for (env, level, axes), number in sorted(fresh.items()):
            first = self._next.get((env, level), 0)
            self._next[env, level] = first + number
            phase.append(Drawn(env, level, first, number, axes))
        phase += [Drawn(env, level, index, 1) for env, level, index in sorted(again.values())]
        return Configuration(count=count, splits=(("train", Fraction(1)),), phase=tuple(phase), **self.settings)

    def _draws(self, count: int) -> list[Draw]:
        """So many draws, of which each stored task is one at most once: a phase holds no task twice."""
        draws: list[Draw] = []
        shown: set[str] = set()
        for draw in self.scheduler.sample(count):
            known = draw.replay is not None and draw.replay in self._stored and draw.replay not in shown
            if known and draw.replay is not None:
                shown.add(draw.replay)
            draws.append(draw if known else Draw(draw.env, draw.level, draw.axes))
        return draws

    def write_phase(
        self,
        out: str | Path,
        count: int,
        *,
        workers: int = 1,
        target: str = "universal",
        resume: bool = False,
        progress: Tick = nothing,
    ) -> dict[str, Any]:
        """Draw the next phase and write its shards; returns their manifest.

        Args:
            out: a folder that does not exist or is empty.
            count: tasks.
            workers: processes to use.
            target: the trainer whose form the shards have.
            resume: go on where writing this same phase was stopped.
            progress: told how many more tasks are done.

        Raises:
            InvalidArgument: where ``out`` holds something, or for a wrong count.
            ShardError: where it cannot be written.
        """
        manifest = generate(
            replace(self.plan(count), target=target), out, workers=workers, resume=resume, progress=progress
        )
        self.phase += 1
        self._phases.append(_Phase(self.phase, str(Path(out).absolute()), count))
        del self._phases[:-REMEMBERED_PHASES]
        return manifest

    # --- rewards -------------------------------------------------------------------------------------------------

    def update(self, rewards: str | Path, *, shards: str | Path | None = None, group: int = 1) -> Update:
        """Learn from a trainer's rewards; those that were counted before are not counted again.

        Args:
            rewards: JSON lines or Parquet, see `read_rewards`.
            shards: the phase's shards, where they are no longer in the folder they were written to.
            group: of rows without a task, how many in a row are rollouts of one prompt.

        Raises:
            InvalidArgument: where no phase was written yet, or for a group below 1.
            ShardError: where a file cannot be read.
        """
        if group < 1:
            raise InvalidArgument("group", group, "must be at least 1")
        if not self._phases:
            raise InvalidArgument("rewards", str(rewards), "no phase was written yet; run curriculum next first")
        path = Path(rewards)
        found = Update()
        rows = list(read_rewards(path))
        found.rows = len(rows)
        facts, looked_up = self._facts(rows, None if shards is None else Path(shards))
        groups: dict[tuple[Any, ...], list[RewardRow]] = {}
        digest = ""
        without = 0
        for row in rows:
            phase = self._phase_of(row)
            fault = row.fault or ("" if phase else "its phase is unknown or too long ago")
            if row.task_id and not fault and phase:
                row.take(facts.get((phase.number, row.task_id)), phase.number in looked_up)
            fault = fault or row.fault or self._fault(row)
            if fault or phase is None:
                found.reject(row.number, fault)
                continue
            if row.task_id:
                identity = _identity(row.task_id, row.rollout)
                key: tuple[Any, ...] = (phase.number, row.task_id)
            else:
                digest = digest or _digest(path)
                identity = _identity(digest, row.number)
                key = (phase.number, row.env, row.level, without // group)
                without += 1
            if identity in phase.counted:
                found.repeated += 1
                continue
            phase.counted.add(identity)
            groups.setdefault(key, []).append(row)
        for some in groups.values():
            self._observe(some)
            found.counted += len(some)
        found.groups = len(groups)
        kept = set(self.scheduler.replayable())
        self._stored = {task: place for task, place in self._stored.items() if task in kept}
        return found

    def _observe(self, rows: list[RewardRow]) -> None:
        first = rows[0]
        if first.task_id and first.index is not None:
            self._stored[first.task_id] = (first.env, first.level, first.index)
        self.scheduler.observe(
            env=first.env,
            level=first.level,
            successes=sum(row.correct for row in rows),
            trials=len(rows),
            axes={axis: first.axes[axis] for axis in self.scheduler.axes[first.env] if axis in first.axes},
            task_id=first.task_id or None,
        )

    def _phase_of(self, row: RewardRow) -> _Phase | None:
        """The phase that a row is of: the one it names, else the last one."""
        if row.phase is None:
            return self._phases[-1]
        return next((phase for phase in self._phases if phase.number == row.phase), None)

    def _facts(
        self, rows: list[RewardRow], shards: Path | None
    ) -> tuple[dict[tuple[int, str], TaskFacts], frozenset[int]]:
        """What the shards say of the tasks that rows name, by phase; and the phases whose shards are there."""
        wanted: dict[int, set[str]] = {}
        for row in rows:
            if row.task_id and not row.fault:
                phase = self._phase_of(row)
                if phase is not None:
                    wanted.setdefault(phase.number, set()).add(row.task_id)
        needs_reply = any(row.reply is not None for row in rows)
        found: dict[tuple[int, str], TaskFacts] = {}
        looked_up = set()
        for phase in self._phases:
            ids = wanted.get(phase.number)
            folder = Path(phase.folder) if shards is None else shards
            if not ids or (shards is None and not folder.exists()):
                continue
            looked_up.add(phase.number)
            for task, facts in facts_of_tasks(folder, ids, truths=needs_reply).items():
                found[phase.number, task] = facts
        return found, frozenset(looked_up)

    def _fault(self, row: RewardRow) -> str:
        """Why a row cannot be counted, or "" where it can."""
        if row.env not in self.scheduler.environments:
            return "an environment that the curriculum does not draw"
        if not 0 <= row.level <= self.scheduler.max_level:
            return f"a level outside 0 to {self.scheduler.max_level}"
        return ""

    # --- the file ------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """All of it, as the file holds it."""
        return {
            "version": VERSION,
            "made_by": ecomrlve.__version__,
            "scheduler": self.scheduler.state_dict(),
            "settings": {**self.settings, "axes": dict(self.settings.get("axes", ()))},
            "phase": self.phase,
            "next": [[env, level, index] for (env, level), index in sorted(self._next.items())],
            "stored": {task: list(place) for task, place in self._stored.items()},
            "phases": [{**asdict(phase), "counted": sorted(phase.counted)} for phase in self._phases],
        }

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all."""
        write_text(Path(path), json.dumps(self.to_json()) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> "Curriculum":
        """The curriculum of a file.

        Raises:
            InvalidArgument: where it is not one.
        """
        try:
            text = Path(path).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidArgument(
                "STATE", str(path), f"cannot be read ({error}); make it by curriculum init"
            ) from error
        try:
            given = json.loads(text)
            if given["version"] != VERSION:
                raise ValueError(f"version {given['version']}, not {VERSION}")
            settings = {**given["settings"], "axes": tuple(sorted(given["settings"]["axes"].items()))}
            made = cls(scheduler_from_state(given["scheduler"]), settings)
            made.phase = int(given["phase"])
            made._next = {(str(env), int(level)): int(index) for env, level, index in given["next"]}
            made._stored = {
                str(task): (str(e), int(level), int(at)) for task, (e, level, at) in given["stored"].items()
            }
            made._phases = [
                _Phase(int(one["number"]), str(one["folder"]), int(one["tasks"]), set(one["counted"]))
                for one in given["phases"]
            ]
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError, EcomrlveError) as error:
            raise InvalidArgument("STATE", str(path), f"is not a curriculum's file ({error})") from error
        return made

    @property
    def phases(self) -> list[tuple[int, str, int, int]]:
        """(number, folder, tasks, rollouts counted) of the phases whose rewards can be counted."""
        return [(phase.number, phase.folder, phase.tasks, len(phase.counted)) for phase in self._phases]


def _identity(of: str, number: int | str) -> str:
    return hashlib.sha256(f"{of}\0{number}".encode("utf-8", "surrogatepass")).hexdigest()[: 2 * _HASH_BYTES]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
