"""Runs that are stopped on the way: what is kept, what resuming gives, and what is refused."""

import errno
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ecomrlve import InvalidArgument, ShardError
from ecomrlve.cli import cli
from ecomrlve.outputs import claim as claim_module
from ecomrlve.outputs.claim import Claim
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.shards import ShardJob
from ecomrlve.outputs.stores import FolderStore

REQUEST = Configuration(count=60, levels=(0, 2), shop=2_000, seed=3, shard_rows=10)
OPTIONS = ["--count", "60", "--levels", "0,2", "--products", "2000", "--seed", "3", "--shard-rows", "10"]


def _files(out: Path) -> dict[str, bytes]:
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()}


def _process(*arguments: object) -> "subprocess.Popen[str]":
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", "ecomrlve", *(str(argument) for argument in arguments)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell that starts us in the background may have told us to ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the run that nothing disturbs."""
    out = tmp_path_factory.mktemp("whole") / "out"
    generate(REQUEST, out)
    return _files(out)


class Interrupted(Exception):
    """Stands for whatever ends a run."""


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """A run that was stopped after two of its six shards, while it wrote the third."""
    out = tmp_path / "out"
    told: list[int] = []

    def stop(rows: int) -> None:
        told.append(rows)
        if sum(told) > 20:
            raise Interrupted

    with pytest.raises(Interrupted) as caught:
        generate(REQUEST, out, progress=stop)
    assert caught.value.__notes__ == ["2 of 7 shards are kept; the same command with --resume goes on."]
    return out


def _wait_for(reports: int, out: Path, process: "subprocess.Popen[str]") -> None:
    for _ in range(1_200):
        if process.poll() is not None or len(list(out.glob(".unfinished/*-of-*.json"))) >= reports:
            return
        time.sleep(0.02)


@pytest.mark.parametrize("moment", range(3))
def test_kill_and_resume(tmp_path: Path, whole: dict[str, bytes], moment: int) -> None:
    """Kill -9 at any moment, then the same command with --resume: the bytes of an undisturbed run."""
    out = tmp_path / "out"
    process = _process("generate", out, *OPTIONS, "--workers", 2)
    _wait_for(2 * moment, out, process)
    time.sleep(random.Random(moment).random() / 5)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    done = set(_files(out)) if out.exists() else set()
    assert not any(name.startswith("data/") and not name.endswith(".parquet") for name in done), "a half file"
    assert "manifest.json" not in done
    generate(REQUEST, out, resume=True)
    assert _files(out) == whole


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_stops_soon_and_keeps_what_is_done(tmp_path: Path, workers: int) -> None:
    """It does not wait for the shard in hand, nor for workers that open a large shop; the message says what is kept."""
    out = tmp_path / "out"
    options = ["--count", 4_000, "--levels", "0-8", "--products", 50_000, "--shard-rows", 20, "--workers", workers]
    process = _process("generate", out, *options)
    if workers == 2:
        while process.poll() is None and not (out / "data").exists():
            time.sleep(0.02)
    else:
        _wait_for(1, out, process)
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (130, "")
    assert "Traceback" not in stderr
    kept = len(list(out.glob("data/*.parquet")))
    if kept:
        assert f"Stopped. {kept} of 200 shards are kept; the same command with --resume goes on." in stderr
        assert not list(out.glob(".unfinished/attempt-*"))
    else:
        assert "Stopped. Nothing was kept." in stderr
        assert not out.exists()


def test_resume_writes_only_what_is_missing(
    stopped: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finished shards stay as they are; one that was spoiled since, or lost a file, is written again."""
    shards = sorted((stopped / "data").glob("*.parquet"))
    assert len(shards) == 2
    times = [file.stat().st_mtime_ns for file in shards]
    shards[1].write_bytes(shards[1].read_bytes()[:-1])
    (stopped / ".unfinished" / "attempt-left").mkdir()
    told: list[int] = []
    generate(REQUEST, stopped, resume=True, progress=told.append)
    assert shards[0].stat().st_mtime_ns == times[0]
    assert shards[1].stat().st_mtime_ns != times[1]
    assert sum(told) == 60
    assert _files(stopped) == whole


def test_resume_on_nothing_begins_and_on_a_finished_run_ends(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """A loop that calls the same command until it succeeds needs no case distinction."""
    out = tmp_path / "out"
    for _ in range(2):
        done = _run("generate", out, *OPTIONS, "--workers", 1, "--resume")
        assert done.exit_code == 0, done.stderr
        assert _files(out) == whole
    # The last moment at which a run can be killed: the manifest is there, and not all else is gone.
    (out / ".unfinished").mkdir()
    generate(REQUEST, out, resume=True)
    assert _files(out) == whole


def test_a_stopped_run_is_not_begun_again(stopped: Path) -> None:
    """Without --resume the folder is refused, and stays as it is."""
    before = _files(stopped)
    with pytest.raises(InvalidArgument, match="finish it with --resume"):
        generate(REQUEST, stopped)
    with pytest.raises(ShardError, match=r"no manifest.json"):
        _ = list(_validated(stopped))
    assert _files(stopped) == before


def _validated(out: Path) -> Iterator[object]:
    from ecomrlve.outputs.validate import validate

    yield validate(out)


@pytest.mark.parametrize("finished", [True, False])
def test_resume_refuses_another_request(
    stopped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished: bool
) -> None:
    """Another option or another version of a package: refused, with the difference, and nothing changes."""
    out = stopped
    if finished:
        generate(REQUEST, stopped, resume=True)
    before = _files(out)
    done = _run("generate", out, *OPTIONS, "--count", 70, "--impossible", 0.2, "--resume")
    assert done.exit_code == 2
    assert "configuration.count was 60, now 70; configuration.impossible was 0.1, now 0.2" in done.stderr
    monkeypatch.setattr(claim_module, "versions", lambda: {**json.loads(before_versions(out)), "polars": "0.0.1"})
    with pytest.raises(InvalidArgument, match=r"versions\.polars was [\d.]+, now 0\.0\.1"):
        generate(REQUEST, out, resume=True)
    assert _files(out) == before


def before_versions(out: Path) -> str:
    """The versions that a run was begun with, as JSON."""
    begun = out / ".unfinished" / "begun.json"
    return json.dumps(json.loads((begun if begun.exists() else out / "manifest.json").read_text())["versions"])


def test_resume_refuses_another_tokenizer(tmp_path: Path) -> None:
    """The file behind an unchanged path counts, too."""
    file = tmp_path / "tokenizer.json"
    file.write_text("{}")
    request = Configuration(count=60, shop=2_000, max_prompt_tokens=9_000, tokenizer=str(file))
    was = claim_module.begun(request)
    file.write_text("[]")
    assert claim_module.begun(request)["inputs"] != was["inputs"]


def test_a_second_process_is_told(tmp_path: Path) -> None:
    """With --resume or without; the lock goes with its process, even a killed one, and nothing is removed."""
    out = tmp_path / "out"
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    holder = context.Process(target=_hold, args=(out, ready))
    holder.start()
    assert ready.wait(30)
    for resume in (True, False):
        with pytest.raises(InvalidArgument, match=rf"is being written by process {holder.pid} on "):
            generate(REQUEST, out, resume=resume)
    assert (out / "data" / "shard").read_text() == "precious"
    holder.kill()
    holder.join()
    with Claim(out, REQUEST, resume=True):
        pass
    assert (out / "data" / "shard").read_text() == "precious"


def _hold(out: Path, ready: Any) -> None:
    with Claim(out, REQUEST):
        (out / "data" / "shard").write_text("precious")
        ready.set()
        time.sleep(60)


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("after", [0, 3, 12, 33])
def test_full_disk(tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """A disk that fills up at any file: a sentence, no half file, and resume completes once there is room."""
    out = tmp_path / "a" / "out"
    left = [after]

    def fsync(descriptor: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            _full()

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(ShardError, match=r"is full\. |cannot write to .*No space left"):
        generate(REQUEST, out)
    names = set(_files(tmp_path))
    assert not [name for name in names if name.endswith(".part") or "attempt-" in name]
    if not list(out.glob("data/*")):
        assert not (tmp_path / "a").exists()
    monkeypatch.undo()
    generate(REQUEST, out, resume=True)
    assert _files(out) == whole


def test_full_disk_leaves_a_folder_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder goes only if the run made it."""
    monkeypatch.setattr(os, "fsync", _full)
    with pytest.raises(ShardError):
        generate(REQUEST, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_odd_names(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """A folder may be called anything that its disk takes, and lie as deep."""
    out = tmp_path.joinpath("with spaces", "ünï çødé 店", "a,b", "semi;colon 'quote\"", "x" * 240, "-dash")
    generate(REQUEST, out)
    assert _files(out) == whole


def test_odd_places(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """A link to a folder works; a name too long, a link to nothing, a run inside a run are told in a sentence."""
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    generate(REQUEST, tmp_path / "link")
    assert _files(tmp_path / "there") == whole
    with pytest.raises(ShardError, match=r"cannot write to .*File name too long"):
        generate(REQUEST, tmp_path / ("x" * 300))
    (tmp_path / "nothing").symlink_to(tmp_path / "absent")
    with pytest.raises(InvalidArgument, match="a link to nothing"):
        generate(REQUEST, tmp_path / "nothing")
    for inner in ("inner", "data/inner", "a/b"):
        with pytest.raises(InvalidArgument, match="lies inside the run in"):
            generate(REQUEST, tmp_path / "there" / inner)
    assert _files(tmp_path / "there") == whole


def test_a_leftover_worker_spoils_nothing(tmp_path: Path, whole: dict[str, bytes]) -> None:
    """A worker of a killed run, that still writes while the run is resumed, gives the same files or none."""
    out = tmp_path / "out"
    with pytest.raises(Interrupted), Claim(out, REQUEST) as claim:
        old = ShardJob(REQUEST, claim.store)
        old(0, lambda _: None)
        raise Interrupted
    began: list[int] = []

    def both(rows: int) -> None:
        # In the middle of the resumed run the old one finishes the same shard.
        if not began:
            began.append(rows)
            ShardJob(REQUEST, FolderStore(out))(1, lambda _: None)

    generate(REQUEST, out, resume=True, progress=both)
    assert _files(out) == whole


def test_a_phase_of_a_curriculum_resumes(tmp_path: Path) -> None:
    """Stopped after its shards and before its state was saved: the same command with --resume ends it."""
    state, out = tmp_path / "state.json", tmp_path / "phase"
    assert _run("curriculum", "init", state, "--env", "PD", "--products", 2_000).exit_code == 0
    before = state.read_bytes()
    words = ("curriculum", "next", state, out, "--count", 6, "--workers", 1, "--target", "trl")
    assert _run(*words).exit_code == 0
    after, shards = state.read_bytes(), _files(out)
    state.write_bytes(before)
    assert _run(*words).exit_code == 2
    assert _run(*words, "--resume").exit_code == 0
    assert (state.read_bytes(), _files(out)) == (after, shards)
