"""Simulated agents: the text-only solvers of all environments, with slips.

They are a yardstick for difficulty, a learner for trying out a curriculum, and a sanity check of a training loop: an
agent answers from the prompt alone, is right wherever it does not slip, and is the better the less it slips.
"""

from collections.abc import Sequence

from ecomrlve.generator.environments import environment
from ecomrlve.generator.pages.prompt import Message
from ecomrlve.generator.perception import Perception
from ecomrlve.generator.randomness import Draws


class Agent:
    """A solver that misreads now and then; its replies are a pure function of its arguments and the prompt's number.

    Args:
        slip: the probability that one condition, row or rule is misread, in millionths; where None, each environment's
            own rate (`Environment.slip`), by which it succeeds at four tasks of five or more at level 0.
        times: the rate is so many times as high.
        seed: another agent with the same rate.

    >>> from ecomrlve import World, make_task, verify
    >>> world = World.synthetic(products=2_000)
    >>> task = make_task(world, "PD", level=3, seed=0, index=1, axes={"noise": 0})
    >>> verify(task.ground_truth, Agent(slip=0).reply("PD", task.prompt)).correct
    True
    """

    def __init__(self, slip: int | None = None, times: int = 1, seed: int = 0) -> None:
        self._slip, self._times, self._seed = slip, times, seed

    def reply(self, env: str, prompt: Sequence[Message], number: int = 0) -> str:
        """Answer a context-mode task.

        Args:
            env: its environment.
            prompt: its chat messages.
            number: which prompt, or which try at it; another number slips elsewhere.
        """
        made = environment(env)
        slip = self.rate(env)
        if not slip:
            return made.answer(prompt)
        perception = Perception(slip, Draws(self._seed, "agent", env, number))
        try:
            return made.answer(prompt, perception)
        except (LookupError, ValueError):
            # A turn that rests on one that was overlooked has no reading: the agent has lost the thread. Without slips
            # the same would be a fault of the task, and is raised.
            return ""

    def rate(self, env: str) -> int:
        """How often it slips in an environment, in millionths.

        >>> Agent(slip=2_000, times=3).rate("PD")
        6000
        """
        return (environment(env).slip if self._slip is None else self._slip) * self._times
