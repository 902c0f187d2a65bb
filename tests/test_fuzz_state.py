"""What holds state, driven by chance through its doors: a curriculum with phases and rewards, folders of shards."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ecomrlve import InvalidArgument, environments
from ecomrlve.difficulty.schedulers import schedulers
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.curriculum import Curriculum
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.reader import read_rows, shard_files

SHOP = 900
ROLLOUTS = 3


class Folder(RuleBasedStateMachine):
    """A machine with a folder of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="fuzz-state-"))

    def teardown(self) -> None:
        shutil.rmtree(self.home)


class CurriculumMachine(Folder):
    """A trainer that asks for phases and hands in rewards in any order, twice, in parts, and through restarts."""

    def __init__(self) -> None:
        super().__init__()
        self.curriculum = Curriculum.init("rlve", environments(), shop=SHOP)
        self.repeats = False
        self.tasks: list[tuple[int, str]] = []
        self.counted: set[tuple[str, int]] = set()
        self.files = 0

    @precondition(lambda self: not self.tasks)
    @rule(name=st.sampled_from(tuple(schedulers())))
    def choose(self, name: str) -> None:
        """Begin anew with another scheduler."""
        self.curriculum = Curriculum.init(name, environments(), shop=SHOP)
        # Only this one shows stored tasks again.
        self.repeats = name == "plr"

    @rule(count=st.integers(1, 4))
    def next_phase(self, count: int) -> None:
        """A phase has as many tasks as asked for, and none that was there before."""
        phase = len({number for number, _ in self.tasks})
        out = self.home / f"phase-{phase}"
        self.curriculum.write_phase(out, count)
        found = [row["task_id"] for file in shard_files(out) for row in read_rows(file)]
        assert len(found) == count == len(set(found))
        assert self.repeats or not {name for _, name in self.tasks} & set(found)
        self.tasks += [(phase, name) for name in found]

    def hand_in(self, picked: list[tuple[str, int, bool]]) -> None:
        self.files += 1
        path = self.home / f"rewards-{self.files}.jsonl"
        rows: list[dict[str, Any]] = [{"task_id": name, "rollout": at, "correct": right} for name, at, right in picked]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        told = self.curriculum.update(path)
        new = {(name, at) for name, at, _ in picked} - self.counted
        assert (told.counted, told.repeated) == (len(new), len(picked) - len(new))
        self.counted |= new

    @precondition(lambda self: self.tasks and not self.repeats)
    @rule(data=st.data())
    def reward(self, data: st.DataObject) -> None:
        """Each rollout of a task counts once, however often it is handed in."""
        rollouts = st.tuples(
            st.sampled_from([name for _, name in self.tasks]), st.integers(0, ROLLOUTS - 1), st.booleans()
        )
        self.hand_in(data.draw(st.lists(rollouts, min_size=1, max_size=8, unique_by=lambda one: one[:2])))

    @rule()
    def restart(self) -> None:
        """What is saved and loaded is the same, and goes on alike."""
        path = self.home / "state.json"
        self.curriculum.save(path)
        twin, again = Curriculum.load(path), Curriculum.load(path)
        assert twin.to_json() == again.to_json() == self.curriculum.to_json()
        assert twin.plan(4) == self.curriculum.plan(4)
        self.curriculum = again


class Stop(Exception):
    """Somebody pulls the plug."""


def files_of(out: Path) -> dict[str, bytes]:
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()}


class ShardMachine(Folder):
    """Runs of a few requests into a few folders: finished, refused, or stopped on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.finished: dict[str, dict[str, bytes]] = {}
        self.bytes_of: dict[tuple[int, int], dict[str, bytes]] = {}

    @rule(name=st.sampled_from("abc"), count=st.integers(1, 3), seed=st.integers(0, 1))
    def write(self, name: str, count: int, seed: int) -> None:
        """The same request gives the same bytes; a folder that holds something is refused and left as it is."""
        out = self.home / name
        asked = Configuration(count=count, levels=(0, 1), shop=SHOP, seed=seed, shard_rows=1)
        if name in self.finished:
            with pytest.raises(InvalidArgument, match="not an empty folder"):
                generate(asked, out)
            return
        generate(asked, out)
        self.finished[name] = files_of(out)
        assert self.bytes_of.setdefault((count, seed), self.finished[name]) == self.finished[name]

    @rule(name=st.sampled_from("abc"), seed=st.integers(0, 1), rows=st.integers(0, 2))
    def stop(self, name: str, seed: int, rows: int) -> None:
        """A run that is stopped keeps whole shards and no manifest; the next one here goes on, or clears them away."""
        if name in self.finished:
            return
        left = [rows]

        def pull(more: int) -> None:
            left[0] -= more
            if left[0] < 0:
                raise Stop

        with pytest.raises(Stop):
            generate(
                Configuration(count=4, levels=(0,), shop=SHOP, seed=seed, shard_rows=1), self.home / name, progress=pull
            )
        assert not (self.home / name / "manifest.json").exists()
        shutil.rmtree(self.home / name, ignore_errors=True)

    @rule(name=st.sampled_from("abc"))
    def remove(self, name: str) -> None:
        """Make room."""
        if self.finished.pop(name, None) is not None:
            shutil.rmtree(self.home / name)

    @invariant()
    def finished_runs_stay(self) -> None:
        for name, files in self.finished.items():
            assert files_of(self.home / name) == files


FEW = settings(max_examples=max(2, settings().max_examples // 50), stateful_step_count=5)
TestCurriculum = CurriculumMachine.TestCase
TestCurriculum.settings = FEW
TestShards = ShardMachine.TestCase
TestShards.settings = FEW
