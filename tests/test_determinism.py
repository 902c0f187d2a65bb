"""A task depends on its coordinates alone: not on the process, its surroundings, its neighbors or what came before."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecomrlve import InvalidArgument, Task, World, environments, make_task
from ecomrlve.errors import CannotPose
from tests.shops import SHOPS, shop
from tests.task_digests import digest

ROOT = Path(__file__).parents[1]
EACH = pytest.mark.parametrize("env", environments())


def in_process(*arguments: str, **surroundings: str) -> dict[str, str]:
    """The digests that `tests/task_digests.py` prints in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.task_digests", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **surroundings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_surroundings_change_nothing() -> None:
    """Hash seed, time zone, locale, the day, and the order of the tasks."""
    plain = in_process("4", PYTHONHASHSEED="0", TZ="UTC", LANG="C")
    assert len(plain) == len(environments()) * 9 + 1
    assert (
        in_process("4", PYTHONHASHSEED="1", TZ="Pacific/Kiritimati", LANG="tr_TR.UTF-8", LC_ALL="de_DE.UTF-8") == plain
    )
    other_day = in_process("4", "--clock", "4102444800", "--backwards", PYTHONHASHSEED="77", PYTHONOPTIMIZE="1")
    assert other_day == plain
    assert in_process("5", PYTHONHASHSEED="0").items() - plain.items()


def test_a_recipe_re_makes_its_task_in_a_process_that_never_saw_it(tmp_path: Path) -> None:
    tasks = [
        make_task(
            shop(2_000, 4, "test_wording"), env, level=level, seed=9, index=level * 7, axes=axes, impossible=share
        )
        for env in environments()
        for level, axes, share in ((0, None, 0.1), (4, {"noise": 0.05, "omission": 0.5}, 0.1), (7, {}, 1.0))
    ]
    path = tmp_path / "recipes.jsonl"
    path.write_text("".join(task.recipe + "\n" for task in tasks), encoding="utf-8")
    again = in_process("0", "--recipes", str(path), PYTHONHASHSEED="5")
    assert [again[str(number)] for number in range(len(tasks))] == [digest(task) for task in tasks]


@EACH
@settings(max_examples=25)
@given(level=st.integers(0, 12), index=st.integers(0, 2**40), seed=st.integers(0, 2**40), which=st.sampled_from(SHOPS))
def test_a_task_alone_is_the_task_in_its_row(
    env: str, level: int, index: int, seed: int, which: tuple[int, int, str]
) -> None:
    """Made twice, after others, in a world made anew: always the same."""
    try:
        first = make_task(shop(*which), env, level=level, seed=seed, index=index)
        make_task(shop(*which), env, level=level, seed=seed, index=index + 1)
        make_task(shop(*which), env, level=max(0, level - 1), seed=seed, index=index)
    except CannotPose:
        return
    again = make_task(shop(*which), env, level=level, seed=seed, index=index)
    assert again == first and digest(again) == digest(first)
    remade = Task.from_recipe(first.recipe, shop(*which))
    assert remade == first and digest(remade) == digest(first)


@EACH
def test_a_world_made_anew_gives_the_same_task(env: str) -> None:
    known = shop(900, 2, "train")
    task = make_task(known, env, level=3, seed=0, index=5)
    fresh = World.from_recipe(json.loads(task.recipe)["world"])
    assert fresh is not known and digest(make_task(fresh, env, level=3, seed=0, index=5)) == digest(task)


@EACH
def test_each_coordinate_makes_another_task(env: str) -> None:
    plain = {"level": 3, "seed": 0, "index": 5}
    first = make_task(shop(), env, **plain)  # type: ignore[arg-type]
    for name in plain:
        other = make_task(shop(), env, **{**plain, name: plain[name] + 1})  # type: ignore[arg-type]
        assert other.task_id != first.task_id and other.goal != first.goal, name
    test = make_task(shop(3_000, 1, "test"), env, **plain)  # type: ignore[arg-type]
    assert test.task_id != first.task_id and test.goal != first.goal


WHOLE = {"world": {}, "digest": "x", "env": "PD", "level": 0, "seed": 0, "index": 0, "mode": "context", "axes": {}}
WHOLE |= {"impossible": 0.1, "max_prompt_chars": None}


@pytest.mark.parametrize(
    "recipe",
    [
        *("", "{}", "[]", "null", '{"world": {}}', '{"world": 3, "digest": "x"}', None, 5),
        json.dumps(WHOLE),
        json.dumps(WHOLE | {"world": {"kind": "synthetic"}}),
        json.dumps(WHOLE | {"world": {"kind": "tent", "seed": 0, "split": "train"}}),
    ],
)
def test_what_is_no_recipe_is_named(recipe: str) -> None:
    with pytest.raises(InvalidArgument, match="recipe="):
        Task.from_recipe(recipe)


def test_a_recipe_of_another_world_is_refused() -> None:
    task = make_task(shop(900, 2, "train"), environments()[0], level=0, seed=0, index=0)
    with pytest.raises(InvalidArgument, match="digest="):
        Task.from_recipe(task.recipe, shop(2_000, 4, "test_wording"))
