"""docs/extending.md: the environment on that page works as it stands, from outside, held to every law."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r'```python title="(\w+\.py)"\n(.*?\n)```', PAGE, flags=re.DOTALL))

HOLD = """
import json
from ecomrlve import World, environments, make_task
from ecomrlve.generator.environments import environment
from ecomrlve.generator.proofs import proof
from ecomrlve.generator.proofs.laws import NOISE_FREE_LAWS, NOISY_LAWS, LawCase, broken

world = World.synthetic(products=5_000, seed=3)
faults, seen, killed = [], 0, set()
for level in range(13):
    for index in range(12):
        case = LawCase(world, make_task(world, "STOCK", level=level, seed=1, index=index))
        faults += [f"{case.name}: {fault}" for fault in broken(case, NOISE_FREE_LAWS | NOISY_LAWS)]
        killed |= set(+case.rejected)
        seen += 1
spared = sorted(proof("STOCK").operators - killed)
print(json.dumps({"environments": environments(), "faults": faults, "seen": seen, "spared": spared}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's files and entry points, laid out as pip would."""
    home = tmp_path_factory.mktemp("site")
    for name, text in FILES.items():
        (home / name).write_text(text, encoding="utf-8")
    points = tomllib.loads("\n".join(re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)))["project"][
        "entry-points"
    ]
    info = home / "stock-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stock\nVersion: 1.0\n", encoding="utf-8")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in of.items()) for group, of in points.items()
    ]
    (info / "entry_points.txt").write_text("".join(lines), encoding="utf-8")
    return home


def ran(installed: Path, *command: str) -> str:
    """What a fresh process prints in which the page's package is installed."""
    path = os.pathsep.join([str(installed), str(ROOT)])
    done = subprocess.run(
        [sys.executable, *command], env={**os.environ, "PYTHONPATH": path}, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_holds_three_files_and_counts_their_lines() -> None:
    assert sorted(FILES) == ["stock.py", "stock_judge.py", "stock_proof.py"]
    stated = dict(re.findall(r"\| `(\w+\.py)` \| (\d+) \|", PAGE))
    assert stated == {name: str(len(text.splitlines())) for name, text in FILES.items()}
    assert sum(map(int, stated.values())) <= 250


def test_the_page_s_environment_keeps_every_law(installed: Path) -> None:
    found = json.loads(ran(installed, "-c", HOLD))
    assert "STOCK" in found["environments"] and found["seen"] == 156
    assert not found["faults"] and not found["spared"]


def test_the_command_line_knows_it(installed: Path) -> None:
    assert "STOCK" in ran(installed, "-m", "ecomrlve", "envs")
