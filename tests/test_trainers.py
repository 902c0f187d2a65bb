"""Shards as the libraries that trainers read with see them; `make test-trainers` installs what it needs."""

from pathlib import Path
from typing import Any

import polars
import pytest

from ecomrlve.generator.verifiers import verify
from ecomrlve.outputs.stores import DATA

pytestmark = pytest.mark.trainers


def _library(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed: make test-trainers installs it")


def _check(row: dict[str, Any]) -> None:
    """A row as read gives a judge all it needs."""
    assert row["prompt"][-1]["role"] == "user"
    assert row["data_source"] == f"ecomrlve/{row['env']}"
    assert row["reward_model"]["ground_truth"] == row["label"] == row["reward_spec"]["ground_truth"]
    assert not verify(row["label"], "no answer at all").correct


def test_datasets_folder_and_streaming(finished: Path, tmp_path: Path) -> None:
    """`load_dataset` of the folder gives the splits; streaming gives the same rows."""
    datasets = _library("datasets")
    whole = datasets.load_dataset(str(finished), cache_dir=str(tmp_path))
    assert sorted(whole) == ["test", "train"]
    assert (len(whole["train"]), len(whole["test"])) == (243, 27)
    _check(whole["train"][0])
    streamed = next(iter(datasets.load_dataset(str(finished), split="train", streaming=True, cache_dir=str(tmp_path))))
    assert streamed["task_id"] == whole["train"][0]["task_id"]


def test_pandas(finished: Path) -> None:
    """Pandas reads a shard with its nested columns."""
    frame = _library("pandas").read_parquet(sorted((finished / DATA).glob("train-*.parquet"))[0])
    row = frame.iloc[0].to_dict()
    row["prompt"] = list(row["prompt"])
    _check(row)


def test_duckdb(finished: Path) -> None:
    """DuckDB reaches into structs and lists."""
    files = str(finished / DATA / "train-*.parquet")
    found = _library("duckdb").sql(
        f"select count(*), count(distinct task_id), min(prompt[1].role), max(extra_info.level) from '{files}'"
    )
    assert found.fetchall() == [(243, 243, "system", 2)]


def test_polars(finished: Path) -> None:
    """Polars scans all shards at once."""
    frame = polars.scan_parquet(finished / DATA / "*.parquet").collect()
    assert frame.height == 270
    _check(frame.row(0, named=True))
