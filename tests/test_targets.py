"""Each target: one schema, every row re-made, every oracle right, the same bytes however it was written."""

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from ecomrlve import InvalidArgument, Task, World, environments, make_task
from ecomrlve.cli import cli
from ecomrlve.generator.verifiers import verify
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.manifest import load_manifest
from ecomrlve.outputs.reader import read_rows, shard_files
from ecomrlve.outputs.schema import recipe_of, truth_of, values
from ecomrlve.outputs.targets import target, target_names, target_of
from ecomrlve.outputs.targets.nemo_gym import TARGET as NEMO_GYM
from ecomrlve.outputs.validate import validate

EACH = pytest.mark.parametrize("name", target_names())
ONE_FILE = [name for name in target_names() if target(name).one_file]
PRODUCTS = 2_000


def _request(name: str, **options: Any) -> Configuration:
    return Configuration(count=36, levels=(0, 2), shop=PRODUCTS, seed=3, shard_rows=9, target=name, **options)


@cache
def _world(split: str = "train") -> World:
    return World.synthetic(products=PRODUCTS, seed=3, split=split)


def _task(row: dict[str, Any]) -> Task:
    return Task.from_recipe(recipe_of(row), _world(row["split"]))


def _files(out: Path) -> dict[str, bytes]:
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()}


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_names() -> None:
    """Those of the command line, each a file; another is refused with the list."""
    assert set(target_names()) == {"nemo-gym", "openrlhf", "sft", "skyrl", "slime", "trl", "universal", "verl"}
    with pytest.raises(InvalidArgument, match="there are nemo-gym, openrlhf"):
        target("base")


@EACH
def test_a_run_of_each(name: str, written: Callable[[str], Path], tmp_path: Path) -> None:
    """It validates; every row's oracle is judged correct by the row alone; commands read it."""
    out = written(name)
    form = target(name)
    examined = validate(out)
    assert (examined.problems, examined.rows) == ((), 36)
    rows = [row for file in shard_files(out) for row in read_rows(file)]
    for row in rows:
        task = _task(row)
        assert verify(truth_of(row), task.oracle).correct
        assert not verify(truth_of(row), "I cannot say.").correct
        assert target_of(row) is form
    assert len(shard_files(out)) == (2 if form.one_file else 5)
    assert {row["split"] for row in rows} == {"train", "test"}
    assert _run("show", out, "--task", rows[0]["task_id"]).exit_code == 0
    replies = [{"task_id": row["task_id"], "reply": _task(row).oracle} for row in rows]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    done = _run("verify", out, tmp_path / "replies.jsonl", "--out", tmp_path / "verdicts.jsonl")
    assert done.exit_code == 0, done.stderr
    verdicts = (tmp_path / "verdicts.jsonl").read_text().splitlines()
    assert [json.loads(line)["correct"] for line in verdicts] == [True] * 36


@pytest.mark.parametrize("name", ONE_FILE)
def test_one_file(name: str, written: Callable[[str], Path], tmp_path: Path) -> None:
    """Joined from shards by two workers, or written as one: the same rows in the same order."""
    whole = tmp_path / "whole"
    generate(Configuration(count=36, levels=(0, 2), shop=PRODUCTS, seed=3, target=name), whole)
    parts = tmp_path / "parts"
    generate(_request(name), parts, workers=2)
    assert _files(parts) == _files(written(name))
    contents = [[shard["content_sha256"] for shard in load_manifest(out)["shards"]] for out in (whole, parts)]
    assert contents[0] == contents[1]
    assert [shard["path"].split("/")[1].partition(".")[0] for shard in load_manifest(parts)["shards"]] == [
        "train-00000-of-00001", "test-00000-of-00001",
    ]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in target_names() if target(name).suffix == "parquet"])
def test_one_schema(name: str, tmp_path: Path) -> None:
    """A single row of one environment, another mode of the system role, another seed: the same Arrow schema."""
    layout = target(name).layout
    for env in environments()[:1]:
        out = tmp_path / env
        only = Configuration(
            count=1, environments=((env, Fraction(1)),), levels=(1,), splits=(("train", Fraction(1)),), shop=PRODUCTS,
            seed=4, target=name, system_role="merge",
        )  # fmt: skip
        generate(only, out)
        assert pyarrow.parquet.read_schema(shard_files(out)[0]).equals(layout.arrow_schema, check_metadata=True)
    assert layout.table([]).schema.equals(layout.arrow_schema)
    task = make_task(_world(), "PD", level=0, seed=3, index=0)
    assert layout.table([values(task)] * 3).schema.equals(layout.arrow_schema)
    assert "large" not in str(layout.arrow_schema)


def test_sft_ends_with_a_right_answer(written: Callable[[str], Path]) -> None:
    """The last message is the assistant's, and judged correct as it stands; those before are the prompt."""
    for row in read_rows(shard_files(written("sft"))[0]):
        assert row["messages"][-1]["role"] == "assistant"
        assert verify(row["label"], row["messages"]).correct
        assert row["messages"][:-1] == _task(row).prompt


def test_nemo_gym_rows(written: Callable[[str], Path]) -> None:
    """The Responses form: no key without a value, tools flat where there are some."""
    for row in read_rows(shard_files(written("nemo-gym"))[0]):
        assert row["responses_create_params"].keys() == {"input"}
        assert None not in row.values()
        assert json.loads(row["verifier_metadata"]["ground_truth"])["env"] == row["env"]
    tools = [{"type": "function", "function": {"name": "search", "description": "Find.", "parameters": {}}}]
    task = make_task(_world(), "PD", level=0, seed=3, index=0)
    row = NEMO_GYM.layout.row({**values(task), "tools": json.dumps(tools)})
    assert row["responses_create_params"]["tools"] == [
        {"type": "function", "name": "search", "description": "Find.", "parameters": {}, "strict": False}
    ]
    NEMO_GYM.layout.check(row)


def test_validate_names_what_differs_in_lines(tmp_path: Path) -> None:
    """An edited line of JSON, a missing line, an edited card, an edited manifest."""
    generate(_request("nemo-gym"), tmp_path / "out")
    out = tmp_path / "out"
    file = out / "data" / "train-00000-of-00001.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    row = json.loads(lines[3])
    row["level"] += 1
    file.write_text("".join([*lines[:3], json.dumps(row) + "\n", *lines[4:-1]]))
    card = out / "README.md"
    card.write_text(card.read_text() + "\n")
    manifest = out / "manifest.json"
    manifest.write_text(manifest.read_text().replace(' "seed": 3', ' "seed":  3'))
    found = {(problem.where, problem.what) for problem in validate(out).problems}
    assert ("data/train-00000-of-00001.jsonl row 3", "level differs") in found
    assert ("data/train-00000-of-00001.jsonl", "rows differs") in found
    assert ("data/train-00000-of-00001.jsonl", "sha256 differs") in found
    assert ("README.md", "was edited") in found
    assert ("manifest.json", "was edited: its own hash differs") in found
