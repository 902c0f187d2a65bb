"""Named replies to a task: right ones, wrong ones and cheats, built from what the proofs of its environment know.

Which of them are wrong is said by the second solver, which shares no code with the verifiers.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ecomrlve.generator.environments import environment
from ecomrlve.generator.proofs.answers import (
    cheats,
    edits,
    junk,
    oracle_answer,
    places,
    replaced,
    spellings,
    spoiled,
    template,
    wrappings,
)
from ecomrlve.generator.proofs.base import Answer, shown
from ecomrlve.generator.proofs.laws import LawCase
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.verifiers.registry import judge_of
from ecomrlve.generator.world import World
from ecomrlve.outputs.fuzzing.reading import plain_reading

INVENTED = "ZZ9ZZ9"
"""An identifier that stands on no page, nor is any word of an answer."""

AS_IT_IS = "as it is"

# Numbers become wrong by this much.
_FAR = 1_000

# Tasks and shops that are kept while a run draws the same ones again.
_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply, and what was done to make it.

    Args:
        operator: the edit, rewrite or cheat.
        reply: text; in some rewrites bytes or messages.
    """

    operator: str
    reply: Any


class Studied:
    """A task with all that can be said to it, each list made when it is first asked for.

    Args:
        world: the task's shop.
        task: the task.

    >>> from ecomrlve import make_task
    >>> world = World.synthetic(products=2_000)
    >>> studied = Studied(world, make_task(world, "PD", level=0, seed=0, index=0))
    >>> sorted(studied.mutants)[:2]
    ['decoy added', 'decoy in its place']
    """

    def __init__(self, world: World, task: Task) -> None:
        self._case = LawCase(world, task)
        self.world = world
        self.task = task
        self.answer: Answer = self._case.answer
        self._crossed: dict[str, list[Answer]] | None = None

    def is_right(self, answer: Answer) -> bool:
        """Whether a well-formed answer is right, by the second solver; without one, whether it is the oracle's."""
        row = self._case.row
        return answer == self.answer if row is None else row.right(self._case.found, answer)

    @property
    def _draws(self) -> Draws:
        return Draws(11, "fuzz", self.task.env, self.task.level, self.task.index)

    @cached_property
    def _edited(self) -> tuple[dict[str, list[Answer]], list[Answer]]:
        """Answers one edit from the oracle's: those that are wrong by operator, and those that are right as well."""
        row, wrong, right = self._case.row, dict[str, list[Answer]](), list[Answer]()
        if row is None:
            return wrong, right
        common = edits(self.task, self.answer, row, self._draws)
        special = row.edits(self._case.world, self.task, self.answer)
        for operator, edited in (*common, *special):
            if not self.is_right(edited):
                wrong.setdefault(operator, []).append(edited)
            elif edited != self.answer:
                right.append(edited)
        return wrong, right

    @property
    def mutants(self) -> dict[str, list[Answer]]:
        """Wrong answers one edit from the oracle's, by operator."""
        return self._edited[0]

    def crossed(self, others: Iterable[Task]) -> dict[str, list[Answer]]:
        """Wrong answers with one value from another task's answer, by operator: words, too, have their neighbours."""
        if self._crossed is None:
            self._crossed = {}
            for other in others:
                theirs = dict(places(oracle_answer(other.oracle)))
                for path, value in self.leaves:
                    new = theirs.get(path)
                    if new is None or isinstance(new, dict | list) or new == value:
                        continue
                    answer = replaced(self.answer, path, new)
                    key = next(part for part in reversed(path) if isinstance(part, str))
                    if not self.is_right(answer):
                        self._crossed.setdefault(f"{key} of another task", []).append(answer)
        return self._crossed

    @cached_property
    def near_numbers(self) -> dict[str, list[str]]:
        """The oracle's answer with a number that is nearly right, by what was done: text, as no float could say it."""
        found: dict[str, list[str]] = {}
        for path, value in self.leaves:
            if isinstance(value, int) and not isinstance(value, bool):
                near = {
                    "half a unit more": f"{value}.5",
                    "half a unit more, as text": f'"{value}.5"',
                    "a hair more": f"{value}.00000000000000000001",
                    **({"true for 1": "true"} if value == 1 else {}),
                }
                for operator, token in near.items():
                    found.setdefault(operator, []).append(spliced(self.answer, path, token))
        return found

    @cached_property
    def spelled(self) -> dict[str, list[Answer]]:
        """The oracle's answer in other spellings, by rewrite."""
        row, found = self._case.row, {AS_IT_IS: [self.answer]}
        matters = environment(self.task.env).order_matters
        names = frozenset(shown(self.task))
        same = () if row is None else (("its environment's own", answer) for answer in row.same(self.answer))
        for rewrite, answer in (*spellings(self.answer, names, matters), *same):
            if answer != self.answer or repr(answer) != repr(self.answer):
                found.setdefault(rewrite, []).append(answer)
        if self._edited[1]:
            found["another right answer"] = self._edited[1]
        return found

    def wrapped(self, answer: Answer, text_only: bool) -> dict[str, Any]:
        """Replies with this answer in them, by what stands around it."""
        found = wrappings(answer, template(self.task.env))
        return {name: reply for name, reply in found if isinstance(reply, str) or not text_only}

    @cached_property
    def broken(self) -> dict[str, list[Any]]:
        """Replies that hold no whole answer, by what is broken."""
        found: dict[str, list[Any]] = {}
        for name, reply in junk(self.task, self._draws):
            found.setdefault(name, []).append(reply)
        return found

    @cached_property
    def spoiled_truths(self) -> list[tuple[str, str]]:
        """Ground truths that are none any more, by what was done to them."""
        return list(spoiled(self.task.ground_truth))

    def cheats(self, other: Task) -> dict[str, str]:
        """Replies without reading that are wrong, by name; some are right by chance, and those are left out."""
        key = judge_of(self.task.env).KEY
        found: dict[str, str] = {}
        for name, reply in cheats(self.task, other, self._draws):
            read = plain_reading(reply, key)
            if isinstance(reply, str) and (read is None or not self._case.row or not self._named_right(read)):
                found[name] = reply
        return found

    def all_cheats(self, other: Task) -> Iterator[tuple[str, Any]]:
        """Every cheat, right by chance or not: whose mean score is what counts."""
        yield from cheats(self.task, other, self._draws)

    def _named_right(self, answer: Answer) -> bool:
        # A guess says all that the oracle says; a shorter object is no answer that a second solver could read.
        return answer.keys() >= self.answer.keys() and self.is_right(answer)

    def spoil(self, paths: list[tuple[str | int, ...]]) -> Answer:
        """The oracle's answer with something else in these places: identifiers nobody has, words nobody asked for."""
        answer = self.answer
        for path in paths:
            answer = replaced(answer, path, _other(dict(self.leaves)[path]))
        return answer

    def with_items(self, path: tuple[str | int, ...], items: list[Any]) -> Answer:
        """The oracle's answer with other items in one of its lists."""
        answer: Answer = replaced(self.answer, path, items)
        return answer

    def crowd(self, path: tuple[str | int, ...]) -> dict[str, Answer]:
        """The oracle's answer with a wrong value beside the right one in a place, by how they stand there."""
        value = dict(self.leaves)[path]
        wrong = _other(value)
        return {
            "two values in a list": replaced(self.answer, path, [value, wrong]),
            "two values in a string": replaced(self.answer, path, f"{value}, {wrong}"),
            "the wrong one first": replaced(self.answer, path, f"{wrong} {value}"),
        }

    @cached_property
    def leaves(self) -> list[tuple[tuple[str | int, ...], Any]]:
        """The single values of the oracle's answer, by path."""
        return [(path, value) for path, value in places(self.answer) if not isinstance(value, dict | list)]

    @cached_property
    def lists(self) -> list[tuple[tuple[str | int, ...], list[Any]]]:
        """The lists of items of the oracle's answer, by path."""
        return [(path, value) for path, value in places(self.answer) if isinstance(value, list)]

    def wrong_items(self, path: tuple[str | int, ...]) -> list[Any]:
        """Items that can be added to a list of the answer and belong there no more than twice: one invented first."""
        row = self._case.row
        everything = None if row is None else row.everything(self.task)
        key = path[-1]
        if everything is None or len(path) != 1 or key not in everything:
            return []
        known = frozenset(shown(self.task))
        listed = list(everything[key])
        return [_invented(listed[0], known), *listed] if listed else []


_PLACE = "\x00place\x00"


def spliced(answer: Answer, path: tuple[str | int, ...], token: str) -> str:
    """An answer as JSON text, with any text in place of one value.

    >>> spliced({"products": ["A1"]}, ("products", 0), "NaN")
    '{"products": [NaN]}'
    """
    return json.dumps(replaced(answer, path, _PLACE)).replace(json.dumps(_PLACE), token)


def _other(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value + _FAR
    return INVENTED


def _invented(item: Any, known: frozenset[str]) -> Any:
    """The same item about something that nobody sells."""
    if isinstance(item, dict):
        return {key: _invented(value, known) for key, value in item.items()}
    return INVENTED if isinstance(item, str) and item in known else item


@lru_cache(maxsize=8)
def shop(products: int, seed: int, split: str = "train") -> World:
    """A synthetic shop, kept."""
    return World.synthetic(products=products, seed=seed, split=split)


_studied: dict[str, Studied] = {}
_worlds: dict[str, World] = {}


def study(task: Task, world: World | None = None) -> Studied:
    """A task with all that can be said to it; what was found is kept for the next time.

    Args:
        task: any task of ours.
        world: its shop where it is at hand; else the recipe makes it.

    >>> from ecomrlve import make_task
    >>> task = make_task(shop(2_000, 0), "CART", level=0, seed=0, index=0)
    >>> study(task) is study(task)
    True
    """
    known = _studied.get(task.recipe)
    if known is None:
        recipe = json.loads(task.recipe)
        world = _worlds.get(recipe["digest"], world)
        world = World.from_recipe(recipe["world"]) if world is None else world
        _worlds[recipe["digest"]] = world
        if len(_studied) >= _KEPT:
            _studied.clear()
        # What a second solver needs is not in every copy of a task, and a truth may have been spoiled in this one.
        known = _studied[task.recipe] = Studied(world, task if task.evidence else Task.from_recipe(task.recipe, world))
    return known


def excerpt(reply: Any, most: int = 2_000) -> str:
    """A reply as text for a report, the middle of a long one left out.

    >>> excerpt("a" * 30, most=20)
    'aaaaa… 20 more …aaaaa'
    """
    text = reply if isinstance(reply, str) else repr(reply)
    if len(text) <= most:
        return text
    part = most // 4
    return f"{text[:part]}… {len(text) - 2 * part:,} more …{text[-part:]}"


def shown_text(text: str) -> str:
    """Text that can be printed anywhere: what no encoding takes is escaped.

    >>> shown_text("a\\ud800")
    'a\\\\ud800'
    """
    safe = text.encode("utf-8", "backslashreplace").decode()
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]", _escaped, safe)


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()
