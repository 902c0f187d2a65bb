"""docs/fuzzing.md: what it tells people to do works as it says."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from ecomrlve.cli import cli
from ecomrlve.outputs.fuzzing.campaign import CHEATS
from ecomrlve.outputs.fuzzing.conventions import CONVENTIONS, VERIFY
from ecomrlve.outputs.fuzzing.properties import PROPERTIES

PAGE = (Path(__file__).parent.parent / "docs" / "fuzzing.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)


def test_a_naive_verifier_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The how-to as it stands, in under 20 lines."""
    source = next(text for language, text in BLOCKS if language == "python" and "def score" in text)
    line = next(text for language, text in BLOCKS if language == "sh" and "naive.py" in text)
    assert len(source.strip().split("\n")) + len(line.strip().split("\n")) < 20
    monkeypatch.chdir(tmp_path)
    Path("naive.py").write_text(source, encoding="utf-8")
    done = CliRunner().invoke(cli, [*shlex.split(line)[1:], "--property", "sound", "--workers", "1"])
    assert done.exit_code == 1
    shown = next(text for language, text in BLOCKS if language == "text")
    assert shown.split("\n")[0] in done.stdout
    assert "a wrong reply scores 1 and passes" in done.stderr and "added" in done.stderr


def test_the_example_in_python_runs() -> None:
    source = next(text for language, text in BLOCKS if language == "python" and "@given" in text)
    exec(compile(source, "docs/fuzzing.md", "exec"), {"__name__": "page"})


def test_tables_name_what_there_is() -> None:
    rows = [line.split("|")[1] for line in PAGE.split("\n") if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    assert {*PROPERTIES, CHEATS} <= named
    assert set(CONVENTIONS) - {VERIFY.name} <= named
