"""STATUS: what is asked about is told apart, the day can be worked out from the page, and nothing marks the answer."""

import json
from collections import Counter
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from ecomrlve.generator.catalog.importers import import_catalog
from ecomrlve.generator.environments import environment
from ecomrlve.generator.environments.status.solve import meant, page_words, parse_form
from ecomrlve.generator.orders.promises import RULES
from ecomrlve.generator.pages.prompt import customer_texts
from ecomrlve.generator.pages.shipments import parse_shipments
from ecomrlve.generator.proofs.laws import NOISE_FREE_LAWS, LawCase, broken
from ecomrlve.generator.tasks import Task, make_task
from ecomrlve.generator.verifiers import verify
from ecomrlve.generator.verifiers.status import STATES
from ecomrlve.generator.world import World
from ecomrlve.grammars.dialogue.references import stem, stems
from ecomrlve.grammars.dialogue.status.parse import parse_status

LEVELS = range(13)
EACH = 25
CATALOGS = Path(__file__).parents[2] / "shared" / "catalogs"


@lru_cache(maxsize=2)
def world(seed: int) -> World:
    return World.synthetic(products=4_000, seed=seed)


@lru_cache(maxsize=1)
def tasks() -> tuple[Task, ...]:
    """Tasks of every level, as generated."""
    return tuple(
        make_task(world(seed), "STATUS", level=level, seed=5, index=index)
        for seed in (0, 1)
        for level in LEVELS
        for index in range(EACH)
    )


def right(task: Task) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(task.ground_truth)["accepted"][0]
    return answer


def test_every_state_and_rule_comes_up() -> None:
    states = Counter(right(task)["status"] for task in tasks())
    assert set(states) == {*STATES, "not_found"}
    found = sum(states[state] for state in STATES)
    assert max(states[state] for state in STATES) < 0.3 * found
    assert min(states[state] for state in STATES) > 0.01 * found
    rules = Counter(rule for task in tasks() for rule in task.evidence["draft"].rules)
    assert set(rules) == set(RULES)


def test_lines_are_asked_about_and_orders_and_parcels_are_split() -> None:
    about = Counter(bool(right(task)["line"]) for task in tasks() if right(task)["order"])
    assert 0.35 < about[True] / about.total() < 0.75
    split = [task for task in tasks() if len(task.evidence["draft"].meant.shipment.parcels) > 1]
    assert len(split) > 20
    # An order in several parcels has no one status, so the request is about a line of it.
    assert all(right(task)["line"] or task.impossible for task in split)


def test_every_message_has_one_reading_that_means_one_thing() -> None:
    for task in tasks():
        system = task.prompt[0]["content"]
        shipments = parse_shipments(system)
        parsed = parse_status(customer_texts(task.prompt), page_words(shipments), task.evidence["today"])
        assert len(parsed) == 1, task.prompt[1:]
        if not parse_form(system):
            assert len(meant(parsed[0], shipments)) == (right(task)["order"] is not None)


def test_a_denied_delivery_stays_delivered() -> None:
    denied = [task for task in tasks() if task.evidence["draft"].denied and not task.impossible]
    assert len(denied) > 5
    assert {right(task)["status"] for task in denied} == {"delivered"}


def test_days_lie_where_they_can() -> None:
    """What comes comes today or later, what came came before; some days wait for a rule, many for none."""
    for task in tasks():
        answer, today = right(task), task.evidence["today"]
        if answer["arrives"] is not None:
            day = date.fromisoformat(answer["arrives"])
            assert (day <= today) if answer["status"] == "delivered" else (day >= today)
            assert answer["arrives"] not in json.dumps(task.prompt)


def test_rules_that_bear_are_as_many_as_asked_for() -> None:
    met = [task.measured["branches"] == min(5, 1 + task.level // 3) for task in tasks()]
    assert sum(met) > 0.75 * len(met)
    assert all(task.measured["branches"] == task.axes["branches"] for task in tasks())


def test_near_misses_lack_just_the_one_thing() -> None:
    """Each line or order that the notes name is all that is said but one, by another way of reading it."""
    kinds = Counter[str]()
    for task in tasks():
        draft = task.evidence["draft"]
        assert len(task.notes) == len(draft.near)
        for kind, value in draft.near.values():
            kinds[value[0] if kind == "order" else kind] += 1
    assert min(kinds[key] for key in ("look", "maker", "month", "destination", "gift")) > 10


def test_the_order_that_is_meant_stands_anywhere() -> None:
    """Its place, its parcels and its size tell as much as chance does."""
    place, lines, others = Counter[int](), 0, list[int]()
    for index in range(300):
        task = make_task(world(0), "STATUS", level=4, seed=9, index=index, axes={"noise": 0.0})
        draft = task.evidence["draft"]
        if task.impossible:
            continue
        for number, shipment in enumerate(draft.shipments):
            if shipment is draft.meant.shipment:
                place[number] += 1
                lines += len(shipment.lines)
            else:
                others.append(len(shipment.lines))
    assert min(place[number] for number in range(3)) > 0.22 * sum(place.values())
    assert abs(lines / place.total() - sum(others) / len(others)) < 0.7


def test_what_is_said_is_mostly_on_the_page_even_where_nothing_is_meant() -> None:
    """So that no strange word tells that nothing is meant."""
    strange, count = 0, 0
    for index in range(120):
        task = make_task(world(1), "STATUS", level=6, seed=6, index=index, axes={"noise": 0.0}, impossible=1.0)
        draft = task.evidence["draft"]
        page = frozenset(map(stem, page_words(draft.shipments)))
        count += 1
        strange += not all(stems(value) <= page for kind, value in draft.marks if kind in ("name", "look", "maker"))
    assert strange < 0.2 * count


@pytest.mark.skipif(not CATALOGS.is_dir(), reason="the real catalogs are not beside the checkout")
@pytest.mark.parametrize(
    "name",
    [
        "furniture.csv",
        "laptops.csv",
        "retail.json",
        "shopify_apparel.csv",
        "shopify_home-and-garden.csv",
        "shopify_jewelery.csv",
    ],
)
def test_real_catalogs_carry_questions(name: str, tmp_path: Path) -> None:
    import_catalog(CATALOGS / name, tmp_path / "shop")
    shop = World.load(tmp_path / "shop")
    for level in (0, 3, 7, 12):
        for index in range(8):
            task = make_task(shop, "STATUS", level=level, seed=3, index=index, axes={"noise": 0})
            assert not broken(LawCase(shop, task), NOISE_FREE_LAWS), task.recipe


def test_typing_errors_cost_no_answer() -> None:
    env = environment("STATUS")
    for task in tasks():
        assert verify(task.ground_truth, env.answer(task.prompt)).correct, task.recipe
