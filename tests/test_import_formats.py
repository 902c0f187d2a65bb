"""Amazon metadata, Shopify exports and product lists of shop interfaces, with the quirks each has."""

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ecomrlve.generator.catalog import store
from tests.importing import bring_in

AMAZON: list[dict[str, Any]] = [
    {
        "main_category": "Electronics",
        "title": f"Headphones {number}",
        "average_rating": 4.1,
        "rating_number": number,
        "features": ["light"],
        "description": [],
        "price": 20.5 + number if number % 5 < 2 else None,
        "store": "Visit the Sound Store",
        "categories": ["Electronics", "Audio", "Headphones" if number % 2 else "Cables"],
        "details": {
            "Color": "Black" if number % 4 else "Red",
            "Item Weight": f"{8 + number % 3} ounces",
            "Best Sellers Rank": {"x": 1},
        },
        "parent_asin": f"B{number:04d}",
        "bought_together": [f"B{number + 1:04d}"],
    }
    for number in range(50)
]


def _amazon_parquet(tmp_path: Path) -> bytes:
    rows = [{**row, "details": json.dumps(row["details"])} for row in AMAZON]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "made.parquet")
    data = (tmp_path / "made.parquet").read_bytes()
    (tmp_path / "made.parquet").unlink()
    return data


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "parquet"])
def test_amazon_metadata(form: str, tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(row) for row in AMAZON).encode()
    data = {"jsonl": lines, "jsonl.gz": gzip.compress(lines)}.get(form) or _amazon_parquet(tmp_path)
    report, catalog, _ = bring_in(tmp_path, f"meta.{form}", data)
    assert (report.format, report.read, report.kept, report.reasons) == ("amazon", 50, 20, {"no price": 30})
    assert [kind.singular for kind in catalog.types] == ["cable", "pair of headphones"]
    assert catalog.departments == {"electronics": "Electronics"} and {kind.category for kind in catalog.types} == {
        "electronics/electronics_audio"
    }
    assert catalog.attributes["brand"].values == ("Sound",)
    assert catalog.attributes["weight"].unit == "oz" and set(catalog.attributes["color"].values) == {"Black", "Red"}
    assert {(edge.kind, edge.source, edge.target) for edge in catalog.edges} >= {
        ("complements", "cable", "pair_of_headphones")
    }
    assert (catalog.rating == 41).all() and "sell" not in " ".join(catalog.drawn)


def test_shopify_quirks(tmp_path: Path) -> None:
    header = (
        "Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant Grams,"
        "Variant Inventory Qty,Variant Inventory Policy,Variant Price,Image Src,Status"
    )
    rows = [
        'tee,Tee,<p>Soft</p>,Acme,Shirts,"a, women",true,Size,S,100,3,deny,10,,active',
        "tee,,,,,,,,M,100,0,deny,11,,",
        "tee,,,,,,,,M,100,0,deny,12,,",
        "tee,,,,,,,,L,100,0,continue,,x.jpg,",
        "tee,,,,,,,,,,,,,y.jpg,",
        "tee,,,,,,,,,,,,,,",
        "mug,Mug,,Acme,Mugs,,true,Title,Default Title,250,-2,deny,5,,active",
        "hid,Hid,,Acme,Mugs,,false,Title,Default Title,0,1,deny,5,,active",
        "drf,Drf,,Acme,Mugs,,true,Title,Default Title,0,1,deny,5,,draft",
        "lost,,,,,,,,M,100,0,deny,11,,",
    ]
    report, catalog, out = bring_in(tmp_path, "a.csv", "\n".join([header, *rows]) + "\n")
    assert (report.format, report.read, report.kept, report.merged, report.rejected) == ("shopify", 10, 3, 1, 6)
    assert sorted(kind.singular for kind in catalog.types) == ["mug", "shirt"]
    row = list(catalog.titles or ()).index("Tee")
    start = int(catalog.variant_start[row])
    assert [catalog.option_text(start + place, row) for place in (0, 1)] == ["S", "M"]
    assert catalog.stock[start : start + 2].tolist() == [3, 0]
    mug = list(catalog.titles or ()).index("Mug")
    facts = catalog.facts(mug, int(catalog.variant_start[mug]))
    assert facts["weight"] == "250 g" and catalog.stock[catalog.variant_start[mug]] == 0
    assert catalog.facts(row, start)["target_group"] == "women"
    texts = store.load_texts(out)
    assert texts is not None and texts[row] == "Soft"


def test_product_lists_of_shop_interfaces(tmp_path: Path) -> None:
    document = {
        "products": [
            {
                "id": 7,
                "title": "Mug",
                "product_type": "Mugs",
                "vendor": "Acme",
                "body_html": "<b>x</b>",
                "options": [{"name": "Color"}],
                "variants": [
                    {"id": 71, "option1": "red", "price": "9.00", "available": True},
                    {"id": 72, "option1": "blue", "price": "9.50", "available": False},
                    {"id": 73, "option1": "blue", "price": "9.70"},
                    5,
                ],
            },
            "junk",
        ],
        "orders": [
            {"id": "o1", "line_items": [{"sku": "72", "quantity": 2}]},
            {"id": "o2", "items": [{"item_id": "none"}]},
            3,
        ],
    }
    report, catalog, out = bring_in(tmp_path, "a.json", json.dumps(document))
    assert (report.format, report.read, report.kept, report.rejected) == ("retail-json", 5, 2, 3)
    assert catalog.stock[1] == 0 and catalog.option_text(1, 0) == "blue"
    orders = store.load_orders(out)
    assert report.orders == (3, 1, 2) and orders is not None and orders[0].lines == ((1, 2, 950),)
