"""Faults planted in copies of our verifiers: every one fits the code as it stands, and fuzzing finds some here.

`make faults` hunts for all of them.
"""

from collections import Counter
from pathlib import Path

import pytest

from tests.planting import Fault, faults, hunt, plant

# One by each property that finds any, so that none of them sleeps.
HERE = ("precision ignored", "a refusal may pay", "case-sensitive ids", "another version is read as this one")


def test_there_are_faults_enough_and_each_can_be_planted(tmp_path: Path) -> None:
    table = faults()
    assert len(table) >= 40 and max(Counter(fault.name for fault in table).values()) == 1
    for number, fault in enumerate(table):
        spec = plant(fault, tmp_path, number + 1_000)
        home = tmp_path / spec.split(":")[0]
        compile((home / fault.file).read_text("utf-8"), fault.file, "exec")


def test_an_edit_that_fits_nowhere_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"nothing: pd\.py has its text 0 times"):
        plant(Fault("nothing", "pd.py", "no such text", ""), tmp_path, 1)


@pytest.mark.parametrize("name", HERE)
def test_planted_faults_are_found(name: str, tmp_path: Path) -> None:
    number, fault = next((at, fault) for at, fault in enumerate(faults()) if fault.name == name)
    found = hunt(fault, tmp_path, 2_000 + number, rounds=(40, 120, 400)).finding
    assert found is not None and found.level <= 2
