"""The laws of DESIGN §7 over every registered environment: properties of any task, and counts over many."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from statistics import variance

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from ecomrlve import InvalidArgument, Task, environments, make_task, verify
from ecomrlve.difficulty.axes import AXES
from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.columns import Catalog, select
from ecomrlve.generator.environments import environment
from ecomrlve.generator.pages.products import ShownProduct, ShownVariant, shown_vocabulary
from ecomrlve.generator.proofs.answers import NOTHING_FITS, SAY_NOTHING_FITS, cheats
from ecomrlve.generator.proofs.laws import (
    NOISE_FREE_LAWS,
    NOISY_LAWS,
    LawCase,
    broken,
    mutants_are_judged_alike,
    oracle_is_right,
    second_solver_agrees,
)
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.attributes import CURRENCIES
from tests.rows import row_of
from tests.shops import LARGE, SHOPS, shop

EACH = pytest.mark.parametrize("env", environments())
LEVELS = st.integers(0, 12)
INDICES = st.integers(0, 2**31)


@EACH
def test_every_environment_has_a_proof(env: str) -> None:
    assert row_of(env).env == env


@st.composite
def overrides(draw: st.DrawFn, env: str) -> dict[str, float]:
    """Some of the environment's axes, set by hand; the sizes small, so that most shops carry them."""
    names = draw(st.lists(st.sampled_from(environment(env).axes["context"]), unique=True, max_size=3))
    found: dict[str, float] = {}
    for name in names:
        most = {"candidates": 60, "constraints": 6, "answers": 5, "orders": 8, "branches": 5}
        if AXES[name].whole:
            found[name] = draw(st.integers(AXES[name].low, most[name]))
        else:
            found[name] = draw(st.integers(0, 1000)) / 1000
    return found


def posed(data: st.DataObject, env: str, level: int, index: int, axes: dict[str, float]) -> LawCase | None:
    """A task as drawn, or None where the shop cannot carry it (and says so in a sentence)."""
    world = shop(*data.draw(st.sampled_from(SHOPS), label="shop"))
    share = data.draw(st.sampled_from((0.1, 0.1, 0.0, 1.0)), label="impossible")
    try:
        return LawCase(world, make_task(world, env, level=level, seed=1, index=index, axes=axes, impossible=share))
    except CannotPose as error:
        event("cannot be posed")
        assert str(error).startswith(f"{env}: ") and str(error).endswith(".")
        return None


@EACH
@given(data=st.data(), level=LEVELS, index=INDICES)
def test_a_task_without_noise_keeps_every_law(env: str, data: st.DataObject, level: int, index: int) -> None:
    axes = {**data.draw(overrides(env), label="axes"), "noise": 0.0}
    case = posed(data, env, level, index, axes)
    assert case is None or not broken(case, NOISE_FREE_LAWS), (case.name, broken(case, NOISE_FREE_LAWS))


@EACH
@given(data=st.data(), level=LEVELS, index=INDICES)
def test_a_noisy_task_reads_as_the_one_without(env: str, data: st.DataObject, level: int, index: int) -> None:
    axes = data.draw(st.sampled_from(({}, {}, {"noise": 0.125}, {"noise": 0.03})), label="axes")
    case = posed(data, env, level, index, dict(axes))
    assert case is None or not broken(case, NOISY_LAWS), (case.name, broken(case, NOISY_LAWS))


@EACH
def test_a_second_solver_finds_the_same_answers_and_mutants_die(env: str) -> None:
    """Every level in turn; no operator is left without answers that it spoils."""
    kills: Counter[str] = Counter()
    laws = {"oracle": oracle_is_right, "second solver": second_solver_agrees, "mutants": mutants_are_judged_alike}
    for index in range(row_of(env).enough):
        task = make_task(shop(), env, level=index % 13, seed=2, index=index, axes={"noise": 0})
        case = LawCase(shop(), task)
        assert not broken(case, laws), (case.name, broken(case, laws))
        kills += case.rejected
    missing = {name for name in row_of(env).operators if not kills[name]}
    assert not missing and set(kills) <= row_of(env).operators


# --- those who do not read the task ----------------------------------------------------------------------------------


def tasks_for_cheats(env: str) -> list[Task]:
    return [make_task(shop(), env, level=level, seed=3, index=index) for level in (0, 2, 6) for index in range(110)]


@EACH
def test_cheats_win_no_more_than_chance_allows(env: str) -> None:
    tasks = tasks_for_cheats(env)
    fitting = [task for task in tasks if not task.impossible]
    scores: dict[str, list[float]] = {}
    right: Counter[str] = Counter()
    for place, task in enumerate(fitting):
        for name, reply in cheats(task, fitting[place - 1], Draws(0, "cheats", env, place)):
            verdict = verify(task.ground_truth, reply)
            scores.setdefault(name, []).append(verdict.score)
            right[name] += verdict.correct
    allowed = sum(task.chance for task in fitting)
    for name, got in scores.items():
        mean = sum(got) / len(got)
        spread = sqrt(sum((score - mean) ** 2 for score in got)) / len(got)
        assert right[name] <= allowed + 4 * sqrt(allowed) + 1, (name, right[name], allowed)
        assert mean <= 0.1 + 3 * spread, (name, mean)
    assert not right[NOTHING_FITS] and not right["silence"] and not right["everything"]


@EACH
def test_to_say_that_nothing_fits_is_right_only_where_it_is(env: str) -> None:
    tasks = tasks_for_cheats(env)
    empty = [task for task in tasks if task.impossible]
    for place, task in enumerate(empty):
        other = next(one for one in tasks[place:] if not one.impossible)
        for name, reply in cheats(task, other, Draws(0, "cheats", env, place)):
            verdict = verify(task.ground_truth, reply)
            assert not verdict.correct or name in SAY_NOTHING_FITS, (name, task.index)
            assert verdict.correct or verdict.score == 0.0 or name not in SAY_NOTHING_FITS
            assert verdict.correct or name != NOTHING_FITS
    assert 0.05 <= len(empty) / len(tasks) <= 0.16


@EACH
def test_chance_is_small(env: str) -> None:
    """At most a tenth at level 0 and a twentieth from level 2 on, over the tasks of a level."""
    for level, most in ((0, 0.1), (2, 0.05), (5, 0.05), (12, 0.05)):
        tasks = [make_task(shop(), env, level=level, seed=4, index=index, axes={"noise": 0}) for index in range(60)]
        assert sum(task.chance for task in tasks) / len(tasks) <= most


# --- axes ------------------------------------------------------------------------------------------------------------

# Two values of each axis, and the level at which it is raised alone.
RAISED = {
    "constraints": (1, 6),
    "answers": (1, 3),
    "candidates": (16, 48),
    "decoys": (0.0, 0.5),
    "out_of_stock": (0.0, 0.5),
    "omission": (0.0, 0.8),
    "noise": (0.0, 0.1),
    "switching": (0.0, 0.6),
    "orders": (1, 6),
    "branches": (1, 4),
}
LEVEL = 4
EACH_AXIS = [(env, axis) for env in environments() for axis in environment(env).axes["context"]]


def measures(env: str, axis: str, value: float) -> Iterator[float]:
    """What an axis moved, per task; noise is measured by the letters that are not those of the calm task."""
    for index in range(40):
        task = make_task(shop(), env, level=LEVEL, seed=6, index=index, axes={"noise": 0, axis: value}, impossible=0)
        if axis != "noise":
            yield task.measured[axis]
            continue
        calm = make_task(shop(), env, level=LEVEL, seed=6, index=index, axes={"noise": 0}, impossible=0)
        pairs = zip(task.prompt[-1]["content"].split(), calm.prompt[-1]["content"].split(), strict=True)
        yield sum(noisy != plain for noisy, plain in pairs)


@pytest.mark.parametrize(("env", "axis"), EACH_AXIS)
def test_each_axis_moves_what_is_measured(env: str, axis: str) -> None:
    """By more than twice what chance would make of it."""
    low, high = (list(measures(env, axis, value)) for value in RAISED[axis])
    spread = sqrt(variance(low) * len(low) + variance(high) * len(high))
    assert sum(high) - sum(low) > 2 * spread, (low, high)


@EACH
def test_an_axis_that_is_not_listed_changes_nothing(env: str) -> None:
    for axis in sorted(RAISED.keys() - set(environment(env).axes["context"])):
        for index in range(4):
            low, high = (
                make_task(shop(), env, level=LEVEL, seed=6, index=index, axes={axis: value}) for value in RAISED[axis]
            )
            assert low.prompt == high.prompt and low.ground_truth == high.ground_truth


@EACH
@pytest.mark.parametrize(
    ("named", "rule"),
    [
        ({"axes": {"constraint": 2}}, "no such axis"),
        ({"axes": {"noise": 1.5}}, "must lie between 0 and 1"),
        ({"axes": {"candidates": 2.5}}, "whole number"),
        ({"level": -1}, "at least 0"),
        ({"level": 1.0}, "whole number"),
        ({"seed": -1}, "at least 0"),
        ({"index": True}, "whole number"),
        ({"mode": "chat"}, "context"),
        ({"impossible": 1.1}, "between 0 and 1"),
    ],
)
def test_bad_arguments_are_named(env: str, named: dict[str, object], rule: str) -> None:
    good: dict[str, object] = {"level": 1, "seed": 0, "index": 0}
    with pytest.raises(InvalidArgument, match=rule) as caught:
        make_task(shop(), env, **{**good, **named})  # type: ignore[arg-type]
    assert caught.value.name in (*named, *named.get("axes", {}), "axis")  # type: ignore[misc]


def test_an_unknown_environment_is_named() -> None:
    with pytest.raises(InvalidArgument, match="env='LUCK': must be one of PD"):
        make_task(shop(), "LUCK", level=0, seed=0, index=0)


# --- shops that cannot carry a task ----------------------------------------------------------------------------------


def world_of(catalog: Catalog) -> World:
    return World(catalog, 0, "train", {"kind": "synthetic", "products": len(catalog), "seed": 0, "split": "train"})


def part(products: int) -> Catalog:
    """The first products of the small shop."""
    return select(shop(900, 2, "train").catalog, np.arange(products, dtype=np.int64))


@EACH
def test_a_shop_too_small_says_which_level_it_carries(env: str) -> None:
    """Where a level cannot be posed the sentence names one that can, or says that none can."""
    for products in (3, 14, 30):
        world = world_of(part(products))
        for level in (0, 3, 12):
            try:
                for index in range(4):
                    make_task(world, env, level=level, seed=0, index=index)
            except CannotPose as error:
                assert str(error).startswith(f"{env}: ")
                assert "level" in str(error)
                if "up to level" in str(error):
                    lower = int(str(error).split("up to level ")[1].split(";")[0])
                    assert lower < level
                    make_task(world, env, level=lower, seed=0, index=0)


@pytest.mark.parametrize("env", [name for name in ("PD", "CART") if name in environments()])
def test_a_shop_that_is_sold_out_says_so(env: str) -> None:
    catalog = part(300)
    world = world_of(replace(catalog, stock=catalog.stock * 0))
    with pytest.raises(CannotPose, match="sold out"):
        make_task(world, env, level=0, seed=0, index=0)


@settings(max_examples=20)
@given(level=st.integers(13, 40), index=INDICES)
def test_levels_above_the_range_are_posed_or_refused_in_a_sentence(level: int, index: int) -> None:
    for env in environments():
        try:
            case = LawCase(shop(), make_task(shop(), env, level=level, seed=1, index=index, axes={"noise": 0}))
        except CannotPose as error:
            assert "level" in str(error)
        else:
            assert not list(oracle_is_right(case)) and not list(second_solver_agrees(case))


# What sampling found once, so that it is found again: (products, seed, split), environment, level, seed, index, axes.
FOUND_ONCE = (
    # A label that is a feature of one type and a choice of another, whose "no" was taken for a choice.
    ((4_000, 13, "test_wording"), "PD", 12, 5, 4, {"noise": 0, "omission": 1.0, "switching": 1.0}),
    # "lightest" was read of a choice that looks like a weight.
    ((20_000, 5, "train"), "PD", 12, 1, 3132, {"noise": 0}),
    ((20_000, 5, "train"), "PD", 4, 1, 1083, {"noise": 0}),
    # Ranked by a detail that no product on the page gives, a word that its reader does not know.
    ((2_000, 4, "test_wording"), "PD", 2, 1, 1, {"constraints": 2, "candidates": 2, "noise": 0}),
)


@pytest.mark.parametrize(("which", "env", "level", "seed", "index", "axes"), FOUND_ONCE)
def test_what_was_found_once_stays_mended(
    which: tuple[int, int, str], env: str, level: int, seed: int, index: int, axes: dict[str, float]
) -> None:
    case = LawCase(shop(*which), make_task(shop(*which), env, level=level, seed=seed, index=index, axes=axes))
    assert not broken(case, NOISE_FREE_LAWS), (case.name, broken(case, NOISE_FREE_LAWS))


def test_a_typing_error_is_undone_among_the_words_of_what_was_bought() -> None:
    """A reader who knows "USB" from the history must not take "usd" for it."""
    world = shop(20_000, 0, "train")
    for index in range(129, 1_000, 130):
        case = LawCase(world, make_task(world, "PD", level=12, seed=0, index=index, axes={"noise": 0.125}))
        assert not broken(case, NOISY_LAWS), (case.name, broken(case, NOISY_LAWS))


@pytest.mark.parametrize("label", ["tint", "lock"])
def test_a_label_of_two_kinds_has_no_choice_of_yes_or_no(label: str) -> None:
    page = tuple(
        ShownProduct(name, "a thing", {"type": kind, label: text}, (ShownVariant(name, {"price": "$1.00"}, 100, 1),))
        for name, kind, text in (("AAAAAA", "paper", "ivory"), ("BBBBBB", "sunscreen", "no"), ("CCCCCC", "bag", "yes"))
    )
    nouns = [("paper", "papers"), ("sunscreen", "sunscreens"), ("bag", "bags")]
    vocabulary = shown_vocabulary(page, CURRENCIES["USD"], nouns, {})
    assert vocabulary.attributes[label].values == ("ivory",)
    assert shown_vocabulary(page[1:], CURRENCIES["USD"], nouns, {}).attributes[label].kind == "boolean"


def test_the_shops_are_what_they_are() -> None:
    assert LARGE in SHOPS and len({shop(*one).digest for one in SHOPS}) == len(set(SHOPS))
