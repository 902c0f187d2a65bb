"""POLICY: rules that bear, rules that cannot be learnt by heart, and answers that habit does not give."""

import json
import re
from collections import Counter, defaultdict
from functools import lru_cache
from math import sqrt
from typing import Any

from ecomrlve import World, make_task, verify
from ecomrlve.generator.environments import environment
from ecomrlve.generator.environments.policy.solve import parse_rules
from ecomrlve.generator.proofs.policy.document import settle
from ecomrlve.generator.tasks import Task

LEVELS = range(13)


@lru_cache(maxsize=1)
def world() -> World:
    return World.synthetic(products=2_000, seed=4)


@lru_cache(maxsize=1)
def tasks() -> tuple[Task, ...]:
    """Tasks of every level, as generated."""
    return tuple(make_task(world(), "POLICY", level=index % 13, seed=5, index=index) for index in range(390))


def truth(task: Task) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(task.ground_truth)
    return found


def rules(task: Task) -> str:
    return parse_rules(task.prompt[0]["content"])


def test_without_any_rule_that_bears_the_answer_is_another() -> None:
    """Struck from the document, and read by the second reader: as many rules bear as the task says."""
    for task in tasks():
        if task.impossible:
            continue
        found = task.evidence
        lines = rules(task).split("\n")
        right = settle("\n".join(lines), found["topic"], found["ask"], found["case"], 100)
        assert list(right) == [truth(task)["answer"], truth(task)["rule"]]
        bearing = 0
        for at, line in enumerate(lines):
            if re.match(r"[A-Z]+\d+\. ", line):
                without = "\n".join([*lines[:at], *lines[at + 1 :]])
                other = settle(without, found["topic"], found["ask"], found["case"], 100)
                bearing += (other, type(other[0])) != (right, type(right[0]))
        assert bearing == task.measured["branches"] == task.axes["branches"]


def test_as_many_rules_bear_as_the_level_asks_for() -> None:
    off = [task for task in tasks() if task.measured["branches"] != min(5, 1 + task.level // 3)]
    assert len(off) <= 0.01 * len(tasks())
    assert sorted(task.attempts for task in tasks())[len(tasks()) * 99 // 100] <= 5


def test_documents_are_drawn_afresh() -> None:
    documents = Counter(map(rules, tasks()))
    assert len(documents) > 0.8 * len(tasks()) and max(documents.values()) < 8


def test_the_rules_of_another_task_are_of_no_use() -> None:
    """Whoever answers by rules learnt elsewhere is right no more often than by chance."""
    env = environment("POLICY")
    chance, right, count = 0.0, 0, 0
    for task, other in zip(tasks(), tasks()[13:], strict=False):
        if task.impossible:
            continue
        system = task.prompt[0]["content"].replace(rules(task), rules(other))
        answer = env.answer([{"role": "system", "content": system}, *task.prompt[1:]])
        right += verify(task.ground_truth, answer).correct
        chance, count = chance + task.chance, count + 1
    assert right <= 1.5 * chance + 2 * sqrt(chance), (right, chance, count)


def test_no_answer_is_right_by_habit() -> None:
    """Of each topic's answers, with rule or without, the most frequent is right a third of the time at most."""
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for task in tasks():
        answers[task.evidence["topic"]][json.dumps([truth(task)["answer"], truth(task)["rule"]])] += 1
    assert len(answers) == 10
    for topic, found in answers.items():
        assert max(found.values()) <= 0.35 * found.total(), topic


def test_the_surface_does_not_tell_whether_a_rule_speaks() -> None:
    """Length, number of rules, of turns and of facts: on average the same, within four standard errors."""
    features: dict[str, dict[bool, list[float]]] = defaultdict(lambda: {True: [], False: []})
    for index in range(600):
        task = make_task(world(), "POLICY", level=4, seed=6, index=index, impossible=0.5, axes={"noise": 0})
        system, turns = task.prompt[0]["content"], [one["content"] for one in task.prompt[1:]]
        found = {
            "characters": len(system),
            "rules": len(truth(task)["shown"]),
            "turns": len(turns),
            "words": len(turns[0].split()),
            "file": system.count("\n- ") - 3,
            "percentages": rules(task).count("%"),
            "last": rules(task).count("the last that fits"),
        }
        for name, value in found.items():
            features[name][task.impossible].append(value)
    for name, sides in features.items():
        means = [sum(values) / len(values) for values in sides.values()]
        errors = [
            sum((value - mean) ** 2 for value in values) / len(values) ** 2
            for values, mean in zip(sides.values(), means, strict=True)
        ]
        assert abs(means[0] - means[1]) <= 4 * sqrt(sum(errors)), (name, means)


def test_documents_are_short_at_level_four() -> None:
    for index in range(100):
        task = make_task(world(), "POLICY", level=4, seed=7, index=index)
        lines = [line for line in rules(task).split("\n") if not line.endswith(":")]
        assert 8 <= len(lines) <= 16


def test_every_kind_of_answer_and_question_comes_up() -> None:
    units = Counter(truth(task)["unit"] for task in tasks())
    assert set(units) == {"cents", "days", "months", "hours", "points", "yes_no", "words", "nothing"}
    yes = [truth(task)["answer"] for task in tasks() if truth(task)["unit"] == "yes_no"]
    assert 0.25 < sum(yes) / len(yes) < 0.75
    negative = [
        task for task in tasks() if truth(task)["unit"] in ("days", "hours", "months") and truth(task)["answer"] < 0
    ]
    assert negative
