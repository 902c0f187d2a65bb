"""A trainer's rewards, row by row, and what the shards say of the tasks they name."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ecomrlve.difficulty.axes import axes_at
from ecomrlve.errors import InvalidArgument, ShardError, TruthError
from ecomrlve.generator.verifiers import verify
from ecomrlve.outputs.reader import find_rows, open_shard, read_rows, shard_files

_FIELDS = ("task_id", "rollout", "phase", "env", "level", "correct", "reply")
_MOST = 1 << 53


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """What a shard says of a task: environment, level, index, axes set by hand, and its ground truth where asked."""

    env: str
    level: int
    index: int
    axes: Mapping[str, float]
    truth: str | None


@dataclass(slots=True)
class RewardRow:
    """One rollout's reward.

    Attributes:
        number: the row's place in the file.
        fault: why it cannot be counted, or "".
        task_id: its task, or "".
        rollout: which of the task's rollouts it is; its place in the file where it does not say.
        phase: the phase it says it is of.
        env: its environment, by itself or by its task.
        level: its level, likewise.
        correct: whether the rollout was correct, likewise.
        reply: the reply to judge, where it has no ``correct``.
        index: the task's index.
        axes: axes of the task set by hand.
    """

    number: int
    fault: str = ""
    task_id: str = ""
    rollout: int | str = 0
    phase: int | None = None
    env: str = ""
    level: int = -1
    correct: bool = False
    reply: Any = None
    index: int | None = None
    axes: Mapping[str, float] = field(default_factory=dict)
    judged: bool = False

    def take(self, facts: TaskFacts | None, looked_up: bool) -> None:
        """Fill in what the row's task says; where the row says something else than the shard, the shard is right.

        Args:
            facts: what the shards say of the task.
            looked_up: whether the shards are there; without them a row counts by its own environment and level.
        """
        if facts is None:
            if looked_up:
                self.fault = "no such task in the phase's shards"
            elif not self.judged or not self.env or self.level < 0:
                self.fault = "its task's shards are not there; name their folder"
            return
        self.env, self.level, self.index, self.axes = facts.env, facts.level, facts.index, facts.axes
        if not self.judged and facts.truth is not None:
            try:
                self.correct = verify(facts.truth, self.reply).correct
            except TruthError as error:
                raise ShardError(f"the ground truth of task {self.task_id} is damaged ({error})") from error


def read_rewards(path: Path) -> Iterator[RewardRow]:
    """The rows of a rewards file.

    Args:
        path: JSON lines, or Parquet by its suffix. A row has ``env``, ``level`` and ``correct`` (true, false, 1, 0),
            or ``task_id`` and ``correct``, or ``task_id`` and ``reply``; ``rollout`` and ``phase`` where the trainer
            knows them.

    Raises:
        ShardError: where the file cannot be read.
        InvalidArgument: where a Parquet file has none of the columns.
    """
    if path.suffix == ".parquet":
        names = open_shard(path).schema_arrow.names
        columns = [name for name in _FIELDS if name in names]
        if not columns:
            raise InvalidArgument("rewards", str(path), f"has none of the columns {', '.join(_FIELDS)}")
        for number, given in enumerate(read_rows(path, columns)):
            yield _row(number, given)
        return
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file):
                if not line.strip():
                    continue
                try:
                    given = json.loads(line)
                except (ValueError, RecursionError):
                    yield RewardRow(number, "not JSON")
                    continue
                yield _row(number, given)
    except OSError as error:
        raise ShardError(f"{path} cannot be read: {error.strerror}") from error


def _row(number: int, given: Any) -> RewardRow:
    if not isinstance(given, Mapping):
        return RewardRow(number, "not an object")
    row = RewardRow(number)
    task_id = given.get("task_id")
    if task_id is not None:
        if not isinstance(task_id, str) or not task_id or not task_id.isascii():
            return RewardRow(number, "a task_id that is none")
        row.task_id = task_id
    rollout = given.get("rollout")
    row.rollout = rollout if isinstance(rollout, (int, str)) and not isinstance(rollout, bool) else number
    phase = given.get("phase")
    if phase is not None:
        whole = _whole(phase)
        if whole is None:
            return RewardRow(number, "a phase that is no whole number")
        row.phase = whole
    env, level = given.get("env"), _whole(given.get("level"))
    row.env = env.upper() if isinstance(env, str) else ""
    row.level = -1 if level is None else level
    correct = given.get("correct")
    if correct is not None:
        if isinstance(correct, bool) or (isinstance(correct, (int, float)) and correct in (0, 1)):
            row.correct, row.judged = bool(correct), True
        else:
            return RewardRow(number, "correct is neither true nor false")
    elif "reply" in given and row.task_id:
        row.reply = given["reply"] if given["reply"] is not None else ""
    else:
        return RewardRow(number, "neither correct, nor task_id and reply")
    if not row.task_id and (not row.env or level is None):
        return RewardRow(number, "neither task_id, nor env and level")
    return row


def _whole(value: object) -> int | None:
    """A whole number, however it is written, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not math.isfinite(value) or value != int(value) or abs(value) > _MOST:
        return None
    return int(value)


def facts_of_tasks(shards: Path, wanted: set[str], *, truths: bool) -> dict[str, TaskFacts]:
    """What shards say of some tasks.

    Args:
        shards: a run's folder, or one Parquet file.
        wanted: task ids.
        truths: whether the ground truths are read too.

    Raises:
        ShardError: where they cannot be read or are not ours.
    """
    found: dict[str, TaskFacts] = {}
    for file in shard_files(shards):
        for row in find_rows(file, wanted, ["task_id", "env", "level", "index", "axes"]):
            usual = axes_at(row["level"]).numbers()
            set_by_hand = {axis: value for axis, value in row["axes"].items() if value != usual[axis]}
            found[row["task_id"]] = TaskFacts(
                row["env"], row["level"], row["index"], set_by_hand, row["label"] if truths else None
            )
    return found
