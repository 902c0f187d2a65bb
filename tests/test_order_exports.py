"""Exports of orders come in beside the products; nobody's name, address or e-mail does."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from ecomrlve import World
from ecomrlve.cli import cli
from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog import store
from ecomrlve.generator.catalog.importers import import_catalog

EXPORTS = Path(__file__).parent / "data" / "exports"
PERSONAL = (
    "wilhelmina",
    "quartermain",
    "barnaby",
    "oddfellow",
    "linden",
    "thistle",
    "zwolle",
    "8011",
    "5550",
    "@personal",
)


def _said(folder: Path) -> str:
    """Everything that a folder of a shop says, tables unpacked."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix == ".parquet":
            found.append(json.dumps(pq.read_table(path).to_pylist(), default=str))
        else:
            found.append(path.read_text(encoding="utf-8"))
    return "\n".join(found).lower()


# products, orders: (order, customer, state, (SKU, units, price) of each line) and reasons of those left out
CASES = {
    ("shopify.csv", "orders_shopify.csv"): (
        [
            ("#1001", 0, "fulfilled", [("SOCK-GR-M", 2, 1800), ("MUG-1", 1, 2000)]),
            ("#1002", 1, "unfulfilled", [("SOCK-NV-L", 1, 1950)]),
            ("#1003", 0, "cancelled", [("CUP-1", 4, 1190)]),
        ],
        ["the order names a variant that the shop does not have: 'POSTER-1'"],
    ),
    ("woocommerce.csv", "orders_woocommerce.csv"): (
        [
            ("501", 0, "completed", [("tee-red-m", 1, 3500), ("lamp", 2, 8900)]),
            ("502", 1, "on hold", [("tee-red-s", 3, 3950)]),
        ],
        ["the order was never placed (failed)", "the number of units of a line cannot be read"],
    ),
}


@pytest.mark.parametrize("files", CASES)
def test_orders_come_in_without_names(files: tuple[str, str], tmp_path: Path) -> None:
    wanted, reasons = CASES[files]
    out = tmp_path / "shop"
    report = import_catalog(EXPORTS / files[0], out, orders=EXPORTS / files[1])
    ids = pq.read_table(out / "variants.parquet")["source_id"].to_pylist()
    orders = store.load_orders(out)
    assert orders is not None
    found = [
        (order.source_id, order.customer, order.state, [(ids[row], units, price) for row, units, price in order.lines])
        for order in orders
    ]
    assert found == wanted
    assert report.orders == (len(wanted) + len(reasons), len(wanted), len(reasons))
    rejects = [json.loads(line) for line in (out / "rejects.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [reject["reason"] for reject in rejects if reject["kind"] == "order"] == reasons
    said = _said(out)
    assert not [word for word in PERSONAL if word in said]
    assert "names and addresses of 2 customers, in place of the source's" in report.drawn
    assert any("left out" in became for column, became, _ in report.columns if column == "orders")
    assert World.load(out).orders is not None


def test_orders_in_other_shapes(tmp_path: Path) -> None:
    lines = [
        {
            "id": 7,
            "number": "7001",
            "status": "wc-processing",
            "billing": {"email": "a@personal.example", "last_name": "Oddfellow"},
            "line_items": [{"sku": "lamp", "quantity": 2, "price": 89, "name": "Desk lamp"}],
        },
        {"id": 8, "line_items": [{"name": "Desk lamp", "quantity": 3, "total": "267.00"}]},
        {"id": 9, "line_items": [{"name": "Desk lamp", "quantity": 3, "total": "100.00"}]},
    ]
    (tmp_path / "orders.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "orders.csv").write_text(
        "order_id,status,billing_email,line_items\n11,completed,b@personal.example,"
        "sku:lamp|name:Desk lamp|quantity:1|total:89.00;sku:album|quantity:2|total:30.00\n"
    )
    for name, wanted, rejected in (
        ("orders.jsonl", [("7001", "processing", 2), ("8", "", 3)], 1),
        ("orders.csv", [("11", "completed", 3)], 0),
    ):
        out = tmp_path / name.replace(".", "_")
        report = import_catalog(EXPORTS / "woocommerce.csv", out, orders=tmp_path / name)
        orders = store.load_orders(out) or ()
        assert [(order.source_id, order.state, sum(line[1] for line in order.lines)) for order in orders] == wanted
        assert report.orders == (len(wanted) + rejected, len(wanted), rejected)
        assert "personal" not in _said(out) and "oddfellow" not in _said(out)


def test_what_is_no_export_of_orders_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="is no export of orders that I know"):
        import_catalog(EXPORTS / "shopify.csv", tmp_path / "out", orders=EXPORTS / "merchant.tsv")
    for name in ("orders_shopify.csv", "orders_woocommerce.csv"):
        with pytest.raises(CatalogError, match=re.escape(f"PRODUCTS --orders {name} --out DIR")):
            import_catalog(EXPORTS / name, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_import_ends_with_a_short_table(tmp_path: Path) -> None:
    words = ["catalog", "import", str(EXPORTS / "woocommerce.csv"), "--orders", str(EXPORTS / "orders_woocommerce.csv")]
    done = CliRunner().invoke(cli, [*words, "--out", str(tmp_path / "shop")])
    assert done.exit_code == 0, done.output
    lines = [re.split(r"\s{2,}", line.strip()) for line in done.stdout.splitlines()]
    for row in (
        ["rows read", "13"],
        ["products", "4"],
        ["variants", "6"],
        ["choices", "3"],
        ["numbers", "5"],
        ["orders kept", "2"],
        ["rejected", "8"],
        ["not published", "2"],
        ["drawn", "units in stock of 3 variants that the source only calls available"],
        ["names and addresses of 2 customers, in place of the source's"],
    ):
        assert row in lines, row
    assert "Warning: 6 of 13 rows were rejected or have no title: not published (2)" in done.stderr
