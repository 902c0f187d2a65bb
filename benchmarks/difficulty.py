"""What each axis changes, and how a simulated agent fares: docs/difficulty.md.

    python benchmarks/difficulty.py --count 2000 --out docs/difficulty.md
    python benchmarks/difficulty.py --count 300 --env PD --no-axes

The agent is the text-only solver that misreads a condition, a row or a rule with the environment's slip rate, and with
three times that rate. Success is counted over the levels, and with each axis alone at its values of levels 0, 4, 8 and
12 while all others stay at level 4. Exit code 1 where success rises by more than four standard errors, where an axis
changes nothing in an environment that lists it, or where success falls with it nowhere.
"""

import argparse
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from math import sqrt
from pathlib import Path

from ecomrlve import World, environments, make_task, verify
from ecomrlve.difficulty.axes import AXES
from ecomrlve.generator.agents import Agent
from ecomrlve.generator.environments import environment
from ecomrlve.generator.tasks import Task
from ecomrlve.outputs.tables import Column, table

LEVELS = (0, 2, 4, 6, 8, 10, 12)
BASE = 4
STEPS = (0, 4, 8, 12)
TIMES = (1, 3)
ERRORS = 4.0


@dataclass(frozen=True)
class Point:
    """Tasks of one environment, at a level or with one axis set by hand."""

    env: str
    level: int
    axis: str = ""
    value: float = 0.0


@dataclass
class Found:
    """How agents fared at a point: tasks, successes by how many times the slip rate, and the axis's measured mean."""

    tasks: int
    right: list[int]
    measured: float

    def share(self, place: int) -> float:
        """The share of successes."""
        return self.right[place] / self.tasks


@lru_cache(maxsize=1)
def _world(products: int) -> World:
    return World.synthetic(products=products, seed=0)


def _typing_errors(world: World, task: Task, axes: dict[str, float]) -> float:
    """Letters that differ from the same task without noise, in thousandths."""
    calm = make_task(world, task.env, level=task.level, seed=task.seed, index=task.index, axes={**axes, "noise": 0})
    mine, theirs = ([m["content"] for m in one.prompt if m["role"] == "user"] for one in (task, calm))
    words = [(one.split(), other.split()) for one, other in zip(mine, theirs, strict=False)]
    wrong = sum(a != b for one, other in words for a, b in zip(one, other, strict=False))
    return 1000 * wrong / max(1, sum(map(len, theirs)))


def run(job: tuple[Point, int, int]) -> tuple[Point, Found]:
    """Make the tasks of a point and let the agents answer."""
    point, count, products = job
    world, agents = _world(products), [Agent(times=times) for times in TIMES]
    axes = {point.axis: point.value} if point.axis else {}
    found = Found(count, [0] * len(agents), 0.0)
    for index in range(count):
        # Possible tasks only: at what cannot be done, an agent that misses everything is right.
        task = make_task(world, point.env, level=point.level, seed=3, index=index, axes=axes, impossible=0.0)
        for place, agent in enumerate(agents):
            found.right[place] += verify(task.ground_truth, agent.reply(point.env, task.prompt, index)).correct
        if point.axis == "noise":
            found.measured += _typing_errors(world, task, axes) if index < 200 else 0.0
        else:
            found.measured += task.measured.get(point.axis, 0.0)
    found.measured /= min(count, 200) if point.axis == "noise" else count
    return point, found


def steps(axis: str) -> list[float]:
    """The axis's values at the levels of `STEPS`, each once."""
    one = AXES[axis]
    return list(dict.fromkeys(float(one.default(level)) for level in STEPS))


def points(envs: Sequence[str], with_axes: bool) -> Iterator[Point]:
    """All that is to be measured."""
    for env in envs:
        yield from (Point(env, level) for level in LEVELS)
        if with_axes:
            for axis in environment(env).axes["context"]:
                yield from (Point(env, BASE, axis, value) for value in steps(axis))


def rises(shares: Sequence[float], count: int) -> bool:
    """Whether a share rises by more than sampling explains."""
    return any(
        later - earlier > ERRORS * sqrt(max(earlier * (1 - earlier) + later * (1 - later), 1 / count) / count)
        for place, earlier in enumerate(shares)
        for later in shares[place + 1 :]
    )


def falls(shares: Sequence[float], count: int) -> bool:
    """Whether the last share is less than the first by more than sampling explains."""
    return rises(shares[:: len(shares) - 1][::-1], count) if len(shares) > 1 else False


def _number(value: float) -> str:
    return f"{value:.3g}"


def measured(count: int, axis_count: int, products: int) -> str:
    """What was measured, in words."""
    return MEASURED.format(count=count, axis_count=axis_count, products=products, base=BASE)


def levels_tables(envs: Sequence[str], found: dict[Point, Found], count: int, faults: list[str]) -> Iterator[str]:
    """Success by level, one table for each slip rate."""
    for place, times in enumerate(TIMES):
        rows = []
        for env in envs:
            shares = [found[Point(env, level)].share(place) for level in LEVELS]
            rows.append([env, f"{environment(env).slip * times / 10_000:.2f} %", *(f"{share:.2f}" for share in shares)])
            if rises(shares, count):
                faults.append(f"{env}: success rises with the level: {shares}")
            if times == 1 and not (shares[0] >= 0.8 and shares[-1] <= 0.3):
                faults.append(f"{env}: the slip rate is not calibrated: {shares[0]:.2f} to {shares[-1]:.2f}")
        title = f"### Success by level, {'the calibrated slip rate' if times == 1 else f'{times} times that rate'}"
        columns = [Column("environment", False), Column("slip"), *(Column(f"{level}") for level in LEVELS)]
        yield table(title, columns, rows)


def axes_tables(envs: Sequence[str], found: dict[Point, Found], count: int, faults: list[str]) -> Iterator[str]:
    """For each axis: what it changes in each environment, and success."""
    for name, axis in AXES.items():
        using = [env for env in envs if name in environment(env).axes["context"]]
        if not using:
            continue
        rows, values, fell = [], steps(name), False
        for env in using:
            here = [found[Point(env, BASE, name, value)] for value in values]
            measured = [one.measured for one in here]
            shares = [[one.share(place) for one in here] for place in range(len(TIMES))]
            rows.append([env, *(" → ".join(map(_number, line)) for line in (measured, *shares))])
            faults += [f"{env}: success rises with {name}: {line}" for line in shares if rises(line, count)]
            fell |= any(falls(line, count) for line in shares)
            if measured[-1] <= measured[0]:
                faults.append(f"{env}: {name} changes nothing: {measured}")
        if not fell:
            faults.append(f"{name}: success falls with it in no environment")
        title = f"### {name}: {axis.changes} ({' → '.join(map(_number, values))})"
        heads = ("measured", "success", f"success, {TIMES[-1]} times the slips")
        yield table(title, [Column("environment", False), *map(Column, heads)], rows)


def axis_table() -> str:
    """The axes and who uses them."""
    rows = []
    for name, axis in AXES.items():
        using = [env for env in environments() if name in environment(env).axes.get("context", ())]
        rows.append([name, axis.unit, f"`{axis.formula}`", axis.changes, ", ".join(axis.modes), ", ".join(using)])
    heads = ("axis", "unit", "default at level d", "what rises", "modes", "environments, in context mode")
    return table("## The axes", [Column(head, False) for head in heads], rows)


INTRODUCTION = """# Difficulty

Made by `make difficulty` (`benchmarks/difficulty.py`) from `difficulty/axes.py` and what the environments declare.

A level is a whole number of at least 0; it sets twelve axes by the formulas below. Any axis can be set by hand:
`ecomrlve generate --axis noise=0`, or `make_task(..., axes={"noise": 0})`."""

MEASURED = """## Measured

{count:,} tasks per level and {axis_count:,} per value of an axis, all of them tasks that can be done; {products:,}
products. The agent is the environment's text-only solver, which reads the prompt alone; with the probability "slip" it
overlooks a condition, misjudges a row, or misreads a rule (`ecomrlve.generator.agents`). Without slips it answers every
task rightly. In the tables by axis, all other axes are at level {base}; *measured* is what the axis changed, by its
mean (noise: words with a typing error in a thousand letters)."""


def main() -> int:
    """Measure, print or write, and say what is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2_000, help="tasks per point")
    parser.add_argument("--axis-count", type=int, default=500, help="tasks per point of one axis alone")
    parser.add_argument("--env", action="append", help="an environment; all where none is named")
    parser.add_argument("--products", type=int, default=20_000)
    parser.add_argument("--no-axes", action="store_true", help="levels only")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    envs = options.env or list(environments())
    every = points(envs, not options.no_axes)
    jobs = [(point, options.axis_count if point.axis else options.count, options.products) for point in every]
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        found = dict(pool.imap_unordered(run, jobs))
    faults: list[str] = []
    text = StringIO()
    parts = [INTRODUCTION, axis_table(), measured(options.count, options.axis_count, options.products)]
    parts += levels_tables(envs, found, options.count, faults)
    if not options.no_axes:
        parts += axes_tables(envs, found, options.axis_count, faults)
    text.write("\n\n".join(part.strip() for part in parts) + "\n")
    if options.out:
        options.out.write_text(text.getvalue(), encoding="utf-8")
    else:
        print(text.getvalue())
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
