"""What a verifier must be: properties as plain functions, each given a verifier and an example to break it with.

A function returns where the property holds and raises `Falsified` where it doesn't, so it serves a test of anybody's::

    @given(example=PROPERTIES["sound"].examples("PD"))
    def test_no_wrong_reply_passes(example):
        sound(my_verifier, example)
"""

import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import World
from ecomrlve.outputs.fuzzing.junk import hostile_reply
from ecomrlve.outputs.fuzzing.strategies import (
    LEVELS,
    Example,
    broken_truths,
    cheat_replies,
    equivalent_replies,
    hostile_units,
    junk_replies,
    lesser_replies,
    longer_replies,
    oracle_replies,
    said,
    tasks,
    wrong_replies,
)
from ecomrlve.outputs.fuzzing.timing import timed
from ecomrlve.outputs.fuzzing.verifier import Grade, Verifier, load_verifier

THREADS = 4

_SHORTEST, _LONGEST = 1 << 10, 1 << 20
"""Characters of the replies by which time is measured."""

_ENOUGH_SECONDS = 0.4
"""A verdict that takes so long is not made to take longer."""

_NOTICEABLE_SECONDS = 0.03
"""Below this a clock says little."""

_LINEAR = 3.0
"""Twice the length takes twice the time where time is linear, and four times where it is quadratic."""

_ROUNDING = 1e-9


class Falsified(AssertionError):
    """A property does not hold.

    Args:
        example: that shows it.
        message: what happened, in a sentence.
    """

    def __init__(self, example: Example, message: str) -> None:
        super().__init__(f"{example!r}: {message}")
        self.example = example
        self.message = message


def _told(grade: Grade) -> str:
    return f"raises {grade.error}" if grade.error else f"scores {grade.score:.6g}"


def complete(verifier: Verifier, example: Example) -> None:
    """A right reply passes, however it is written."""
    grade = verifier.grade(example.task, example.reply)
    if not verifier.passes(grade):
        raise Falsified(example, f"a right reply {_told(grade)} and does not pass")


def sound(verifier: Verifier, example: Example) -> None:
    """A wrong reply does not pass."""
    grade = verifier.grade(example.task, example.reply)
    if verifier.passes(grade):
        raise Falsified(example, f"a wrong reply {_told(grade)} and passes")
    if grade.fault:
        raise Falsified(example, f"a wrong reply gets a verdict that contradicts itself: {grade.fault}")


def total(verifier: Verifier, example: Example) -> None:
    """Any reply gets a score: no error, a finite number, none above the maximum."""
    grade = verifier.grade(example.task, example.reply)
    if grade.error:
        raise Falsified(example, f"raises {grade.error}")
    if not math.isfinite(grade.score):
        raise Falsified(example, f"the score is {grade.score}")
    if grade.score > verifier.maximum + _ROUNDING:
        raise Falsified(example, f"the score is {grade.score:.6g}, above the maximum of {verifier.maximum:.6g}")
    if grade.fault:
        raise Falsified(example, grade.fault)


def linear(verifier: Verifier, example: Example) -> None:
    """The time for a verdict grows no faster than the reply: at twice the length, not four times as long."""
    seconds: list[float] = []
    chars = _SHORTEST
    while chars <= _LONGEST and (not seconds or seconds[-1] < _ENOUGH_SECONDS):
        reply = hostile_reply(example.reply, chars, example.other)
        grade, took = timed(partial(verifier.grade, example.task, reply))
        seconds.append(took)
        if grade.error:
            told = f"raises {grade.error} at {chars:,} characters of {example.operator}"
            raise Falsified(replace(example, reply=reply), told)
        chars *= 2
    # Two doublings in a row: one alone may be the processor's mood.
    growth = [after / max(before, _NOTICEABLE_SECONDS) for before, after in pairwise(seconds)]
    if len(growth) > 1 and min(growth[-2:]) > _LINEAR:
        last = enumerate(seconds[-3:], len(seconds) - 3)
        shown = ", ".join(f"{_SHORTEST << place:,}: {one:.3f} s" for place, one in last)
        raise Falsified(example, f"time grows faster than the reply ({shown})")


def _same(one: Grade, other: Grade) -> bool:
    return one == other or (math.isnan(one.score) and replace(one, score=0.0) == replace(other, score=0.0))


def pure(verifier: Verifier, example: Example) -> None:
    """The same reply gets the same score: again, after other replies, in threads, and from copies."""
    task, reply = example.task, example.reply
    first = verifier.grade(task, reply)
    verifier.grade(task, task.oracle)
    verifier.grade(task, "")
    copied_task, copied_reply = pickle.loads(pickle.dumps((replace(task, evidence={}), reply)))
    with ThreadPoolExecutor(THREADS) as pool:
        threads = list(pool.map(lambda _: verifier.grade(task, reply), range(THREADS)))
    again = {
        "a second time": verifier.grade(task, reply),
        "from a copy": verifier.grade(copied_task, copied_reply),
        **{f"in thread {place}": grade for place, grade in enumerate(threads)},
    }
    for when, grade in again.items():
        if not _same(first, grade):
            raise Falsified(example, f"{_told(first)}, and {when} {_told(grade)}")


_CHILD = """
import pickle, sys
path, spec, convention, pairs = pickle.load(sys.stdin.buffer)
sys.path[:] = path
from ecomrlve.outputs.fuzzing.properties import grades_of
pickle.dump(grades_of(spec, convention, pickle.loads(pairs)), sys.stdout.buffer)
"""


def grades_of(spec: str, convention: str | None, pairs: Sequence[tuple[Task, Any]]) -> list[Grade]:
    """The grades that a verifier, loaded by its name, gives to (task, reply) pairs."""
    verifier = load_verifier(spec, convention=convention, probe=pairs[0][0])
    return [verifier.grade(task, reply) for task, reply in pairs]


def pure_across_processes(verifier: Verifier, examples: Sequence[Example], hash_seed: int = 4711) -> None:
    """The same replies get the same scores in another process, where strings hash otherwise."""
    if not verifier.spec or not examples:
        return
    pairs = [(replace(one.task, evidence={}), one.reply) for one in examples]
    asked = pickle.dumps((sys.path, verifier.spec, verifier.asked_convention, pickle.dumps(pairs)))
    done = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=asked,
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
    )
    for example, there in zip(examples, pickle.loads(done.stdout), strict=True):
        here = verifier.grade(example.task, example.reply)
        if not _same(here, there):
            raise Falsified(example, f"{_told(here)}, and in another process {_told(there)}")


def monotone(verifier: Verifier, example: Example) -> None:
    """A reply with less right scores no more than the same with more right."""
    more, less = (verifier.grade(example.task, reply) for reply in (example.reply, example.other))
    if less.score > more.score + _ROUNDING:
        raise Falsified(example, f"with less right it {_told(less)}, with more {_told(more)}: {example.other}")
    if more.parts is None or less.parts is None:
        return
    within = all(less.parts[part] <= more.parts[part] + _ROUNDING for part in less.parts)
    if not within and all(more.parts[part] <= less.parts[part] + _ROUNDING for part in more.parts):
        raise Falsified(example, f"the parts of the lesser reply hold more: {less.parts} against {more.parts}")


def priced(verifier: Verifier, example: Example) -> None:
    """Wrong items added to a reply never raise its score."""
    base, longer = (verifier.grade(example.task, reply) for reply in (example.reply, example.other))
    if longer.score > base.score + _ROUNDING:
        raise Falsified(example, f"{_told(base)}, with wrong items added it {_told(longer)}: {example.other}")


def honest(verifier: Verifier, example: Example) -> None:
    """A ground truth that is none raises: a fault of the data is never a score."""
    grade = verifier.grade(example.task, example.reply)
    if not grade.error:
        raise Falsified(example, f"a ground truth {example.operator} {_told(grade)}")
    if verifier.is_ours and not grade.error.startswith("TruthError"):
        raise Falsified(example, f"a ground truth {example.operator} raises {grade.error}")


# --- which examples each is tried with -------------------------------------------------------------------------------

Kind = Callable[[Task, bool], st.SearchStrategy[Any]]


@dataclass(frozen=True)
class Property:
    """A property with the examples it is tried with.

    Args:
        name: as ``--property`` takes it.
        check: the function above.
        kind: what is said to a task, for text alone or any reply.
        most: the most examples of one environment, where each takes long or there are few that differ.
        one_task: whether the task makes no difference, so that the easiest one serves.
    """

    name: str
    check: Callable[[Verifier, Example], None]
    kind: Kind
    most: int = sys.maxsize
    one_task: bool = False

    def examples(
        self,
        env: str | None = None,
        levels: Sequence[int] = LEVELS,
        world: World | None = None,
        text_only: bool = True,
    ) -> st.SearchStrategy[Example]:
        """The strategy of its examples.

        Args:
            env: an environment's name; any where it is None.
            levels: of the tasks.
            world: their shop; by default a synthetic one.
            text_only: leave out replies that are not text.

        >>> from hypothesis import find
        >>> example = find(PROPERTIES["complete"].examples("PD"), lambda example: True)
        >>> complete(load_verifier(), example)
        """
        drawn = tasks(env, [min(levels)], None, world, indices=1) if self.one_task else tasks(env, levels, None, world)
        return said(drawn, self.kind, text_only)

    @property
    def says(self) -> str:
        """What it asks for, in a sentence."""
        return (self.check.__doc__ or "").split("\n")[0]


def _right(task: Task, text_only: bool) -> st.SearchStrategy[Any]:
    return st.one_of(equivalent_replies(task, text_only), oracle_replies(task))


def _wrong(task: Task, text_only: bool) -> st.SearchStrategy[Any]:
    return st.one_of(wrong_replies(task, text_only), cheat_replies(task), wrong_replies(task, text_only))


def _any(task: Task, text_only: bool) -> st.SearchStrategy[Any]:
    return st.one_of(_right(task, text_only), wrong_replies(task, text_only), junk_replies(task, text_only))


PROPERTIES: Mapping[str, Property] = {
    one.name: one
    for one in (
        Property("complete", complete, _right),
        Property("sound", sound, _wrong),
        Property("total", total, junk_replies),
        Property("monotone", monotone, lambda task, text_only: lesser_replies(task)),
        Property("priced", priced, lambda task, text_only: longer_replies(task)),
        Property("honest", honest, lambda task, text_only: broken_truths(task)),
        Property("pure", pure, _any, most=500),
        Property("linear", linear, lambda task, text_only: hostile_units(task), most=120, one_task=True),
    )
}
"""All of them, by name."""
