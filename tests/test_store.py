"""Shops on disk: written whole or not at all, read back the same, in little time."""

import json
import shutil
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from ecomrlve.errors import CatalogError, InvalidArgument
from ecomrlve.generator.catalog import store
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.imported import ImportedOrder
from ecomrlve.generator.catalog.stats import NOT_GIVEN, describe
from ecomrlve.generator.catalog.synthesis import synthesize

ORDERS = [ImportedOrder("#1", 0, ((0, 2, 500), (3, 1, 999)), "delivered"), ImportedOrder("#2", 1, ((1, 1, 100),), "")]


@pytest.fixture(scope="module")
def shop() -> Catalog:
    return synthesize(600, 3)


def test_a_shop_comes_back_as_it_was(shop: Catalog, tmp_path: Path) -> None:
    store.save(shop, tmp_path / "shop", orders=ORDERS, texts=["x"] * len(shop))
    back = store.load(tmp_path / "shop")
    for one in fields(Catalog):
        before, after = getattr(shop, one.name), getattr(back, one.name)
        if isinstance(before, np.ndarray):
            assert before.dtype == after.dtype and (before == after).all(), one.name
        elif one.compare and not one.name.startswith("_"):
            assert before == after, one.name
    assert store.load_orders(tmp_path / "shop") == ORDERS
    assert store.load_texts(tmp_path / "shop") == ["x"] * len(shop)
    assert store.load_about(tmp_path / "shop") == {}


def test_what_was_not_saved_is_not_there(shop: Catalog, tmp_path: Path) -> None:
    store.save(shop, tmp_path / "shop")
    assert store.load_orders(tmp_path / "shop") is None and store.load_texts(tmp_path / "shop") is None


def test_a_taken_folder_is_left_alone(shop: Catalog, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    with pytest.raises(InvalidArgument, match="exists already"):
        store.save(shop, tmp_path / "shop")
    assert list((tmp_path / "shop").iterdir()) == []


def test_a_full_disk_leaves_nothing(shop: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(CatalogError, match="No space left on device"):
        store.save(shop, tmp_path / "shop")
    assert list(tmp_path.iterdir()) == []


def test_folders_that_hold_no_shop(shop: Catalog, tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="is no imported catalog"):
        store.load(tmp_path)
    store.save(shop, tmp_path / "shop")
    card = tmp_path / "shop" / "catalog.json"
    whole = card.read_text()
    for text, words in (
        ("{", "damaged"),
        ('{"version": 99}', "another version"),
        ('{"version": 1}', "does not fit"),
        ("[]", "another version"),
    ):
        card.write_text(text)
        with pytest.raises(CatalogError, match=words):
            store.load(tmp_path / "shop")
    changed = json.loads(whole)
    changed["type_start"][-1] += 1
    card.write_text(json.dumps(changed))
    with pytest.raises(CatalogError, match="does not fit"):
        store.load(tmp_path / "shop")
    card.write_text(whole)
    (tmp_path / "shop" / "products.parquet").write_bytes(b"PAR1")
    with pytest.raises(CatalogError, match="cannot be read"):
        store.load(tmp_path / "shop")


def test_a_large_shop_opens_in_under_a_second(tmp_path: Path) -> None:
    large = synthesize(100_000)
    large.series = None
    large.titles = [f"A product of some name {row}" for row in range(len(large))]
    large.source_ids = [f"B{row:09d}" for row in range(len(large))]
    store.save(large, tmp_path / "shop")
    start = time.process_time()
    assert len(store.load(tmp_path / "shop")) == 100_000
    assert time.process_time() - start < 1.5, "processor time of all threads; about 0.3 s on one core"
    shutil.rmtree(tmp_path / "shop")


def test_the_comparison_with_real_shops(shop: Catalog, tmp_path: Path) -> None:
    store.save(shop, tmp_path / "shop", orders=ORDERS)
    lines = {line.name: line for line in describe(tmp_path / "shop")}
    assert lines["products"].value == "600" and lines["products"].inside is None
    assert lines["orders with one line"].value == "50 %" and lines["orders with one line"].inside
    assert all(
        line.inside is not None and line.source for line in lines.values() if line.band and line.value != NOT_GIVEN
    )
    assert "orders with one line" not in {line.name for line in describe(shop)}


def test_the_synthetic_shop_lies_in_the_bands() -> None:
    outside = {line.name for line in describe(synthesize(20_000)) if line.inside is False}
    assert outside <= {"children per node, median", "spread of ln(price) over the shop"}
