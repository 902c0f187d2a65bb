"""Files made to do harm, or damaged beyond use: handled within stated limits, or refused in one sentence."""

import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ecomrlve.errors import CatalogError, EcomrlveError
from ecomrlve.generator.catalog.importers import import_catalog
from tests.importing import bring_in


def _zip(data: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.csv", data)
    return held.getvalue()


HEAD = b"id,name,price\n1,Mug,5\n"
GROWING = '<!DOCTYPE a [<!ENTITY b "xxxx"><!ENTITY c "&b;&b;">]>'

# Made when asked for: some are large.
REFUSED: dict[str, Callable[[], tuple[str, bytes | str, str]]] = {
    "a gzip bomb": lambda: ("a.csv.gz", gzip.compress(HEAD + b"0" * 80_000_000, 6), "which no table of its size does"),
    "a zip bomb": lambda: ("a.zip", _zip(HEAD + b"0" * 10_000_000), "a zip or Excel file; save the sheet as CSV"),
    "20,000 columns": lambda: (
        "a.csv",
        ",".join(f"c{at}" for at in range(20_000)) + "\n" + ",".join("1" for _ in range(20_000)) + "\n",
        "has 20,000 columns; a table of products has at most 10,000",
    ),
    "20,000 names in JSON lines": lambda: (
        "a.jsonl",
        "".join(json.dumps({f"c{at}": 1, "price": 1}) + "\n" for at in range(20_000)),
        "has 10,001 columns; a table of products has at most 10,000",
    ),
    "more lines than any table": lambda: ("a.csv", HEAD + b"\n" * 8_000_001, "has more than 8,000,000 lines"),
    "JSON nested without end": lambda: ("a.json", '{"products": ' + "[" * 200_000 + "]" * 200_000 + "}", "damaged"),
    "damaged XML": lambda: ("a.xml", "<rss><item><id>1</id></rss>", "damaged XML: mismatched tag, line 1"),
    "XML without products": lambda: ("a.xml", '<?xml version="1.0"?><a><b>1</b></a>', "XML without products"),
    "XML in no known encoding": lambda: (
        "a.xml",
        b'<?xml version="1.0" encoding="martian"?><rss/>',
        "an encoding that is unknown",
    ),
    "XML with entities that grow": lambda: (
        "a.xml",
        f'<?xml version="1.0"?>{GROWING}<rss><item><id>&c;</id></item></rss>',
        "declares a document type",
    ),
    "a page without linked data": lambda: (
        "a.html",
        "<!doctype html><html><body>Hello</body></html>",
        "page without readable data",
    ),
    "linked data without products": lambda: (
        "a.json",
        '{"@context": "https://schema.org", "@type": "Person"}',
        "without any product",
    ),
    "XML that nests without end": lambda: ("a.xml", "<rss>" + "<a>" * 100_000, "nests more than 32 elements"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_harmful_files_are_refused_in_a_sentence(case: str, tmp_path: Path) -> None:
    name, data, words = REFUSED[case]()
    with pytest.raises(CatalogError, match=re.escape(words)) as refused:
        bring_in(tmp_path, name, data)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 400
    assert [path.name for path in tmp_path.iterdir()] == [name], "something was left behind"


def test_a_field_of_100_megabytes_is_cut(tmp_path: Path) -> None:
    text = "buy now " * 13_000_000
    report, catalog, out = bring_in(tmp_path, "a.csv", f"id,name,price,brand\n1,Mug,5,x\n2,{text},6,x\n")
    assert report.kept == 2 and len(catalog.title(1)) <= 120
    assert sum(path.stat().st_size for path in out.iterdir()) < 100_000


def test_what_is_nested_deep_is_left_out(tmp_path: Path) -> None:
    deep: object = "end"
    for _ in range(300):
        deep = [deep] if isinstance(deep, dict) else {"a": deep}
    rows = [
        {"id": at, "name": f"Mug {at}", "price": 5, "brand": deep, "color": "red", "details": deep} for at in (1, 2)
    ]
    rows.append({"id": 3, "name": deep, "price": deep, "brand": "x", "color": deep, "details": "{" * 400})
    report, catalog, _ = bring_in(tmp_path, "a.json", json.dumps(rows))
    assert (report.kept, report.rejected) == (2, 1) and len(catalog.attributes["brand"].values[0]) <= 40


def test_nuls_and_rows_that_differ_from_all_others(tmp_path: Path) -> None:
    rows = [{"id": at, "name": f"Mug\0 {at}", "price": 5, f"only {at}": "\0"} for at in range(300)]
    report, catalog, _ = bring_in(tmp_path, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert report.kept == 300 and "Mug 7" in (catalog.titles or ())


def test_formulas_are_the_text_they_show_or_no_text(tmp_path: Path) -> None:
    data = (
        'id,name,price,color\n="007",Mug,5,red\n2,"=HYPERLINK(""http://x.example"",""Cup"")",6,red\n'
        "3,=A1&B1,7,red\n4,Pot,=SUM(B1:B2),red\n5,Jug,8,\"=cmd|' /C calc'!A0\"\n6,+1 dot lamp,9,-\n7,@home,9,=red\n"
    )
    report, catalog, _ = bring_in(tmp_path, "a.csv", data)
    assert dict(zip(catalog.source_ids or (), catalog.titles or (), strict=True)) == {
        "007": "Mug",
        "2": "Cup",
        "6": "+1 dot lamp",
        "7": "@home",
    }
    assert report.reasons == {"the cell … holds a formula, not what it comes to": 3}


PIECES = st.sampled_from(
    [b'"', b",", b"\n", b"{", b"[", b"null", b"\0", b"=A1(", b"<", b"1e999", b'"@type":5,', b"\xff"]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(sorted((Path(__file__).parent / "data" / "exports").iterdir())),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 200), PIECES | st.binary(max_size=4)), max_size=5),
)
def test_a_damaged_export_is_a_shop_or_a_sentence(
    path: Path, cuts: list[tuple[float, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = path.read_bytes()
    for place, length, piece in cuts:
        at = int(place * len(data))
        data = data[:at] + piece + data[at + length :]
    folder = tmp_path_factory.mktemp("damaged")
    try:
        if path.name.startswith("orders"):
            (folder / path.name).write_bytes(data)
            products = path.parent / path.name.removeprefix("orders_")
            import_catalog(products, folder / "out", orders=folder / path.name)
        else:
            bring_in(folder, path.name, data)
    except EcomrlveError as error:
        assert str(error) and not (folder / "out").exists()
