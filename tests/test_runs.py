"""Whole runs: their files, their bytes, what stops them, and what trainers read."""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from ecomrlve import InvalidArgument, ShardError, Task, World, environments, make_task
from ecomrlve.outputs import workers
from ecomrlve.outputs import writers as writers_module
from ecomrlve.outputs.canonical import line_maker
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.manifest import load_manifest
from ecomrlve.outputs.reader import read_rows, shard_files
from ecomrlve.outputs.schema import UNIVERSAL, recipe_of, row, values
from tests.square_job import Square

PRODUCTS = 2_000
REQUEST = Configuration(count=45, levels=(0, 2), shop=PRODUCTS, seed=3)


@pytest.fixture(scope="module")
def world() -> World:
    return World.synthetic(products=PRODUCTS, seed=3)


@pytest.fixture(scope="module")
def tasks(world: World) -> list[Task]:
    return [make_task(world, env, level=at % 3, seed=3, index=at) for env in environments() for at in range(6)]


def _files(out: Path) -> dict[str, bytes]:
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()}


def test_a_run_holds_what_was_asked(finished: Path, world: World) -> None:
    """Files, splits, counts; and any row is the task that its coordinates make alone."""
    assert set(_files(finished)) == {
        "README.md",
        "manifest.json",
        *(f"data/train-0000{at}-of-00003.parquet" for at in range(3)),
        "data/test-00000-of-00001.parquet",
    }
    rows = [written for file in shard_files(finished) for written in read_rows(file)]
    assert Counter(written["split"] for written in rows) == {"train": 243, "test": 27}
    assert Counter((written["env"], written["level"]) for written in rows).keys() == {
        (env, level) for env in environments() for level in (0, 2)
    }
    shuffled = [written for written in rows if written["split"] == "train"]
    random.Random(0).shuffle(shuffled)
    for written in shuffled[:25]:
        alone = make_task(world, written["env"], level=written["level"], seed=3, index=written["index"])
        assert row(alone) == written


def test_manifest_counts(finished: Path, world: World) -> None:
    """The manifest's counts are what counting the rows by hand gives."""
    manifest = load_manifest(finished)
    rows = [written for file in shard_files(finished) for written in read_rows(file)]
    tasks = [Task.from_recipe(recipe_of(written), world) for written in rows if written["split"] == "train"]
    for env in environments():
        for level in (0, 2):
            counts = manifest["environments"][env][str(level)]
            here = [written for written in rows if (written["env"], written["level"]) == (env, level)]
            assert counts["rows"] == len(here)
            posed = [task for task in tasks if (task.env, task.level) == (env, level)]
            assert len({task.goal for task in posed}) <= counts["goals"]["distinct"] <= len(here)
            assert sum(task.impossible for task in posed) <= counts["impossible"]
            assert counts["rows_by_split"] == Counter(written["split"] for written in here)
            lengths = sorted(sum(len(message["content"]) for message in written["prompt"]) for written in here)
            assert lengths == sorted(written["prompt_chars"] for written in here)
            assert counts["prompt_chars"]["p50"] == lengths[-(-len(lengths) // 2) - 1]
            assert counts["prompts"]["distinct"] == len({json.dumps(written["prompt"]) for written in here})
    assert manifest["splits"] == {"train": 243, "test": 27}
    assert [shard["rows"] for shard in manifest["shards"]] == [81, 81, 81, 27]


_RUN = """
import sys
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.engine import generate
if __name__ == "__main__":
    request = Configuration(count=90, levels=(0, 2), shop=2_000, shard_rows=30, seed=3)
    generate(request, sys.argv[1], workers=int(sys.argv[2]))
"""


def test_bytes_depend_on_the_request_alone(tmp_path: Path) -> None:
    """Another hash seed, time zone, language and number of workers: the same files, byte for byte."""
    script = tmp_path / "run.py"
    script.write_text(_RUN)
    homes = [
        (1, {"PYTHONHASHSEED": "0", "TZ": "UTC", "LANG": "C"}),
        (2, {"PYTHONHASHSEED": "1", "TZ": "Pacific/Auckland", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"}),
    ]
    found = []
    for count, changed in homes:
        out = tmp_path / f"out{count}"
        path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path, **changed}
        subprocess.run([sys.executable, str(script), str(out), str(count)], env=environment, check=True, timeout=120)
        found.append(_files(out))
    assert found[0] == found[1]


def test_row_groups_by_bytes(tmp_path: Path, tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups hold between one and two times the least size, give or take a row, and all rows in order."""
    monkeypatch.setattr(writers_module, "_LEAST_GROUP_BYTES", least := 80_000)
    given = [values(task) for task in tasks] * 12
    line = line_maker(UNIVERSAL)
    sizes = [len(line(one)) for one in given]
    with writers_module.GroupWriter(tmp_path / "x.parquet") as writer:
        for one, size in zip(given, sizes, strict=True):
            assert len(writer.add(one)) == size
    written = pyarrow.parquet.ParquetFile(tmp_path / "x.parquet")
    assert written.read(["task_id"])["task_id"].to_pylist() == [one["task_id"] for one in given]
    assert written.num_row_groups > 2
    at = 0
    for group in range(written.num_row_groups):
        rows = written.metadata.row_group(group).num_rows
        assert least - max(sizes) <= sum(sizes[at : at + rows]) <= 2 * least + max(sizes)
        at += rows


def test_folders_in_use_are_refused_and_kept(tmp_path: Path) -> None:
    """A folder that holds something, or a file in its place, stays as it is."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mine").write_text("precious")
    with pytest.raises(InvalidArgument, match="is not an empty folder"):
        generate(REQUEST, tmp_path)
    with pytest.raises(InvalidArgument, match="is not an empty folder"):
        generate(REQUEST, tmp_path / "data" / "mine")
    with pytest.raises(ShardError, match="cannot write"):
        generate(REQUEST, tmp_path / "data" / "mine" / "out")
    with pytest.raises(InvalidArgument, match="workers=0"):
        generate(REQUEST, tmp_path / "new", workers=0)
    assert _files(tmp_path) == {"data/mine": b"precious"}


@pytest.mark.parametrize("count", [1, 2])
def test_jobs(count: int) -> None:
    """Results come in order, progress adds up, and what a job raises arrives."""
    seen: list[int] = []
    assert list(workers.run_jobs(Square(), range(5), count, seen.append)) == [0, 1, 4, 9, 16]
    assert sum(seen) == 5
    with pytest.raises(ShardError, match="seven"):
        list(workers.run_jobs(Square(), [1, 7], count))


def test_killed_worker() -> None:
    """A worker that dies is told in a sentence, and does not hang the run."""
    with pytest.raises(ShardError, match="a worker process was killed"):
        list(workers.run_jobs(Square(), [1, 2, 5, 3], 2))


# --- what others read --------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("default")
def test_datasets_loads_and_concatenates(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`load_dataset` gives the splits; two runs and a file of another origin concatenate with ours."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    datasets = pytest.importorskip("datasets", reason="the trainers' reader is not installed")
    loaded = datasets.load_dataset(str(finished), cache_dir=str(tmp_path / "cache"))
    assert {name: len(rows) for name, rows in loaded.items()} == {"train": 243, "test": 27}
    other = tmp_path / "other"
    generate(Configuration(count=30, levels=(1,), shop=PRODUCTS, seed=4), other)
    foreign = tmp_path / "foreign.parquet"
    pyarrow.parquet.write_table(
        pyarrow.table({"data_source": ["gsm8k"], "prompt": [[{"role": "user", "content": "1 + 1?"}]]}), foreign
    )
    parts = [
        datasets.load_dataset("parquet", data_files=str(file), cache_dir=str(tmp_path / "cache"))["train"]
        for file in (shard_files(finished)[-1], shard_files(other)[-1], foreign)
    ]
    together = datasets.concatenate_datasets(parts)
    assert len(together) == 81 + 27 + 1
    assert together[-1]["prompt"] == [{"role": "user", "content": "1 + 1?"}]
    assert "large" not in str(parts[0].features).lower()


def test_card(finished: Path) -> None:
    """The card has front matter with every split, and a row of counts per environment and level."""
    text = (finished / "README.md").read_text(encoding="utf-8")
    front, body = text.removeprefix("---\n").split("---\n", 1)
    assert "path: data/train-*.parquet" in front
    assert "path: data/test-*.parquet" in front
    for env in environments():
        assert f"| {env} | 0 |" in body
        assert f"| {env} | 2 |" in body
