"""Hypothesis strategies of shops, tasks and replies, drawn from the same grammars as any task.

They shrink to the first shop, level 0, the task with index 0 and the first reply of the first operator.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

from hypothesis import reject
from hypothesis import strategies as st

from ecomrlve.errors import CannotPose
from ecomrlve.generator.environments import environments
from ecomrlve.generator.proofs.base import Answer
from ecomrlve.generator.tasks import Task, make_task
from ecomrlve.generator.world import World
from ecomrlve.outputs.fuzzing.junk import HOSTILE, any_junk, hostile_places, plain_junk, spoiled_answers
from ecomrlve.outputs.fuzzing.replies import AS_IT_IS, Reply, excerpt, shop, study

LEVELS = tuple(range(9))
"""The levels of which tasks are drawn where nobody says otherwise."""

PRODUCTS = 2_000
"""Size of the shop; a small one has pages of the same kinds, and its words are learnt sooner."""

INDICES = 400
"""Tasks per environment and level, so that what is known of one serves again."""

_SEED = 7

# Tasks that nothing fits have mutants of their own, so there are more of them than usual.
_USUAL = 0.1
_IMPOSSIBLE = (_USUAL, _USUAL, _USUAL, 1.0)

Item = TypeVar("Item")


@dataclass(frozen=True)
class Example:
    """A task and what is said to it: what a property looks at.

    Args:
        task: the task.
        operator: what was done to make the reply.
        reply: the reply.
        other: a second reply to compare with.
    """

    task: Task
    operator: str
    reply: Any
    other: Any = None

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How Hypothesis shows it."""
        printer.text(repr(self))

    def __repr__(self) -> str:
        return f"Example({self.task.env} at level {self.task.level}, {self.operator}: {excerpt(self.reply, 300)!r})"


def worlds(products: Sequence[int] = (PRODUCTS, 900, 5_000)) -> st.SearchStrategy[World]:
    """Synthetic shops of these sizes, each made once.

    >>> from hypothesis import find
    >>> len(find(worlds(), lambda world: True).catalog)
    2000
    """
    return st.builds(shop, st.sampled_from(tuple(products)), st.just(0))


@lru_cache(maxsize=4_096)
def _made(
    world: World, env: str, level: int, index: int, axes: tuple[tuple[str, float], ...], impossible: float = _USUAL
) -> Task | None:
    try:
        return make_task(world, env, level=level, seed=_SEED, index=index, axes=dict(axes), impossible=impossible)
    except CannotPose:
        return None


def known_task(world: World, env: str, level: int, index: int) -> Task | None:
    """One of the tasks that are drawn, without typing errors; None where the shop cannot carry it."""
    return _made(world, env, level, index, (("noise", 0.0),))


@st.composite
def tasks(
    draw: st.DrawFn,
    env: str | None = None,
    levels: Sequence[int] = LEVELS,
    axes: Mapping[str, float] | None = None,
    world: World | None = None,
    indices: int = INDICES,
) -> Task:
    """Tasks, the easiest first.

    Args:
        draw: given by Hypothesis.
        env: an environment's name; any where it is None.
        levels: the levels to draw from.
        axes: difficulty axes set by hand; typing errors are left out, as no reply repeats them.
        world: the shop; by default a synthetic one of 2,000 products.
        indices: how many of each level to draw from.

    >>> from hypothesis import find
    >>> find(tasks("CART"), lambda task: task.level > 1).level
    2
    """
    name = draw(st.sampled_from(environments())) if env is None else env
    level = draw(st.sampled_from(sorted(levels)))
    index = draw(st.integers(0, indices - 1))
    impossible = draw(st.sampled_from(_IMPOSSIBLE))
    set_by_hand = tuple(sorted({"noise": 0.0, **(axes or {})}.items()))
    task = _made(shop(PRODUCTS, 0) if world is None else world, name, level, index, set_by_hand, impossible)
    if task is None:
        reject()
    return task


def oracle_replies(task: Task) -> st.SearchStrategy[Reply]:
    """The reply worth full marks.

    >>> from hypothesis import find
    >>> task = find(tasks("PD"), lambda task: True)
    >>> find(oracle_replies(task), lambda reply: True).reply == task.oracle
    True
    """
    return st.just(Reply("oracle", task.oracle))


@st.composite
def equivalent_replies(draw: st.DrawFn, task: Task, text_only: bool = True) -> Reply:
    """Other replies that mean what the oracle means: ids, numbers, keys and order otherwise, and what stands around.

    Args:
        draw: given by Hypothesis.
        task: the task.
        text_only: leave out bytes and messages.
    """
    known = study(task)
    how = draw(st.sampled_from(("spelled", "wrapped", "both")))
    spelling = AS_IT_IS if how == "wrapped" else draw(st.sampled_from(list(known.spelled)))
    answer = _one_of(draw, known.spelled[spelling])
    around = known.wrapped(answer, text_only)
    wrapping = "bare" if how == "spelled" else draw(st.sampled_from(list(around)))
    if spelling == AS_IT_IS:
        return Reply(wrapping, around[wrapping])
    return Reply(spelling if wrapping == "bare" else "several at once", around[wrapping])


def _one_of(draw: st.DrawFn, items: Sequence[Item]) -> Item:
    """One of many items, the first where it is small; not by `sampled_from`, which writes all of them out."""
    return items[draw(st.integers(0, len(items) - 1))]


def _dumped(answer: Answer) -> str:
    return json.dumps(answer)


@st.composite
def wrong_replies(draw: st.DrawFn, task: Task, text_only: bool = True) -> Reply:
    """Answers one edit from the right one that the second solver rejects, and answers that are not whole."""
    known = study(task)
    broken = {
        name: [reply for reply in replies if isinstance(reply, str) or not text_only]
        for name, replies in known.broken.items()
    }
    near, wrong = known.near_numbers, {**known.crossed(other_tasks(task)), **known.mutants}
    operator = _one_of(draw, [*sorted(wrong), *near, *(name for name in sorted(broken) if broken[name])])
    if operator in wrong:
        return Reply(operator, _dumped(_one_of(draw, wrong[operator])))
    return Reply(operator, _one_of(draw, near[operator] if operator in near else broken[operator]))


@st.composite
def cheat_replies(draw: st.DrawFn, task: Task) -> Reply:
    """Replies of those who have not read the task; those that happen to be right are left out."""
    found = study(task).cheats(another(task))
    name = _one_of(draw, list(found))
    return Reply(name, found[name])


@lru_cache(maxsize=64)
def _others(world: World, env: str, level: int) -> tuple[Task, ...]:
    found = (_made(world, env, level, INDICES + place, (("noise", 0.0),)) for place in range(20))
    return tuple(task for task in found if task is not None and not task.impossible)[:8]


def other_tasks(task: Task) -> tuple[Task, ...]:
    """Some tasks of the same environment and level whose answer is something."""
    return _others(study(task).world, task.env, task.level)


def another(task: Task) -> Task:
    """One of them; the task itself where the shop carries no other."""
    others = other_tasks(task)
    return others[task.index % len(others)] if others else task


def junk_replies(task: Task | None = None, text_only: bool = True) -> st.SearchStrategy[Reply]:
    """Any text at all and, with a task, its answer with one value spoiled; with any reply allowed, any value too."""
    found = [("any text", plain_junk())]
    if task is not None:
        # These come nearest to what a verifier reads, so they come twice as often.
        found += [("a spoiled value", spoiled_answers(study(task).answer))] * 2
    if not text_only:
        found.append(("no text", any_junk()))
    return st.one_of([st.builds(Reply, st.just(name), replies) for name, replies in found])


@st.composite
def lesser_replies(draw: st.DrawFn, task: Task) -> tuple[Reply, Any]:
    """A reply with some values spoiled, and one with the same and some more spoiled: it can't be worth more."""
    known = study(task)
    paths = [path for path, _ in known.leaves]
    if not paths:
        reject()
    more = draw(st.lists(st.sampled_from(paths), unique=True, min_size=1))
    few = more[: draw(st.integers(0, len(more) - 1))]
    return Reply("one more spoiled", _dumped(known.spoil(few))), _dumped(known.spoil(more))


@st.composite
def longer_replies(draw: st.DrawFn, task: Task) -> tuple[Reply, Any]:
    """A reply, and the same with wrong items added or two values where one is asked for: it can't be worth more."""
    known = study(task)
    lists = [(path, items) for path, items in known.lists if known.wrong_items(path)]
    paths = [path for path, value in known.leaves if value is not None]
    if not lists and not paths:
        reject()
    if not lists or (paths and draw(st.booleans())):
        crowded = known.crowd(draw(st.sampled_from(paths)))
        how = draw(st.sampled_from(list(crowded)))
        return Reply(how, _dumped(known.answer)), _dumped(crowded[how])
    path, items = draw(st.sampled_from(lists))
    missing = draw(st.integers(0, max(0, len(items) - 1)))
    kept = items[: len(items) - missing]
    wrong = known.wrong_items(path)
    # What could take the place of a missing item might be right there; an invented or a repeated one never is.
    added = draw(st.lists(st.sampled_from(wrong if not missing else [wrong[0], *kept]), min_size=1, max_size=5))
    longer = [*added, *kept] if draw(st.booleans()) else [*kept, *added]
    more = known.with_items(path, longer)
    if known.is_right(more):
        reject()
    return Reply("wrong items added", _dumped(known.with_items(path, kept))), _dumped(more)


@st.composite
def said(
    draw: st.DrawFn,
    drawn: st.SearchStrategy[Task],
    kind: Callable[[Task, bool], st.SearchStrategy[Any]],
    text_only: bool = True,
) -> Example:
    """Examples of one kind: a task, and one of the replies that ``kind`` gives for it."""
    task = draw(drawn)
    found = draw(kind(task, text_only))
    if isinstance(found, Example):
        return found
    if isinstance(found, Reply):
        return Example(task, found.operator, found.reply)
    return Example(task, found[0].operator, found[0].reply, found[1])


@st.composite
def broken_truths(draw: st.DrawFn, task: Task) -> Example:
    """The task with a ground truth that is none any more, and its oracle."""
    done, truth = _one_of(draw, study(task).spoiled_truths)
    return Example(replace(task, ground_truth=truth), done, task.oracle)


@st.composite
def hostile_units(draw: st.DrawFn, task: Task) -> Example:
    """What a long reply can be made of: the unit stands as the reply, and what is around it as the other."""
    answer = study(task).answer
    units = {**HOSTILE, "its own answers": _dumped(answer), "its own prompt": task.prompt[-1]["content"]}
    name = draw(st.sampled_from(sorted(units)))
    found = hostile_places(answer)
    place = draw(st.sampled_from(list(found)))
    return Example(task, f"{name} {place}", units[name], found[place])
