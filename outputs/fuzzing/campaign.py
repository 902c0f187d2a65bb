"""A fuzzing run: every property over every environment, all that was tried counted, each kind of failure small."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from math import sqrt

from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, NoSuchExample, Unsatisfiable

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.environments import environment, environments
from ecomrlve.generator.proofs.laws import remakes
from ecomrlve.generator.tasks import Task, make_task
from ecomrlve.generator.world import World
from ecomrlve.outputs.fuzzing.properties import PROPERTIES, Falsified, Property, pure_across_processes
from ecomrlve.outputs.fuzzing.replies import excerpt, shop, shown_text, study
from ecomrlve.outputs.fuzzing.strategies import LEVELS, PRODUCTS, Example, another, known_task, said, tasks
from ecomrlve.outputs.fuzzing.timing import Deadline, timed
from ecomrlve.outputs.fuzzing.verifier import OURS, Verifier, load_verifier
from ecomrlve.outputs.workers import Tick, nothing, run_jobs

CHUNK = 250
"""Examples between two looks at the clock."""

SHRUNK = 3
"""Kinds of failure of one property and environment that are made as small as can be; the others as small as seen."""

CHEATS = "cheats"
"""The name under which mean scores of cheats are told."""

LARGEST_MEAN = 0.1
"""The most that a cheat may have on average, as a share of the maximum."""

_ERRORS = 4
_SEARCH = 300
_FEW_TASKS = 6
_ORACLES = 24
_MEAN_TASKS = 150
_QUIET = settings(database=None, deadline=None, suppress_health_check=list(HealthCheck), print_blob=False)
_SEARCHING = settings(_QUIET, max_examples=_SEARCH, derandomize=True)


@dataclass(frozen=True)
class Campaign:
    """What to fuzz.

    Args:
        spec: the verifier, ``module:function``.
        convention: how to call it, where that should not be worked out.
        pass_at: the score from which a reply passes; by default the verifier's own maximum.
        environments: whose tasks; none for all.
        properties: what to try; none for all.
        examples: of each property and environment.
        levels: of the tasks.
        seed: of the draws.
        products: size of the synthetic shop.
        seconds: when to stop; None for when all is tried.

    Raises:
        InvalidArgument: for an unknown environment or property, or counts that try nothing.

    >>> len(Campaign(environments=("PD",)).jobs)
    9
    """

    spec: str = OURS
    convention: str | None = None
    pass_at: float | None = None
    environments: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    examples: int = 500
    levels: tuple[int, ...] = LEVELS
    seed: int = 0
    products: int = PRODUCTS
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in self.environments:
            environment(name)
        for name in self.properties:
            if name not in (*PROPERTIES, CHEATS):
                raise InvalidArgument("property", name, f"choose from {', '.join((*PROPERTIES, CHEATS))}")
        if self.examples < 1:
            raise InvalidArgument("examples", self.examples, "must be at least 1")
        if self.seconds is not None and self.seconds <= 0:
            raise InvalidArgument("time", self.seconds, "must be above 0")
        if not self.levels:
            raise InvalidArgument("levels", self.levels, "must name a level")
        if not 0 <= self.seed < 1 << 62:
            raise InvalidArgument("seed", self.seed, "must be a whole number of at least 0")

    @property
    def names(self) -> tuple[str, ...]:
        """The environments, each once."""
        return tuple(dict.fromkeys(self.environments)) or environments()

    @cached_property
    def jobs(self) -> list[tuple[str, str]]:
        """(environment, property) of each piece of work; tasks of one environment serve the next piece again."""
        wanted = tuple(dict.fromkeys(self.properties)) or (*PROPERTIES, CHEATS)
        return [(env, name) for env in self.names for name in wanted]

    @property
    def total(self) -> int:
        """Examples in all, as far as they can be told before."""
        return sum(min(self.examples, PROPERTIES[name].most) for _, name in self.jobs if name != CHEATS)


@dataclass(frozen=True)
class Finding:
    """One kind of failure, by its smallest case; JSON-ready.

    Args:
        property: which does not hold.
        env: of the task.
        operator: what was done to make the reply.
        message: what happened, in a sentence.
        level: of the task.
        chars: length of the reply.
        remakes: the call that makes the task again.
        truth: its ground truth.
        reply: what was said, the middle of a long one left out.
        oracle: a right reply.
        failed: how often it was seen.
        tried: of so many examples of the operator.
        replay: the command that finds it again.
    """

    property: str
    env: str
    operator: str
    message: str
    level: int
    chars: int
    remakes: str
    truth: str
    reply: str
    oracle: str
    failed: int
    tried: int
    replay: str


@dataclass
class Counts:
    """What was tried of one property on one environment.

    Attributes:
        tried: examples by operator.
        failed: those at which the property does not hold.
        findings: each kind of failure.
        seconds: the slowest verdict's processor time.
        chars: and the length of its reply.
        means: mean scores of cheats as shares of the maximum, with their number.
    """

    tried: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    seconds: float = 0.0
    chars: int = 0
    means: dict[str, tuple[float, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """What a run found.

    Args:
        campaign: what was asked.
        verifier: the verifier as it was called.
        counts: by (environment, property).
    """

    campaign: Campaign
    verifier: Verifier
    counts: dict[tuple[str, str], Counts]

    @property
    def findings(self) -> list[Finding]:
        """All kinds of failure."""
        return [finding for counts in self.counts.values() for finding in counts.findings]

    @property
    def tried(self) -> int:
        """Examples tried in all."""
        return sum(counts.tried.total() for counts in self.counts.values())


@lru_cache(maxsize=2)
def _prepared(campaign: Campaign) -> tuple[World, Verifier]:
    """The shop and the verifier with its maximum, made once in each process."""
    world = shop(campaign.products, 0)
    probe = make_task(world, campaign.names[0], level=0, seed=0, index=0, axes={"noise": 0}, impossible=0)
    verifier = load_verifier(campaign.spec, convention=campaign.convention, pass_at=campaign.pass_at, probe=probe)
    if verifier.is_ours:
        return world, verifier
    grades = [verifier.grade(task, task.oracle) for task in _oracles(world, campaign)]
    best = max((grade.score for grade in grades if not grade.error and grade.score == grade.score), default=1.0)
    # One that never pays a right reply has no maximum of its own to hold it to.
    return world, replace(verifier, maximum=best if best > 0 else 1.0)


def _oracles(world: World, campaign: Campaign) -> Iterator[Task]:
    for env in campaign.names:
        for place in range(_ORACLES):
            task = known_task(world, env, campaign.levels[place % len(campaign.levels)], place)
            if task is not None:
                yield task


class _Job:
    """One (environment, property) of a campaign, by number."""

    def __init__(self, campaign: Campaign, share: float | None) -> None:
        self._campaign = campaign
        self._share = share

    def __call__(self, number: int, tick: Tick) -> tuple[tuple[str, str], Counts]:
        env, name = self._campaign.jobs[number]
        world, verifier = _prepared(self._campaign)
        counts = Counts()
        if name == CHEATS:
            _mean_scores(self._campaign, world, verifier, env, counts)
        else:
            _Trial(self._campaign, world, verifier, env, PROPERTIES[name], counts).run(Deadline(self._share), tick)
        return (env, name), counts


class _Trial:
    """One property tried on one environment."""

    def __init__(
        self, campaign: Campaign, world: World, verifier: Verifier, env: str, tried: Property, counts: Counts
    ) -> None:
        self._campaign = campaign
        self._verifier = verifier
        self._env = env
        self._world = world
        self._property = tried
        self._counts = counts
        self._smallest: dict[str, Falsified] = {}
        self._sample: dict[str, list[Example]] = {}
        self._examples = tried.examples(env, campaign.levels, world, text_only=verifier.convention.text_only)

    def run(self, deadline: Deadline, tick: Tick) -> None:
        """Try examples until there are enough, or the time is up; then make what failed small."""
        left, chunk = min(self._campaign.examples, self._property.most), 0
        while left > 0 and not deadline.passed:
            size = min(CHUNK, left)
            try:
                self._draw(size, chunk)
            except Unsatisfiable:
                # No task of these levels has what the property needs, say a list to add to.
                left = 0
            left, chunk = left - size, chunk + 1
            tick(size)
        if self._property.name == "pure":
            self._in_another_process()
        self._report(deadline)

    def _draw(self, size: int, chunk: int) -> None:
        @seed(self._campaign.seed * 1_000_003 + chunk)
        @settings(_QUIET, max_examples=size, phases=(Phase.generate,), derandomize=False)
        @given(example=self._examples)
        def check(example: Example) -> None:
            self._try(example)

        check()

    def _try(self, example: Example) -> None:
        counts = self._counts
        counts.tried[example.operator] += 1
        fault, seconds = timed(lambda: self._fault(example))
        if seconds > counts.seconds and self._property.name != "linear":
            counts.seconds, counts.chars = seconds, len(excerpt(example.reply, 1 << 60))
        if fault is not None:
            self._failed(fault)
        elif self._property.name == "pure":
            self._sample.setdefault(example.operator, []).append(example)

    def _fault(self, example: Example) -> Falsified | None:
        try:
            self._property.check(self._verifier, example)
        except Falsified as fault:
            return fault
        return None

    def _failed(self, fault: Falsified) -> None:
        operator = fault.example.operator
        self._counts.failed[operator] += 1
        known = self._smallest.get(operator)
        if known is None or _size(fault.example) < _size(known.example):
            self._smallest[operator] = fault

    def _in_another_process(self) -> None:
        some = [example for examples in self._sample.values() for example in examples[:4]]
        try:
            pure_across_processes(self._verifier, some)
        except Falsified as fault:
            self._failed(fault)

    def _report(self, deadline: Deadline) -> None:
        operators = sorted(self._smallest, key=lambda name: (_size(self._smallest[name].example), name))
        for place, operator in enumerate(operators):
            fault = self._smallest[operator]
            if place < SHRUNK and not deadline.passed:
                fault = self._shrunk(operator, fault)
            self._counts.findings.append(self._finding(fault))

    def _shrunk(self, operator: str, known: Falsified) -> Falsified:
        """The smallest failure of an operator that a search finds, or the one at hand where that is smaller.

        Among a few easy tasks first, as each costs a solver its time; then at the task where it was seen.
        """
        task = known.example.task
        lower = [level for level in self._campaign.levels if level <= task.level]
        for drawn in (tasks(self._env, lower, None, self._world, indices=_FEW_TASKS), st.just(task)):
            wanted = said(drawn, self._property.kind, self._verifier.convention.text_only)
            try:
                small = find(wanted, partial(self._fails, operator), settings=_SEARCHING)
            except (NoSuchExample, Flaky, Unsatisfiable):
                # A verifier with a memory may fail once and never again.
                continue
            fault = self._fault(small)
            return known if fault is None or _size(known.example) <= _size(fault.example) else fault
        return known

    def _fails(self, operator: str, example: Example) -> bool:
        return example.operator == operator and self._fault(example) is not None

    def _finding(self, fault: Falsified) -> Finding:
        example, campaign = fault.example, self._campaign
        words = ["ecomrlve fuzz", f"--env {self._env} --property {self._property.name}", f"--seed {campaign.seed}"]
        words += [] if campaign.spec == OURS else [f"--verifier {campaign.spec}"]
        return Finding(
            property=self._property.name,
            env=self._env,
            operator=example.operator,
            message=shown_text(fault.message[:600]),
            level=example.task.level,
            chars=len(excerpt(example.reply, 1 << 60)),
            remakes=remakes(example.task),
            truth=example.task.ground_truth,
            reply=shown_text(excerpt(example.reply)),
            oracle=example.task.oracle,
            failed=self._counts.failed[example.operator],
            tried=self._counts.tried[example.operator],
            replay=" ".join([*words, f"--examples {campaign.examples}"]),
        )


def _size(example: Example) -> tuple[int, int, int]:
    return example.task.level, len(excerpt(example.reply, 1 << 60)), example.task.index


def _mean_scores(campaign: Campaign, world: World, verifier: Verifier, env: str, counts: Counts) -> None:
    """Judge every cheat on different tasks that something fits: its mean score must be small."""
    scores: dict[str, list[float]] = {}
    best: dict[str, tuple[float, Task, str]] = {}
    for place in range(min(campaign.examples, _MEAN_TASKS)):
        task = known_task(world, env, campaign.levels[place % len(campaign.levels)], place)
        if task is None or task.impossible:
            continue
        for name, reply in study(task).all_cheats(another(task)):
            if not isinstance(reply, str) and verifier.convention.text_only:
                continue
            grade = verifier.grade(task, reply)
            counts.tried[name] += 1
            score = grade.score / verifier.maximum if grade.score == grade.score else 0.0
            scores.setdefault(name, []).append(score)
            if name not in best or score > best[name][0]:
                best[name] = (score, task, excerpt(reply))
    for name, got in scores.items():
        mean = sum(got) / len(got)
        counts.means[name] = (mean, len(got))
        spread = sqrt(sum((score - mean) ** 2 for score in got)) / len(got)
        if mean > LARGEST_MEAN + _ERRORS * spread:
            counts.failed[name] = len(got)
            message = f"a mean score of {mean:.3f} of the maximum over {len(got)} tasks; {LARGEST_MEAN} is allowed"
            counts.findings.append(_cheat_finding(campaign, env, name, message, best[name], len(got)))


def _cheat_finding(
    campaign: Campaign, env: str, name: str, message: str, best: tuple[float, Task, str], tried: int
) -> Finding:
    _, task, reply = best
    return Finding(
        property=CHEATS,
        env=env,
        operator=name,
        message=message,
        level=task.level,
        chars=len(reply),
        remakes=remakes(task),
        truth=task.ground_truth,
        reply=shown_text(reply),
        oracle=task.oracle,
        failed=tried,
        tried=tried,
        replay=f"ecomrlve fuzz --env {env} --property {CHEATS} --verifier {campaign.spec}",
    )


def fuzz(campaign: Campaign, *, workers: int = 1, progress: Tick = nothing) -> Found:
    """Try every property on every environment.

    What is found does not depend on ``workers``, unless the time ends the run.

    Args:
        campaign: what to try.
        workers: processes to use.
        progress: told how many more examples are done.

    Raises:
        InvalidArgument: for fewer than one worker, or a verifier that cannot be loaded or called.

    >>> found = fuzz(Campaign(environments=("PD",), properties=("complete",), examples=5))
    >>> found.tried, found.findings
    (5, [])
    """
    if workers < 1:
        raise InvalidArgument("workers", workers, "must be at least 1")
    _, verifier = _prepared(campaign)
    jobs = range(len(campaign.jobs))
    share = None if campaign.seconds is None else campaign.seconds * min(workers, len(jobs)) / len(jobs)
    counts = dict(run_jobs(_Job(campaign, share), jobs, workers, progress))
    return Found(campaign, verifier, counts)
