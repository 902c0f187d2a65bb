"""A proof run: every law over many tasks, by environment and level, on one machine's processes in bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.environments import environment, environments
from ecomrlve.generator.proofs import proof
from ecomrlve.generator.proofs.tally import LawTally, broken_counts, measure
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import World
from ecomrlve.outputs.workers import Tick, nothing, run_jobs

CHUNK = 100
"""Tasks of one job, all of one environment."""

ALL_LEVELS = range(13)
"""The levels at which every operator must have had cases."""


@dataclass(frozen=True)
class Proof:
    """What to prove.

    Args:
        environments: their names; none for all.
        count: tasks in all, shared alike among the environments.
        levels: taken in turn.
        products: size of the synthetic shop.
        catalog: folder of an imported shop in its place.
        seed: of the shop and the tasks.

    Raises:
        InvalidArgument: for an unknown environment, or counts that make no task.

    >>> Proof(environments=("PD",), count=300, levels=(0, 1)).jobs[-1]
    ('PD', 200, 100)
    """

    environments: tuple[str, ...] = ()
    count: int = 4_000
    levels: tuple[int, ...] = tuple(ALL_LEVELS)
    products: int = 20_000
    catalog: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InvalidArgument("count", self.count, "must be at least 1")
        if not self.levels:
            raise InvalidArgument("levels", self.levels, "must name a level")
        for name in self.environments:
            environment(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The environments, each once."""
        return tuple(dict.fromkeys(self.environments)) or environments()

    @cached_property
    def jobs(self) -> list[tuple[str, int, int]]:
        """(environment, first index, how many) of each piece of work, the environments in turn."""
        each, rest = divmod(self.count, len(self.names))
        counts = {name: each + (place < rest) for place, name in enumerate(self.names)}
        return [
            (name, first, min(CHUNK, counts[name] - first))
            for first in range(0, each + 1, CHUNK)
            for name in self.names
            if counts[name] > first
        ]


Tallies = dict[str, dict[int, LawTally]]
"""By environment and level."""


@dataclass(frozen=True)
class Proven:
    """What a proof run found.

    Args:
        proof: what was asked.
        tallies: the counts by environment and level.
    """

    proof: Proof
    tallies: Tallies

    def total(self, env: str) -> LawTally:
        """An environment's counts over all levels."""
        whole = LawTally()
        for tally in self.tallies[env].values():
            whole.add(tally)
        return whole

    def faults(self) -> Iterator[str]:
        """Everything that is wrong, each in a sentence, with what re-makes it where one task shows it."""
        for env in self.proof.names:
            whole = self.total(env)
            for law, times in whole.broken.items():
                if times:
                    yield f"{env}: {law}: broken by {times:,} of {whole.checked[law]:,} tasks"
                    yield from (f"    {example}" for example in whole.examples[law])
            yield from (f"{env}: {fault}" for fault in broken_counts(whole))
            for level, tally in sorted(self.tallies[env].items()):
                yield from (f"{env} at level {level}: {fault}" for fault in broken_counts(tally))
            missing = sorted(self._without_cases(env, whole))
            if missing:
                yield f"{env}: no wrong answer was made by {', '.join(missing)}"

    def _without_cases(self, env: str, whole: LawTally) -> set[str]:
        """Operators that spoiled nothing, where there were tasks enough."""
        row = proof(env)
        if row is None or whole.tasks < row.enough or not set(ALL_LEVELS) <= set(self.proof.levels):
            return set()
        return {name for name in row.operators if not whole.wrong[name]}


@lru_cache(maxsize=1)
def _world(asked: Proof) -> World:
    """The shop, made once in each process."""
    if asked.catalog is not None:
        return World.load(asked.catalog, seed=asked.seed)
    return World.synthetic(products=asked.products, seed=asked.seed)


@dataclass(frozen=True)
class _Job:
    """One piece of a proof run, by number."""

    proof: Proof

    def __call__(self, number: int, tick: Tick) -> tuple[str, dict[int, LawTally]]:
        world = _world(self.proof)
        env, first, count = self.proof.jobs[number]
        tallies: dict[int, LawTally] = {}
        fitting: Task | None = None
        for index in range(first, first + count):
            level = self.proof.levels[index % len(self.proof.levels)]
            tally = tallies.setdefault(level, LawTally())
            task = measure(world, env, level, self.proof.seed, index, fitting, tally)
            fitting = fitting if task.impossible else task
            tick(1)
        return env, tallies


def prove(asked: Proof, *, workers: int = 1, progress: Tick = nothing) -> Proven:
    """Hold tasks to every law and count what cheats, mutants and solvers make of them.

    The counts do not depend on ``workers``.

    Args:
        asked: what to prove.
        workers: processes to use.
        progress: told how many more tasks are done.

    Raises:
        InvalidArgument: for fewer than one worker.
        CannotPose: where the shop cannot carry an environment at one of the levels.

    >>> found = prove(Proof(environments=("CART",), count=4, levels=(0, 3), products=2_000))
    >>> list(found.faults()), found.total("CART").tasks
    ([], 4)
    """
    if workers < 1:
        raise InvalidArgument("workers", workers, "must be at least 1")
    tallies: Tallies = {name: {} for name in asked.names}
    for env, found in run_jobs(_Job(asked), range(len(asked.jobs)), workers, progress):
        for level, tally in found.items():
            tallies[env].setdefault(level, LawTally()).add(tally)
    return Proven(asked, tallies)
