"""A verifier under test: anybody's reward function, called in its own way, with one form for whatever it gives."""

import asyncio
import importlib
import importlib.util
import inspect
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.tasks import Task
from ecomrlve.outputs.fuzzing.conventions import CONVENTIONS, VERIFY, Convention, Function, Parameters, work_out
from ecomrlve.outputs.fuzzing.timing import patience

OURS = "ecomrlve:verify"
"""The verifier of this package."""

NEARLY = 1e-9
"""A score within this share of the maximum passes."""

SECONDS = 20.0
"""Processor time after which a verdict is given up."""

SCORE_KEYS = ("score", "reward", "rewards", "scores", "acc", "accuracy", "correct")
"""Where the score lies in a dict, the surest first."""


class NoScore(Exception):
    """What a verifier gave holds no score."""


@dataclass(frozen=True, slots=True)
class Grade:
    """What a verifier made of one reply.

    Attributes:
        score: what it gave as a number; NaN where it gave none.
        error: the error that it raised, "" where it raised none.
        correct: what it says itself on whether the reply is right, where it says so.
        parts: the share of each part that holds, where it says so.
        fault: what is wrong with the form of a verdict, "" where nothing is.
    """

    score: float
    error: str = ""
    correct: bool | None = None
    parts: Mapping[str, float] | None = None
    fault: str = ""


@dataclass(frozen=True)
class Verifier:
    """A verifier under test.

    Args:
        function: a reward function.
        convention: how to call it; `work_out` finds it.
        spec: ``module:function`` that loads it in another process; "" where nothing does.
        maximum: the largest score that it gives; a right reply gets it.
        pass_at: the score from which a reply passes; by default the maximum.

    >>> from ecomrlve import World, make_task, verify
    >>> task = make_task(World.synthetic(products=2_000), "PD", level=0, seed=0, index=0)
    >>> ours = Verifier(verify)
    >>> ours.passes(ours.grade(task, task.oracle)), ours.passes(ours.grade(task, "none"))
    (True, False)
    """

    function: Function
    convention: Convention = VERIFY
    spec: str = ""
    maximum: float = 1.0
    pass_at: float | None = None
    parameters: Parameters = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", Parameters.of(self.function))

    @property
    def is_ours(self) -> bool:
        """Whether it judges as `ecomrlve.verify` does: replies of any type, with a whole `Verdict`."""
        return self.convention is VERIFY

    @property
    def asked_convention(self) -> str | None:
        """The convention's name, as another process needs it; None where that works it out again."""
        return self.convention.name if self.convention.name in CONVENTIONS else None

    @cached_property
    def threshold(self) -> float:
        """The score from which a reply passes."""
        return self.maximum - NEARLY * abs(self.maximum) if self.pass_at is None else self.pass_at

    def grade(self, task: Task, reply: Any) -> Grade:
        """Judge a reply; whatever the verifier raises becomes the grade's error."""
        try:
            with patience(SECONDS):
                positional, named = self.convention.arguments(self.parameters, task, reply)
                given = self.function(*positional, **named)
                return _graded(asyncio.run(_awaited(given)) if inspect.isawaitable(given) else given)
        # Somebody else's code may raise anything at all, and what it raises is what we look for.
        except Exception as error:
            return Grade(math.nan, f"{type(error).__name__}: {error}"[:300])

    def passes(self, grade: Grade) -> bool:
        """Whether a grade is that of a right reply."""
        if grade.error:
            return False
        if grade.correct is not None and self.pass_at is None:
            return grade.correct
        return grade.score >= self.threshold


async def _awaited(given: Any) -> Any:
    return await given


def _graded(given: Any) -> Grade:
    """The grade that a returned value stands for."""
    parts = getattr(given, "parts", None)
    if parts is not None and hasattr(given, "correct"):
        return Grade(float(given.score), correct=given.correct, parts=parts, fault=_fault_of(given))
    return Grade(score_of(given))


def _fault_of(verdict: Any) -> str:
    """What is wrong with the form of one of our verdicts; "" where nothing is."""
    score, outcome = verdict.score, verdict.outcome
    if not isinstance(score, float) or not 0.0 <= score <= 1.0:
        return f"the score is {score!r}"
    if not (score == 1.0) == verdict.correct == (outcome == "correct"):
        return f"correct={verdict.correct}, score={score}, outcome={outcome}"
    if (0.0 < score < 1.0) != (outcome == "partial"):
        return f"score={score}, outcome={outcome}"
    if not all(0.0 <= share <= 1.0 for share in verdict.parts.values()):
        return f"the parts are {verdict.parts}"
    if verdict.correct and set(verdict.parts.values()) != {1.0}:
        return f"a correct reply has the parts {verdict.parts}"
    if not 0.0 <= verdict.invented <= 1.0:
        return f"invented={verdict.invented}"
    return ""


def score_of(given: Any) -> float:
    """The number in what a reward function gives: a number, a dict with one, a list or tensor of one.

    Raises:
        NoScore: where there is none.

    >>> score_of(True), score_of({"score": 0.5, "acc": 1}), score_of([{"reward": 2}])
    (1.0, 0.5, 2.0)
    """
    if isinstance(given, bool | int | float):
        return float(given)
    if isinstance(given, Mapping):
        for key in SCORE_KEYS:
            if key in given:
                return score_of(given[key])
        raise NoScore(f"a dict without any of {', '.join(SCORE_KEYS)}")
    if isinstance(given, list | tuple):
        if len(given) != 1:
            raise NoScore(f"{len(given)} scores for one reply")
        return score_of(given[0])
    for name in ("tolist", "item"):
        if hasattr(given, name):
            return score_of(getattr(given, name)())
    if hasattr(given, "score"):
        return score_of(given.score)
    raise NoScore(f"a value of type {type(given).__name__}")


def load_function(spec: str) -> Function:
    """The function that ``module:function`` or ``path/to/file.py:function`` names.

    Raises:
        InvalidArgument: where there is no such thing to call.

    >>> load_function("math:sqrt")(4)
    2.0
    """
    home, _, name = spec.rpartition(":")
    if not home or not name:
        raise InvalidArgument("verifier", spec, "write module:function, or path/to/file.py:function")
    try:
        found: Any = _module(home, spec)
    except ImportError as error:
        raise InvalidArgument("verifier", spec, f"cannot be imported: {error}") from error
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise InvalidArgument("verifier", spec, f"{home} has no function {name}")
    function: Function = found
    return function


def _module(home: str, spec: str) -> Any:
    if home.endswith(".py"):
        if not Path(home).is_file():
            raise InvalidArgument("verifier", spec, f"there is no file {home}")
        made = importlib.util.spec_from_file_location(Path(home).stem, home)
        if made is None or made.loader is None:
            raise InvalidArgument("verifier", spec, f"{home} is no Python file")
        module = importlib.util.module_from_spec(made)
        # Data classes look for their own module while it is loaded.
        sys.modules.setdefault(made.name, module)
        made.loader.exec_module(module)
        return module
    # A console script does not look in the folder it is called from; whoever names a module there expects it to.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return importlib.import_module(home)


def load_verifier(
    spec: str = OURS, *, convention: str | None = None, pass_at: float | None = None, probe: Task | None = None
) -> Verifier:
    """A verifier by its name, with the way to call it worked out.

    Args:
        spec: ``module:function`` or ``path/to/file.py:function``.
        convention: one of `CONVENTIONS`, where the names of its parameters mislead.
        pass_at: the score from which a reply passes; by default the verifier's own maximum.
        probe: any task, to try the order of two unnamed parameters.

    Raises:
        InvalidArgument: where it cannot be loaded, or fits no convention.

    >>> load_verifier("ecomrlve.outputs.rewards.verl:compute_score").convention.name
    'verl'
    """
    function = load_function(spec)
    if convention is not None:
        if convention not in CONVENTIONS:
            raise InvalidArgument("convention", convention, f"choose one of {', '.join(CONVENTIONS)}")
        return Verifier(function, CONVENTIONS[convention], spec, pass_at=pass_at)
    found = VERIFY if spec == OURS else work_out(function, probe)
    return Verifier(function, found, spec, pass_at=pass_at)
