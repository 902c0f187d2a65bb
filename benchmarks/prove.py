"""The laws over many tasks: what the tests sample, counted by the hundred thousand, as tables.

Every task is made twice over: without noise for all laws, and (every other one) as its level has it. Exit code 1 where
anything is broken; each kind of fault is shown with what re-makes it.

    python benchmarks/prove.py --count 100000
    python benchmarks/prove.py --count 2000 --env PD --levels 4-8 --workers 1
"""

import argparse
import hashlib
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tables import Column, show

from ecomrlve import Task, World, environments, make_task, verify
from ecomrlve.generator.environments import environment
from ecomrlve.generator.proofs import proof
from ecomrlve.generator.proofs.answers import cheats
from ecomrlve.generator.proofs.laws import CALM, NOISY, Case
from ecomrlve.generator.randomness import Draws
from ecomrlve.outputs.configuration import read_levels

CHUNK = 100
EXAMPLES = 3


@dataclass(frozen=True)
class Job:
    """Some tasks of one environment."""

    env: str
    first: int
    count: int
    levels: tuple[int, ...]
    products: int
    seed: int


@dataclass
class Found:
    """What a job counted; jobs add up."""

    env: str
    tasks: int = 0
    checked: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)
    fitting: int = 0
    impossible: int = 0
    chance: float = 0.0
    cheats_right: Counter[str] = field(default_factory=Counter)
    cheats_score: Counter[str] = field(default_factory=Counter)
    attempts: Counter[tuple[int, int]] = field(default_factory=Counter)
    goals: set[bytes] = field(default_factory=set)
    prompts: set[bytes] = field(default_factory=set)
    seconds: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Found") -> None:
        """Count another job's in."""
        for name in ("tasks", "fitting", "impossible", "chance"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("checked", "broken", "kills", "cheats_right", "cheats_score", "attempts", "seconds"):
            mine: Counter[object] = getattr(self, name)
            mine.update(getattr(other, name))
        self.goals |= other.goals
        self.prompts |= other.prompts
        for law, shown in other.examples.items():
            self.examples[law] = (self.examples.get(law, []) + shown)[:EXAMPLES]


@lru_cache(maxsize=2)
def world_of(products: int, seed: int) -> World:
    """The shop, made once in each process."""
    return World.synthetic(products=products, seed=seed)


def prove(job: Job) -> Found:
    """Hold some tasks to every law."""
    world, found = world_of(job.products, job.seed), Found(job.env)
    before: Task | None = None
    for index in range(job.first, job.first + job.count):
        level = job.levels[index % len(job.levels)]
        began = time.perf_counter()
        calm = make_task(world, job.env, level=level, seed=job.seed, index=index, axes={"noise": 0})
        found.seconds["made"] += time.perf_counter() - began
        count_task(found, calm)
        hold(found, Case(world, calm), CALM)
        if index % 2:
            hold(found, Case(world, make_task(world, job.env, level=level, seed=job.seed, index=index)), NOISY, " ~")
        if not calm.impossible:
            if before is not None:
                count_cheats(found, calm, before)
            before = calm
    return found


def count_task(found: Found, task: Task) -> None:
    """Keep what is needed of a task."""
    found.tasks += 1
    found.impossible += task.impossible
    found.attempts[task.level, task.attempts] += 1
    found.goals.add(hashlib.blake2b(task.goal.encode(), digest_size=10).digest())
    text = "\n".join(message["content"] for message in task.prompt)
    found.prompts.add(hashlib.blake2b(text.encode(), digest_size=10).digest())


def hold(found: Found, case: Case, laws: object, mark: str = "") -> None:
    """Check the laws on a case and count; the mark tells noisy tasks from the others."""
    assert isinstance(laws, dict)
    for law, check in laws.items():
        began = time.perf_counter()
        faults = list(check(case))
        found.seconds[law + mark] += time.perf_counter() - began
        found.checked[law + mark] += 1
        if faults:
            found.broken[law + mark] += 1
            found.examples.setdefault(law + mark, []).append(f"{case.name}: {faults[0]:.600}")
    found.kills.update(case.kills)


def count_cheats(found: Found, task: Task, other: Task) -> None:
    """Judge those who have not read the task."""
    found.fitting += 1
    found.chance += task.chance
    for name, reply in cheats(task, other, Draws(0, "cheats", task.env, task.index)):
        verdict = verify(task.ground_truth, reply)
        found.cheats_right[name] += verdict.correct
        found.cheats_score[name] += verdict.score  # type: ignore[assignment]


def jobs(arguments: argparse.Namespace) -> Iterator[Job]:
    """The work in pieces, the environments in turn."""
    for first in range(0, arguments.count, CHUNK):
        for env in arguments.env or environments():
            count = min(CHUNK, arguments.count - first)
            yield Job(env, first, count, read_levels(arguments.levels), arguments.products, arguments.seed)


def tables(totals: dict[str, Found]) -> bool:
    """Print what was found; whether all of it holds."""
    envs = list(totals)
    columns = [Column("", False), *map(Column, envs)]
    laws = list(dict.fromkeys(law for found in totals.values() for law in found.checked))

    def law_cell(found: Found, law: str) -> str:
        checked, broken = found.checked[law], found.broken[law]
        return f"{broken:,} of {checked:,}" if checked else "-"

    rows = [[law, *(law_cell(found, law) for found in totals.values())] for law in laws]
    show("Broken (of tasks checked; ~ with typing errors)", columns, rows)

    holds = not any(found.broken.total() for found in totals.values())
    rows = []
    for name in next(iter(totals.values())).cheats_right:
        cells = []
        for found in totals.values():
            allowed = found.chance + 4 * sqrt(found.chance) + 1
            mean = found.cheats_score[name] / max(1, found.fitting)
            fine = found.cheats_right[name] <= allowed and mean <= 0.1 + 0.3 / sqrt(max(1, found.fitting))
            holds = holds and fine
            cells.append(f"{found.cheats_right[name]:,} / {mean:.3f}{'' if fine else ' !'}")
        rows.append([name, *cells])
    rows.append(["(chance allows)", *(f"{found.chance:,.0f}" for found in totals.values())])
    rows.append(["(tasks that something fits)", *(f"{found.fitting:,}" for found in totals.values())])
    show("Cheats: right / mean score", columns, rows)

    rows = [
        ["answers spoiled by one edit", *(f"{found.kills.total():,}" for found in totals.values())],
        ["operators with cases", *(operators(found) for found in totals.values())],
        ["nothing fits", *(f"{found.impossible / found.tasks:.2%}" for found in totals.values())],
        ["different goals", *(f"{len(found.goals) / found.tasks:.3%}" for found in totals.values())],
        ["different prompts", *(f"{len(found.prompts) / found.tasks:.3%}" for found in totals.values())],
        ["attempts p99, worst level", *(worst_attempts(found) for found in totals.values())],
        ["ms to make", *(f"{1000 * found.seconds['made'] / found.tasks:.2f}" for found in totals.values())],
    ]
    show("Counts", columns, rows)
    show_operators(totals)
    for found in totals.values():
        holds = holds and not missing(found)
        for law, examples in found.examples.items():
            print(f"\n{found.env}: {law}")
            for example in examples:
                print(f"  {example}")
    return holds


def missing(found: Found) -> set[str]:
    """Operators without a case."""
    return {name for name in known(found.env) if not found.kills[name]}


def known(env: str) -> frozenset[str]:
    """The operators of an environment."""
    row = proof(env)
    return frozenset() if row is None else row.operators


def operators(found: Found) -> str:
    """How many operators have cases, of how many there are."""
    all_of_them = len(known(found.env))
    return f"{all_of_them - len(missing(found))} of {all_of_them}"


def worst_attempts(found: Found) -> str:
    """The level with the largest 99th percentile of attempts."""
    worst, where = 0, 0
    for level in sorted({level for level, _ in found.attempts}):
        counts = {attempts: number for (at, attempts), number in found.attempts.items() if at == level}
        left = sum(counts.values()) * 99 // 100
        for attempts in sorted(counts):
            left -= counts[attempts]
            if left <= 0:
                worst, where = max((worst, where), (attempts, level))
                break
    return f"{worst} (level {where})"


def show_operators(totals: dict[str, Found]) -> None:
    """How often each operator spoiled an answer; all of those were refused, or the law above is broken."""
    for env, found in totals.items():
        rows = [[name, f"{found.kills[name]:,}"] for name in sorted(known(env))]
        show(f"{env}: answers spoiled, by operator", [Column("edit", False), Column("rejected")], rows)


def main() -> None:
    """Run the laws and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000, help="tasks per environment (default 100000)")
    parser.add_argument("--env", action="append", help="an environment; may be given again (default: all)")
    parser.add_argument("--levels", default="0-12")
    parser.add_argument("--products", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    for env in arguments.env or ():
        environment(env)
    totals = {env: Found(env) for env in arguments.env or environments()}
    began = told = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
        for found in pool.imap(prove, jobs(arguments)):
            totals[found.env].add(found)
            if time.monotonic() - told > 10:
                told = time.monotonic()
                done = sum(one.tasks for one in totals.values())
                whole = arguments.count * len(totals)
                print(f"{done:,} of {whole:,} tasks, {told - began:.0f} s", file=sys.stderr, flush=True)
    holds = tables(totals)
    print(f"\n{'Every law holds.' if holds else 'NOT every law holds.'} {time.monotonic() - began:.0f} s")
    sys.exit(not holds)


if __name__ == "__main__":
    main()
