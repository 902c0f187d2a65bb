"""The smallest cases that fuzzing found, as a table that people can read: every reply is worth what it says."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from ecomrlve import verify
from tests.planting import faults

CASES: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "data" / "fuzzed_cases.toml").read_text(encoding="utf-8")
)["case"]


@pytest.mark.parametrize("case", CASES, ids=[case["fault"].replace(" ", "-") for case in CASES])
def test_cases(case: dict[str, Any]) -> None:
    """A case of `complete` is right, and one of `sound` is not."""
    verdict = verify(case["truth"], case["reply"])
    assert (verdict.outcome, verdict.score) == (case["outcome"], case["score"])
    if case["property"] in ("complete", "sound"):
        assert verdict.correct == (case["property"] == "complete")


def test_the_table_is_of_the_faults_there_are() -> None:
    assert len(CASES) >= 20 and {case["fault"] for case in CASES} <= {fault.name for fault in faults()}
