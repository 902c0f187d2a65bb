"""Schedulers against simulated learners: rollouts to each skill, wasted prompts, wrong promotions, recovery."""

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from ecomrlve.difficulty.learners import Learner, LearnerParameters, axes_of, learner_named
from ecomrlve.difficulty.schedulers import Draw, Scheduler, make_scheduler

BATCH = 64
"""Prompts between two updates of the learner."""

GROUP = 8
"""Rollouts of one prompt."""

MOST_PROMPTS = 60_000
"""A run that has not reached its goal by then ends."""

# A promotion is wrong where the window's top rises to a level at which fewer rollouts are correct than this.
_HOPELESS = 0.05


@dataclass(frozen=True, slots=True)
class Run:
    """What one training run came to.

    Args:
        scheduler: its name.
        learner: its name.
        seed: of both.
        rollouts: until the goal was reached, None where it was not.
        reached: whole skill to the rollouts after which it was first reached.
        skill: at the end, in levels.
        effective: share of prompts whose groups carried gradient, at `GROUP` rollouts.
        effective_16: the share expected at 16 rollouts.
        promotions: times that the top of an environment's window rose.
        wrong_promotions: of those, to a level at which fewer than one rollout in twenty is correct.
        recovery: rollouts from a collapse until the skill was back; None where there was none or it did not come back.
        impossible: share of prompts spent on impossible environments.
        least: the smallest share of prompts that any environment got.
        decision_microseconds: wall time of one draw and its observation.
        curve: (rollouts, skill) along the way.
    """

    scheduler: str
    learner: str
    seed: int
    rollouts: int | None
    reached: dict[int, int]
    skill: float
    effective: float
    effective_16: float
    promotions: int
    wrong_promotions: int
    recovery: int | None
    impossible: float
    least: float
    decision_microseconds: float
    curve: list[tuple[int, float]] = field(default_factory=list)


@dataclass
class _Course:
    """What is kept while a run lasts."""

    effective: int = 0
    expected: float = 0.0
    promotions: int = 0
    wrong: int = 0
    seconds: float = 0.0
    before_collapse: float | None = None
    collapsed: int = 0
    recovered: int | None = None


def simulate(
    scheduler: str,
    learner: str,
    seed: int,
    *,
    most_prompts: int = MOST_PROMPTS,
    options: Mapping[str, Any] | None = None,
) -> Run:
    """One run of one scheduler with one learner.

    Raises:
        InvalidArgument: for an unknown name.

    >>> simulate("uniform", "steady", 0, most_prompts=640).skill > 1
    True
    """
    parameters = learner_named(learner)
    names = parameters.names
    drawn_by = make_scheduler(scheduler, environments=names, seed=seed, axes=axes_of(parameters), **(options or {}))
    pupil = Learner(parameters, seed)
    course = _Course()
    reached: dict[int, int] = {}
    curve: list[tuple[int, float]] = []
    spent = dict.fromkeys(names, 0)
    tops = {env: drawn_by.window(env)[1] for env in names}
    made = prompts = 0
    while prompts < most_prompts and pupil.skill() < parameters.goal:
        started = time.perf_counter()
        draws = drawn_by.sample(BATCH)
        course.seconds += time.perf_counter() - started
        tasks = []
        for draw in draws:
            spent[draw.env] += 1
            tasks.append(draw.replay or f"task-{made}")
            made += draw.replay is None
        chances = pupil.success(draws)
        before = pupil.skill()
        correct = pupil.rollouts(draws, GROUP, tasks)
        started = time.perf_counter()
        for draw, one, task in zip(draws, correct, tasks, strict=True):
            drawn_by.observe(draw=draw, successes=one, trials=GROUP, task_id=task)
        course.seconds += time.perf_counter() - started
        prompts += len(draws)
        course.effective += sum(0 < one < GROUP for one in correct)
        course.expected += float((1 - chances**16 - (1 - chances) ** 16).sum())
        _promotions(drawn_by, pupil, tops, course)
        _recovery(parameters, pupil, before, prompts, course)
        for whole in range(int(max(0.0, pupil.skill())) + 1):
            reached.setdefault(whole, prompts * GROUP)
        curve.append((prompts * GROUP, pupil.skill()))
    impossible = sum(count for env, count in spent.items() if not pupil.is_possible(env))
    return Run(
        scheduler=scheduler,
        learner=learner,
        seed=seed,
        rollouts=prompts * GROUP if pupil.skill() >= parameters.goal else None,
        reached=reached,
        skill=pupil.skill(),
        effective=course.effective / prompts,
        effective_16=course.expected / prompts,
        promotions=course.promotions,
        wrong_promotions=course.wrong,
        recovery=course.recovered,
        impossible=impossible / prompts,
        least=min(spent.values()) / prompts,
        decision_microseconds=1e6 * course.seconds / prompts,
        curve=curve[:: max(1, len(curve) // 60)],
    )


def _promotions(scheduler: Scheduler, pupil: Learner, tops: dict[str, int], course: _Course) -> None:
    """Count where the top of a window rose, and where that was too early."""
    for env, old in tops.items():
        top = tops[env] = scheduler.window(env)[1]
        if top > old and pupil.is_possible(env):
            course.promotions += 1
            course.wrong += bool(pupil.success([Draw(env, top)])[0] < _HOPELESS)


def _recovery(parameters: LearnerParameters, pupil: Learner, before: float, prompts: int, course: _Course) -> None:
    """Note the skill before a collapse, and when it is back."""
    if not parameters.collapse_at or prompts < parameters.collapse_at:
        return
    if course.before_collapse is None:
        course.before_collapse, course.collapsed = before, prompts
    elif course.recovered is None and pupil.skill() >= course.before_collapse:
        course.recovered = (prompts - course.collapsed) * GROUP


def _simulate(job: tuple[str, str, int, int]) -> Run:
    scheduler, learner, seed, most_prompts = job
    return simulate(scheduler, learner, seed, most_prompts=most_prompts)


def compare(
    schedulers: Sequence[str],
    learners: Sequence[str],
    seeds: int,
    *,
    workers: int = 1,
    most_prompts: int = MOST_PROMPTS,
    finished: Callable[[int], None] | None = None,
) -> list[Run]:
    """Every scheduler with every learner, at seeds 0 to ``seeds`` - 1, in that order.

    Args:
        schedulers: names.
        learners: names.
        seeds: runs of each pair.
        workers: processes.
        most_prompts: where a run that does not reach its goal ends.
        finished: called with how many runs are done.

    Raises:
        InvalidArgument: for an unknown name.
    """
    for name in learners:
        learner_named(name)
    for name in schedulers:
        make_scheduler(name, environments=("PD",))
    jobs = [(one, other, seed, most_prompts) for other in learners for one in schedulers for seed in range(seeds)]
    runs = []
    if workers == 1:
        for done, job in enumerate(jobs, start=1):
            runs.append(_simulate(job))
            if finished:
                finished(done)
        return runs
    # Spawned, so that a thread of the caller's holds no lock in a child.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for done, run in enumerate(pool.map(_simulate, jobs, chunksize=4), start=1):
            runs.append(run)
            if finished:
                finished(done)
    return runs


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over seeds with its 95 % interval: mean - half to mean + half."""

    mean: float
    half: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Mean":
        """The mean of some values and 1.96 standard errors; no interval of fewer than two.

        >>> round(Mean.of([1.0, 3.0]).half, 2)
        1.96
        """
        half = 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
        return cls(statistics.fmean(values), half)


@dataclass(frozen=True, slots=True)
class Summary:
    """One scheduler's runs with one learner.

    Args:
        scheduler: its name.
        learner: its name.
        runs: how many there were.
        solved: share that reached the goal.
        rollouts: until the goal; a run that did not reach it counts with all of its rollouts, too few.
        against: another scheduler's name to this one's rollouts by that one's, seed by seed.
        effective: share of prompts whose groups carried gradient, at `GROUP` rollouts, and
        effective_16: at 16.
        wrong: share of promotions that were too early.
        recovery: rollouts until a collapse was made good, where there was one.
        impossible: share of prompts spent on impossible environments.
        least: the smallest share of prompts that any environment got.
        decision_microseconds: wall time of one decision.
    """

    scheduler: str
    learner: str
    runs: int
    solved: float
    rollouts: Mean
    against: dict[str, Mean]
    effective: Mean
    effective_16: Mean
    wrong: Mean
    recovery: Mean | None
    impossible: Mean
    least: Mean
    decision_microseconds: Mean


def summarize(runs: Sequence[Run], against: Sequence[str], most_prompts: int = MOST_PROMPTS) -> list[Summary]:
    """The runs by learner and scheduler, in their order.

    Args:
        runs: of `compare`.
        against: schedulers that the others are compared with; those without runs are left out.
        most_prompts: as the runs were made with.
    """
    most = most_prompts * GROUP
    grouped: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        grouped.setdefault((run.learner, run.scheduler), []).append(run)
    found = []
    for (learner, scheduler), some in grouped.items():
        taken = {run.seed: run.rollouts or most for run in some}
        others = {
            other: {run.seed: run.rollouts or most for run in grouped[learner, other]}
            for other in against
            if (learner, other) in grouped
        }
        recoveries = [float(run.recovery) for run in some if run.recovery is not None]
        found.append(
            Summary(
                scheduler=scheduler,
                learner=learner,
                runs=len(some),
                solved=sum(run.rollouts is not None for run in some) / len(some),
                rollouts=Mean.of([float(one) for one in taken.values()]),
                against={
                    other: Mean.of([taken[seed] / theirs[seed] for seed in taken if seed in theirs])
                    for other, theirs in others.items()
                },
                effective=Mean.of([run.effective for run in some]),
                effective_16=Mean.of([run.effective_16 for run in some]),
                wrong=Mean.of([run.wrong_promotions / max(1, run.promotions) for run in some]),
                recovery=Mean.of(recoveries) if recoveries else None,
                impossible=Mean.of([run.impossible for run in some]),
                least=Mean.of([run.least for run in some]),
                decision_microseconds=Mean.of([run.decision_microseconds for run in some]),
            )
        )
    return found
