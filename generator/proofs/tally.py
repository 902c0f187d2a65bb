"""What the laws, the cheats, the mutants and the solvers did with many tasks, counted; counts of parts add up."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import sqrt

from ecomrlve.generator.proofs import proof
from ecomrlve.generator.proofs.answers import NOTHING_FITS, SAY_NOTHING_FITS, cheats
from ecomrlve.generator.proofs.laws import NOISE_FREE_LAWS, NOISY_LAWS, Law, LawCase
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task, make_task
from ecomrlve.generator.verifiers import verify
from ecomrlve.generator.world import World

EXAMPLES = 3
"""Faults of one kind that are kept."""

THROUGH_NOISE = " ~"
"""Behind the name of a law: of tasks with typing errors."""

IMPOSSIBLE = 0.1
"""The share of tasks that nothing fits."""

# A count may pass what is allowed by so many standard errors, or by this share of a mean.
_ERRORS = 4
_LARGEST_MEAN = 0.1
_MOST_ATTEMPTS, _MAY_TAKE_MORE = 5, 0.01


@dataclass
class LawTally:
    """Counts of some tasks of one environment.

    Attributes:
        tasks: how many there are.
        impossible: those whose right answer is that nothing fits.
        checked: tasks by law.
        broken: those that break it.
        examples: some of them by law, each with what re-makes it.
        made: answers one edit from the right one, by operator.
        wrong: those that the second solver rejects.
        rejected: those that the verifier rejects as well.
        rewrites: other spellings of right answers.
        accepted: those that the verifier accepts.
        judged: tasks that something fits, on which cheats were tried.
        chance: the sum of what a blind guess has on them.
        right: cheats that were right, by name.
        score: sums of their scores.
        squares: sums of the squares.
        says_nothing: how often one who always says that nothing fits is right, over all tasks.
        strays: cheats that were right where nothing fits and did not say so.
        attempts: tasks by how often their pose had to start.
    """

    tasks: int = 0
    impossible: int = 0
    checked: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    made: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    rewrites: int = 0
    accepted: int = 0
    judged: int = 0
    chance: float = 0.0
    right: Counter[str] = field(default_factory=Counter)
    score: dict[str, float] = field(default_factory=dict)
    squares: dict[str, float] = field(default_factory=dict)
    says_nothing: int = 0
    strays: Counter[str] = field(default_factory=Counter)
    attempts: Counter[int] = field(default_factory=Counter)

    def add(self, other: "LawTally") -> None:
        """Count another tally's tasks in.

        >>> both = LawTally(tasks=1)
        >>> both.add(LawTally(tasks=2))
        >>> both.tasks
        3
        """
        for one in fields(self):
            mine, theirs = getattr(self, one.name), getattr(other, one.name)
            if isinstance(mine, Counter):
                mine.update(theirs)
            elif one.name == "examples":
                for law, shown in theirs.items():
                    mine[law] = (mine.get(law, []) + shown)[:EXAMPLES]
            elif isinstance(mine, dict):
                for name, value in theirs.items():
                    mine[name] = mine.get(name, 0.0) + value
            else:
                setattr(self, one.name, mine + theirs)

    def holds(self, law: str) -> int:
        """How many of the tasks checked obey a law."""
        return self.checked[law] - self.broken[law]

    def mean(self, cheat: str) -> float:
        """A cheat's mean score on tasks that something fits."""
        return self.score.get(cheat, 0.0) / max(1, self.judged)

    def attempts_at(self, percent: int) -> int:
        """A percentile of attempts per task; 0 where there are no tasks.

        >>> LawTally(attempts=Counter({1: 98, 4: 2})).attempts_at(99)
        4
        """
        left = (self.attempts.total() * percent + 99) // 100
        for attempts, tasks in sorted(self.attempts.items()):
            left -= tasks
            if left <= 0:
                return attempts
        return 0


def measure(world: World, env: str, level: int, seed: int, index: int, other: Task | None, tally: LawTally) -> Task:
    """Make a task without typing errors, and at every other index with its level's; hold it to all laws, and count.

    Args:
        world: the shop.
        env: an environment.
        level: the task's level.
        seed: the run's.
        index: the task's.
        other: an earlier task that something fits; without one no cheat is tried.
        tally: where to count.

    Returns:
        The task.

    >>> tally = LawTally()
    >>> _ = measure(World.synthetic(products=2_000), "CART", 2, 0, 4, None, tally)
    >>> tally.tasks, tally.broken.total()
    (1, 0)
    """
    task = make_task(world, env, level=level, seed=seed, index=index, axes={"noise": 0}, impossible=IMPOSSIBLE)
    tally.tasks += 1
    tally.impossible += task.impossible
    tally.attempts[task.attempts] += 1
    _hold(LawCase(world, task), NOISE_FREE_LAWS, "", tally)
    row = proof(env)
    if row is not None:
        tally.says_nothing += verify(task.ground_truth, json.dumps(row.nothing)).correct
    if index % 2:
        _hold(
            LawCase(world, make_task(world, env, level=level, seed=seed, index=index)), NOISY_LAWS, THROUGH_NOISE, tally
        )
    if other is not None:
        _try_cheats(task, other, tally)
    return task


def _hold(case: LawCase, laws: Mapping[str, Law], mark: str, tally: LawTally) -> None:
    for law, check in laws.items():
        faults = list(check(case))
        tally.checked[law + mark] += 1
        if faults:
            tally.broken[law + mark] += 1
            shown = tally.examples.setdefault(law + mark, [])
            if len(shown) < EXAMPLES:
                shown.append(f"{case.name}: {faults[0]:.600}")
    tally.made.update(case.made)
    tally.wrong.update(case.wrong)
    tally.rejected.update(case.rejected)
    tally.rewrites += case.rewrites
    tally.accepted += case.accepted


def _try_cheats(task: Task, other: Task, tally: LawTally) -> None:
    """Judge those who have not read the task."""
    if not task.impossible:
        tally.judged += 1
        tally.chance += task.chance
    for name, reply in cheats(task, other, Draws(0, "cheats", task.env, task.index)):
        verdict = verify(task.ground_truth, reply)
        if not task.impossible:
            tally.right[name] += verdict.correct
            tally.score[name] = tally.score.get(name, 0.0) + verdict.score
            tally.squares[name] = tally.squares.get(name, 0.0) + verdict.score**2
        elif verdict.correct and name not in SAY_NOTHING_FITS:
            tally.strays[name] += 1


# --- laws of counts --------------------------------------------------------------------------------------------------


def broken_counts(tally: LawTally) -> list[str]:
    """What is wrong with the counts, in words, though no single task shows it.

    >>> broken_counts(LawTally(judged=1000, chance=20.0, right=Counter(echo=90), score={"echo": 90.0}))
    ['"echo" is right 90 times in 1,000; chance allows 20']
    """
    found = []
    most = tally.chance + _ERRORS * sqrt(tally.chance) + 1
    for name, score in tally.score.items():
        if tally.right[name] > most:
            so_often = f"{tally.right[name]:,} times in {tally.judged:,}"
            found.append(f'"{name}" is right {so_often}; chance allows {tally.chance:,.0f}')
        mean = score / tally.judged
        spread = sqrt(max(0.0, tally.squares.get(name, 0.0) / tally.judged - mean**2) / tally.judged)
        if mean > _LARGEST_MEAN + _ERRORS * spread:
            found.append(f'"{name}" has a mean score of {mean:.3f}; {_LARGEST_MEAN} is allowed')
    for name, times in tally.strays.items():
        found.append(f'where nothing fits "{name}" is right {times:,} times, and does not say so')
    slow = sum(tasks for attempts, tasks in tally.attempts.items() if attempts > _MOST_ATTEMPTS)
    allowed = _MAY_TAKE_MORE * tally.tasks
    if slow > allowed + _ERRORS * sqrt(allowed) + 1:
        found.append(f"{slow:,} of {tally.tasks:,} tasks take more than {_MOST_ATTEMPTS} attempts; 1 % may")
    usual = IMPOSSIBLE * tally.tasks
    if tally.says_nothing > usual + _ERRORS * sqrt(usual) + 1:
        found.append(f'"{NOTHING_FITS}" is right {tally.says_nothing:,} times in {tally.tasks:,}')
    return found
