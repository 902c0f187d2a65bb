"""What the laws need to know of one environment, and what the rows of several have in common."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import World

Answer = dict[str, Any]
Edits = Iterator[tuple[str, Answer]]


def _none_more(answer: Answer) -> Iterator[Answer]:
    yield from ()


@dataclass(frozen=True)
class EnvironmentProof:
    """What the laws need to know of one environment.

    Args:
        env: the environment's name.
        solve: the second solver; gives the members of the ``ground_truth`` that say what is right.
        right: whether a well-formed answer is one of those that the second solver found.
        nothing: the answer that says that nothing fits.
        template: the reply form of the prompt, unfilled.
        guesses: blind legal answers without end, the one that takes the first of everything first.
        everything: the answer that names all candidates.
        edits: edits that only this environment has, as (operator, answer).
        operators: names of all operators that must have cases, of `answers.edits` too.
        places: (place, how many there are) of each right candidate among those it could be taken for.
        same: other spellings of an answer that mean the same, beside those that every environment has.
        enough: tasks after which every operator has had cases.
    """

    env: str
    solve: Callable[[World, Task], Answer]
    right: Callable[[Answer, Answer], bool]
    nothing: Answer
    template: str
    guesses: Callable[[Task, Draws], Iterator[Answer]]
    everything: Callable[[Task], Answer]
    edits: Callable[[World, Task, Answer], Edits]
    operators: frozenset[str]
    places: Callable[[Task, Answer], Iterator[tuple[int, int]]]
    same: Callable[[Answer], Iterator[Answer]] = _none_more
    enough: int = 500


def shown(task: Task) -> list[str]:
    """Identifiers on the page, in the order in which the ``ground_truth`` has them."""
    names: list[str] = json.loads(task.ground_truth)["shown"]
    return names


LIST_EDITS = ("dropped", "repeated", "added", "emptied", "neighbours swapped")
"""What `answers.edits` does to a list."""


def operators(key: str, *more: str, without: Sequence[str] = ()) -> frozenset[str]:
    """Names of the operators of an answer that is one list, and others.

    >>> sorted(operators("items", "another version", without=LIST_EDITS[1:]))
    ['another version', 'items dropped']
    """
    return frozenset({f"{key} {edit}" for edit in LIST_EDITS if edit not in without} | set(more))


# --- one product at a time -------------------------------------------------------------------------------------------

_MOST_KEPT = 1 << 17
_facts: dict[tuple[int, int], dict[str, str]] = {}
_facts_of: list[Catalog] = []


def facts_of(catalog: Catalog, row: int, variant: int) -> dict[str, str]:
    """What the page says of a variant; kept, as thousands of tasks ask for the same ones."""
    if not _facts_of or _facts_of[0] is not catalog or len(_facts) >= _MOST_KEPT:
        _facts_of[:] = [catalog]
        _facts.clear()
    known = _facts.get((row, variant))
    if known is None:
        known = _facts[row, variant] = catalog.facts(row, variant)
    return known


def buyable(catalog: Catalog, rows: Sequence[int], units: int = 1) -> Iterator[tuple[int, int, dict[str, str]]]:
    """(row, variant, facts) of everything on the page of which so many can be bought."""
    for row in rows:
        for variant in range(int(catalog.variant_start[row]), int(catalog.variant_start[row + 1])):
            if int(catalog.stock[variant]) >= units:
                yield row, variant, facts_of(catalog, row, variant)
