"""A task and how it is made: alone, from its coordinates, or from the recipe in its row."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ecomrlve.check import check_share, check_whole
from ecomrlve.difficulty.axes import Axes, axes_at
from ecomrlve.errors import CannotPose, InvalidArgument, PromptTooLong
from ecomrlve.generator.environments import environment
from ecomrlve.generator.environments.base import Environment, Posed
from ecomrlve.generator.pages.prompt import Message
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import LARGEST, World

# A scope can shrink to this many products to keep a prompt within its budget.
FEWEST_CANDIDATES = 4

# A level counts as carried where so many trial tasks can be posed.
_TRIALS = 6
# No level above this one is tried, so that an error about a level of millions comes soon.
_HIGHEST_TRIED = 60


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
_reply = json.JSONEncoder(ensure_ascii=False).encode


def dumps(value: object) -> str:
    """Canonical JSON text: sorted keys, no spaces, no NaN.

    >>> dumps({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return _encode(value)


@dataclass(frozen=True, slots=True)
class Task:
    """One task with its proven answer.

    Attributes:
        task_id: hash of what is asked and what is right, 20 hexadecimal digits.
        axes: the twelve difficulty numbers as used.
        prompt: chat messages, ``{"role", "content"}``; the last one is the customer's.
        ground_truth: JSON text, all that `verify` needs.
        oracle: a reply worth full marks.
        recipe: JSON text; `Task.from_recipe` re-makes the task from it.
        goal: JSON text of what is asked; equal goals are the same task in other words.
        impossible: whether the right answer is that nothing fits.
        attempts: how often the pose had to start again, at least 1.
        chance: probability that a blind legal guess is right.
        notes: (identifier, the one condition it breaks) of each decoy.
        measured: what the axes changed, by name.
        evidence: what a second solver needs; never written to a row.
    """

    task_id: str
    env: str
    level: int
    axes: dict[str, float]
    mode: str
    split: str
    seed: int
    index: int
    prompt: list[Message]
    ground_truth: str
    oracle: str
    recipe: str
    goal: str
    impossible: bool
    attempts: int
    chance: float
    notes: tuple[tuple[str, str], ...]
    measured: Mapping[str, float] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How notebooks and Hypothesis show a task: by its coordinates, as the whole of it fills screens."""
        printer.text(f"<Task {self.env} level={self.level} seed={self.seed} index={self.index} {self.task_id}>")

    @classmethod
    def from_recipe(cls, recipe: str, world: World | None = None) -> "Task":
        """Re-make a task from the recipe in its row.

        Args:
            recipe: JSON text.
            world: the recipe's world where it is at hand; else it is made.

        Raises:
            InvalidArgument: where the recipe is not one of ours, or names another world than the one it gets.

        >>> world = World.synthetic(products=2_000)
        >>> task = make_task(world, "PD", level=1, seed=0, index=3)
        >>> Task.from_recipe(task.recipe).prompt == task.prompt
        True
        """
        try:
            known = json.loads(recipe)
            wanted, digest, env = dict(known["world"]), known["digest"], known["env"]
            names = ("level", "seed", "index", "mode", "axes", "impossible", "max_prompt_chars")
            coordinates: dict[str, Any] = {name: known[name] for name in names}
        except (TypeError, ValueError, KeyError, RecursionError) as error:
            raise InvalidArgument("recipe", recipe, "must be the recipe of a task, as its row holds it") from error
        world = World.from_recipe(wanted) if world is None else world
        if world.digest != digest:
            raise InvalidArgument(
                "digest", digest, f"the world at hand is {world.digest}: other data, or another version of this package"
            )
        return make_task(world, env, **coordinates)


def make_task(
    world: World,
    env: str,
    *,
    level: int,
    seed: int,
    index: int,
    mode: str = "context",
    axes: Mapping[str, float] | None = None,
    impossible: float = 0.1,
    max_prompt_chars: int | None = None,
) -> Task:
    """Make one task; it depends on nothing but its arguments.

    Args:
        world: the shop.
        env: an environment's name.
        level: difficulty, 0 or more.
        seed: the run's seed, at least 0.
        index: the task's number within (environment, level, split), at least 0.
        mode: ``"context"``: the prompt carries all the evidence.
        axes: difficulty axes set by hand.
        impossible: share of tasks whose right answer is that nothing fits, in [0, 1].
        max_prompt_chars: longest prompt; the scope shrinks to keep it, and nothing is ever cut.

    Raises:
        InvalidArgument: for an argument that breaks its rule.
        CannotPose: where the world cannot carry the task.

    >>> task = make_task(World.synthetic(products=2_000), "PD", level=0, seed=0, index=0)
    >>> task.prompt[-1]["role"]
    'user'
    """
    made = environment(env)
    _check_types(world, seed, index, axes, impossible, max_prompt_chars)
    if mode not in made.modes:
        raise InvalidArgument("mode", mode, f"{env} has {', '.join(made.modes)}")
    wanted = axes_at(level, axes)

    def pose(at: Axes) -> tuple[Posed, bool]:
        draws = Draws(seed, "task", world.split, env, level, index)
        nothing_fits = draws.chance(round(impossible * 1000))
        return made.pose(world, at, draws, nothing_fits), nothing_fits

    try:
        posed, nothing_fits = pose(wanted)
    except CannotPose as error:
        raise CannotPose(f"{error} {_carried(world, made, level, bool(axes))}") from error
    while max_prompt_chars is not None and (length := _length(posed)) > max_prompt_chars:
        wanted = _fewer(wanted, length, max_prompt_chars, env, level)
        posed, nothing_fits = pose(wanted)
    recipe = {
        "world": world.recipe,
        "digest": world.digest,
        "env": env,
        "level": level,
        "seed": seed,
        "index": index,
        "split": world.split,
        "mode": mode,
        "axes": dict(axes or {}),
        "impossible": impossible,
        "max_prompt_chars": max_prompt_chars,
    }
    truth = dumps(posed.truth)
    asked = "\0".join([env, *(text for message in posed.prompt for text in message.values()), truth])
    return Task(
        task_id=hashlib.sha256(asked.encode()).hexdigest()[:20],
        env=env,
        level=level,
        axes={**wanted.numbers(), **posed.used},
        mode=mode,
        split=world.split,
        seed=seed,
        index=index,
        prompt=posed.prompt,
        ground_truth=truth,
        oracle=f"{posed.oracle_text}\n\n{_reply(posed.oracle)}",
        recipe=dumps(recipe),
        goal=dumps(posed.goal),
        impossible=nothing_fits,
        attempts=posed.attempts,
        chance=posed.chance,
        notes=posed.notes,
        measured=posed.measured,
        evidence=posed.evidence,
    )


def _check_types(
    world: World, seed: int, index: int, axes: object, impossible: float, max_prompt_chars: int | None
) -> None:
    """Refuse arguments of another type than documented; whole numbers have to fit the columns of a row."""
    if not isinstance(world, World):
        raise InvalidArgument("world", world, "must be a World, as World.synthetic or World.load makes it")
    most = 0 if max_prompt_chars is None else max_prompt_chars
    for name, value in (("seed", seed), ("index", index), ("max_prompt_chars", most)):
        check_whole(name, value, 0, LARGEST)
    if axes is not None and not isinstance(axes, Mapping):
        raise InvalidArgument("axes", axes, "must map names of axes to numbers")
    check_share("impossible", impossible)


def _carried(world: World, made: Environment[Any], level: int, by_hand: bool) -> str:
    """A sentence on the highest level up to ``level`` at which a shop carries an environment, found by trying."""
    if not world.buyable:
        return f"Import it with its stock, or leave {made.name} out."
    for lower in range(min(level if by_hand else level - 1, _HIGHEST_TRIED), -1, -1):
        try:
            for index in range(_TRIALS):
                made.pose(world, axes_at(lower), Draws(0, "trial", made.name, lower, index), index % 2 == 1)
        except CannotPose:
            continue
        if lower == level:
            return f"This shop carries {made.name} at level {lower}, but not with the axes set by hand."
        return f"This shop carries {made.name} up to level {lower}; lower the level, or set its axes by hand."
    return f"This shop carries {made.name} at no level; set its axes by hand, or leave {made.name} out."


def _length(posed: Posed) -> int:
    return sum(len(message["content"]) for message in posed.prompt)


def _fewer(axes: Axes, length: int, most: int, env: str, level: int) -> Axes:
    """Axes with a scope small enough, by the prompt's length so far."""
    if axes.candidates <= FEWEST_CANDIDATES:
        raise PromptTooLong(
            f"max_prompt_chars={most}: {env} at level {level} needs {length} characters even with "
            f"{FEWEST_CANDIDATES} candidates; raise the budget or lower the level."
        )
    fewer = min(axes.candidates - 1, axes.candidates * most // length)
    return replace(axes, candidates=max(FEWEST_CANDIDATES, fewer))
