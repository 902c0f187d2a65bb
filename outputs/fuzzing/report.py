"""What a fuzzing run found, as tables, JSON, Markdown or JUnit XML."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

import ecomrlve
from ecomrlve.errors import InvalidArgument
from ecomrlve.outputs.fuzzing.campaign import CHEATS, Counts, Finding, Found
from ecomrlve.outputs.fuzzing.properties import PROPERTIES
from ecomrlve.outputs.tables import Column, table
from ecomrlve.outputs.truth_report import Part, share

_RATES = {"complete": "False negatives by rewrite", "sound": "False positives by mutant and cheat"}


def called(found: Found) -> str:
    """How the verifier was called, and what passes, in a sentence.

    >>> from ecomrlve.outputs.fuzzing.campaign import Campaign, fuzz
    >>> called(fuzz(Campaign(environments=("PD",), properties=("complete",), examples=1)))
    'ecomrlve:verify (ground_truth, reply) is called by (ground_truth, reply), any reply.'
    """
    verifier = found.verifier
    text = f"{verifier.spec} ({', '.join(verifier.parameters.names)}) is called by {verifier.convention.says}"
    if verifier.is_ours:
        return f"{text}."
    return f"{text}; its maximum is {verifier.maximum:g}, and a reply passes at {verifier.threshold:.9g}."


def parts(found: Found, whole: bool = True) -> Iterator[Part]:
    """The tables of a run.

    Args:
        found: what it found.
        whole: also the rows in which nothing failed of the tables by operator.
    """
    names = found.campaign.names
    columns = (Column("tried / failed", number=False), *map(Column, names))
    rows = []
    for name in dict.fromkeys(name for _, name in found.campaign.jobs):
        rows.append((name, *(_cell(found.counts[env, name]) for env in names)))
    yield Part("Properties", columns, tuple(rows))
    for name, title in _RATES.items():
        if (names[0], name) in found.counts:
            part = _rates(found, name, title, whole)
            if part.rows:
                yield part
    if (names[0], CHEATS) in found.counts and (whole or any(one.property == CHEATS for one in found.findings)):
        yield _means(found, whole)


def _cell(counts: Counts) -> str:
    return f"{counts.tried.total():,} / {counts.failed.total():,}"


def _rates(found: Found, name: str, title: str, whole: bool) -> Part:
    names = found.campaign.names
    by_env = {env: found.counts[env, name] for env in names}
    operators = sorted({operator for counts in by_env.values() for operator in counts.tried})
    rows = []
    for operator in operators:
        if whole or any(counts.failed[operator] for counts in by_env.values()):
            cells = (share(counts.failed[operator], counts.tried[operator]) for counts in by_env.values())
            rows.append((operator, *cells))
    return Part(title, (Column("operator", number=False), *map(Column, names)), tuple(rows))


def _means(found: Found, whole: bool) -> Part:
    names = found.campaign.names
    by_env = {env: found.counts[env, CHEATS].means for env in names}
    rows = []
    for cheat in dict.fromkeys(cheat for means in by_env.values() for cheat in means):
        if whole or any(found.counts[env, CHEATS].failed[cheat] for env in names):
            cells = (f"{by_env[env][cheat][0]:.3f}" if cheat in by_env[env] else "-" for env in names)
            rows.append((cheat, *cells))
    columns = (Column("mean score of the maximum", number=False), *map(Column, names))
    return Part("Cheats", columns, tuple(rows))


def told(finding: Finding) -> str:
    """A finding in a few lines: what failed, on which task, and how to see it again."""
    many = f"{finding.failed:,} of {finding.tried:,}" if finding.tried else f"{finding.failed:,}"
    return "\n".join(
        (
            f"{finding.env}: {finding.property}: {finding.operator} ({many}): {finding.message}",
            f"    reply   {finding.reply!r}",
            f"    truth   {finding.truth:.600}",
            f"    task    {finding.remakes}",
            f"    replay  {finding.replay}",
        )
    )


# --- files -----------------------------------------------------------------------------------------------------------


def as_json(found: Found) -> str:
    """The run as JSON."""
    campaign, verifier = found.campaign, found.verifier
    counts = [
        {
            "environment": env,
            "property": name,
            "tried": one.tried.total(),
            "failed": one.failed.total(),
            "operators": {
                operator: {"tried": one.tried[operator], "failed": one.failed[operator]}
                for operator in sorted(one.tried | one.failed)
            },
            "means": {cheat: mean for cheat, (mean, _) in sorted(one.means.items())},
        }
        for (env, name), one in found.counts.items()
    ]
    told = {
        "version": ecomrlve.__version__,
        "campaign": asdict(campaign),
        "verifier": {
            "spec": verifier.spec,
            "parameters": verifier.parameters.names,
            "convention": verifier.convention.name,
            "called": verifier.convention.says,
            "maximum": verifier.maximum,
            "passes_at": verifier.threshold,
        },
        "counts": counts,
        "findings": [asdict(finding) for finding in found.findings],
    }
    return json.dumps(told, indent=1, ensure_ascii=True) + "\n"


def as_markdown(found: Found) -> str:
    """The run as a page of Markdown."""
    lines = [f"# Fuzzing {found.verifier.spec}\n", called(found), ""]
    lines.append(f"{found.tried:,} replies were tried (seed {found.campaign.seed}).")
    lines += (table(f"\n## {part.title}", part.columns, part.rows) for part in parts(found))
    if found.findings:
        lines += ["\n## Failures, each by its smallest case\n"]
        lines += (f"```text\n{told(finding).replace('```', '` ` `')}\n```\n" for finding in found.findings)
    return "\n".join(lines).rstrip() + "\n"


def as_junit(found: Found) -> str:
    """The run as JUnit XML: a case for each property and environment."""
    suite = ElementTree.Element("testsuite", name=f"ecomrlve fuzz {found.verifier.spec}")
    broken = 0
    for (env, name), counts in found.counts.items():
        case = ElementTree.SubElement(suite, "testcase", classname=f"fuzz.{env}", name=name)
        of_it = counts.findings
        if of_it:
            broken += 1
            failure = ElementTree.SubElement(case, "failure", message=f"{len(of_it)} kinds of failure")
            failure.text = "\n".join(map(told, of_it))
        says = PROPERTIES[name].says if name in PROPERTIES else "The mean score of every cheat is small."
        ElementTree.SubElement(case, "system-out").text = f"{says} {counts.tried.total()} examples."
    suite.set("tests", str(len(found.counts)))
    suite.set("failures", str(broken))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


FORMS = {".json": as_json, ".md": as_markdown, ".xml": as_junit}
"""How a report is written, by the ending of its name."""


def check_path(path: Path) -> None:
    """Refuse a report that could not be written, before hours of work.

    Raises:
        InvalidArgument: for another ending, or a folder that is not there.

    >>> check_path(Path("report.json"))
    """
    if path.suffix not in FORMS:
        raise InvalidArgument("report", str(path), f"must end in {', '.join(FORMS)}")
    if not path.absolute().parent.is_dir():
        raise InvalidArgument("report", str(path), "is in no folder that exists")
