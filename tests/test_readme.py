"""What README.md says can be done as it says."""

import json
import re
import shlex
from pathlib import Path

import polars
import pytest
from click.testing import CliRunner

from ecomrlve import environments
from ecomrlve.cli import cli

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_the_two_commands_come_first() -> None:
    """The first code block holds the two commands, and the Makefile has both."""
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    commands = [line.split("#")[0].split() for line in BLOCKS[0][1].strip().split("\n")]
    assert commands == [["make", "shards"], ["make", "test"]]
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for _, name in commands)


def test_python_example(capsys: pytest.CaptureFixture[str]) -> None:
    """The example in Python runs and prints what its comments say."""
    source = next(text for language, text in BLOCKS if language == "python" and "make_task" in text)
    exec(compile(source.replace("products=50_000", "products=2_000"), "README.md", "exec"), {})
    assert "1.0 True correct" in capsys.readouterr().out


def test_command_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `ecomrlve` line runs, in the order given, on files as a reader would have them."""
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(
        f"P{number},Mug {number},mug,{4 + number}.99,{'red' if number % 2 else 'blue'}" for number in range(40)
    )
    Path("products.csv").write_text(f"id,title,type,price,color\n{rows}\n", encoding="utf-8")
    lines = [
        line.split("#")[0].strip()
        for language, text in BLOCKS
        if language == "sh"
        for line in text.split("\n")
        if line.startswith("ecomrlve ")
    ]
    assert len(lines) >= 6
    for line in lines:
        words = shlex.split(line)[1:]
        if words[0] == "verify":
            frame = polars.read_parquet(next(Path("shards/data").glob("train-*.parquet")))
            task_id = frame["task_id"][0]
            Path("replies.jsonl").write_text(json.dumps({"task_id": task_id, "reply": "{}"}) + "\n", encoding="utf-8")
        if words[0] == "fuzz":
            words[words.index("--examples") + 1] = "2"
            words += ["--workers", "1"]
        if words[0] == "truth":
            words[words.index("--count") + 1] = "4"
            words += ["--products", "1000", "--workers", "1"]
        if words[0] == "generate":
            words[words.index("--count") + 1] = "20"
            words += ["--products", "1000"] if "--catalog" not in words else ["--levels", "0-1"]
        result = CliRunner().invoke(cli, words)
        assert result.exit_code == 0, (line, result.output)


def test_the_table_of_environments_is_the_registry() -> None:
    rows = re.findall(r"^\| ([A-Z]+) \|", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert tuple(rows) == environments()
