"""The command line: what it prints, what it refuses, and how it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from ecomrlve import Task, World, environments
from ecomrlve.cli import cli
from ecomrlve.outputs.reader import read_rows, shard_files
from ecomrlve.outputs.schema import recipe_of


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def _process(*arguments: object, **options: Any) -> "subprocess.Popen[str]":
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", "ecomrlve", *(str(argument) for argument in arguments)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@lru_cache(maxsize=2)
def _world(split: str) -> World:
    return World.synthetic(products=2_000, seed=3, split=split)


def _task(written: dict[str, Any]) -> Task:
    """The task of a row of the finished run."""
    return Task.from_recipe(recipe_of(written), _world(written["split"]))


@pytest.fixture(scope="module")
def rows(finished: Path) -> list[dict[str, Any]]:
    return [written for file in shard_files(finished) for written in read_rows(file)]


# --- generate ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--count", "0"], "count=0: must be at least 1"),
        (["--count", "-3"], "count=-3"),
        (["--count", "many"], "not a valid integer"),
        ([], "Missing option '--count'"),
        (["--count", "5", "--env", "NOPE"], "is not an environment; there are PD, "),
        (["--count", "5", "--levels", "5-2"], "write 2-5"),
        (["--count", "5", "--split", "train=0.9,test=0.2"], "must sum to 1"),
        (["--count", "5", "--split", "valid=1"], "there are train, test, test_wording, test_types, test_hard"),
        (["--count", "5", "--axis", "speed=1"], "no such axis"),
        (["--count", "5", "--products", "10"], "products=10"),
        (["--count", "5", "--products", "900", "--catalog", "x"], "exclude each other"),
        (["--count", "5", "--workers", "0"], "workers=0"),
        (["--count", "5", "--mode", "tools"], "is not 'context'"),
        (["--count", "5", "--target", "nope"], "there are nemo-gym, openrlhf"),
        (["--count", "5", "--max-prompt-tokens", "9", "--tokenizer", "/no"], "tokenizer='/no'"),
    ],
)
def test_bad_requests_exit_2_and_write_nothing(tmp_path: Path, options: list[str], message: str) -> None:
    """A usage error: one sentence, exit 2, no folder."""
    done = _run("generate", tmp_path / "out", *options)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_failures_exit_1(tmp_path: Path) -> None:
    """A request that is well put and cannot be met: a sentence, exit 1, no folder."""
    for catalog in (tmp_path / "absent", tmp_path):
        done = _run("generate", tmp_path / "out", "--count", 5, "--catalog", catalog)
        assert done.exit_code == 1
        assert str(catalog) in done.stderr
        assert len(done.stderr.splitlines()) <= 2
    done = _run("generate", tmp_path / "out", "--count", 5, "--products", 500, "--max-prompt-tokens", 5, "--workers", 1)
    assert done.exit_code == 1
    assert "budget" in done.stderr
    assert not (tmp_path / "out").exists()


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    """With --debug the error itself comes through, wherever the option stands."""
    for arguments in (["generate", tmp_path, "--count", 0, "--debug"], ["--debug", "generate", tmp_path, "--count", 0]):
        done = _run(*arguments)
        assert done.exit_code == 1
        assert type(done.exception).__name__ == "InvalidArgument"


def test_generate_and_validate(tmp_path: Path) -> None:
    """The two commands of a first visit; a second run into the same folder is refused."""
    out = tmp_path / "out"
    options = ["--count", 30, "--env", "cart=2", "--env", "PD", "--levels", "1-2", "--products", 2_000, "--workers", 1]
    done = _run("generate", out, *options, "--system-role", "none", "--axis", "noise=0", "--split", "train=1")
    assert done.exit_code == 0, done.stderr
    assert "Wrote 30 tasks in 1 shard" in done.stdout
    written = [written for file in shard_files(out) for written in read_rows(file)]
    assert [row["env"] for row in written].count("CART") == 20
    assert {row["axes"]["noise"] for row in written} == {0.0}
    assert {row["prompt"][0]["role"] for row in written} == {"user"}
    checked = _run("validate", out, "--workers", 1)
    assert checked.exit_code == 0, checked.stdout
    assert "All 30 rows hold" in checked.stdout
    again = _run("generate", out, *options)
    assert again.exit_code == 2
    assert "is not an empty folder" in again.stderr
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["splits"] = {}
    (out / "manifest.json").write_text(json.dumps(manifest))
    checked = _run("validate", out, "--workers", 1)
    assert checked.exit_code == 1
    assert "splits.train differs" in checked.stdout


def _wait_for(path: Path, process: "subprocess.Popen[str]") -> None:
    """Wait until a run has begun to write shards."""
    for _ in range(600):
        if process.poll() is not None or any(path.rglob("*.parquet")):
            return
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("number", "code", "workers"),
    [(signal.SIGINT, 130, 1), (signal.SIGINT, 130, 2), (signal.SIGTERM, 143, 2), (signal.SIGHUP, 129, 2)],
)
def test_signals_leave_nothing(tmp_path: Path, number: signal.Signals, code: int, workers: int) -> None:
    """Ctrl-C, to all processes as a terminal sends it, and a polite kill: a clean end and nothing half-written."""
    out = tmp_path / "out"
    options = ["--count", 400_000, "--products", 2_000, "--workers", workers, "--split", "train=1"]
    # A shell that starts us in the background may have told us to ignore Ctrl-C.
    process = _process(
        "generate", out, *options, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    _wait_for(out, process)
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == code, stderr
    assert "Traceback" not in stderr
    assert stdout == ""
    assert not out.exists()


# --- show --------------------------------------------------------------------------------------------------------


def test_show(finished: Path, rows: list[dict[str, Any]]) -> None:
    """Request, evidence, answer, oracle and the reason of every decoy; filters by environment and id."""
    for env in environments():
        written = next(written for written in rows if written["env"] == env and written["level"] == 2)
        done = _run("show", finished, "--task", written["task_id"])
        assert done.exit_code == 0, done.stderr
        task = _task(written)
        for message in written["prompt"]:
            assert message["content"] in done.stdout
        assert task.oracle in done.stdout
        assert "judged correct, score 1" in done.stdout
        words = " ".join(done.stdout.split())
        for identifier, reason in task.notes:
            assert identifier in words
            assert " ".join(reason.split()) in words
    done = _run("show", shard_files(finished)[-1], "-n", 3, "--env", "cart")
    assert done.stdout.count("right answer") == 3
    assert done.stdout.count("CART level") == 3


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--task", "nope"], 1, "holds no task of task nope"),
        (["--env", "NOPE"], 1, "holds no task of env NOPE"),
        (["-n", "0"], 2, "x>=1"),
    ],
)
def test_show_refuses(finished: Path, arguments: list[str], code: int, message: str) -> None:
    """What is not there is said."""
    done = _run("show", finished, *arguments)
    assert done.exit_code == code
    assert message in done.stderr


def test_show_into_head(finished: Path) -> None:
    """A reader that stops early is no error."""
    process = _process("show", finished, "-n", "60")
    assert process.stdout is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0
    process.stderr.close()


# --- verify ------------------------------------------------------------------------------------------------------


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_verify_json_lines(finished: Path, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    """One verdict a line in the order of the replies; what cannot be judged is listed with the reason."""
    replies, out = tmp_path / "replies.jsonl", tmp_path / "verdicts.jsonl"
    right = [{"task_id": row["task_id"], "reply": _task(row).oracle} for row in rows[:20]]
    chat = [{**right[0], "reply": [{"role": "assistant", "content": right[0]["reply"]}], "rollout": 7}]
    wrong = [{"task_id": rows[1]["task_id"], "reply": reply} for reply in ("no idea", None, 3, ["x"])]
    bad = ['{"task_id": ', "[]", '"text"', '{"reply": "x"}', '{"task_id": 5, "reply": "x"}', '{"task_id": "AB"}']
    strange = [{"task_id": "unknown", "reply": ""}, {"task_id": "\ud800", "reply": ""}]
    lines = [json.dumps(line) for line in (*right, *chat, *wrong, *strange)] + bad
    replies.write_text("\n".join(lines) + "\n\n" + "[" * 100_000 + "\n")
    with replies.open("ab") as file:
        file.write(b"\xff\xfe\n")
    done = _run("verify", finished, replies, "--out", out)
    assert done.exit_code == 0, done.stderr
    verdicts = _lines(out)
    assert [verdict["task_id"] for verdict in verdicts] == [line["task_id"] for line in (*right, *chat, *wrong)]
    assert all(verdict["correct"] and verdict["score"] == 1 for verdict in verdicts[:21])
    assert [verdict["outcome"] for verdict in verdicts[21:]] == ["unparsed"] * 4
    assert verdicts[20]["rollout"] == 7
    assert verdicts[3]["rollout"] == 3
    assert {"env", "level", "parts", "message"} <= verdicts[0].keys()
    rejects = _lines(tmp_path / "verdicts.rejects.jsonl")
    assert [reject["reason"] for reject in rejects] == [
        *["no such task in the shards"] * 2, "not JSON", "not an object", "not an object", "no task_id", "no task_id",
        "no reply", "not JSON", "not JSON",
    ]  # fmt: skip
    assert "2 not judged: no such task in the shards" in done.stderr


def test_verify_parquet(finished: Path, rows: list[dict[str, Any]], tmp_path: Path, monkeypatch: Any) -> None:
    """Parquet in and out, in chunks smaller than the file."""
    monkeypatch.setattr("ecomrlve.outputs.verdicts._REPLIES_AT_ONCE", 7)
    replies, out = tmp_path / "replies.parquet", tmp_path / "verdicts.parquet"
    tasks = [_task(row) for row in rows[::20]]
    given = [(task.task_id, reply) for task in tasks for reply in (task.oracle, "?")]
    pyarrow.parquet.write_table(
        pyarrow.table({"task_id": [task_id for task_id, _ in given], "reply": [reply for _, reply in given]}), replies
    )
    assert _run("verify", finished, replies, "--out", out).exit_code == 0
    verdicts = list(read_rows(out))
    assert [verdict["correct"] for verdict in verdicts] == [True, False] * len(tasks)
    assert [verdict["task_id"] for verdict in verdicts] == [task_id for task_id, _ in given]
    assert {*json.loads(verdicts[0]["parts"]).values()} == {1.0}


def test_verify_refuses(finished: Path, tmp_path: Path) -> None:
    """Nothing to judge, files that are not there or not ours: a sentence and no verdicts."""
    replies = tmp_path / "replies.jsonl"
    replies.write_text('{"task_id": "x", "reply": ""}\n')
    other = tmp_path / "other.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), other)
    text = tmp_path / "text.parquet"
    text.write_text("text")
    for shards, given, out, code, message in (
        (finished, replies, tmp_path / "v.jsonl", 1, "no reply in"),
        (finished, tmp_path / "none.jsonl", tmp_path / "w.jsonl", 1, "cannot be read"),
        (finished, other, tmp_path / "w.jsonl", 2, "has no column task_id"),
        (finished, text, tmp_path / "w.jsonl", 1, "cannot be read as Parquet"),
        (other, replies, tmp_path / "w.jsonl", 1, "is not one of our shards"),
        (tmp_path / "none", replies, tmp_path / "w.jsonl", 1, "does not exist"),
        (finished, replies, tmp_path / "no" / "w.jsonl", 1, "cannot write"),
    ):
        done = _run("verify", shards, given, "--out", out)
        assert done.exit_code == code, done.output
        assert message in done.stderr
    assert not (tmp_path / "w.jsonl").exists()
    assert not list(tmp_path.glob(".*"))


# --- the rest ----------------------------------------------------------------------------------------------------


def test_envs() -> None:
    """Every environment with its axes."""
    done = _run("envs")
    assert done.exit_code == 0
    assert all(name in done.stdout for name in (*environments(), "out_of_stock", "branches"))


def test_help_is_quick() -> None:
    """Help imports none of the heavy packages."""
    heavy = ("numpy", "polars", "pyarrow", "networkx", "faker", "hypothesis")
    code = (
        "import sys; from click.testing import CliRunner; from ecomrlve.cli import cli\n"
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0\n"
        "assert CliRunner().invoke(cli, ['generate', '--help']).exit_code == 0\n"
        f"found = [name for name in {heavy!r} if name in sys.modules]\n"
        "assert not found, found\n"
    )
    path = str(Path(__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env={**os.environ, "PYTHONPATH": path})


def test_catalog_commands(tmp_path: Path) -> None:
    """A table becomes a shop, the shop has statistics, and what cannot be a shop is refused in a sentence."""
    source = tmp_path / "mugs.csv"
    lines = [f"{at},Mug {at},Kitchen,{5 + at}.50,{'red' if at % 2 else 'blue'}" for at in range(60)]
    source.write_text("id,title,category,price,color\n" + "\n".join(lines) + "\n")
    done = _run("catalog", "import", source, "--out", tmp_path / "shop")
    assert done.exit_code == 0, done.stderr
    assert "60 rows read as table" in done.stdout
    done = _run("catalog", "stats", tmp_path / "shop")
    assert done.exit_code == 0, done.stderr
    assert "products" in done.stdout
    assert _run("catalog", "stats", tmp_path / "shop", "--products", 900).exit_code == 2
    assert _run("catalog", "import", source, "--out", tmp_path / "shop").exit_code == 2
    done = _run("catalog", "import", tmp_path / "absent.csv", "--out", tmp_path / "other")
    assert done.exit_code in (1, 2)
    assert "Traceback" not in done.output
    assert not (tmp_path / "other").exists()
