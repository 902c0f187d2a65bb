"""RETURN: the answer is proven twice, can be derived from the text, and is one edit away from wrong."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import pytest

from ecomrlve.errors import EcomrlveError
from ecomrlve.generator.catalog.importers import import_catalog
from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.generator.environments import environment
from ecomrlve.generator.environments.returns.page import parse_form, parse_rules, parse_versions
from ecomrlve.generator.environments.returns.solve import NO_LINE, meant_lines, page_words
from ecomrlve.generator.environments.returns.wishes import wanted_versions, with_changes_of_mind
from ecomrlve.generator.pages.orders import parse_orders
from ecomrlve.generator.pages.prompt import parse_opening
from ecomrlve.generator.proofs.returns.proof import solve_return
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task, make_task
from ecomrlve.generator.verifiers import verify
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.attributes import CURRENCIES
from ecomrlve.grammars.dialogue.noise import add_noise
from ecomrlve.grammars.dialogue.references import PREPOSITIONS, NamesLexicon, stems
from ecomrlve.grammars.dialogue.returns.parse import parse_return, return_lexicon
from ecomrlve.grammars.dialogue.returns.render import render_return
from ecomrlve.grammars.dialogue.returns.request import ReturnCorrection, ReturnRequest, return_grammar
from ecomrlve.grammars.engine.grammar import words
from ecomrlve.grammars.policy.rules import CONDITIONS, REASONS
from ecomrlve.grammars.policy.text import parse_policy

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
        make_task(world(seed), "RETURN", level=level, seed=5, index=index)
        for seed in (0, 1)
        for level in LEVELS
        for index in range(EACH)
    )


def right(task: Task) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(task.ground_truth)["accepted"][0]
    return answer


def system(task: Task) -> str:
    return task.prompt[0]["content"]


def said(task: Task) -> list[str]:
    return [message["content"] for message in task.prompt if message["role"] == "user"]


def test_a_second_solver_finds_the_same_complete_set_of_answers() -> None:
    for task in tasks():
        shop = world(json.loads(task.recipe)["world"]["seed"])
        assert solve_return(shop, task)["accepted"] == json.loads(task.ground_truth)["accepted"], task.recipe


def test_the_oracle_is_right_and_the_text_alone_gives_the_answer() -> None:
    """With typing errors and without, whatever is left out."""
    env = environment("RETURN")
    for task in tasks():
        assert verify(task.ground_truth, task.oracle).score == 1.0
        assert verify(task.ground_truth, env.answer(task.prompt)).correct, task.recipe


def test_every_message_has_one_reading() -> None:
    for task in tasks():
        orders, versions = parse_orders(system(task)), parse_versions(system(task))
        parsed = parse_return(said(task), page_words(orders, versions), parse_opening(system(task))[0])
        assert len(parsed) == 1, said(task)
        assert len(meant_lines(parsed[0], orders)) == (right(task)["line"] is not None)


def test_the_prompt_shows_everything_once() -> None:
    for task in tasks():
        orders = parse_orders(system(task))
        names = [name for order in orders for name in (order.order, *(line.line for line in order.lines))]
        names += [version.id for _, versions in parse_versions(system(task)) for version in versions]
        policy = parse_policy(parse_rules(system(task)))
        shown = set(names) | set(policy.names)
        assert len(names) == len(set(names))
        assert set(json.loads(task.ground_truth)["shown"]) == shown
        assert not set("{}") & set(" ".join(said(task)))
        assert json.dumps(right(task)) not in system(task)


def test_decisions_rules_and_lines_that_are_not_there() -> None:
    decisions = Counter(right(task)["decision"] for task in tasks())
    for decision in ("refund", "exchange", "refuse"):
        assert 0.2 <= decisions[decision] / len(tasks()) <= 0.5
    absent = [task for task in tasks() if right(task)["line"] is None]
    assert all(task.impossible == (task in absent) for task in tasks())
    assert 0.05 < len(absent) / len(tasks()) < 0.15
    # No name of a rule, and no policy, is right by habit.
    named = Counter(right(task)["rule"] for task in tasks())
    assert max(named.values()) < 0.25 * len(tasks())
    documents = {parse_rules(system(task)) for task in tasks()}
    assert len(documents) > 0.8 * len(tasks())


def test_attempts_branches_and_chance() -> None:
    attempts = sorted(task.attempts for task in tasks())
    assert attempts[len(attempts) * 99 // 100] <= 5
    for task in tasks():
        asked = min(5, 1 + task.level // 3)
        if not task.impossible:
            assert task.measured["branches"] == task.axes["branches"]
        assert task.axes["branches"] == asked or task.level == 12
    for level, most in ((0, 0.1), (2, 0.05), (6, 0.05), (12, 0.05)):
        chances = [task.chance for task in tasks() if task.level == level]
        assert sum(chances) / len(chances) <= most


def test_the_rules_of_another_task_are_of_no_use() -> None:
    """Whoever answers by rules learnt elsewhere is right no more often than by chance."""
    env, right_by_heart, chance = environment("RETURN"), 0, 0.0
    for task, other in zip(tasks(), tasks()[1:], strict=False):
        if not task.impossible:
            learnt = system(task).replace(task.evidence["rules"], other.evidence["rules"])
            answer = env.answer([{"role": "system", "content": learnt}, *task.prompt[1:]])
            right_by_heart += verify(task.ground_truth, answer).correct
            chance += task.chance
    assert right_by_heart <= 1.5 * chance


def test_near_misses_lack_just_the_one_thing() -> None:
    """Each line that the notes name has the name and lacks what they say, by another way of reading it."""
    kinds = Counter[str]()
    for task in tasks():
        draft = task.evidence["draft"]
        lines = {line.line_id: (line, order) for order in draft.orders for line in order.lines}
        assert len(task.notes) == len(draft.told.near)
        for name, mark in draft.told.near.items():
            line, order = lines[name]
            kinds[mark.key] += 1
            for other in draft.plan:
                if other.text:
                    has = stems(other.text) <= stems(f"{line.title} {line.options}")
                    assert has == (other.key != mark.key or other.axis != mark.axis)
            assert (line.unit_price == draft.price) == (mark.key != "price") or draft.price is None
            assert mark.key != "order" or order.order_id != draft.order.order_id
    assert min(kinds[key] for key in ("order", "look", "maker")) > 30


@pytest.mark.parametrize(
    "axis", ["constraints", "decoys", "out_of_stock", "omission", "switching", "orders", "branches"]
)
def test_each_axis_moves_what_it_names(axis: str) -> None:
    low, high = {"orders": (1, 6), "constraints": (1, 4), "branches": (1, 4)}.get(axis, (0, 0.9))
    fixed = {"noise": 0.0, "constraints": 3, "orders": 3, "decoys": 0.3}
    means = []
    for value in (low, high):
        made = [
            make_task(world(0), "RETURN", level=0, seed=8, index=index, axes=fixed | {axis: value})
            for index in range(40)
        ]
        means.append(sum(task.measured[axis] for task in made) / len(made))
    assert means[1] > means[0] + 0.1


def mutants(answer: dict[str, Any], shown: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Answers one edit away."""
    rules = [name for name in shown if len(name) <= 5 and name != answer["rule"]]
    if answer["line"] is None:
        yield "a line", answer | {"order": shown[0], "line": shown[1], "quantity": 1, "rule": rules[0]}
        return
    others = [name for name in shown if len(name) > 5 and name not in answer.values()] or ["ZZZZZZ"]
    yield "order", answer | {"order": others[0]}
    yield "line", answer | {"line": others[-1]}
    yield "one more", answer | {"quantity": answer["quantity"] + 1}
    yield "one less", answer | {"quantity": answer["quantity"] - 1}
    yield "rule", answer | {"rule": rules[0]}
    yield "last rule", answer | {"rule": rules[-1]}
    for decision in {"refund", "exchange", "refuse"} - {answer["decision"]}:
        yield "decision", answer | {"decision": decision}
    if answer["refund_cents"] is not None:
        yield "a cent more", answer | {"refund_cents": answer["refund_cents"] + 1}
        yield "a cent less", answer | {"refund_cents": answer["refund_cents"] - 1}
    if answer["replacement"] is not None:
        yield "another version", answer | {"replacement": others[0]}
        yield "no version", answer | {"replacement": None}
    yield "no line", dict(NO_LINE)


def test_one_edit_makes_it_wrong() -> None:
    killed = Counter[str]()
    for task in tasks():
        for name, answer in mutants(right(task), json.loads(task.ground_truth)["shown"]):
            verdict = verify(task.ground_truth, json.dumps(answer))
            assert not verdict.correct, (name, task.recipe)
            killed[name] += 1
    assert min(killed.values()) >= 20


def test_easy_ways_out_do_not_pay() -> None:
    """The first line, refused or refunded in full, or nothing found: at most a tenth of the marks."""

    def mean(answers: list[dict[str, Any]]) -> float:
        pairs = zip(tasks(), answers, strict=True)
        return sum(verify(task.ground_truth, json.dumps(answer)).score for task, answer in pairs) / len(tasks())

    first = [(parse_orders(system(task))[0], task) for task in tasks()]
    base = [
        {"order": order.order, "line": order.lines[0].line, "quantity": 1, "rule": "R1", "replacement": None}
        for order, _ in first
    ]
    assert mean([answer | {"decision": "refuse", "refund_cents": None} for answer in base]) <= 0.1
    money = [order.lines[0].unit_price for order, _ in first]
    refunds = [answer | {"decision": "refund", "refund_cents": paid} for answer, paid in zip(base, money, strict=True)]
    assert mean(refunds) <= 0.1
    assert mean([dict(NO_LINE)] * len(tasks())) <= 0.12


def test_nothing_in_the_orders_marks_the_line() -> None:
    """Place among the orders, place among the lines, discount and size tell about as much as chance does."""
    place, middle = Counter[int](), Counter[int]()
    discounted, count = [0, 0], [0, 0]
    for index in range(300):
        task = make_task(world(0), "RETURN", level=4, seed=9, index=index, axes={"noise": 0.0})
        answer, orders = right(task), parse_orders(system(task))
        if answer["line"] is None:
            continue
        for number, order in enumerate(orders):
            meant = order.order == answer["order"]
            count[meant] += 1
            discounted[meant] += order.discount > 0
            if meant:
                place[number] += 1
                if len(order.lines) == 3:
                    middle[[line.line for line in order.lines].index(answer["line"])] += 1
    assert min(place[number] for number in range(3)) > 0.22 * sum(place.values())
    assert min(middle[number] for number in range(3)) > 0.15 * sum(middle.values())
    assert abs(discounted[0] / count[0] - discounted[1] / count[1]) < 0.15


def test_what_is_left_out_stands_in_the_form() -> None:
    for index in range(40):
        task = make_task(world(1), "RETURN", level=6, seed=2, index=index, axes={"omission": 0.8, "switching": 0.0})
        form = parse_form(system(task))
        assert form
        for value in (form.get("condition"), form.get("reason")):
            assert value is None or value in (*CONDITIONS, *REASONS)


def test_a_task_repeats_and_differs_by_index() -> None:
    one = [make_task(world(0), "RETURN", level=5, seed=1, index=index) for index in range(30)]
    again = make_task(World.synthetic(products=4_000, seed=0), "RETURN", level=5, seed=1, index=17)
    assert again.prompt == one[17].prompt
    assert again.ground_truth == one[17].ground_truth
    assert len({task.goal for task in one}) == 30


# --- the words ----------------------------------------------------------------------------------------------------

TODAY = date(2026, 3, 11)


class Known:
    def __init__(self, lexicon: NamesLexicon) -> None:
        self.lexicon = lexicon


def any_request(draws: Draws, nouns: list[tuple[str, str, str]], values: list[str], brands: list[str]) -> ReturnRequest:
    singular, plural, return_class = draws.choice(nouns)
    bought = draws.choice((1, 1, 2, 3, 12))
    day = TODAY - timedelta(days=draws.below(600))
    orders = (None, ("last",), ("before last",), ("placed", day), ("delivered", day), ("month", day.year, day.month))
    looks = tuple(draws.sample(values, draws.below(3)))
    version = tuple(draws.sample(values, draws.below(3)))
    exchange = draws.chance(500)
    return ReturnRequest(
        item=plural if bought > 1 else singular,
        looks=looks,
        prepositions={value: draws.choice(PREPOSITIONS) for value in (*looks, *version)},
        maker=draws.choice(["", *brands]),
        order=draws.choice(orders),
        price=draws.choice((None, draws.between(100, 400_000))),
        bought=bought,
        count=draws.between(1, bought) if bought > 1 else None,
        wish="exchange" if exchange else "money",
        version=version if exchange else (),
        reason=draws.choice((None, *REASONS)),
        condition=draws.choice((None, *CONDITIONS)),
        worn=return_class in ("clothing", "footwear"),
        many=bought > 1,
    )


@pytest.mark.parametrize("noise", [0, 120])
def test_what_is_said_is_heard(noise: int) -> None:
    """Every wording, in every currency and style, with corrections, has one reading: what was meant."""
    shop = synthesize(2_000)
    nouns = [(kind.singular, kind.plural, kind.return_class) for kind in shop.types]
    values = sorted(
        {text for kind in shop.types for key in kind.variant_axes for text in shop.attributes[key].values if text}
    )
    brands = list(shop.attributes["brand"].values)
    for number in range(500):
        draws = Draws(number, "said and heard")
        request = final = any_request(draws, nouns, values, brands)
        corrections = []
        if request.count is not None and draws.chance(400):
            final = replace(final, count=draws.between(1, request.bought))
            corrections.append(ReturnCorrection("count", final))
        if draws.chance(300):
            swapped: Literal["money", "exchange"] = "money" if final.wish == "exchange" else "exchange"
            final = replace(final, wish=swapped, version=())
            corrections.append(ReturnCorrection("wish", final))
        currency = draws.choice(list(CURRENCIES.values()))
        style = draws.choice(("plain", "chatty", "polite", "terse"))
        turns = render_return(request, corrections, currency, TODAY, draws, style, draws.chance(300))
        names = frozenset(
            word for name in (request.item, request.maker, *request.looks, *request.version) for word in words(name)
        )
        known = Known(return_lexicon(names))
        texts = [add_noise(turn, noise, known, draws) if noise else turn.text for turn in turns]
        assert parse_return(texts, names, TODAY) == [final.parsed()], texts


def test_productions_are_told_apart_by_number_alone() -> None:
    kinds = [(production.text, production.when) for production in return_grammar().productions]
    assert len(kinds) == len(set(kinds))
    assert not any(mark in text for text, _ in kinds for mark in "[]")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ([], ["navy / M"]),
        ([("l",)], ["navy / L"]),
        ([("red",)], ["red / M"]),
        ([("red",), ("l",)], ["red / L"]),
        ([("green",)], []),
        ([("navy",)], ["navy / M"]),
    ],
)
def test_versions_that_a_wish_can_mean(wanted: list[tuple[str, ...]], found: list[str]) -> None:
    options = ["navy / M", "navy / L", "red / M", "red / L", "red / XL"]
    assert [options[at] for at in wanted_versions("navy / M", options, frozenset(wanted))] == found


# --- imported shops -----------------------------------------------------------------------------------------------


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
def test_real_catalogs_carry_returns(name: str, tmp_path: Path) -> None:
    import_catalog(CATALOGS / name, tmp_path / "shop")
    shop = World.load(tmp_path / "shop")
    env = environment("RETURN")
    for level in (0, 3, 7, 12):
        for index in range(12):
            task = make_task(shop, "RETURN", level=level, seed=3, index=index)
            assert solve_return(shop, task)["accepted"] == json.loads(task.ground_truth)["accepted"]
            assert verify(task.ground_truth, env.answer(task.prompt)).correct, said(task)


def test_a_shop_with_nothing_in_stock_says_so() -> None:
    empty = World.synthetic(products=500, seed=0)
    empty.catalog.stock[:] = 0
    with pytest.raises(EcomrlveError, match="sold out"):
        make_task(empty, "RETURN", level=0, seed=0, index=0)


def test_what_no_customer_would_say() -> None:
    """What is wanted instead is not what the thing is said to be; this month has no name; nothing is granted."""
    for task in tasks():
        assert "all two" not in " ".join(said(task))
        replies = [message["content"] for message in task.prompt if message["role"] == "assistant"]
        assert not [reply for reply in replies if reply.startswith(("Of course", "No problem", "Sure"))]
        draft, catalog = task.evidence["draft"], task.evidence["catalog"]
        looks = tuple(mark.text for mark in draft.plan if mark.key == "look")
        version = draft.version.differs if draft.version is not None else ()
        final = ReturnRequest(draft.plan[0].text, looks, wish="exchange" if draft.version else "money", version=version)
        first, corrections = with_changes_of_mind(
            catalog, draft.target, final, draft.versions, 2, Draws(task.index, "slips")
        )
        for one in (first, *(correction.request for correction in corrections)):
            assert not set(one.version) & set(one.looks)
    request = ReturnRequest("lamp", order=("month", TODAY.year, TODAY.month))
    turn = render_return(request, (), CURRENCIES["USD"], TODAY, Draws(1, "this month"))[0].text
    assert "this month" in turn
    assert parse_return([turn], frozenset(), TODAY) == [request.parsed()]
