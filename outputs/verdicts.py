"""Judging a file of replies against shards: in their order, in memory that does not grow with either."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from ecomrlve.errors import InvalidArgument, ShardError, TruthError
from ecomrlve.generator.verifiers import Verdict, verify
from ecomrlve.outputs.files import settle
from ecomrlve.outputs.reader import find_rows, open_shard, read_rows, shard_files
from ecomrlve.outputs.workers import Tick, nothing

_REPLIES_AT_ONCE = 50_000
_COLUMNS = ["task_id", "env", "level"]

_UNKNOWN = "no such task in the shards"

_SCHEMA = pyarrow.schema(
    [
        ("task_id", pyarrow.string()),
        ("rollout", pyarrow.int64()),
        ("env", pyarrow.string()),
        ("level", pyarrow.int64()),
        ("correct", pyarrow.bool_()),
        ("score", pyarrow.float64()),
        ("outcome", pyarrow.string()),
        ("parts", pyarrow.string()),
        ("message", pyarrow.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class _Reply:
    """One line of the replies: its number, and what it says or why it says nothing."""

    number: int
    task_id: str = ""
    reply: Any = None
    rollout: int = 0
    fault: str = ""


@dataclass(slots=True)
class VerdictTally:
    """What judging a file of replies came to.

    Attributes:
        judged: how many replies.
        rejected: reason to how many lines.
        outcomes: (environment, level) to outcome to how many.
        scores: (environment, level) to the sum of scores.
    """

    judged: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    outcomes: dict[tuple[str, int], Counter[str]] = field(default_factory=dict)
    scores: dict[tuple[str, int], float] = field(default_factory=dict)

    def count(self, env: str, level: int, verdict: Verdict) -> None:
        """Add one verdict."""
        self.judged += 1
        self.outcomes.setdefault((env, level), Counter())[verdict.outcome] += 1
        self.scores[env, level] = self.scores.get((env, level), 0.0) + verdict.score


def rejects_file(out: str | Path) -> Path:
    """Where lines that cannot be judged are listed.

    >>> rejects_file("verdicts.jsonl").name
    'verdicts.rejects.jsonl'
    """
    return Path(out).with_suffix(".rejects.jsonl")


def judge_replies(
    shards: str | Path, replies: str | Path, out: str | Path, *, progress: Tick = nothing
) -> VerdictTally:
    """Judge replies and write a verdict for each, in their order.

    Args:
        shards: a run's folder, or one Parquet file.
        replies: JSON lines or Parquet with ``task_id`` and ``reply`` (text, or a list of chat messages), and
            ``rollout`` where the caller numbers them.
        out: JSON lines or, by its suffix, Parquet. Lines that cannot be judged go to `rejects_file`, with the reason.
        progress: told how many more replies are done.

    Raises:
        ShardError: where a file cannot be read, or a shard's ground truth is damaged.
        InvalidArgument: where ``replies`` lacks a column.
    """
    files = shard_files(shards)
    source = Path(replies)
    tally = VerdictTally()
    lines = _read_parquet(source) if source.suffix == ".parquet" else _read_lines(source)
    _check_out(Path(out), [source, *files])
    with _Sink(Path(out)) as sink:
        while chunk := list(islice(lines, _REPLIES_AT_ONCE)):
            truths = _truths(files, {line.task_id for line in chunk if not line.fault})
            for line in chunk:
                _judge(line, truths, sink, tally)
            progress(len(chunk))
    return tally


def _check_out(out: Path, read: Sequence[Path]) -> None:
    """Refuse to write over a file that is read."""
    if not out.name:
        raise InvalidArgument("out", str(out), "must name a file")
    taken = {path.resolve() for path in read}
    for path in (out, rejects_file(out)):
        if path.resolve() in taken:
            raise InvalidArgument("out", str(out), f"would write over {path}, which is read; name another")


def _judge(line: _Reply, truths: Mapping[str, tuple[str, int, str]], sink: "_Sink", tally: VerdictTally) -> None:
    fault = line.fault or ("" if line.task_id in truths else _UNKNOWN)
    if fault:
        tally.rejected[fault] += 1
        sink.reject({"line": line.number, "task_id": line.task_id, "reason": fault})
        return
    env, level, truth = truths[line.task_id]
    try:
        verdict = verify(truth, line.reply)
    except TruthError as error:
        raise ShardError(f"the ground truth of task {line.task_id} is damaged ({error}); run validate") from error
    tally.count(env, level, verdict)
    sink.write(
        {
            "task_id": line.task_id,
            "rollout": line.rollout,
            "env": env,
            "level": level,
            "correct": verdict.correct,
            "score": verdict.score,
            "outcome": verdict.outcome,
            "parts": verdict.parts,
            "message": verdict.message,
        }
    )


def _reply(number: int, given: Any) -> _Reply:
    """A line of replies from what was read: a mapping, one hopes."""
    if not isinstance(given, Mapping):
        return _Reply(number, fault="not an object")
    task_id = given.get("task_id")
    if not isinstance(task_id, str) or not task_id:
        return _Reply(number, fault="no task_id")
    if not task_id.isascii():
        return _Reply(number, task_id, fault=_UNKNOWN)
    if "reply" not in given:
        return _Reply(number, task_id, fault="no reply")
    rollout = given.get("rollout")
    if not isinstance(rollout, int) or isinstance(rollout, bool) or not 0 <= rollout < 1 << 63:
        rollout = number
    return _Reply(number, task_id, given["reply"], rollout)


def _read_lines(source: Path) -> Iterator[_Reply]:
    try:
        with source.open("rb") as file:
            for number, line in enumerate(file):
                if not line.strip():
                    continue
                try:
                    given = json.loads(line)
                except (ValueError, RecursionError):
                    yield _Reply(number, fault="not JSON")
                    continue
                yield _reply(number, given)
    except OSError as error:
        raise ShardError(f"{source} cannot be read: {error.strerror}") from error


def _read_parquet(source: Path) -> Iterator[_Reply]:
    names = open_shard(source).schema_arrow.names
    for name in ("task_id", "reply"):
        if name not in names:
            raise InvalidArgument("REPLIES", str(source), f"has no column {name}; it has {', '.join(names)}")
    columns = [name for name in ("task_id", "reply", "rollout") if name in names]
    for number, given in enumerate(read_rows(source, columns)):
        yield _reply(number, given)


def _truths(files: Sequence[Path], wanted: set[str]) -> dict[str, tuple[str, int, str]]:
    """Environment, level and ground truth of some tasks."""
    found: dict[str, tuple[str, int, str]] = {}
    if not wanted:
        return found
    for file in files:
        for row in find_rows(file, wanted, _COLUMNS):
            found[row["task_id"]] = (row["env"], row["level"], row["label"])
        if len(found) == len(wanted):
            break
    return found


class _Sink:
    """The verdicts and the rejects, each a whole file at the end or none."""

    def __init__(self, out: Path) -> None:
        self._finals = (out, rejects_file(out))
        self._parts = [path.with_name(f".{path.name}.part") for path in self._finals]
        self._pending: list[dict[str, Any]] = []
        self._table = out.suffix == ".parquet"
        self._open = ExitStack()

    def __enter__(self) -> "_Sink":
        try:
            with ExitStack() as opening:
                files = [opening.enter_context(part.open("wb")) for part in self._parts]
                self._open = opening.pop_all()
        except OSError as error:
            raise ShardError(f"cannot write {self._finals[0]}: {error.strerror}") from error
        self._verdicts, self._rejects = files
        if self._table:
            self._writer = self._open.enter_context(
                pyarrow.parquet.ParquetWriter(self._verdicts, _SCHEMA, compression="zstd", store_schema=False)
            )
        return self

    def write(self, verdict: dict[str, Any]) -> None:
        """Write one verdict."""
        if not self._table:
            self._verdicts.write(json.dumps(verdict).encode() + b"\n")
            return
        self._pending.append({**verdict, "parts": json.dumps(verdict["parts"])})
        if len(self._pending) >= _REPLIES_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(pyarrow.Table.from_pylist(self._pending, schema=_SCHEMA))
        self._pending.clear()

    def reject(self, reject: dict[str, Any]) -> None:
        """List one line that cannot be judged."""
        self._rejects.write(json.dumps(reject).encode() + b"\n")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        try:
            with self._open:
                if kind is None and self._pending:
                    self._flush()
            if kind is None:
                for part, final in zip(self._parts, self._finals, strict=True):
                    settle(part, final)
        except OSError as fault:
            # Only these files are closed here, and a full disk may be noticed as late as this.
            raise ShardError(f"cannot write {self._finals[0]}: {fault.strerror or fault}") from (error or fault)
        finally:
            for part in self._parts:
                with suppress(OSError):
                    part.unlink()
