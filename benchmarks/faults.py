"""Plants known faults in copies of our verifiers and shows that fuzzing finds each.

python benchmarks/faults.py                       every fault of tests/data/planted_faults.toml
python benchmarks/faults.py --only canonical.py   those of one file
python benchmarks/faults.py --out faults.md       the table as a file
python benchmarks/faults.py --cases tests/data/fuzzed_cases.toml    the smallest cases, for the suite to judge
"""

import json
import sys
import tempfile
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parents[1]))

from ecomrlve import verify
from ecomrlve.outputs.tables import Column, table
from tests.planting import Hunt, faults, hunt

_HEADINGS = ("fault", "file", "found by", "with", "on")
_COLUMNS = (*(Column(name, number=False) for name in _HEADINGS), Column("level"), Column("reply, chars"), Column("s"))


def _row(one: Hunt) -> tuple[str, ...]:
    found = one.finding
    if found is None:
        return (one.fault.name, one.fault.file, "NOT FOUND", "", "", "", "", f"{one.seconds:.1f}")
    small = (found.property, found.operator, found.env, str(found.level), f"{found.chars:,}")
    return (one.fault.name, one.fault.file, *small, f"{one.seconds:.1f}")


_CASES = """# The smallest cases by which fuzzing found the faults of planted_faults.toml, and what each reply is worth.
# A verifier that gets one wrong has that fault, or one like it. Written by `python benchmarks/faults.py --cases FILE`.
"""

# Longer ones, those that are no text, and those on time or a broken truth are no case that a person would read.
_LONGEST = 400
_READABLE = ("complete", "sound", "total", "monotone", "priced")


def case(one: Hunt) -> str:
    """A hunt's smallest case as a row of the table; "" where it is none."""
    found = one.finding
    if (
        found is None
        or found.property not in _READABLE
        or found.chars > _LONGEST
        or found.reply.startswith(("b'", "[{"))
    ):
        return ""
    verdict = verify(found.truth, found.reply)
    texts = {"fault": one.fault.name, "property": found.property, "operator": found.operator, "truth": found.truth}
    rows = [f"{name} = {json.dumps(text)}" for name, text in {**texts, "reply": found.reply}.items()]
    return "\n".join(["", "[[case]]", *rows, f'outcome = "{verdict.outcome}"', f"score = {verdict.score!r}", ""])


@click.command()
@click.option("--only", default="", help="Faults of one file, or with this word in their name.")
@click.option("--out", type=click.Path(path_type=Path), help="A file for the table.")
@click.option("--cases", type=click.Path(path_type=Path), help="A file for the smallest cases.")
def main(only: str, out: Path | None, cases: Path | None) -> None:
    """Hunt for every planted fault; exit 1 where one survives."""
    done = []
    with tempfile.TemporaryDirectory() as folder:
        for number, fault in enumerate(faults()):
            if only in (fault.file, "") or only in fault.name:
                done.append(hunt(fault, Path(folder), number))
                print(" | ".join(_row(done[-1])), flush=True)
    text = table("Planted faults", _COLUMNS, [_row(one) for one in done])
    missed = sum(one.finding is None for one in done)
    small = sum(one.finding is not None and one.finding.level == 0 and one.finding.chars < 200 for one in done)
    slowest = max(one.seconds for one in done)
    summary = f"{len(done) - missed} of {len(done)} found, the slowest after {slowest:.0f} s of one processor; "
    summary += f"{small} by a task of level 0 and a reply under 200 characters."
    print(f"\n{text}\n\n{summary}")
    if out is not None:
        out.write_text(f"{text}\n\n{summary}\n", encoding="utf-8")
    if cases is not None:
        cases.write_text(_CASES + "".join(map(case, done)), encoding="utf-8")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
