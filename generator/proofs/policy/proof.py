"""POLICY: the answer from the document and the facts as drawn; guesses, edits and spellings of answers."""

from collections.abc import Iterator
from typing import Any

from ecomrlve.generator.proofs.base import Answer, Edits, EnvironmentProof, shown
from ecomrlve.generator.proofs.policy.document import read_sections, settle
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import World

NOTHING: Answer = {"answer": None, "rule": None}


def solve_policy(world: World, task: Task) -> Answer:
    """The one right answer, from the document's words and what is so."""
    found = task.evidence
    minor = 10**world.catalog.currency.decimals
    answer, rule = settle(found["rules"], found["topic"], found["ask"], found["case"], minor)
    return {"answer": answer, "rule": rule}


def _right(found: Answer, given: Answer) -> bool:
    # True is 1 to the language, and no answer to "how many".
    return all(type(found[key]) is type(given[key]) and found[key] == given[key] for key in ("answer", "rule"))


def _guesses(task: Task, draws: Draws) -> Iterator[Answer]:
    sections, _ = read_sections(task.evidence["rules"])
    lines = [line for section in sections.values() for line in section if line.does not in ("lift", "limit")]
    yield _guess(lines[0], draws)
    while True:
        yield _guess(draws.choice(lines), draws)


def _guess(line: Any, draws: Draws) -> Answer:
    """What a rule says at first sight."""
    if line.words:
        return {"answer": line.words, "rule": line.name}
    if draws.chance(250):
        return {"answer": draws.chance(500), "rule": line.name}
    return {"answer": line.sums[0] if line.sums else line.percent, "rule": line.name}


def _everything(task: Task) -> Answer:
    return {"answer": "yes, no, 0", "rule": ", ".join(shown(task))}


def _edits(world: World, task: Task, answer: Answer) -> Edits:
    names = shown(task)
    if answer["rule"] is None:
        yield "a rule where none speaks", {"answer": 0, "rule": names[0]}
        yield "yes where none speaks", {"answer": True, "rule": names[-1]}
        return
    for name in names:
        if name != answer["rule"]:
            yield "another rule", {**answer, "rule": name}
    yield "no rule speaks", dict(NOTHING)
    yield "no answer", {**answer, "answer": None}
    value = answer["answer"]
    if isinstance(value, bool):
        yield "the other answer", {**answer, "answer": not value}
    elif isinstance(value, int):
        yield "yes for a number", {**answer, "answer": True}
        for text in ("{} weeks", "{}.5", "about {}"):
            yield "no such number", {**answer, "answer": text.format(value)}
        for rule, other in _without(world, task):
            yield "a rule overlooked", {"answer": other, "rule": rule}
    else:
        sections, _ = read_sections(task.evidence["rules"])
        for word in sorted({line.words for section in sections.values() for line in section if line.words} - {value}):
            yield "other words", {**answer, "answer": word}


def _without(world: World, task: Task) -> Iterator[tuple[str | None, Any]]:
    """Answers of one who overlooks a rule."""
    found = task.evidence
    lines = found["rules"].split("\n")
    minor = 10**world.catalog.currency.decimals
    for at, line in enumerate(lines):
        if not line.startswith("- ") and not line.endswith(":"):
            text = "\n".join([*lines[:at], *lines[at + 1 :]])
            answer, rule = settle(text, found["topic"], found["ask"], found["case"], minor)
            yield rule, answer


def _same(answer: Answer) -> Iterator[Answer]:
    value = answer["answer"]
    if value is None:
        yield {"answer": "null", "rule": "none"}
    elif isinstance(value, bool):
        yield {**answer, "answer": "Yes" if value else "No"}
        yield {**answer, "answer": str(value)}
    elif isinstance(value, int):
        yield {**answer, "answer": f"{value:+d}"}
        yield {**answer, "answer": str(value).replace("-", "\u2212")}
    else:
        yield {**answer, "answer": f"  {value.upper()} "}


def _places(task: Task, answer: Answer) -> Iterator[tuple[int, int]]:
    sections, _ = read_sections(task.evidence["rules"])
    for topic, lines in sections.items():
        answering = [line.name for line in lines if line.does in ("say", "points", "deposit", "share", "per", "time")]
        if topic == task.evidence["topic"] and answer["rule"] in answering:
            yield answering.index(answer["rule"]), len(answering)


PROOF = EnvironmentProof(
    env="POLICY",
    solve=solve_policy,
    right=_right,
    nothing=NOTHING,
    template='{"answer": 30, "rule": "id"}',
    guesses=_guesses,
    everything=_everything,
    edits=_edits,
    operators=frozenset(
        f"answer {edit}" for edit in ("one more", "one less", "tenfold", "negated", "emptied", "filled")
    )
    | frozenset(f"rule {edit}" for edit in ("neighbour", "another", "emptied", "filled"))
    | {
        *("a rule where none speaks", "yes where none speaks", "another rule", "no rule speaks", "no answer"),
        *("the other answer", "yes for a number", "no such number", "a rule overlooked", "other words"),
    },
    places=_places,
    same=_same,
    enough=400,
)
