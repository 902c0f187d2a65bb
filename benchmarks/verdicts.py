"""Judges very many replies of every kind, and long ones: no error, no score that is none, and time that is linear.

python benchmarks/verdicts.py                     a million replies over all environments, and lengths of 1 KB to 10 MB
python benchmarks/verdicts.py --replies 20000     fewer
"""

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parents[1]))

from ecomrlve import Task, World, environments, make_task, verify
from ecomrlve.generator.proofs.answers import places
from ecomrlve.generator.randomness import Draws
from ecomrlve.outputs.fuzzing.junk import HOSTILE, TOKENS, hostile_places, hostile_reply
from ecomrlve.outputs.fuzzing.replies import spliced, study
from ecomrlve.outputs.tables import Column, show

PIECES = (
    *("{", "}", "[", "]", '"', ",", ":", "\\", " ", "\n", "1", "-", "null", "NaN", '{"a":', "<think>", "</think>"),
    *("<answer>", "</answer>", "```json", "\u202e", "\u200b", "\x00", "\ud800", "é", "\U0001f6d2", "\\u0041"),
)
LENGTHS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)


def replies(task: Task, draws: Draws) -> Iterator[Any]:
    """Replies without end: pieces, spoiled values, cut or broken answers, bytes, long units, mutants."""
    answer, units = study(task).answer, list(HOSTILE.values())
    text, paths = json.dumps(answer), [path for path, _ in places(answer)]
    # Long values are dear, so each is drawn as text once.
    values = [spliced(answer, path, token) for path in paths for token in TOKENS]
    mutants = [json.dumps(wrong) for found in study(task).mutants.values() for wrong in found[:20]]
    while True:
        yield "".join(draws.choice(PIECES) for _ in range(draws.between(0, 14)))
        yield draws.choice(values)
        at = draws.below(len(text) + 1)
        yield text[:at]
        yield text[:at] + draws.choice(PIECES) + text[at:]
        yield bytes(draws.below(256) for _ in range(draws.below(40)))
        yield draws.choice(units) * draws.between(1, 60) + draws.choice((text, "}", ""))
        yield draws.choice(mutants) + draws.choice(PIECES) + draws.choice(mutants)


def many(world: World, count: int) -> None:
    """Judge so many replies, shared by the environments."""
    rows, each = [], count // len(environments())
    for env in environments():
        tasks = [make_task(world, env, level=level, seed=1, index=level) for level in (0, 2, 4, 6)]
        streams = [replies(task, Draws(0, "verdicts", env, place)) for place, task in enumerate(tasks)]
        errors = odd = right = 0
        slowest, size, began = 0.0, 0, process_time()
        for number in range(each):
            task, reply = tasks[number % 4], next(streams[number % 4])
            start = perf_counter()
            try:
                verdict = verify(task.ground_truth, reply)
            except Exception as error:
                errors += 1
                print(f"{env}: {type(error).__name__}: {error}: {reply!r:.200}")
                continue
            took = perf_counter() - start
            if took > slowest:
                slowest, size = took, len(reply)
            odd += not (math.isfinite(verdict.score) and 0.0 <= verdict.score <= 1.0)
            right += verdict.correct
        rate = each / (process_time() - began)
        figures = (f"{each:,}", f"{errors:,}", f"{odd:,}", f"{right:,}", f"{slowest * 1000:.1f}", f"{size:,}")
        rows.append((env, *figures, f"{rate:,.0f}"))
    headings = ("replies", "errors", "scores that are none", "right", "slowest, ms", "its characters", "replies/s")
    show("Replies", (Column("environment", number=False), *map(Column, headings)), rows)


def long(world: World) -> None:
    """Judge replies of every unit in every place, ten times longer each time; the slowest unit is told."""
    rows = []
    for env in environments():
        task = make_task(world, env, level=0, seed=1, index=0, impossible=0)
        found = hostile_places(study(task).answer)
        cells = []
        for chars in LENGTHS:
            worst = 0.0
            for unit in HOSTILE.values():
                for around in found.values() if chars < LENGTHS[-1] else list(found.values())[:1]:
                    reply = hostile_reply(unit, chars, around)
                    began = process_time()
                    verify(task.ground_truth, reply)
                    worst = max(worst, process_time() - began)
            cells.append(f"{worst * 1000:,.1f}")
        rows.append((env, *cells))
    columns = (Column("slowest verdict, ms, of characters", number=False), *(Column(f"{one:,}") for one in LENGTHS))
    show("Long replies", columns, rows)


@click.command()
@click.option("--replies", "count", default=1_000_000, show_default=True, help="In all.")
@click.option("--long/--no-long", "lengths", default=True, help="Whether to measure long replies.")
def main(count: int, lengths: bool) -> None:
    """Print both tables."""
    world = World.synthetic(products=2_000, seed=0)
    many(world, count)
    if lengths:
        long(world)


if __name__ == "__main__":
    main()
