"""Checking a run finds each thing that differs, and nothing else."""

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from ecomrlve import InvalidArgument, ShardError, Task
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.examine import Problem
from ecomrlve.outputs.manifest import dump
from ecomrlve.outputs.reader import read_rows
from ecomrlve.outputs.schema import (
    ARROW_SCHEMA,
    UNIVERSAL,
    recipe_of,
    values,
)
from ecomrlve.outputs.validate import validate

PRODUCTS = 2_000


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """A run that a test may damage."""
    return Path(shutil.copytree(finished, tmp_path / "copy"))


def _rewrite(file: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    rows = list(read_rows(file))
    change(rows)
    pyarrow.parquet.write_table(
        pyarrow.Table.from_pylist(rows, schema=ARROW_SCHEMA), file, compression="zstd", store_schema=False
    )


def _signed(manifest: dict[str, Any]) -> str:
    """A manifest that was changed, its own hash with it."""
    manifest.pop("sha256")
    return dump(manifest)


def _problems(out: Path, **options: Any) -> list[Problem]:
    return list(validate(out, **options).problems)


def _has(problems: list[Problem], where: str, what: str) -> bool:
    return any(where in problem.where and what in problem.what for problem in problems)


FIRST, SECOND, THIRD = (f"data/train-0000{at}-of-00003.parquet" for at in range(3))


def test_a_run_as_written_is_valid(finished: Path) -> None:
    """Nothing differs."""
    seen: list[int] = []
    examined = validate(finished, workers=2, progress=seen.append)
    assert examined.problems == ()
    assert examined.rows == sum(seen) == 270


def test_flipped_byte(copy: Path) -> None:
    """One flipped bit in one file is found in that file alone."""
    data = bytearray((copy / SECOND).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / SECOND).write_bytes(data)
    problems = _problems(copy)
    assert _has(problems, SECOND, "sha256 differs")
    assert not _has(problems, FIRST, "")


def test_edited_rows(copy: Path) -> None:
    """Each edited row is named with the field that differs, though the file is sound Parquet."""

    def edit(rows: list[dict[str, Any]]) -> None:
        rows[3]["prompt"][-1]["content"] += " Please."
        rows[5]["label"] = rows[6]["label"]
        rows[7]["level"] += 1
        rows[9]["label"] = "{}"
        rows[11]["extra_info"]["tools_kwargs"]["ecomrlve"]["create_kwargs"]["task_json"] = "[]"
        recipe = recipe_of(rows[14])
        rows[13]["extra_info"]["tools_kwargs"]["ecomrlve"]["create_kwargs"]["task_json"] = recipe

    _rewrite(copy / THIRD, edit)
    problems = _problems(copy)
    for at, what in (
        (3, "prompt differs"),
        (5, "label differs"),
        (7, "level differs"),
        (9, "ground truth is damaged"),
        (11, "cannot be re-made"),
        (13, "is not the task that the plan has there"),
    ):
        assert _has(problems, f"{THIRD} row {at}", what)
    assert _has(problems, THIRD, "content_sha256 differs")
    assert not _has(problems, f"{THIRD} row 4", "")


def test_rewritten_file_with_the_same_rows(copy: Path) -> None:
    """Other bytes with the same content: the file hash differs, the content hash does not."""
    _rewrite(copy / FIRST, lambda rows: None)
    problems = _problems(copy)
    assert _has(problems, FIRST, "sha256 differs")
    assert not _has(problems, FIRST, "content_sha256")


def test_missing_and_extra_shards(copy: Path) -> None:
    """A deleted shard, one too many, a lost row and a foreign file are each named."""
    (copy / FIRST).unlink()
    (copy / "data" / "train-extra.parquet").write_bytes(b"")
    _rewrite(copy / SECOND, lambda rows: rows.pop())
    (copy / THIRD).write_text("not Parquet")
    problems = _problems(copy)
    assert _has(problems, FIRST, "missing")
    assert _has(problems, "train-extra", "is not in the manifest")
    assert _has(problems, SECOND, "rows differs")
    assert _has(problems, THIRD, "cannot be read")


def test_other_schema(copy: Path) -> None:
    """A file of polars' own writing has another schema: large types."""
    UNIVERSAL.frame(
        [values(Task.from_recipe(recipe_of(written))) for written in list(read_rows(copy / FIRST))[:3]]
    ).write_parquet(copy / FIRST)
    assert _has(_problems(copy), FIRST, "schema differs")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda manifest: manifest["environments"]["PD"]["0"].update(impossible=77), "environments.PD.0.impossible"),
        (lambda manifest: manifest["repeats"]["goals"].update(shared_across_splits=9), "repeats.goals.shared_across"),
        (lambda manifest: manifest["worlds"]["train"].update(digest="x"), "worlds.train.digest"),
        (lambda manifest: manifest["configuration"].update(count=271), "shards"),
        (lambda manifest: manifest["configuration"].update(system_role="merge"), "prompt differs"),
    ],
)
def test_edited_manifest(copy: Path, change: Callable[[dict[str, Any]], None], what: str) -> None:
    """A manifest that does not tell what the rows hold is found out."""
    manifest = json.loads((copy / "manifest.json").read_text())
    change(manifest)
    (copy / "manifest.json").write_text(_signed(manifest))
    assert any(what in problem.what for problem in _problems(copy))


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"schema_version": 99}', '{"schema_version": 1}'])
def test_folders_that_are_no_run(tmp_path: Path, text: str | None) -> None:
    """A sentence, not a traceback."""
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
    with pytest.raises((ShardError, InvalidArgument)):
        validate(tmp_path)


def test_against_another_run(tmp_path: Path) -> None:
    """A run with another seed shares nothing; one with the same seed shares its tasks."""
    one, apart, same = tmp_path / "one", tmp_path / "apart", tmp_path / "same"
    train = (("train", Fraction(1)),)
    for out, count, seed in ((one, 12, 3), (apart, 12, 8), (same, 6, 3)):
        generate(Configuration(count=count, levels=(0,), shop=PRODUCTS, seed=seed, splits=train), out)
    assert _problems(apart, against=one) == []
    problems = _problems(same, against=one)
    for kind in ("tasks", "goals", "prompts"):
        assert _has(problems, "same", f"shares 6 {kind}")


def test_versions_are_notes(copy: Path) -> None:
    """Another version of a package is worth a note; only what differs is a fault."""
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["versions"]["numpy"] = "0.1"
    (copy / "manifest.json").write_text(_signed(manifest))
    examined = validate(copy)
    assert examined.problems == ()
    assert any("numpy 0.1" in note for note in examined.notes)
