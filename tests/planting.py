"""Faults planted in copies of our verifiers, and the hunt for them: who finds each, how soon, by how small a case."""

import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

from ecomrlve import environments
from ecomrlve.generator import verifiers
from ecomrlve.outputs.fuzzing.campaign import CHEATS, Campaign, Finding, fuzz
from ecomrlve.outputs.fuzzing.properties import PROPERTIES

TABLE = Path(__file__).parent / "data" / "planted_faults.toml"

ROUNDS = (40, 160, 1_000)
"""Examples of each property and environment, round after round, until one fails."""

ORDER = (*(name for name in PROPERTIES if name != "linear"), CHEATS, "linear")
"""The properties as they are tried, the slow ones last."""

_HOME = "ecomrlve.generator.verifiers"


@dataclass(frozen=True)
class Fault:
    """A fault as one edit: `old` stands once in `file`, `new` in its place, `more` at the file's end."""

    name: str
    file: str
    old: str
    new: str
    more: str = ""


@dataclass(frozen=True)
class Hunt:
    """What a hunt for one fault came to: the finding, or None, and the processor time in seconds."""

    fault: Fault
    finding: Finding | None
    seconds: float


def faults() -> list[Fault]:
    """All of the table."""
    rows: list[dict[str, Any]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))["fault"]
    return [Fault(**row) for row in rows]


def plant(fault: Fault, folder: Path, number: int) -> str:
    """Write a copy of the verifiers with a fault in it; the ``module:function`` of its ``verify``."""
    name = f"planted_{number}"
    home = folder / name
    home.mkdir()
    for path in sorted(Path(verifiers.__path__[0]).glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.name == fault.file:
            if text.count(fault.old) != 1:
                raise ValueError(f"{fault.name}: {path.name} has its text {text.count(fault.old)} times")
            text = text.replace(fault.old, fault.new) + f"\n{fault.more}\n"
        (home / path.name).write_text(text.replace(_HOME, name), encoding="utf-8")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return f"{name}:verify"


def concerned(fault: Fault) -> Sequence[str]:
    """The environments whose verdicts a fault can change."""
    module = import_module(f"{_HOME}.{fault.file.removesuffix('.py')}")
    return (module.ENV,) if hasattr(module, "ENV") else environments()


def hunt(fault: Fault, folder: Path, number: int, rounds: Sequence[int] = ROUNDS) -> Hunt:
    """Fuzz a planted copy, one property after the other, until one fails."""
    spec = plant(fault, folder, number)
    began = process_time()
    for turn, examples in enumerate(rounds):
        # Time is measured with all units in all places, or not at all: more rounds would only repeat it.
        for name in ORDER if not turn else ORDER[:-1]:
            for env in concerned(fault):
                found = fuzz(
                    Campaign(spec=spec, convention="verify", environments=(env,), properties=(name,), examples=examples)
                )
                if found.findings:
                    smallest = min(found.findings, key=lambda finding: (finding.level, finding.chars))
                    return Hunt(fault, smallest, process_time() - began)
    return Hunt(fault, None, process_time() - began)


def hunts(folder: Path) -> Iterator[Hunt]:
    """The hunt for every fault in turn."""
    for number, fault in enumerate(faults()):
        yield hunt(fault, folder, number)
