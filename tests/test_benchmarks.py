"""The benchmarks start, and name only what there is."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_starts(script: Path) -> None:
    """What it imports is there, and it says what it does."""
    done = subprocess.run([sys.executable, str(script), "--help"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout.lower()


def test_the_places_where_time_goes_exist() -> None:
    """The speed table tells stages apart by folder; a folder that moved would leave its stage empty."""
    text = (ROOT / "benchmarks" / "speed.py").read_text()
    places = [line.split('"')[1] for line in text.splitlines() if line.startswith('    ("g')]
    assert len(places) >= 5
    for place in places:
        assert (ROOT / place).is_dir(), place
