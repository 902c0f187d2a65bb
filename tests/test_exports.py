"""One small export of every platform, in its real shape and written by us: what comes in of it."""

from pathlib import Path
from typing import Any

import pytest

from ecomrlve.generator.catalog import store
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.importers import import_catalog
from tests.importing import check

EXPORTS = Path(__file__).parent / "data" / "exports"


class _Some:
    """Equal to any number of units: the source only calls the variant available, so they are drawn."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int) and other > 0

    def __hash__(self) -> int:
        return 0


SOME = _Some()


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


# file: format, (read, kept, merged, rejected), currency, reasons, products
CASES: dict[str, tuple[str, tuple[int, int, int, int], str, dict[str, int], dict[str, dict[str, Any]]]] = {
    "shopify.csv": (
        "shopify",
        (9, 6, 1, 2),
        "USD",
        {"not for sale (archived)": 1, "not for sale (draft)": 1},
        {
            "merino-crew-sock": {
                "title": "Merino crew sock",
                "type": "pair of socks",
                "variants": {
                    "Grey / M": (1800, 12),
                    "Grey / L": (1800, 0),
                    "Navy / M": (1950, SOME),
                    "Navy / L": (1950, 2),
                },
                "brand": "Fjellheim",
                "color": "Grey",
                "rating": "4.6",
                "reviews": "31",
            },
            "stoneware-mug": {
                "title": "Stoneware mug",
                "type": "mug",
                "variants": {"": (2400, SOME)},
                "brand": "Fjellheim",
                "capacity": "350 ml",
                "care": "dishwasher safe",
                "color": "white",
                "rating": "4.1",
                "reviews": "7",
                "weight": "410 g",
            },
            "espresso-cup": {
                "title": "Espresso cup",
                "type": "mug",
                "variants": {"": (1190, 40)},
                "brand": "Kaffebar",
                "capacity": "80 ml",
                "care": "dishwasher safe",
                "color": "black",
                "weight": "150 g",
            },
        },
    ),
}
_FACTS = {"brand", "care", "capacity", "color", "material", "rating", "reviews", "weight", "wattage"}


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
