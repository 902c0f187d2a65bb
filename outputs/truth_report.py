"""The tables of a proof run: what docs/truth.md and a terminal show."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ecomrlve.generator.proofs import proof
from ecomrlve.generator.proofs.laws import NOISE_FREE_LAWS, NOISY_LAWS
from ecomrlve.generator.proofs.tally import THROUGH_NOISE, LawTally
from ecomrlve.outputs.tables import Column, table
from ecomrlve.outputs.truth import Proven

_ORACLE, _SECOND, _TEXT = "the oracle is right", "the second solver agrees", "the text is enough"
_NOISE = "noise is read through" + THROUGH_NOISE

_INTRODUCTION = """# Truth

What was tried on {tasks:,} tasks ({each}), and what came of it. Each task is made without typing errors and held to \
all laws; every other one is made again with the noise of its level. Re-make this page: `{command}`. {verdict}

- *Oracle*: the stored reply gets full marks. *Second solver*: one that shares no code with the generator finds the \
same complete answer. *Text*: a solver that sees the prompt alone answers rightly; *noise*: it does so through typing \
errors, and reads what it reads without them.
- *Mutants*: answers one edit from the right one that the second solver rejects, and the verifier as well. \
*Rewrites*: the same answer in other spellings and wrappings, accepted.
- *Chance*: what a blind legal guess has, computed per task. *Worst cheat*, *worst mean*: the most that a reply \
without reading gets, right or in mean score, on tasks that something fits.
- *Nothing fits*: the share of tasks of which that is the right answer, and how often one who always says so is right.
- *Attempts*: how often a task had to be started, median and 99th percentile."""


@dataclass(frozen=True)
class Part:
    """A table with its title."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def share(some: int, of: int) -> str:
    """A share in per cent, never rounded up to all nor down to none.

    >>> share(3, 3), share(99_999, 100_000), share(1, 10_000_000), share(0, 5), share(0, 0)
    ('100 %', '99.99 %', '< 0.01 %', '0 %', '-')
    """
    if not of:
        return "-"
    if some in (0, of):
        return "100 %" if some else "0 %"
    hundredths = 10_000 * some // of
    return f"{hundredths // 100}.{hundredths % 100:02} %" if hundredths else "< 0.01 %"


def parts(found: Proven) -> Iterator[Part]:
    """All tables of a run.

    >>> from ecomrlve.outputs.truth import Proof, prove
    >>> proven = prove(Proof(environments=("CART",), count=2, levels=(0,), products=2_000))
    >>> [part.title for part in parts(proven)][:2]
    ['Environments', 'Laws']
    """
    totals = {env: found.total(env) for env in found.proof.names}
    yield _main("Environments", "environment", totals.items())
    yield _laws(totals)
    yield _cheats(totals)
    for env, whole in totals.items():
        yield _main(f"{env} by level", "level", ((str(level), at) for level, at in sorted(found.tallies[env].items())))
        if whole.made:
            yield _mutants(env, whole)


_MAIN = (
    *("tasks", "oracle", "second solver", "text", "noise", "mutants rejected", "rewrites accepted", "chance"),
    *("worst cheat", "worst mean", "nothing fits", "always said", "attempts"),
)


def _main(title: str, first: str, tallies: Iterable[tuple[str, LawTally]]) -> Part:
    columns = (Column(first, number=False), *map(Column, _MAIN))
    return Part(title, columns, tuple((name, *_cells(tally)) for name, tally in tallies))


def _cells(tally: LawTally) -> Iterator[str]:
    yield f"{tally.tasks:,}"
    for law in (_ORACLE, _SECOND, _TEXT, _NOISE):
        yield share(tally.holds(law), tally.checked[law])
    yield share(tally.rejected.total(), tally.wrong.total())
    yield share(tally.accepted, tally.rewrites)
    yield f"{100 * tally.chance / tally.judged:.2f} %" if tally.judged else "-"
    names = sorted(tally.score)
    worst = max(names, key=lambda name: tally.right[name], default="")
    highest = max(names, key=tally.mean, default="")
    yield f"{share(tally.right[worst], tally.judged)} ({worst})" if tally.right[worst] else "0 %"
    yield f"{tally.mean(highest):.3f} ({highest})" if highest else "-"
    yield share(tally.impossible, tally.tasks)
    yield share(tally.says_nothing, tally.tasks)
    yield f"{tally.attempts_at(50)} / {tally.attempts_at(99)}"


def _laws(totals: dict[str, LawTally]) -> Part:
    rows = []
    for law in (*NOISE_FREE_LAWS, *(name + THROUGH_NOISE for name in NOISY_LAWS)):
        cells = (f"{whole.broken[law]:,} of {whole.checked[law]:,}" for whole in totals.values())
        rows.append((law.replace(THROUGH_NOISE, ", with typing errors"), *cells))
    return Part("Laws", (Column("broken", number=False), *map(Column, totals)), tuple(rows))


def _cheats(totals: dict[str, LawTally]) -> Part:
    rows = []
    for name in dict.fromkeys(name for whole in totals.values() for name in whole.score):
        cells = (
            f"{share(whole.right[name], whole.judged)} / {whole.mean(name):.3f}" if name in whole.score else "-"
            for whole in totals.values()
        )
        rows.append((name, *cells))
    return Part("Cheats", (Column("right / mean score", number=False), *map(Column, totals)), tuple(rows))


def _mutants(env: str, whole: LawTally) -> Part:
    row = proof(env)
    names = sorted(whole.made.keys() | (frozenset() if row is None else row.operators))
    rows = [(name, f"{whole.made[name]:,}", f"{whole.wrong[name]:,}", f"{whole.rejected[name]:,}") for name in names]
    columns = (Column("edit", number=False), Column("made"), Column("wrong"), Column("rejected"))
    return Part(f"{env}: answers one edit away", columns, tuple(rows))


def page(found: Proven, command: str) -> str:
    """The run as a page of Markdown.

    Args:
        found: what it found.
        command: the command that re-makes the page.
    """
    faults = list(found.faults())
    counts = {env: sum(tally.tasks for tally in found.tallies[env].values()) for env in found.proof.names}
    each = ", ".join(f"{env} {count:,}" for env, count in counts.items())
    verdict = "Every law holds." if not faults else "Not every law holds."
    lines = [_INTRODUCTION.format(tasks=sum(counts.values()), each=each, command=command, verdict=verdict)]
    if faults:
        lines += ["\n## Broken\n", *(_item(fault) for fault in faults)]
    lines += (table(f"\n## {part.title}", part.columns, part.rows) for part in parts(found))
    return "\n".join(lines) + "\n"


def _item(fault: str) -> str:
    inner = fault.lstrip()
    return f"{'  ' if inner != fault else ''}- {inner}"
