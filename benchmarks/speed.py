"""Speed: tasks a second from seed to Parquet, where the time goes, and verdicts a second.

    python benchmarks/speed.py                                  # 100,000 products, 10,000 tasks, 5,000 per environment
    python benchmarks/speed.py --products 1000 100000 2000000   # by catalog size
    python benchmarks/speed.py --tasks 1000 --workers           # quick, and what a second worker adds

Rates are tasks divided by CPU time (of one process), so other programs on the machine disturb them little; the shop is
made before the clock starts and is reported apart. The floor is the same rows, already in memory, written to Parquet.
Where the time goes is found by sampling the stack, which leaves the program as it is. Programs that share the core's
caches and units do slow it down, though: the pace of a plain loop is printed first, to compare runs by.
"""

import argparse
import gc
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import FrameType

from ecomrlve.generator.environments import environments
from ecomrlve.generator.tasks import make_task
from ecomrlve.generator.verifiers import verify
from ecomrlve.generator.world import World
from ecomrlve.outputs.configuration import Configuration, read_levels
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.plan import Plan
from ecomrlve.outputs.schema import values
from ecomrlve.outputs.shards import ShardJob, TaskMaker
from ecomrlve.outputs.stores import DATA, UNFINISHED, FolderStore
from ecomrlve.outputs.tables import Column, show
from ecomrlve.outputs.workers import nothing
from ecomrlve.outputs.writers import GroupWriter

STAGES = ("pose", "goals", "pages", "words", "conditions", "rules", "write")
_REPLY_CHARS = 600
_SECONDS_BETWEEN_SAMPLES = 0.001

# Which stage a frame belongs to, by the folder it lies in; of all frames between `make_task` and the top of the
# stack the outermost that is listed decides. What is in none of them is pose; what is outside `make_task` is write.
PLACES: tuple[tuple[str, str], ...] = (
    ("generator/goals/", "goals"),
    ("generator/pages/", "pages"),
    ("grammars/dialogue/", "words"),
    ("grammars/conditions/", "conditions"),
    ("grammars/policy/", "rules"),
    ("generator/policies/", "rules"),
)


def pace() -> float:
    """CPU seconds of a loop of 5,000,000 additions, the best of five: what this core is worth just now."""
    took = []
    for _ in range(5):
        start, total = time.process_time(), 0
        for number in range(5_000_000):
            total += number
        took.append(time.process_time() - start)
    return min(took)


def stage_of(frame: FrameType | None) -> str:
    """The stage of a stack, from its innermost frame."""
    found = ""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.endswith("generator/tasks.py") and frame.f_code.co_name == "make_task":
            return found or "pose"
        found = next((stage for place, stage in PLACES if place in name), found)
        frame = frame.f_back
    return "write"


@contextmanager
def sampled(counts: Counter[str]) -> Iterator[None]:
    """Count the stage of the main thread's stack once per millisecond of CPU time."""

    def sample(_: int, frame: FrameType | None) -> None:
        counts[stage_of(frame)] += 1

    before = signal.signal(signal.SIGPROF, sample)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS_BETWEEN_SAMPLES, _SECONDS_BETWEEN_SAMPLES)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class _OneWorld(ShardJob):
    """A shard job over a world that is already made."""

    def __init__(self, configuration: Configuration, out: Path, world: World) -> None:
        super().__init__(configuration, FolderStore(out))
        self._open = (world.split, world)


def fresh(world: World) -> World:
    """The same world without what earlier tasks left in its memories."""
    catalog = replace(world.catalog)
    made = World(catalog, world.seed, world.split, world.recipe, world.shared)
    prepare(made)
    # As a run does: a world is never garbage.
    gc.collect()
    gc.freeze()
    return made


def prepare(world: World) -> None:
    """Make what a world makes once, before the clock starts: digest, customers, policy, orders, shelves."""
    for name in ("digest", "customers", "policies", "orders", "shelves_by_size", "buyable"):
        getattr(world, name)


def configuration(world: World, names: Sequence[str], levels: tuple[int, ...], count: int) -> Configuration:
    """A run over one split of a world."""
    return Configuration(
        count=count,
        environments=tuple((name, Fraction(1)) for name in names),
        levels=levels,
        splits=(("train", Fraction(1)),),
        seed=world.seed,
        shop=len(world.catalog),
    )


def run(asked: Configuration, world: World) -> float:
    """CPU seconds to make the tasks of a run and write them."""
    with tempfile.TemporaryDirectory() as folder:
        for name in (DATA, UNFINISHED):
            (Path(folder) / name).mkdir()
        job = _OneWorld(asked, Path(folder), world)
        start = time.process_time()
        for number in range(len(Plan(asked).shards)):
            job(number, nothing)
        return time.process_time() - start


def floor(asked: Configuration, world: World) -> float:
    """CPU seconds to write the same rows where they are in memory already."""
    maker = TaskMaker(asked)
    rows = []
    for shard in Plan(asked).shards:
        rows += [values(*maker.make(world, place)) for place in Plan(asked).places(shard)]
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        for at in range(0, len(rows), asked.shard_rows):
            with GroupWriter(Path(folder) / f"{at}.parquet") as writer:
                for row in rows[at : at + asked.shard_rows]:
                    writer.add(row)
        return time.process_time() - start


def generation(world: World, names: Sequence[str], levels: tuple[int, ...], tasks: int, again: int) -> None:
    """Print tasks a second per environment and over an equal mix, beside the floor."""
    rows = []
    for group in [*([name] for name in names), list(names)]:
        count = tasks if len(group) > 1 else tasks // 2
        asked = configuration(world, group, levels, count)
        seconds = sorted(run(asked, fresh(world)) for _ in range(again))[again // 2]
        counts: Counter[str] = Counter()
        with sampled(counts):
            run(asked, fresh(world))
        total = max(1, sum(counts.values()))
        split = [f"{seconds / count * 1e6 * counts[stage] / total:.0f}" for stage in STAGES]
        least = floor(asked, fresh(world))
        rows.append(
            [
                "equal mix" if len(group) > 1 else group[0],
                f"{len(world.catalog):,}",
                f"{count:,}",
                f"{count / seconds:,.0f}",
                f"{seconds / count * 1e6:.0f}",
                *split,
                f"{least / count * 1e6:.0f}",
                f"{seconds / least:.1f}",
            ]
        )
    show(
        f"Tasks, levels {levels[0]}-{levels[-1]}, seed to Parquet, one process (µs of CPU time a task)",
        [
            Column("environment", False),
            Column("products"),
            Column("tasks"),
            Column("tasks/s"),
            Column("µs"),
            *(Column(stage) for stage in STAGES),
            Column("floor"),
            Column("x floor"),
        ],
        rows,
    )


def verdicts(world: World, names: Sequence[str], levels: tuple[int, ...], tasks: int) -> None:
    """Print verdicts a second on replies of 600 characters."""
    rows = []
    for name in names:
        made = [
            make_task(world, name, level=levels[index % len(levels)], seed=world.seed, index=index)
            for index in range(tasks)
        ]
        pairs = [
            (
                ("I looked at each line of the page. " * 40)[: _REPLY_CHARS - len(task.oracle)] + task.oracle,
                task.ground_truth,
            )
            for task in made
        ]
        start = time.process_time()
        correct = sum(verify(truth, reply).correct for reply, truth in pairs)
        seconds = time.process_time() - start
        rows.append(
            [name, f"{tasks:,}", f"{tasks / seconds:,.0f}", f"{seconds / tasks * 1e6:.1f}", f"{correct / tasks:.0%}"]
        )
    show(
        f"Verdicts, replies of {_REPLY_CHARS} characters",
        [Column("environment", False), Column("replies"), Column("verdicts/s"), Column("µs"), Column("correct")],
        rows,
    )


def workers(products: int, names: Sequence[str], levels: tuple[int, ...], tasks: int) -> None:
    """Print what a second worker process adds, by the clock on the wall."""
    rows = []
    asked = Configuration(
        count=tasks,
        environments=tuple((name, Fraction(1)) for name in names),
        levels=levels,
        splits=(("train", Fraction(1)),),
        shop=products,
        shard_rows=max(1, tasks // 20),
    )
    took: dict[int, float] = {}
    for count in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            generate(asked, Path(folder) / "out", workers=count)
            took[count] = time.perf_counter() - start
        rows.append(
            [
                str(count),
                f"{tasks:,}",
                f"{took[count]:.1f}",
                f"{tasks / took[count]:,.0f}",
                f"{took[1] / took[count]:.2f}",
            ]
        )
    show(
        f"Workers, {products:,} products, a whole run with its shop and manifest (wall clock)",
        [Column("workers"), Column("tasks"), Column("seconds"), Column("tasks/s"), Column("x one")],
        rows,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmarks that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--products", type=int, nargs="+", default=[100_000], help="sizes of the shop")
    parser.add_argument("--tasks", type=int, default=10_000, help="tasks of the mix; half as many per environment")
    parser.add_argument("--levels", default="0-4")
    parser.add_argument("--env", nargs="+", default=list(environments()), help="environments; all by default")
    parser.add_argument("--again", type=int, default=1, help="repeats; the median counts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", action="store_true", help="also compare one worker process with two")
    given = parser.parse_args(arguments)
    levels = read_levels(given.levels)
    print(f"A loop of 5,000,000 additions takes {pace():.2f} s on this core.", flush=True)
    for products in given.products:
        start = time.process_time()
        world = World.synthetic(products=products, seed=given.seed)
        prepare(world)
        print(f"\nShop of {products:,} products made in {time.process_time() - start:.1f} s of CPU time.", flush=True)
        generation(world, given.env, levels, given.tasks, given.again)
    verdicts(world, given.env, levels, min(given.tasks, 2_000))
    if given.workers:
        del world
        for products in given.products:
            workers(products, given.env, levels, given.tasks)


if __name__ == "__main__":
    main()
