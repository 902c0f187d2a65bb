"""One small export of every platform, in its real shape and written by us: what comes in of it."""

import re
from pathlib import Path
from typing import Any

import click
import pytest

from ecomrlve.commands.catalog import import_command
from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog import store
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.importers import FORMATS, import_catalog
from tests.exports import CASES
from tests.importing import bring_in, check

EXPORTS = Path(__file__).parent / "data" / "exports"


def shown(catalog: Catalog, facts: set[str]) -> dict[str, dict[str, Any]]:
    """Of each product, by its source id: title, type, its options with price and units, and the wanted facts."""
    found = {}
    for row, source_id in enumerate(catalog.source_ids or ()):
        start, end = int(catalog.variant_start[row]), int(catalog.variant_start[row + 1])
        kind = catalog.types[int(catalog.type_start.searchsorted(row, side="right")) - 1]
        own = catalog.facts(row, start)
        found[source_id] = {
            "title": catalog.title(row),
            "type": kind.singular,
            "variants": {
                catalog.option_text(place, row): (int(catalog.price[place]), int(catalog.stock[place]))
                for place in range(start, end)
            },
            **{key: own[key] for key in sorted(facts) if key in own},
        }
    return found


_FACTS = {"brand", "care", "capacity", "color", "material", "rating", "reviews", "weight", "power"}


@pytest.mark.parametrize("name", CASES)
def test_every_platforms_export_comes_in_whole(name: str, tmp_path: Path) -> None:
    kind, counts, currency, reasons, products = CASES[name]
    report = import_catalog(EXPORTS / name, tmp_path / "out")
    catalog = store.load(tmp_path / "out")
    check(report, catalog, tmp_path / "out")
    assert report.format == kind
    assert (report.read, report.kept, report.merged, report.rejected) == counts
    assert (report.currency, report.reasons) == (currency, reasons)
    found = shown(catalog, _FACTS)
    assert found == products


FAMILY = "ref;titel;farbe;groesse;preis;bestand\n" + "".join(
    f"T{style};{f'Hemd {style}' if place == 0 else ''};{color};{size};{20 + style},50;{place}\n"
    for style in range(10)
    for place, (color, size) in enumerate([("rot", "S"), ("rot", "M"), ("blau", "S")])
)


def test_a_table_of_variants_is_named_as_such_and_read_by_a_mapping(tmp_path: Path) -> None:
    mapping = '[columns]\nid = "ref"\ntitle = "titel"\nprice = "preis"\nstock = "bestand"\n'
    with pytest.raises(CatalogError) as refused:
        bring_in(tmp_path, "a.csv", FAMILY, mapping)
    assert "20 of 30 rows repeat the id of an earlier row" in str(refused.value)
    assert "rows of one product share 'ref'" in str(refused.value) and "--format table" in str(refused.value)
    assert '[columns] group = "ref", option' in str(refused.value)
    (tmp_path / "as").mkdir()
    report, _, _ = bring_in(tmp_path / "as", "a.csv", FAMILY, mapping, format="table")
    assert (report.kept, report.rejected) == (10, 20)
    assert report.warning.startswith("20 of 30 rows were rejected or have no title: contradicts the earlier row")
    (tmp_path / "map").mkdir()
    told = mapping.replace('id = "ref"', 'group = "ref"\noption = ["farbe", "groesse"]')
    report, catalog, _ = bring_in(tmp_path / "map", "a.csv", FAMILY, told)
    assert (report.read, report.products, report.variants, report.warning) == (30, 10, 30, "")
    assert shown(catalog, set())["T3"] == {
        "title": "Hemd 3",
        "type": "article",
        "variants": {"rot / S": (2350, 0), "rot / M": (2350, 1), "blau / S": (2350, 2)},
    }


def test_a_parent_row_describes_its_variants(tmp_path: Path) -> None:
    data = (
        "sku,parent_sku,name,price,color,weight,stock\n"
        "T,,Wool tee,,,0.2 kg,\nT-1,T,Wool tee - red,15,red,,4\n"
        "T-2,T,Wool tee - blue,16,blue,,0\nT-3,T,Wool tee,16,blue,,0\n"
        "M,,Mug,5,white,0.4 kg,7\n"
    )
    report, catalog, _ = bring_in(tmp_path, "a.csv", data)
    assert (report.read, report.kept, report.merged, report.rejected) == (5, 3, 1, 1)
    assert report.reasons == {"a second variant with the same options": 1}
    found = shown(catalog, {"weight"})
    assert found["T"]["title"] == "Wool tee" and found["T"]["weight"] == "0.2 kg"
    assert found["T"]["variants"] == {"red": (1500, 4), "blue": (1600, 0)}
    assert found["M"]["variants"] == {"white": (500, 7)}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            "id,name,price\n" + "".join(f"{at},{'Mug' if at % 4 else ''},5\n" for at in range(20)),
            "5 of 20 rows have no title",
        ),
        ("id,price,color\n1,5,red\n2,6,blue\n", "2 of 2 rows have no title. Name the columns in a mapping file (--map"),
        (
            "URL handle,SKU,Gift card,SEO title,title,Preis\n"
            + "".join(f"a{at // 2},{at},no,x,,{at + 1}\n" for at in range(8)),
            "rows of one product share 'URL handle': 8 of 8 rows have no title. Try --format shopify, whose columns",
        ),
    ],
)
def test_tables_without_titles_are_named_as_such(data: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=re.escape(words)):
        bring_in(tmp_path, "a.csv", data)


def test_a_warning_gives_the_three_commonest_reasons(tmp_path: Path) -> None:
    rows = [
        f"{at},Mug {at},{price}" for at, price in enumerate(["5", "no", "from 5", "5", "-1", "from 6", "x y", "9", "8"])
    ]
    report, _, _ = bring_in(tmp_path, "a.csv", "\n".join(["id,name,price", *rows]) + "\n")
    assert report.warning == (
        "5 of 9 rows were rejected or have no title: price … is not one plain amount (4), price is not above zero (1)."
    )


def test_the_command_line_knows_every_format() -> None:
    option = next(one for one in import_command.params if one.name == "kind")
    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices) == ["auto", *(one.name for one in FORMATS)]


def test_a_table_with_handles_is_no_export(tmp_path: Path) -> None:
    data = "handle,title,price,sku,stock,color\na,Mug,5,1,3,red\nb,Cup,6,2,0,red\n"
    report, catalog, _ = bring_in(tmp_path, "a.csv", data)
    assert report.format == "table" and catalog.facts(0, 0)["color"] == "red"
