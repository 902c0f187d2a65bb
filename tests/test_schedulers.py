"""The laws of schedulers, over all that are registered; the published update, step by step; the gate; the learners."""

import json
import pickle
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ecomrlve.difficulty import Draw, Gate, Scheduler, make_scheduler, scheduler_from_state
from ecomrlve.difficulty.axes import AXES, axes_at
from ecomrlve.difficulty.gate import carries_gradient
from ecomrlve.difficulty.learners import Learner, axes_of, learner_named, learners
from ecomrlve.difficulty.schedulers import schedulers
from ecomrlve.difficulty.simulation import Mean, compare, simulate, summarize
from ecomrlve.errors import InvalidArgument

NAMES = tuple(schedulers())
ENVIRONMENTS = ("PD", "CART", "RETURN")
MOVED = {"PD": ("constraints", "decoys"), "CART": ("noise",), "RETURN": ()}


def made(name: str, seed: int = 0, max_level: int = 12, **options: float) -> Scheduler:
    return make_scheduler(name, environments=ENVIRONMENTS, seed=seed, max_level=max_level, axes=MOVED, **options)


class AnyScheduler(RuleBasedStateMachine):
    """Whatever a trainer reports, in whatever order, draws stay legal and a saved state goes on alike."""

    scheduler: Scheduler

    @initialize(name=st.sampled_from(NAMES), seed=st.integers(0, 2**63), max_level=st.integers(0, 40))
    def begin(self, name: str, seed: int, max_level: int) -> None:
        self.scheduler = made(name, seed, max_level)
        self.draws: list[Draw] = []
        self.shown = 0

    @rule(n=st.integers(0, 40))
    def sample(self, n: int) -> None:
        draws = self.scheduler.sample(n)
        assert len(draws) == n
        for draw in draws:
            assert draw.env in ENVIRONMENTS
            assert 0 <= draw.level <= self.scheduler.max_level
            assert set(draw.axes) <= set(MOVED[draw.env])
            axes_at(draw.level, draw.axes)
        self.draws += draws

    @precondition(lambda self: self.draws)
    @rule(data=st.data(), trials=st.integers(1, 16))
    def observe(self, data: st.DataObject, trials: int) -> None:
        draw = self.draws.pop(data.draw(st.integers(0, len(self.draws) - 1)))
        self.shown += 1
        successes = data.draw(st.integers(0, trials))
        self.scheduler.observe(draw=draw, successes=successes, trials=trials, task_id=f"task-{self.shown}")

    @rule(env=st.sampled_from(ENVIRONMENTS), part=st.floats(0, 1), good=st.integers(0, 8))
    def observe_by_name(self, env: str, part: float, good: int) -> None:
        self.scheduler.observe(env=env, level=int(part * self.scheduler.max_level), successes=good, trials=8)

    @rule(n=st.integers(1, 20))
    def resume(self, n: int) -> None:
        saved = json.loads(json.dumps(self.scheduler.state_dict(), sort_keys=True))
        twin, copy = scheduler_from_state(saved), pickle.loads(pickle.dumps(self.scheduler))
        draws = self.scheduler.sample(n)
        for other in (twin, copy):
            assert other.sample(n) == draws
        for at, draw in enumerate(draws):
            for one in (self.scheduler, twin, copy):
                one.observe(draw=draw, successes=at % 5, trials=4 + at % 5, task_id=f"twin-{at}")
        assert twin.state_dict() == copy.state_dict() == self.scheduler.state_dict()
        self.scheduler = twin

    @invariant()
    def windows_are_levels(self) -> None:
        if hasattr(self, "scheduler"):
            for env in ENVIRONMENTS:
                low, high = self.scheduler.window(env)
                assert 0 <= low <= high <= self.scheduler.max_level


AnyScheduler.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
test_any_scheduler = AnyScheduler.TestCase


@given(
    st.sampled_from([name for name in NAMES if schedulers()[name].order_free]),
    st.permutations([(env, level, good) for env in ENVIRONMENTS for level in (0, 3) for good in (0, 2, 8)]),
)
def test_where_a_scheduler_says_so_the_order_within_a_batch_does_not_matter(
    name: str, groups: list[tuple[str, int, int]]
) -> None:
    one, other = made(name), made(name)
    for env, level, good in sorted(groups):
        one.observe(env=env, level=level, successes=good, trials=8)
    for env, level, good in groups:
        other.observe(env=env, level=level, successes=good, trials=8)
    assert one.state_dict() == other.state_dict()


# (level of the prompt, correct of 16, the window after it), by the published update: width 4, accuracy 0.9 of 128
# rollouts at the top level, counters emptied at each check, no demotion. 8 prompts of 16 rollouts make one check.
PUBLISHED_TRACE = [
    *[(0, 16, (0, 0))] * 7,
    (0, 4, (0, 1)),  # 116 of 128 = 0.906: up
    *[(0, 16, (0, 1))] * 20,  # below the top: not counted
    *[(1, 16, (0, 1))] * 7,
    (1, 3, (0, 1)),  # 115 of 128 = 0.898: stays, and the counters are emptied
    *[(1, 16, (0, 1))] * 7,
    (1, 16, (0, 2)),
    *[(2, 15, (0, 2))] * 7,
    (2, 15, (0, 3)),
    *[(3, 16, (0, 3))] * 7,
    (3, 16, (1, 4)),  # four levels wide from here
    *[(4, 0, (1, 4))] * 24,  # no demotion
    *[(4, 16, (1, 4))] * 7,
    (4, 16, (2, 5)),
]


def test_the_published_update_step_by_step() -> None:
    scheduler = make_scheduler("rlve", environments=("PD", "CART"))
    for step, (level, successes, window) in enumerate(PUBLISHED_TRACE):
        scheduler.observe(env="PD", level=level, successes=successes, trials=16)
        assert scheduler.window("PD") == window, step
    assert scheduler.window("CART") == (0, 0)
    drawn = {draw.level for draw in scheduler.sample(400) if draw.env == "PD"}
    assert drawn == {2, 3, 4, 5}


def test_rollouts_beyond_a_check_count_for_it() -> None:
    # Published: n >= 128, so a last group may carry it over; all of it counts, none is kept for the next check.
    scheduler = make_scheduler("rlve", environments=("PD",))
    scheduler.observe(env="PD", level=0, successes=120, trials=120)
    scheduler.observe(env="PD", level=0, successes=0, trials=16)
    assert scheduler.window("PD") == (0, 0)
    scheduler.observe(env="PD", level=0, successes=127, trials=127)
    assert scheduler.window("PD") == (0, 0)
    scheduler.observe(env="PD", level=0, successes=1, trials=1)
    assert scheduler.window("PD") == (0, 1)


@pytest.mark.parametrize("name", NAMES)
def test_no_scheduler_is_stuck_or_starves_an_environment(name: str) -> None:
    learner = learner_named("one-impossible")
    run = simulate(name, "one-impossible", seed=3, most_prompts=4_000)
    assert run.least > 0.005
    assert run.impossible < 0.16, "more than its even share of one in eight"
    assert run.skill > learner.start + 1
    # What a learner can do at level 0 is not all it is shown, unless the scheduler's range is fixed there.
    assert max(run.reached) >= 2


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("static", "uniform")])
def test_a_curriculum_moves_up_with_a_learner_that_can_do_everything(name: str) -> None:
    scheduler = made(name, max_level=8)
    for step in range(400):
        for draw in scheduler.sample(16):
            # All but sure: where nothing ever fails, p (1 - p) has nothing to hold to.
            scheduler.observe(draw=draw, successes=8 - (step % 16 == 0), trials=8, task_id=f"{step}-{draw.level}")
    assert max(draw.level for draw in scheduler.sample(200)) >= 6


@pytest.mark.parametrize("name", ["rlve-bounded", "two-threshold", "adarft", "learnability", "bandit"])
def test_a_curriculum_comes_down_after_a_collapse(name: str) -> None:
    scheduler = made(name, max_level=12)
    for draw in (draw for _ in range(200) for draw in scheduler.sample(16)):
        scheduler.observe(draw=draw, successes=max(0, 8 - draw.level), trials=8)
    before = sum(draw.level for draw in scheduler.sample(400))
    for draw in (draw for _ in range(200) for draw in scheduler.sample(16)):
        scheduler.observe(draw=draw, successes=max(0, 4 - 3 * draw.level), trials=8)
    assert sum(draw.level for draw in scheduler.sample(400)) < before / 2


def test_replayed_tasks_were_seen_and_teach() -> None:
    scheduler = made("plr")
    taught: dict[str, float] = {}
    shown: list[float] = []
    for step in range(3_000):
        (draw,) = scheduler.sample(1)
        if draw.replay is not None:
            assert draw.replay in scheduler.replayable()
            shown.append(taught[draw.replay])
        task, good = draw.replay or f"task-{step}", step % 9
        taught[task] = good * (8 - good) / 64
        scheduler.observe(draw=draw, successes=good, trials=8, task_id=task)
    # By age, some come back that taught nothing the last time.
    assert sum(worth > 0 for worth in shown) > 0.8 * len(shown)
    assert len(scheduler.replayable()) == 256
    assert sum(draw.replay is not None for draw in scheduler.sample(1_000)) > 200


def test_single_axes_move_where_a_learner_is_strong_and_stay_where_it_is_weak() -> None:
    learner = learner_named("weak-at-exceptions")
    scheduler = make_scheduler("by-axis", environments=learner.names, axes=axes_of(learner), seed=1)
    pupil = Learner(learner, seed=1)
    for _ in range(8):
        draws = scheduler.sample(64)
        for draw, good in zip(draws, pupil.rollouts(draws, 8), strict=True):
            scheduler.observe(draw=draw, successes=good, trials=8)
    aims = scheduler.levels_by_axis("environment_0")  # type: ignore[attr-defined]
    assert aims["candidates"] > aims["branches"]
    assert any(draw.axes for draw in scheduler.sample(64))


def test_threads_share_a_scheduler() -> None:
    scheduler = made("learnability")

    def work() -> None:
        for _ in range(50):
            for draw in scheduler.sample(8):
                scheduler.observe(draw=draw, successes=3, trials=8)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(prompts for env in ENVIRONMENTS for prompts, _, _ in scheduler.counts(env)) == 4 * 50 * 8


@pytest.mark.parametrize(
    "wrong",
    [
        {"env": "NOPE", "level": 0, "successes": 1, "trials": 8},
        {"env": "PD", "level": 13, "successes": 1, "trials": 8},
        {"env": "PD", "level": -1, "successes": 1, "trials": 8},
        {"env": "PD", "level": 0, "successes": 9, "trials": 8},
        {"env": "PD", "level": 0, "successes": -1, "trials": 8},
        {"env": "PD", "level": 0, "successes": 0, "trials": 0},
        {"env": "PD", "level": 0, "successes": 0.5, "trials": 1},
        {"env": "PD", "level": True, "successes": 1, "trials": 8},
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_impossible_observations_are_refused_and_change_nothing(name: str, wrong: dict[str, object]) -> None:
    scheduler = made(name)
    before = scheduler.state_dict()
    with pytest.raises(InvalidArgument):
        scheduler.observe(**wrong)  # type: ignore[arg-type]
    assert scheduler.state_dict() == before


@pytest.mark.parametrize("name", NAMES)
def test_states_that_do_not_fit_are_refused_and_change_nothing(name: str) -> None:
    scheduler = made(name)
    scheduler.sample(3)
    before = scheduler.state_dict()
    others = [
        made(next(other for other in NAMES if other != name)).state_dict(),
        make_scheduler(name, environments=("PD",), max_level=12).state_dict(),
        made(name, max_level=5).state_dict(),
        {**before, "version": 99},
        {**before, "counts": before["counts"][:1]},
        {**before, "random": {"bit_generator": "MT19937"}},
        {key: value for key, value in before.items() if key != "counts"},
        {},
    ]
    for other in others:
        with pytest.raises(InvalidArgument):
            scheduler.load_state_dict(other)
        assert scheduler.state_dict() == before


def test_bad_arguments_are_refused_by_name() -> None:
    with pytest.raises(InvalidArgument, match="scheduler='nope'"):
        make_scheduler("nope", environments=("PD",))
    with pytest.raises(InvalidArgument, match="width=0"):
        make_scheduler("rlve", environments=("PD",), width=0)
    with pytest.raises(InvalidArgument, match="speed=1"):
        make_scheduler("rlve", environments=("PD",), speed=1)
    for environments in ((), ("PD", "PD"), "PD"):
        with pytest.raises(InvalidArgument, match="environments="):
            make_scheduler("rlve", environments=environments)
    with pytest.raises(InvalidArgument, match="axes='colour'"):
        make_scheduler("by-axis", environments=("PD",), axes={"PD": ("colour",)})


@given(st.lists(st.tuples(st.integers(0, 8), st.just(8)), max_size=200), st.integers(1, 512))
def test_the_gate_never_waits_without_end(groups: list[tuple[int, int]], batch: int) -> None:
    gate = Gate()
    for successes, trials in groups:
        assert gate.observe(successes, trials) == carries_gradient(successes, trials)
    drawn = rounds = 0
    while wanted := gate.wanted(batch, kept=0, rounds=rounds):
        assert wanted <= 4 * batch
        for _ in range(wanted):
            gate.observe(8, 8)
        drawn, rounds = drawn + wanted, rounds + 1
    assert rounds == gate.rounds
    twin = Gate()
    twin.load_state_dict(json.loads(json.dumps(gate.state_dict())))
    assert twin == gate


def test_the_gate_draws_as_many_as_it_takes() -> None:
    gate = Gate(memory=64)
    for at in range(2_000):
        gate.observe(4 if at % 2 else 8, 8)
    assert abs(gate.effective_ratio - 0.5) < 0.05
    assert 115 <= gate.wanted(64) <= 145
    assert gate.wanted(64, kept=64) == 0


@pytest.mark.parametrize("name", learners())
def test_learners_learn_from_tasks_at_their_level_and_from_no_others(name: str) -> None:
    parameters = learner_named(name)
    level = max(0, round(min(parameters.axes.values(), default=parameters.start)))
    taught, idle = Learner(parameters, 0), Learner(parameters, 0)
    start = taught.skill()
    for _ in range(20):
        taught.rollouts([Draw(env, level) for env in parameters.names] * 4, 8)
        idle.rollouts([Draw(env, 60) for env in parameters.names] * 4, 8)
    assert taught.skill() > start + 0.1
    assert abs(idle.skill() - start) < 1e-6


def test_simulations_repeat_and_workers_change_nothing() -> None:
    alone = compare(["rlve", "learnability"], ["steady"], 2, most_prompts=1_280)
    both = compare(["rlve", "learnability"], ["steady"], 2, most_prompts=1_280, workers=2)
    assert [run.curve for run in alone] == [run.curve for run in both]
    (first, second) = summarize(alone, ["rlve"], most_prompts=1_280)
    assert first.against["rlve"] == Mean(1.0, 0.0)
    assert second.runs == 2


def test_every_axis_of_a_learner_is_an_axis() -> None:
    for parameters in learners().values():
        assert set(parameters.axes) <= set(AXES)
