"""Whether a prompt's surface gives its answer away: docs/surface.md.

    python benchmarks/surface.py --count 20000 --out docs/surface.md
    python benchmarks/surface.py --count 2000 --env SUB

Two questions, for each environment. Can it be told from counts of characters, lines, words and numbers that nothing
fits? Gradient boosting answers, in five folds (area under the curve, 0.5 is a coin). And how often is the row that
stands out right: the first, last, longest, shortest, most or least often named, cheapest, dearest, best rated, most
reviewed of those that could be meant? Chance is the mean share of rows that are right. Exit code 1 over a bound.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Any

import click
import numpy as np

from ecomrlve import World, environments, make_task
from ecomrlve.generator.tasks import Task
from ecomrlve.outputs.tables import Column, table
from ecomrlve.outputs.workers import Tick, run_jobs

MOST_AUC = 0.55
MOST_PLACED = 1.2
"""How often a row that stands out by place, length or repeats may be right, in units of chance."""
SUPERLATIVES = ((2, 2.5), (3, 3.0), (99, 0.03))
"""For a row that stands out by what a request may ask for: up to this level, so many times chance, or a share."""

_WORDS = 600
_BATCH = 100
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_PRICE = re.compile(r"\$(\d[\d,]*\.\d\d)")
_RATING = re.compile(r"(\d(?:\.\d)?) \(([\d,]+)\)")
PLACED = ("first", "last", "longest", "shortest", "most named", "least named")
ASKED = ("cheapest", "dearest", "best rated", "most reviewed")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the page that an answer could name, and the text that is its own."""

    identifier: str
    at: int
    text: str
    named: int


@dataclass
class Seen:
    """What is kept of a task: features of its surface, whether nothing fits, and hits of the rows that stand out."""

    words: Counter[str]
    plain: dict[str, float]
    impossible: bool
    level: int
    hits: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)


def features(task: Task) -> tuple[Counter[str], dict[str, float]]:
    """Counts of words, and of characters, lines, numbers and turns, of the system text and the customer's turns."""
    words: Counter[str] = Counter()
    plain: dict[str, float] = {"turns": len(task.prompt)}
    for part, text in (("page", task.prompt[0]["content"]), ("turn", " ".join(m["content"] for m in task.prompt[1:]))):
        words.update(f"{part} {word}" for word in _WORD.findall(text.casefold()))
        numbers = [float(number.replace(",", "")) for number in _NUMBER.findall(text) if number.count(".") < 2]
        plain |= {
            f"{part} characters": len(text),
            f"{part} lines": text.count("\n"),
            f"{part} numbers": len(numbers),
            f"{part} largest": max(numbers, default=0.0),
            f"{part} mean": sum(numbers) / max(1, len(numbers)),
            f"{part} columns": text.count("|"),
        }
    return words, plain


def _named(answer: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Each (key, text) of an answer, however deep."""
    if isinstance(answer, Mapping):
        for key, value in answer.items():
            yield from _named(value, key)
    elif isinstance(answer, list):
        for value in answer:
            yield from _named(value, name)
    elif isinstance(answer, str):
        yield name, answer


def rows(page: str, shown: Sequence[str]) -> dict[str, tuple[tuple[str, str], Row]]:
    """Each identifier's kind (what stands before and after it on its line) and row."""
    first = {}
    for text in shown:
        found = re.search(rf"(?m)(^|(?<=[^A-Za-z0-9])){re.escape(text)}(?![A-Za-z0-9])", page)
        if found:
            first[text] = found.start()
    order = sorted(first, key=first.__getitem__)
    made = {}
    for place, text in enumerate(order):
        at = first[text]
        start = page.rfind("\n", 0, at) + 1
        line_end = page.find("\n", at) % (len(page) + 1)
        until = first[order[place + 1]] if place + 1 < len(order) else line_end
        before, after = page[start:at], page[at + len(text) : at + len(text) + 1]
        columns = str(page[at:line_end].count(" | ")) if before.strip() or before else ""
        made[text] = ((before + "·" + after, columns), Row(text, at, page[at:until], page.count(text)))
    return made


def picks(candidates: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows that stand out, by how; all of them where several do equally."""

    def best(key: Any) -> list[Row]:
        marks = [key(row) for row in candidates]
        known = [mark for mark in marks if mark is not None]
        return [row for row, mark in zip(candidates, marks, strict=True) if mark == max(known)] if known else []

    def price(row: Row) -> float | None:
        found = [float(text.replace(",", "")) for text in _PRICE.findall(row.text)]
        return min(found) if found else None

    def stars(row: Row, group: int) -> float | None:
        found = _RATING.search(row.text)
        return float(found[group].replace(",", "")) if found else None

    return {
        "first": best(lambda row: -row.at),
        "last": best(lambda row: row.at),
        "longest": best(lambda row: len(row.text)),
        "shortest": best(lambda row: -len(row.text)),
        "most named": best(lambda row: row.named),
        "least named": best(lambda row: -row.named),
        "cheapest": best(lambda row: None if price(row) is None else -(price(row) or 0)),
        "dearest": best(price),
        "best rated": best(lambda row: stars(row, 1)),
        "most reviewed": best(lambda row: stars(row, 2)),
    }


def hits(task: Task) -> dict[str, dict[str, tuple[float, float]]]:
    """By the answer's key and the way to stand out: the share of outstanding rows that are right, and chance."""
    shown = json.loads(task.ground_truth).get("shown", [])
    answer = json.loads(task.oracle[task.oracle.rindex("\n\n") :])
    placed = rows(task.prompt[0]["content"], shown)
    right: dict[str, set[str]] = defaultdict(set)
    for key, text in _named(answer):
        if text in placed:
            right[key].add(text)
    made = {}
    for key, texts in right.items():
        kinds = {placed[text][0] for text in texts}
        candidates = [row for kind, row in placed.values() if kind in kinds]
        if len(candidates) < 2:
            continue
        chance = len(texts) / len(candidates)
        made[key] = {
            how: (sum(row.identifier in texts for row in best) / len(best), chance)
            for how, best in picks(candidates).items()
            if best
        }
    return made


class Reader:
    """Makes batches of tasks and keeps what their surface shows; for `run_jobs`."""

    def __init__(self, envs: Sequence[str], levels: Sequence[int], products: int, seed: int, batches: int) -> None:
        self._envs, self._levels, self._products, self._seed, self._batches = envs, levels, products, seed, batches
        self._world: World | None = None

    def __call__(self, number: int, tick: Tick) -> list[Seen]:
        """One batch of one environment."""
        self._world = self._world or World.synthetic(products=self._products, seed=self._seed)
        env, batch = self._envs[number // self._batches], number % self._batches
        seen = []
        for index in range(batch * _BATCH, (batch + 1) * _BATCH):
            level = self._levels[index % len(self._levels)]
            task = make_task(self._world, env, level=level, seed=self._seed, index=index)
            seen.append(Seen(*features(task), task.impossible, level, hits(task)))
        tick(_BATCH)
        return seen


def separation(seen: Sequence[Seen]) -> tuple[float, float]:
    """The area under the curve of gradient boosting for "nothing fits", and its standard error (Hanley and McNeil)."""
    # The extra `bench` brings it; the other question does without.
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import cross_val_predict

    frequent: Counter[str] = Counter()
    for one in seen:
        frequent.update(one.words.keys())
    words = [word for word, count in frequent.most_common(_WORDS) if count < len(seen)]
    names = sorted({name for one in seen for name in one.plain})
    values = np.array(
        [[one.plain.get(name, 0.0) for name in names] + [one.words[word] for word in words] for one in seen]
    )
    wanted = np.array([one.impossible for one in seen])
    model = HistGradientBoostingClassifier(max_iter=100, learning_rate=0.05, random_state=0)
    scores = cross_val_predict(model, values, wanted, cv=5, method="predict_proba")[:, 1]
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    for score in np.unique(scores):
        same = scores == score
        ranks[same] = ranks[same].mean()
    yes = int(wanted.sum())
    no = len(wanted) - yes
    area = (ranks[wanted].sum() - yes * (yes + 1) / 2) / (yes * no)
    first, second = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + (yes - 1) * (first - area**2) + (no - 1) * (second - area**2)
    return float(area), sqrt(spread / (yes * no))


def standing_out(env: str, seen: Sequence[Seen], faults: list[str]) -> Iterator[list[str]]:
    """A table row per key of the answer and group of levels: the worst pick, by place and by what may be asked for."""
    groups = {"0-2": (0, 2), "3": (3, 3), "4+": (4, 99)}
    for key in sorted({key for one in seen for key in one.hits}):
        for name, (least, most) in groups.items():
            chosen = [one.hits[key] for one in seen if key in one.hits and least <= one.level <= most]
            if not chosen:
                continue
            cells = []
            for ways, bound in ((PLACED, None), (ASKED, next(b for top, b in SUPERLATIVES if most <= top))):
                worst: tuple[float, str, float, float] | None = None
                for how in ways:
                    pairs = [hit[how] for hit in chosen if how in hit]
                    if not pairs:
                        continue
                    rate, chance = (sum(pair[at] for pair in pairs) / len(pairs) for at in (0, 1))
                    error = sqrt(max(chance * (1 - chance), 1e-9) / len(pairs))
                    limit = MOST_PLACED * chance if bound is None else bound if bound < 1 else bound * chance
                    if rate > limit + 3 * error:
                        faults.append(f"{env} {key}, levels {name}: {how} {rate:.3f}, chance {chance:.3f}")
                    if worst is None or rate - limit > worst[0]:
                        worst = (rate - limit, how, rate, chance)
                cells += [worst[1], f"{worst[2]:.3f}", f"{worst[3]:.3f}"] if worst else ["", "", ""]
            yield [env, key, name, f"{len(chosen):,}", *cells]


@click.command(help=(__doc__ or "").split("\n", 1)[0])
@click.option("--count", default=20_000, help="Tasks per environment.")
@click.option("--env", "envs", multiple=True, default=environments)
@click.option("--levels", default=8, help="Levels 0 to this one.")
@click.option("--products", default=20_000)
@click.option("--seed", default=0)
@click.option("--workers", default=2)
@click.option("--out", type=click.Path(path_type=Path))
def main(
    count: int, envs: Sequence[str], levels: int, products: int, seed: int, workers: int, out: Path | None
) -> None:
    """Print both tables."""
    batches = -(-count // _BATCH)
    reader = Reader(envs, range(levels + 1), products, seed, batches)
    results = run_jobs(reader, range(len(envs) * batches), workers)
    faults: list[str] = []
    areas, outstanding = [], []
    for env in envs:
        seen = [one for _ in range(batches) for one in next(results)]
        area, error = separation(seen)
        areas.append(
            [env, f"{len(seen):,}", f"{sum(one.impossible for one in seen):,}", f"{area:.3f} ± {2 * error:.3f}"]
        )
        if area > MOST_AUC:
            faults.append(f"{env}: nothing fits shows on the surface, AUC {area:.3f}")
        outstanding += list(standing_out(env, seen, faults))
        print(env, areas[-1], *outstanding[-12:], sep="\n", file=sys.stderr, flush=True)
    made_by = f"Made by `python benchmarks/surface.py --count {count} --levels {levels}`."
    fits = [Column("environment", False), Column("tasks"), Column("nothing fits"), Column("AUC")]
    stands = [
        *(Column(name, False) for name in ("environment", "key", "levels")),
        Column("tasks"),
        Column("by place, length, repeats", False),
        Column("right"),
        Column("chance"),
        Column("by what is asked for", False),
        Column("right"),
        Column("chance"),
    ]
    text = "\n\n".join(
        [
            "# What a prompt's surface tells",
            made_by,
            table('## Can "nothing fits" be told from counts?', fits, areas),
            table("## How often is the row that stands out right?", stands, outstanding),
        ]
    )
    print(text)
    print(*faults or ["Nothing is over its bound."], sep="\n")
    if out:
        out.write_text(text + "\n", encoding="utf-8")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
