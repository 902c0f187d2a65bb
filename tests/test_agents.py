"""Simulated agents: right where they do not slip, worse the more they do, and the same again."""

import pytest

from ecomrlve import InvalidArgument, environments, make_task, verify
from ecomrlve.generator.agents import Agent
from ecomrlve.generator.perception import PARTS, Perception
from ecomrlve.generator.randomness import Draws
from tests.shops import shop

EACH = pytest.mark.parametrize("env", environments())
WORLD = (20_000, 0, "train")


@EACH
def test_slips_cost_and_are_the_same_again(env: str) -> None:
    world = shop(*WORLD)
    tasks = [make_task(world, env, level=2, seed=0, index=index, impossible=0.0) for index in range(40)]
    shares = []
    for slip in (0, 40_000, 400_000):
        agent = Agent(slip=slip)
        replies = [agent.reply(env, task.prompt, task.index) for task in tasks]
        assert replies == [Agent(slip=slip).reply(env, task.prompt, task.index) for task in tasks]
        right = [verify(task.ground_truth, reply).correct for task, reply in zip(tasks, replies, strict=True)]
        shares.append(sum(right))
    assert shares[0] == len(tasks) and shares[0] > shares[1] > shares[2]


@EACH
def test_another_number_slips_elsewhere(env: str) -> None:
    task = make_task(shop(*WORLD), env, level=4, seed=0, index=2, impossible=0.0)
    agent = Agent(slip=100_000)
    assert len({agent.reply(env, task.prompt, number) for number in range(20)}) > 1


@EACH
def test_an_agent_that_misreads_everything_still_replies(env: str) -> None:
    world = shop(*WORLD)
    for level in (0, 6, 12):
        for index in range(4):
            task = make_task(world, env, level=level, seed=0, index=index)
            assert not verify(task.ground_truth, Agent(slip=PARTS).reply(env, task.prompt)).correct or task.impossible


def test_rates_are_checked() -> None:
    for slip in (-1, PARTS + 1):
        with pytest.raises(InvalidArgument, match="slip="):
            Perception(slip, Draws(0, "slips"))
    with pytest.raises(InvalidArgument, match="draws=None"):
        Perception(1)
    assert Agent(slip=3, times=2).rate("PD") == 6
