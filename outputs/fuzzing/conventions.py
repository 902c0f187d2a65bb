"""How trainers call a reward function, and how to tell from a signature which of them a function was written for."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.tasks import Task
from ecomrlve.outputs.schema import row

Function = Callable[..., Any]
Arguments = tuple[tuple[Any, ...], dict[str, Any]]

TRUTH_NAMES = (
    *("ground_truth", "truth", "label", "target", "gold", "reference", "expected", "correct_answer", "solution"),
    "answer",
)
"""What a parameter for the truth is called, the surest first."""

REPLY_NAMES = (
    *("reply", "response", "completion", "solution_str", "prediction", "model_output", "output", "generated"),
    *("generation", "student_answer", "text", "answer"),
)
"""What a parameter for the reply is called, the surest first."""


def columns(task: Task) -> dict[str, Any]:
    """What a trainer may hand to a reward function beside truth and reply: the task's row, and the task itself."""
    return {**row(task), "ground_truth": task.ground_truth, "task": task}


@dataclass(frozen=True)
class Parameters:
    """The parameters of a function, as far as a caller needs them.

    Attributes:
        names: all that can be named or placed, in order.
        required: those without a default.
        placed: those that cannot be named.
        any_name: whether it takes any further name.
    """

    names: tuple[str, ...]
    required: frozenset[str]
    placed: frozenset[str]
    any_name: bool

    @classmethod
    def of(cls, function: Function) -> "Parameters":
        """The parameters of a function.

        Raises:
            InvalidArgument: where Python knows no signature of it.

        >>> Parameters.of(lambda truth, reply, strict=True: 1.0).names
        ('truth', 'reply', 'strict')
        """
        try:
            found = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            raise InvalidArgument("verifier", function, "has no signature to read; wrap it in a function") from None
        plain = [one for one in found if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
        return cls(
            tuple(one.name for one in plain),
            frozenset(one.name for one in plain if one.default is one.empty),
            frozenset(one.name for one in plain if one.kind is one.POSITIONAL_ONLY),
            any(one.kind is one.VAR_KEYWORD for one in found),
        )

    def pick(self, offered: Mapping[str, Any]) -> dict[str, Any]:
        """Of what is offered by name, all that the function takes."""
        return {name: value for name, value in offered.items() if self.any_name or name in self.names}


@dataclass(frozen=True)
class Convention:
    """One way to call a reward function.

    Args:
        name: as ``--convention`` takes it.
        says: the call in a few words, as it is printed.
        arguments: those of a call for one reply.
        text_only: whether a reply can only be text.
        batched: whether the function judges a list of replies and gives a list of scores.
    """

    name: str
    says: str
    arguments: Callable[[Parameters, Task, Any], Arguments]
    text_only: bool = True
    batched: bool = False


def _verl(parameters: Parameters, task: Task, reply: Any) -> Arguments:
    return (), parameters.pick({**columns(task), "solution_str": reply})


def _trl(parameters: Parameters, task: Task, reply: Any) -> Arguments:
    table = {name: [value] for name, value in columns(task).items()}
    return (), parameters.pick({**table, "prompts": [task.prompt], "completions": [reply]})


def _openrlhf(parameters: Parameters, task: Task, reply: Any) -> Arguments:
    prompt = "\n".join(message["content"] for message in task.prompt) + "\nassistant\n"
    offered = {"queries": [prompt + reply], "prompts": [prompt], "labels": [task.ground_truth]}
    return (), parameters.pick(offered)


def _slime(parameters: Parameters, task: Task, reply: Any) -> Arguments:
    sample = SimpleNamespace(prompt=task.prompt, response=reply, label=task.ground_truth, metadata={"env": task.env})
    return (SimpleNamespace(reward_key=None), sample), {}


def _pair(first: str, second: str) -> Callable[[Parameters, Task, Any], Arguments]:
    """A call with truth and reply under their names, and whatever else the function asks for and a row has."""

    def arguments(parameters: Parameters, task: Task, reply: Any) -> Arguments:
        known = {first: task.ground_truth, second: reply}
        others = [name for name in parameters.names if name in parameters.required and name not in known]
        if others:
            known = {**columns(task), **known}
        placed = [known[name] for name in parameters.names if name in parameters.placed and name in known]
        named = {name: known[name] for name in (first, second, *others) if name not in parameters.placed}
        return tuple(placed), named

    return arguments


def _verify(parameters: Parameters, task: Task, reply: Any) -> Arguments:
    return (task.ground_truth, reply), {}


def _turned(parameters: Parameters, task: Task, reply: Any) -> Arguments:
    return (reply, task.ground_truth), {}


VERIFY = Convention("verify", "(ground_truth, reply), any reply", _verify, text_only=False)
"""That of `ecomrlve.verify`, which judges replies of any type."""

CONVENTIONS: Mapping[str, Convention] = {
    one.name: one
    for one in (
        VERIFY,
        Convention("truth-reply", "(truth, reply) by position", _verify),
        Convention(
            "reply-truth", "(reply, truth) by position", lambda _, task, reply: ((reply, task.ground_truth), {})
        ),
        Convention("verl", "verl: data_source, solution_str, ground_truth, extra_info", _verl),
        Convention("trl", "TRL: lists of completions, and of each column", _trl, batched=True),
        Convention("openrlhf", "OpenRLHF: lists of queries, prompts, labels", _openrlhf, batched=True),
        Convention("slime", "slime: args, sample", _slime),
    )
}
"""All that ``--convention`` takes."""

# Parameters that only one trainer has together.
_MARKS = (
    ("openrlhf", {"queries", "labels"}),
    ("trl", {"completions"}),
    ("slime", {"args", "sample"}),
    ("verl", {"solution_str", "ground_truth"}),
)


def _first(names: Sequence[str], known: Sequence[str], but: str | None = None) -> str | None:
    return next((name for name in known if name in names and name != but), None)


def work_out(function: Function, probe: Task | None = None) -> Convention:
    """The convention that a function was written for, by the names of its parameters.

    Where they say nothing and there are two, the probe decides: the order in which its oracle gets the better score.

    Args:
        function: a reward function.
        probe: any task.

    Raises:
        InvalidArgument: where the names fit nothing; ``--convention`` then says it.

    >>> work_out(lambda data_source, solution_str, ground_truth, extra_info=None: 1.0).name
    'verl'
    >>> work_out(lambda response, answer: 1.0).says
    'truth as answer, reply as response'
    """
    parameters = Parameters.of(function)
    for name, marks in _MARKS:
        if marks <= set(parameters.names):
            return CONVENTIONS[name]
    truth = _first(parameters.names, TRUTH_NAMES)
    reply = _first(parameters.names, REPLY_NAMES, but=truth)
    plain = [name for name in parameters.names if name in parameters.required] or list(parameters.names)
    if truth is None and reply is not None:
        truth = _first(plain, plain, but=reply)
    elif reply is None and truth is not None:
        reply = _first(plain, plain, but=truth)
    if truth is None or reply is None:
        return _by_trial(function, parameters, plain, probe)
    strange = sorted(parameters.required - {truth, reply} - ({*columns(probe)} if probe else set()))
    if strange:
        raise InvalidArgument("verifier", ", ".join(strange), "is no column of a task; name a --convention, or wrap it")
    return Convention("pair", f"truth as {truth}, reply as {reply}", _pair(truth, reply))


def _by_trial(function: Function, parameters: Parameters, plain: list[str], probe: Task | None) -> Convention:
    if len(plain) != 2 or probe is None:
        shown = f"({', '.join(parameters.names)})"
        raise InvalidArgument("verifier", shown, f"fits no convention; name one of {', '.join(CONVENTIONS)}")
    from ecomrlve.outputs.fuzzing.verifier import Verifier

    def score(name: str) -> tuple[bool, float]:
        grade = Verifier(function, CONVENTIONS[name]).grade(probe, probe.oracle)
        return not grade.error, grade.score

    return CONVENTIONS[max(("truth-reply", "reply-truth"), key=score)]
