"""``ecomrlve fuzz``: try to break a verifier, ours or anybody's."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ecomrlve.cli import debug_option

if TYPE_CHECKING:
    from ecomrlve.outputs.fuzzing.campaign import Finding, Found

_SHOWN = 12


@click.command()
@click.option("--env", "env", multiple=True, metavar="NAME", help="An environment; repeat for more.  [default: all]")
@click.option("--verifier", metavar="MODULE:FUNCTION", help="A reward function of yours, or FILE.py:FUNCTION.")
@click.option("--convention", metavar="NAME", help="How to call it, where its parameters mislead.")
@click.option("--pass-at", type=float, metavar="SCORE", help="The score that passes.  [default: its own maximum]")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Repeat for more.  [default: all]")
@click.option("--examples", type=int, default=500, show_default=True, help="Of each property and environment.")
@click.option("--levels", default="0-8", show_default=True, help="A level, a range, or a list such as 0,2,4-6.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of what is drawn.")
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop after so long.")
@click.option("--workers", type=int, help="Processes to use.  [default: all processors]")
@click.option("--report", type=click.Path(path_type=Path), help="A file: .json, .md, or .xml for JUnit.")
@click.option("--fail-on", metavar="NAMES", help="Properties, with commas, or never: what makes the exit code 1.")
@debug_option
def command(
    env: tuple[str, ...],
    verifier: str | None,
    convention: str | None,
    pass_at: float | None,
    properties: tuple[str, ...],
    examples: int,
    levels: str,
    seed: int,
    seconds: float | None,
    workers: int | None,
    report: Path | None,
    fail_on: str | None,
) -> None:
    """Try every property on every environment, and show the smallest case of each kind of failure.

    Without --verifier it tries the verifiers of this package. The exit code is 1 where a property does not hold.
    """
    from ecomrlve.errors import EcomrlveError

    if find_spec("hypothesis") is None:
        raise EcomrlveError("fuzzing needs Hypothesis: pip install 'ecomrlve[fuzz]'")
    from ecomrlve.commands.terminal import Watch, processors, show_tables
    from ecomrlve.outputs.configuration import read_levels
    from ecomrlve.outputs.files import write_text
    from ecomrlve.outputs.fuzzing.campaign import Campaign, fuzz
    from ecomrlve.outputs.fuzzing.report import FORMS, called, check_path, parts
    from ecomrlve.outputs.fuzzing.verifier import OURS

    if report is not None:
        check_path(report)
    asked = Campaign(
        environments=tuple(name.upper() for name in env),
        properties=properties,
        convention=convention,
        pass_at=pass_at,
        examples=examples,
        levels=read_levels(levels),
        seed=seed,
        seconds=seconds,
        spec=OURS if verifier is None else verifier,
    )
    grave = _grave(fail_on)
    with Watch(asked.total, "examples") as watch:
        found = fuzz(asked, workers=processors() if workers is None else workers, progress=watch)
    click.echo(f"{called(found)}\n")
    show_tables(parts(found, whole=False))
    _tell(found)
    if report is not None:
        write_text(report, FORMS[report.suffix](found))
    failures = found.findings
    if not failures:
        click.echo(f"Every property holds in {found.tried:,} replies ({watch.seconds:,.0f} s).")
    elif any(_counts(finding, grave) for finding in failures):
        sys.exit(1)


def _grave(fail_on: str | None) -> frozenset[str] | None:
    """The properties whose failure counts; None for all."""
    from ecomrlve.errors import InvalidArgument
    from ecomrlve.outputs.fuzzing.campaign import CHEATS
    from ecomrlve.outputs.fuzzing.properties import PROPERTIES

    if fail_on is None:
        return None
    names = frozenset(name.strip() for name in fail_on.split(","))
    known = {*PROPERTIES, CHEATS, "never"}
    if not names <= known:
        raise InvalidArgument("fail-on", fail_on, f"choose from {', '.join(sorted(known))}")
    return names


def _counts(finding: "Finding", grave: frozenset[str] | None) -> bool:
    return grave is None or finding.property in grave


def _tell(found: "Found") -> None:
    """The failures one by one, the first of each property and environment before the others."""
    from ecomrlve.outputs.fuzzing.report import told

    findings = found.findings
    if not findings:
        return
    first = {(one.env, one.property): one for one in reversed(findings)}
    ordered = [*reversed(first.values()), *(one for one in findings if one not in first.values())]
    for finding in ordered[:_SHOWN]:
        click.echo(told(finding), err=True)
    if len(ordered) > _SHOWN:
        click.echo(f"… and {len(ordered) - _SHOWN} more kinds of failure; --report FILE has them all.", err=True)
