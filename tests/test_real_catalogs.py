"""The real catalogs beside the checkout become shops that read as shops do."""

import json
from pathlib import Path

import pytest

from ecomrlve.generator.catalog import store
from ecomrlve.generator.catalog.importers import import_catalog
from ecomrlve.generator.catalog.inference import twins
from ecomrlve.grammars.conditions.attributes import MISSING
from tests.importing import REAL, check

# file: (format, read, kept, merged, rejected, products, types, currency)
REAL_FILES: dict[str, tuple[str, int, int, int, int, int, int, str]] = {
    "laptops.csv": ("table", 1303, 1303, 0, 0, 1303, 6, "EUR"),
    "furniture.csv": ("table", 3694, 2962, 732, 0, 2962, 17, "SAR"),
    "retail.json": ("retail-json", 591, 591, 0, 0, 50, 50, "USD"),
    "shopify_apparel.csv": ("shopify", 22, 22, 0, 0, 20, 9, "USD"),
    "shopify_home-and-garden.csv": ("shopify", 21, 21, 0, 0, 20, 2, "USD"),
    "shopify_jewelery.csv": ("shopify", 41, 23, 18, 0, 20, 3, "USD"),
}


@pytest.mark.parametrize("name", REAL_FILES)
def test_real_catalogs_import_whole(name: str, tmp_path: Path) -> None:
    if not (REAL / name).is_file():
        pytest.skip(f"{name} is not beside this checkout")
    out = tmp_path / "shop"
    report = import_catalog(REAL / name, out)
    catalog = store.load(out)
    check(report, catalog, out)
    found = (
        report.format,
        report.read,
        report.kept,
        report.merged,
        report.rejected,
        report.products,
        report.types,
        report.currency,
    )
    assert found == REAL_FILES[name]


def test_laptops_read_as_laptops(tmp_path: Path) -> None:
    if not REAL.is_dir():
        pytest.skip("shared/catalogs is not beside this checkout")
    import_catalog(REAL / "laptops.csv", tmp_path / "shop")
    catalog = store.load(tmp_path / "shop")
    assert catalog.source_ids is not None and catalog.titles is not None
    row = list(catalog.source_ids).index("1")
    facts = catalog.facts(row, int(catalog.variant_start[row]))
    assert catalog.titles[row] == "MacBook Pro"
    shown = {"brand": "Apple", "screen_size": "13.3 in", "ram": "8 GB", "weight": "1.37 kg", "price": "€1,339.69"}
    assert {key: facts[key] for key in shown} == shown
    assert catalog.attributes["operating_system"].label == "operating system"
    assert [kind.singular for kind in catalog.types] == [
        "convertible",
        "gaming laptop",
        "netbook",
        "notebook",
        "ultrabook",
        "workstation",
    ]
    assert 25 <= int(twins(catalog).sum()) <= 80
    assert (catalog.rating == MISSING).all()


def test_furniture_sizes_have_units_and_no_placeholders(tmp_path: Path) -> None:
    if not REAL.is_dir():
        pytest.skip("shared/catalogs is not beside this checkout")
    report = import_catalog(REAL / "furniture.csv", tmp_path / "shop")
    catalog = store.load(tmp_path / "shop")
    assert {catalog.attributes[key].unit for key in ("depth", "height", "width")} == {"cm"}
    assert "v" not in catalog.attributes
    assert any("stands for unknown" in why for _, _, why in report.columns)
    assert not any("No old price" in text for text in catalog.titles or ())
    assert sum("more than one" in why for _, _, why in report.columns) == 1


def test_retail_options_and_orders(tmp_path: Path) -> None:
    if not REAL.is_dir():
        pytest.skip("shared/catalogs is not beside this checkout")
    report = import_catalog(REAL / "retail.json", tmp_path / "shop")
    catalog = store.load(tmp_path / "shop")
    orders = store.load_orders(tmp_path / "shop")
    assert report.orders == (1000, 1000, 0) and orders is not None
    document = json.loads((REAL / "retail.json").read_text(encoding="utf-8"))
    first = next(iter(document["orders"].values()))
    assert orders[0].source_id == first["order_id"] and orders[0].state == first["status"]
    wanted = sorted((item["name"], round(item["price"] * 100)) for item in first["items"])
    assert sorted((catalog.title(catalog.product_of(row)), price) for row, _, price in orders[0].lines) == wanted
    # What the source calls unavailable is sold out, and nothing else.
    sold_out = sum(
        not variant["available"]
        for product in document["products"].values()
        for variant in product["variants"].values()
    )
    assert int((catalog.stock == 0).sum()) == sold_out
    assert {catalog.attributes[key].unit for key in ("capacity", "battery_capacity", "garden_hose_length")} == {
        "l",
        "mAh",
        "ft",
    }
    assert catalog.attributes["waterproof"].yes == "that is waterproof"
    assert "no backlight" in catalog.attributes["backlight"].values
