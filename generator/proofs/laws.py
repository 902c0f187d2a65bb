"""The laws that every task obeys: each a function from a case to what is wrong with it, in words; nothing is well.

`tests/test_laws.py` draws the cases with Hypothesis, `ecomrlve truth` counts them by the hundred thousand. An
environment without a proof row is held to the laws that need none.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ecomrlve.generator.environments import environment
from ecomrlve.generator.proofs import proof
from ecomrlve.generator.proofs.answers import edits, junk, oracle_answer, spellings, spoiled, template, wrappings
from ecomrlve.generator.proofs.base import Answer, EnvironmentProof, shown
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task, make_task
from ecomrlve.generator.verifiers import verify
from ecomrlve.generator.verifiers.errors import TruthError
from ecomrlve.generator.world import World

MESSY = re.compile(
    r"\bNone\b|\bnan\b|NaN|\bnull\b|\{[A-Za-z_ ]+\}|\S  +\S| [,.;:!?](?=\s|$)|,,|\.\.(?!\.)|\(\)|''|<[a-z]+>"
)
# The reply form is the only place where a system prompt speaks of null.
_FORM = re.compile(r"\{\"[^\n]*\}")


@dataclass
class LawCase:
    """One task, and all that the laws look at.

    Attributes:
        made: answers one edit from the right one, by operator.
        wrong: those that the second solver rejects.
        rejected: those that the verifier rejects as well.
        rewrites: other spellings of the right answer.
        accepted: those that the verifier accepts.
    """

    world: World
    task: Task
    made: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    rewrites: int = 0
    accepted: int = 0

    @cached_property
    def row(self) -> EnvironmentProof | None:
        """The environment's proof row, where it has one."""
        return proof(self.task.env)

    @cached_property
    def answer(self) -> Answer:
        """The oracle's object."""
        return oracle_answer(self.task.oracle)

    @cached_property
    def found(self) -> Answer:
        """What the second solver finds; empty where there is none."""
        return {} if self.row is None else self.row.solve(self.world, self.task)

    @cached_property
    def draws(self) -> Draws:
        """Chance for what is done to the answer."""
        return Draws(7, "laws", self.task.env, self.task.level, self.task.index)

    @property
    def name(self) -> str:
        """What re-makes the task."""
        return remakes(self.task)


def remakes(task: Task) -> str:
    """The call that makes a task again."""
    recipe = json.loads(task.recipe)
    world = dict(recipe["world"])
    made = "World.synthetic" if world.pop("kind") == "synthetic" else "World.load"
    where = ", ".join(f"{name}={value!r}" for name, value in world.items())
    more = "".join(
        f", {name}={recipe[name]!r}"
        for name, usual in (("axes", {}), ("impossible", 0.1), ("max_prompt_chars", None))
        if recipe[name] != usual
    )
    return f'make_task({made}({where}), "{task.env}", level={task.level}, seed={task.seed}, index={task.index}{more})'


def by_number(value: Any) -> Any:
    """A ``ground_truth`` member in a form that does not depend on the order of what has none."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return sorted(
            json.dumps({key: _sorted(inner) for key, inner in item.items()}, sort_keys=True) for item in value
        )
    return value


def _sorted(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value


def oracle_is_right(case: LawCase) -> Iterator[str]:
    """The oracle is correct, with full marks in every part."""
    verdict = verify(case.task.ground_truth, case.task.oracle)
    if not (verdict.correct and verdict.score == 1.0 and verdict.outcome == "correct"):
        yield f"the oracle gets {verdict}"
    if set(verdict.parts.values()) != {1.0}:
        yield f"the oracle's parts are {verdict.parts}"
    if verify(case.task.ground_truth, case.task.oracle) != verdict:
        yield "a second grading differs"


def second_solver_agrees(case: LawCase) -> Iterator[str]:
    """A search through everything on the page finds the same complete answer."""
    if case.row is None:
        return
    truth = json.loads(case.task.ground_truth)
    for key, value in case.found.items():
        if by_number(value) != by_number(truth[key]):
            yield f"{key} is {truth[key]}, and the second solver finds {value}"
    if not case.row.right(case.found, case.answer):
        yield "the second solver rejects the oracle"


def mutants_are_judged_alike(case: LawCase) -> Iterator[str]:
    """One edit away, an answer is correct exactly where the second solver says so."""
    if case.row is None:
        return
    common = edits(case.task, case.answer, case.row, case.draws)
    special = case.row.edits(case.world, case.task, case.answer)
    for operator, edited in [*common, *special]:
        right = case.row.right(case.found, edited)
        verdict = verify(case.task.ground_truth, json.dumps(edited))
        if verdict.correct != right:
            yield f"{operator}: {edited} is {'right' if right else 'wrong'} and gets {verdict.message}"
        case.made[operator] += 1
        if not right:
            case.wrong[operator] += 1
            case.rejected[operator] += not verdict.correct


def rewrites_are_accepted(case: LawCase) -> Iterator[str]:
    """What means the same is judged the same."""
    names = frozenset(shown(case.task))
    matters = environment(case.task.env).order_matters
    same = () if case.row is None else case.row.same(case.answer)
    spelled = (answer for _, answer in spellings(case.answer, names, matters))
    wrapped = (reply for _, reply in wrappings(case.answer, template(case.task.env)))
    for reply in (*map(json.dumps, (*spelled, *same)), *wrapped):
        verdict = verify(case.task.ground_truth, reply)
        case.rewrites += 1
        case.accepted += verdict.correct
        if not verdict.correct:
            yield f"{reply!r} is not accepted: {verdict.outcome}, {verdict.message}"


def junk_gets_a_verdict(case: LawCase) -> Iterator[str]:
    """Whatever else comes is judged, within bounds, and a broken truth raises."""
    keys = verify(case.task.ground_truth, case.task.oracle).parts.keys()
    for _, reply in junk(case.task, case.draws):
        verdict = verify(case.task.ground_truth, reply)
        if verdict.correct or verdict.parts.keys() != keys or not 0 <= verdict.score < 1:
            yield f"{reply!r:.80} gets {verdict}"
    for _, broken in spoiled(case.task.ground_truth):
        try:
            verify(broken, case.task.oracle)
        except TruthError:
            continue
        yield f"a broken truth is judged: {broken:.80}"


def text_is_enough(case: LawCase) -> Iterator[str]:
    """A solver that sees the prompt alone answers rightly; noise changes nothing in how it reads."""
    reply, readings = read(case.task.env, case.task.prompt)
    if not verify(case.task.ground_truth, reply).correct:
        yield f"the text gives {reply}, the truth is {case.answer}: {case.task.prompt[1:]!r}"
    if case.row is not None and len(readings) != 1:
        yield f"{len(readings)} readings of {case.task.prompt[1:]!r}: {readings!r}"


def noise_is_read_through(case: LawCase) -> Iterator[str]:
    """The noisy turns have one reading, that of the same task without noise, and so are answered rightly."""
    reply, noisy = read(case.task.env, case.task.prompt)
    calm = without_noise(case.world, case.task)
    if is_same_but_for_noise(calm, case.task):
        _, clean = read(case.task.env, calm.prompt)
        if noisy != clean:
            yield f"read as {noisy!r}, not as {clean!r}: {case.task.prompt[1:]!r}"
            return
    elif case.row is not None and len(noisy) != 1:
        yield f"{len(noisy)} readings of {case.task.prompt[1:]!r}: {noisy!r}"
    if not verify(case.task.ground_truth, reply).correct:
        yield f"the text gives {reply}, the truth is {case.answer}: {case.task.prompt[1:]!r}"


def is_same_but_for_noise(calm: Task, noisy: Task) -> bool:
    """Whether two tasks differ in typing errors alone.

    A pose may draw its wording anew where typing errors could not be undone, so now and then they differ in more.
    """
    return calm.prompt[0] == noisy.prompt[0] and calm.ground_truth == noisy.ground_truth


def without_noise(world: World, task: Task) -> Task:
    """The same task with no typing errors."""
    recipe = json.loads(task.recipe)
    return make_task(
        world,
        task.env,
        level=task.level,
        seed=task.seed,
        index=task.index,
        axes={**recipe["axes"], "noise": 0},
        impossible=recipe["impossible"],
    )


def read(env: str, prompt: list[dict[str, str]]) -> tuple[str, list[Any]]:
    """The text-only solver's reply, and every reading of the prompt."""
    made = environment(env)
    try:
        readings = list(made.read(prompt))
        return json.dumps(made.solve(readings[0])), readings
    except (ValueError, LookupError) as error:
        return f"{type(error).__name__}: {error}", []


def prompt_is_tidy(case: LawCase) -> Iterator[str]:
    """Nothing unfilled, nothing that gives the answer away; whatever the truth names is on the page."""
    task = case.task
    roles = [message["role"] for message in task.prompt]
    turns = [message["content"] for message in task.prompt if message["role"] == "user"]
    system = task.prompt[0]["content"]
    if (
        roles[0] != "system"
        or roles[-1] != "user"
        or any(set(message) != {"role", "content"} for message in task.prompt)
    ):
        yield f"roles are {roles}"
    for text in [_FORM.sub("that", system), *turns]:
        lines = [line.removeprefix("  - ") for line in text.split("\n")]
        for line in lines:
            if (found := MESSY.search(line)) or not line.strip() or line != line.strip():
                yield f"{found and found[0]!r} in {line!r}"
    if not float(task.axes["noise"]):
        # Some messages begin every sentence with a small letter, and then they do so throughout.
        for text in turns:
            firsts = re.findall(r"(?:^|[.!?] )(?!I\b)([A-Za-z])", text)
            if len({letter.islower() for letter in firsts}) == 2:
                yield f"capitals come and go: {text!r}"
        if any(text[-1] not in ".!?" for text in turns):
            yield f"no full stop: {turns!r}"
    everything = "\n".join(message["content"] for message in task.prompt)
    secrets = [task.ground_truth, '"ranking"', '"accepted"', "ground_truth", "decoy"]
    # The form for "nothing fits" is stated in every prompt.
    secrets += [] if task.impossible else [json.dumps(case.answer)]
    for secret in secrets:
        if secret in everything:
            yield f"the prompt holds {secret!r}"
    words = set(re.findall(r"\w+", system))
    for name in shown(task):
        if name not in words:
            yield f"{name} is not on the page"


def is_what_it_says(case: LawCase) -> Iterator[str]:
    """Its axes are numbers within their ranges, its goal is JSON, and `impossible` says whether nothing fits."""
    task = case.task
    if case.row is not None and task.impossible != (case.answer == case.row.nothing):
        yield f"impossible={task.impossible} and the answer is {case.answer}"
    if not 0 < task.chance <= 1:
        yield f"chance={task.chance}"
    if task.attempts < 1:
        yield f"attempts={task.attempts}"
    if len(task.axes) != 12 or not all(isinstance(value, float | int) for value in task.axes.values()):
        yield f"axes={task.axes}"
    if not isinstance(json.loads(task.goal), dict) or not re.fullmatch("[0-9a-f]{20}", task.task_id):
        yield "goal or task_id is not what it should be"
    strange = {name for name, _ in task.notes} & _named(case.answer)
    if strange:
        yield f"{strange} are right answers and noted as decoys"


def _named(answer: Answer) -> set[str]:
    return set(re.findall(r"\"([A-Z][A-Z0-9]{5})\"", json.dumps(answer)))


Law = Callable[[LawCase], Iterator[str]]

NOISE_FREE_LAWS: Mapping[str, Law] = {
    "the oracle is right": oracle_is_right,
    "the second solver agrees": second_solver_agrees,
    "mutants are judged alike": mutants_are_judged_alike,
    "rewrites are accepted": rewrites_are_accepted,
    "junk gets a verdict": junk_gets_a_verdict,
    "the text is enough": text_is_enough,
    "the prompt is tidy": prompt_is_tidy,
    "it is what it says": is_what_it_says,
}
"""Laws of a task without noise."""

NOISY_LAWS: Mapping[str, Law] = {
    "the oracle is right": oracle_is_right,
    "noise is read through": noise_is_read_through,
    "the prompt is tidy": prompt_is_tidy,
}
"""Laws of a task with typing errors."""


def broken(case: LawCase, laws: Mapping[str, Law]) -> list[str]:
    """Everything that is wrong with a case, each with the law it breaks."""
    return [f"{law}: {fault}" for law, check in laws.items() for fault in check(case)]
