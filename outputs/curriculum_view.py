"""What a curriculum and a simulation look like: a small plot on a terminal, a Markdown page, a picture, a web page."""

import base64
import html
import io
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ecomrlve.difficulty.learners import describe, learners
from ecomrlve.difficulty.schedulers import DEFAULT, Scheduler, schedulers
from ecomrlve.difficulty.simulation import BATCH, GROUP, MOST_PROMPTS, Mean, Run, Summary, summarize
from ecomrlve.errors import InvalidArgument
from ecomrlve.outputs.files import settle, write_text
from ecomrlve.outputs.tables import Column, table

AGAINST = ("rlve", "static")
"""The yardstick, and a data set that is generated once."""

_BARS = "▁▂▃▄▅▆▇█"
_LEVELS_ABOVE = 2
_RECENT_MOVES = 6


def bar(share: float) -> str:
    """A share in [0, 1] as one block.

    >>> bar(0.0), bar(1.0)
    ('▁', '█')
    """
    return _BARS[min(len(_BARS) - 1, int(share * len(_BARS)))]


def environment_lines(scheduler: Scheduler) -> Iterator[tuple[str, str, str, str, str, str, str]]:
    """Per environment and level: names, a mark where it is drawn, success with its bar, prompts, the last moves."""
    for env in scheduler.environments:
        low, high = scheduler.window(env)
        counts = scheduler.counts(env)
        top = max([high, *(level for level, (prompts, _, _) in enumerate(counts) if prompts)])
        moves = " ".join(f"{a}-{b}" for a, b in scheduler.moves(env)[-_RECENT_MOVES:])
        for level in range(min(top + _LEVELS_ABOVE, scheduler.max_level + 1)):
            prompts, successes, trials = counts[level]
            rate = successes / trials if trials else 0.0
            yield (
                env if level == 0 else "",
                f"{low}-{high}" if level == 0 else "",
                str(level),
                "█" if low <= level <= high else "",
                f"{bar(rate)} {rate:.2f}" if trials else "",
                f"{prompts:,}" if prompts else "",
                moves if level == 0 else "",
            )


def _mean(value: Mean | None, digits: int = 2, per: float = 1.0) -> str:
    """A mean with half its interval, as text."""
    if value is None:
        return ""
    return f"{value.mean / per:,.{digits}f} ± {value.half / per:,.{digits}f}"


_COLUMNS = (
    Column("scheduler", number=False),
    Column("reached"),
    Column("rollouts to the goal, k"),
    Column("/ rlve"),
    Column("/ static"),
    Column("effective, G = 8"),
    Column("G = 16"),
    Column("wrong promotions"),
    Column("recovery, k"),
    Column("impossible"),
    Column("µs each"),
)


def _row(one: Summary) -> list[str]:
    return [
        one.scheduler,
        f"{one.solved:.0%}",
        _mean(one.rollouts, 1, 1000),
        *(_mean(one.against.get(other)) for other in AGAINST),
        _mean(one.effective),
        _mean(one.effective_16),
        _mean(one.wrong),
        _mean(one.recovery, 1, 1000),
        _mean(one.impossible, 3),
        f"{one.decision_microseconds.mean:.0f}",
    ]


def _by_learner(summaries: Sequence[Summary]) -> dict[str, list[Summary]]:
    found: dict[str, list[Summary]] = {}
    for one in summaries:
        found.setdefault(one.learner, []).append(one)
    return found


def overall(summaries: Sequence[Summary]) -> list[list[str]]:
    """Per scheduler its rollouts by the yardsticks' and its effective share, as means over learners held out."""
    rows = []
    for name in dict.fromkeys(one.scheduler for one in summaries):
        own = [one for one in summaries if one.scheduler == name and learners()[one.learner].held_out]
        if not own:
            continue
        ratios = []
        for other in AGAINST:
            some = [one.against[other].mean for one in own if other in one.against]
            ratios.append(f"{sum(some) / len(some):.2f}" if some else "")
        effective = sum(one.effective.mean for one in own) / len(own)
        solved = sum(one.solved for one in own) / len(own)
        rows.append([name, f"{solved:.0%}", *ratios, f"{effective:.2f}"])
    return rows


_OVERALL = (
    Column("scheduler", number=False),
    Column("reached"),
    Column("rollouts / rlve"),
    Column("rollouts / static"),
    Column("effective, G = 8"),
)


def summary_text(runs: Sequence[Run]) -> str:
    """The tables, for a terminal."""
    summaries = summarize(runs, AGAINST)
    parts = [
        table(f"{name}: {learners()[name].about}", _COLUMNS, [_row(one) for one in some])
        for name, some in _by_learner(summaries).items()
    ]
    if rows := overall(summaries):
        parts.append(table("means over the learners held out", _OVERALL, rows))
    return "\n\n".join(parts)


def markdown_page(runs: Sequence[Run]) -> str:
    """The page docs/curriculum.md: schedulers, the comparison, and what the learners are."""
    summaries = summarize(runs, AGAINST)
    seeds = max(run.seed for run in runs) + 1
    lines = [
        "# The curriculum",
        "",
        "Made by `ecomrlve curriculum simulate --markdown docs/curriculum.md`; do not edit.",
        "",
        "A scheduler draws (environment, level) pairs, sees how many of each prompt's rollouts were correct, and draws "
        "again. `make_scheduler(name, environments=…)` makes one; `ecomrlve curriculum init`, `next` and `update` keep "
        "one in a file beside any trainer.",
        "",
        table(
            "## Schedulers",
            (Column("name", number=False), Column("what it does", number=False), Column("after", number=False)),
            [
                [f"`{name}`{' (default)' if name == DEFAULT else ''}", kind.summary, kind.source]
                for name, kind in schedulers().items()
            ],
        ),
        "",
        "## Simulated comparison",
        "",
        f"{seeds} seeds; {GROUP} rollouts a prompt, {BATCH} prompts between two updates of the learner. A run ends at "
        f"the learner's goal, a mean skill, or after {MOST_PROMPTS:,} prompts; a run that ended so counts with all of "
        "its rollouts, which is too few. ± is half of the 95 % interval of a mean over seeds. *Effective* is the share "
        "of prompts whose rollouts are neither all correct nor all wrong. A promotion is *wrong* where the window's "
        "top rises to a level at which fewer than one rollout in twenty is correct. The learners are ours and were "
        "fitted to no real training run: read the table as what each rule does, not as what a model will gain.",
        "",
    ]
    if rows := overall(summaries):
        lines += [table("### Means over the learners held out", _OVERALL, rows), ""]
    for name, some in _by_learner(summaries).items():
        kind = "held out: no setting was chosen by it" if learners()[name].held_out else "used to choose settings"
        numbers = ", ".join(f"{key} {value}" for key, value in describe(learners()[name]).items())
        title = f"### {name}\n\n{learners()[name].about.capitalize()} ({kind}). {numbers}".rstrip()
        lines += [table(title, _COLUMNS, [_row(one) for one in some]), ""]
    return "\n".join(lines)


def write_report(runs: Sequence[Run], out: Path) -> None:
    """Curves of skill by rollouts, one panel per learner: a picture (.png), or a page with the tables (.html).

    Raises:
        InvalidArgument: for another suffix, or where matplotlib is not installed.
    """
    if out.suffix not in (".png", ".html"):
        raise InvalidArgument("report", str(out), "must end in .png or .html")
    picture = _picture(runs)
    if out.suffix == ".png":
        part = out.with_name(f".{out.name}.part")
        part.write_bytes(picture)
        settle(part, out)
        return
    data = base64.b64encode(picture).decode()
    write_text(
        out,
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>ecomrlve curriculum</title>"
        "<style>body{font:15px sans-serif;margin:2em}img{max-width:100%}pre{overflow-x:auto}</style>"
        "<h1>Schedulers with simulated learners</h1>"
        f"<img alt='skill by rollouts, a panel for each learner' src='data:image/png;base64,{data}'>"
        f"<pre>{html.escape(summary_text(runs))}</pre></html>\n",
    )


def _picture(runs: Sequence[Run]) -> bytes:
    """The curves as PNG: for each scheduler the first seed's, since curves of unequal length have no mean."""
    try:
        figures: Any = import_module("matplotlib.figure")
    except ImportError as error:
        raise InvalidArgument("report", "matplotlib", "is needed for pictures: pip install matplotlib") from error
    names = list(dict.fromkeys(run.learner for run in runs))
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    figure = figures.Figure(figsize=(5.2 * columns, 3.6 * rows), layout="constrained")
    for at, name in enumerate(names):
        panel = figure.add_subplot(rows, columns, at + 1)
        for run in runs:
            if run.learner == name and run.seed == 0 and run.curve:
                rollouts, skills = zip(*run.curve, strict=True)
                panel.plot(rollouts, skills, label=run.scheduler, linewidth=2.2 if run.scheduler == DEFAULT else 1.0)
        panel.set_title(name)
        panel.set_xlabel("rollouts")
        panel.set_ylabel("skill, in levels")
        if at == 0:
            panel.legend(fontsize=7)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()
