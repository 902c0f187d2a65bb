"""The splits of a run: what each holds, and that nothing of one stands in another."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from ecomrlve import InvalidArgument, Task, World, environments, make_task
from ecomrlve.cli import cli
from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog import store
from ecomrlve.generator.catalog.splits import PARTED_FROM, PRODUCT_SHARES, held_out_departments
from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.generator.identifiers import SPLITS
from ecomrlve.generator.proofs.base import shown
from ecomrlve.grammars.engine.grammar import Chance, Grammar
from ecomrlve.outputs.configuration import HARDER_LEVELS, Configuration, read_environments, read_split
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.reader import read_rows
from ecomrlve.outputs.validate import validate
from tests.shops import shop

EVERY_SPLIT = read_split("train=0.6,test=0.1,test_wording=0.1,test_types=0.1,test_hard=0.1")


def _configuration(**changes: Any) -> Configuration:
    return Configuration(**{"count": 300, "levels": (0, 2), "splits": EVERY_SPLIT, "shop": 2_000, **changes})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run with every split."""
    out = tmp_path_factory.mktemp("splits") / "run"
    return out, generate(_configuration(), out)


def _rows(out: Path) -> Iterator[dict[str, Any]]:
    for file in sorted((out / "data").glob("*.parquet")):
        yield from read_rows(file)


def test_a_run_with_every_split_is_valid(run: tuple[Path, dict[str, Any]]) -> None:
    out, manifest = run
    assert manifest["splits"] == {"train": 180, "test": 30, "test_wording": 30, "test_types": 30, "test_hard": 30}
    assert validate(out).problems == ()
    for kind in ("tasks", "goals", "prompts"):
        assert manifest["repeats"][kind]["shared_across_splits"] == 0


def test_hard_levels_stand_above_the_others(run: tuple[Path, dict[str, Any]]) -> None:
    levels: dict[str, set[int]] = {}
    for row in _rows(run[0]):
        levels.setdefault(row["split"], set()).add(row["level"])
    assert levels.pop("test_hard") == set(range(3, 3 + HARDER_LEVELS))
    assert all(found == {0, 2} for found in levels.values())


def test_departments_are_held_out(run: tuple[Path, dict[str, Any]]) -> None:
    worlds = run[1]["worlds"]
    held_out = set(worlds["test_types"]["departments"])
    assert len(held_out) == 3
    for split in set(worlds) - {"test_types"}:
        assert len(worlds[split]["departments"]) == 21 and not held_out & set(worlds[split]["departments"])
    nouns = {kind.singular for kind in shop(2_000, 0, "test_types").catalog.types}
    others = {kind.singular for kind in shop(2_000, 0, "train").catalog.types}
    assert not nouns & others


@pytest.mark.parametrize("env", environments())
def test_wording_is_held_out(env: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Held-out productions are said in every task of ``test_wording`` and in no other."""
    held: list[bool] = []
    say = Grammar.say

    def heard(self: Grammar, symbol: str, meaning: str, slots: Mapping[str, str], draws: Chance, **said: Any) -> str:
        key = symbol, meaning, tuple(slots), said.get("style", ""), said.get("held_out", False)
        candidates = self._candidates((*key, said.get("when", frozenset())))[0]
        held.append(all(production.held_out for production in candidates))
        return say(self, symbol, meaning, slots, draws, **said)

    monkeypatch.setattr(Grammar, "say", heard)
    for split in SPLITS:
        for index in range(12):
            held.clear()
            make_task(shop(2_000, 0, split), env, level=index % 7, seed=3, index=index)
            assert any(held) == (split == "test_wording"), (split, index)


def _names(task: Task) -> set[str]:
    """Identifiers that a task shows."""
    return {name for name in shown(task) if re.fullmatch(r"[0-9A-Z]{6}", name)}


def test_splits_share_no_product_customer_or_order() -> None:
    worlds = [shop(2_000, 0, split) for split in SPLITS]
    products = [set(world.catalog.product_ids(np.arange(len(world.catalog)))) for world in worlds]
    assert len(set.union(*products)) == sum(map(len, products))
    customers = [{customer.name for customer in world.customers} for world in worlds]
    assert len(set.union(*customers)) == sum(map(len, customers))
    for env in environments():
        names = [
            {name for i in range(20) for name in _names(make_task(w, env, level=4, seed=0, index=i))} for w in worlds
        ]
        assert len(set.union(*names)) == sum(map(len, names))


# --- imported shops ----------------------------------------------------------------------------------------------


def _imported(tmp_path: Path, products: int) -> Path:
    """An imported shop without orders."""
    made = synthesize(products, 3)
    folder = tmp_path / "shop"
    store.save(made, folder)
    return folder


def _shown_products(world: World) -> Counter[tuple[str, ...]]:
    catalog = world.catalog
    found: Counter[tuple[str, ...]] = Counter()
    for row in range(len(catalog)):
        found[catalog.title(row), *map(str, catalog.values[row].tolist()), str(catalog.reviews[row])] += 1
    return found


def test_a_large_imported_shop_is_parted(tmp_path: Path) -> None:
    folder = _imported(tmp_path, PARTED_FROM)
    worlds = {split: World.load(folder, split=split, without_test_types=split != "test_types") for split in SPLITS}
    parts = [_shown_products(world) for world in worlds.values()]
    assert not any(world.shared for world in worlds.values())
    assert len(set().union(*parts)) == sum(map(len, parts))
    for split, share in PRODUCT_SHARES.items():
        assert abs(len(worlds[split].catalog) / PARTED_FROM - share / 100) < 0.04
    ids = [set(world.catalog.product_ids(np.arange(len(world.catalog)))) for world in worlds.values()]
    assert len(set.union(*ids)) == sum(map(len, ids))


def test_a_small_imported_shop_shares_products_but_for_held_out_departments(tmp_path: Path) -> None:
    folder = _imported(tmp_path, 600)
    whole, test = World.load(folder), World.load(folder, split="test")
    assert whole.shared and test.shared and _shown_products(whole) == _shown_products(test)
    types, rest = World.load(folder, split="test_types"), World.load(folder, without_test_types=True)
    assert not types.shared and len(types.catalog) + len(rest.catalog) == 600
    assert not set(types.departments) & set(rest.departments)
    assert World.from_recipe(rest.recipe).digest == rest.digest


def test_a_run_over_an_imported_shop_keeps_departments_for_test_types(tmp_path: Path) -> None:
    folder = _imported(tmp_path, 900)
    splits = read_split("train=0.8,test_types=0.2")
    manifest = generate(
        _configuration(shop=str(folder), splits=splits, count=40, environments=read_environments(["PD", "CART"])),
        tmp_path / "run",
    )
    worlds = manifest["worlds"]
    assert not set(worlds["train"]["departments"]) & set(worlds["test_types"]["departments"])
    assert validate(tmp_path / "run").problems == ()
    generate(
        _configuration(
            shop=str(folder),
            splits=read_split("train=1"),
            count=20,
            seed=1,
            environments=read_environments(["PD", "CART"]),
        ),
        tmp_path / "whole",
    )
    problems = validate(tmp_path / "run", against=tmp_path / "whole").problems
    assert any("test_types holds out departments that train of" in problem.what for problem in problems)


def test_a_shop_of_one_department_cannot_hold_it_out(tmp_path: Path) -> None:
    made = synthesize(600, 3, departments=("audio",))
    store.save(made, tmp_path / "shop")
    with pytest.raises(CatalogError, match="there is but one department"):
        World.load(tmp_path / "shop", split="test_types")
    assert held_out_departments({"audio": 5}) == frozenset()


def test_a_relative_path_stays_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows then hold no place of this machine, and are the same wherever the shop lies."""
    _imported(tmp_path, 600)
    monkeypatch.chdir(tmp_path)
    task = make_task(World.load("./shop/"), environments()[0], level=0, seed=0, index=0)
    assert json.loads(task.recipe)["world"]["folder"] == "shop"
    assert Task.from_recipe(task.recipe) == task
    monkeypatch.chdir("/")
    with pytest.raises(CatalogError, match="The imported shop shop is not in /;"):
        Task.from_recipe(task.recipe)
    assert Task.from_recipe(task.recipe, World.load(tmp_path / "shop")).prompt == task.prompt


@pytest.mark.parametrize("folder", ["x" * 5_000, "a\0b", 5])
def test_paths_that_cannot_be(folder: Any) -> None:
    with pytest.raises((CatalogError, InvalidArgument)):
        World.load(folder)


def test_the_documented_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What docs/splits.md says to type."""
    text = (Path(__file__).parents[1] / "docs" / "splits.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        result = CliRunner().invoke(cli, shlex.split(block)[1:])
        assert result.exit_code == 0, result.output
