"""Prices and encodings of any locale: read exactly, or rejected with the reason, never guessed."""

from decimal import Decimal
from pathlib import Path

import pytest

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers.prices import convention_of, read_amount
from tests.importing import bring_in

READ = [
    ("1.234,56 €", "1234.56", "EUR"),
    ("1 234,56 zł", "1234.56", "PLN"),
    ("CHF 1’234.–", "1234", "CHF"),
    ("250,- Kč", "250", "CZK"),
    ("199:-", "199", None),
    ("¥1,200", "1200", "JPY"),
    ("￥１２００", "1200", "JPY"),
    ("Rs. 999", "999", "INR"),
    ("₹1,29,999.00", "129999.00", "INR"),
    ("١٢", "12", None),
    ("٣٫٥٠ ر.س", "3.50", "SAR"),
    ("\u200e€5", "5", "EUR"),
    ("5\u202f000 €", "5000", "EUR"),
    (".99", "0.99", None),
    ("R$ 1.299,90", "1299.90", "BRL"),
]


@pytest.mark.parametrize(("text", "number", "currency"), READ)
def test_prices_of_any_locale(text: str, number: str, currency: str | None) -> None:
    amount = read_amount(text, convention_of([text]))
    assert (amount.number, amount.currency) == (Decimal(number), currency)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("from $5", "is not one plain amount"),
        ("$5 - $9", "is not one plain amount"),
        ("5–9 €", "is not one plain amount"),
        ("12.99/kg", "is not one plain amount"),
        ("1e3", "is not one plain amount"),
        ("(5.00)", "is not one plain amount"),
        ("12€50", "is not one plain amount"),
        ("=5", "is not one plain amount"),
        ("5.", "is not one plain amount"),
        ("Rs.5 Rs.6", "is not one plain amount"),
        ("Rp 15.000", "is in IDR, a currency that shops here cannot have"),
        ("500 руб.", "is in RUB, a currency that shops here cannot have"),
        ("Call for price", "is not one plain amount"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, why: str) -> None:
    amount = read_amount(text, convention_of([text]))
    assert amount.number is None and why in amount.why


# name: cells, mapping, prices in minor units, currency, reasons
COLUMNS: dict[str, tuple[list[str], str, list[int], str, dict[str, int]]] = {
    "two locales in one column": (
        ["1.234,56 €", "12,50 €", "1,234.56 €", "1,234 €"],
        "",
        [1250, 123456],
        "EUR",
        {"price … is not one plain amount": 1, "price … can be read in two ways": 1},
    ),
    "three decimals": (["KD 1.250", "KD 12.500", "KD 1,250.500"], "", [1250, 12500, 1250500], "KWD", {}),
    "a sign that several share": (["199 kr", "1 299,50 kr"], 'currency = "NOK"', [19900, 129950], "NOK", {}),
    "yuan": (["¥ 12.50", "¥ 9.90"], 'currency = "CNY"', [990, 1250], "CNY", {}),
    "crowns by a neighbour": (["199 kr", "99 SEK"], "", [9900, 19900], "SEK", {}),
    "crowns of nobody": (
        ["199 kr", "99"],
        "",
        [9900],
        "USD",
        {"price … may be in SEK or NOK or DKK; a mapping file can name the currency": 1},
    ),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_columns_of_prices(case: str, tmp_path: Path) -> None:
    cells, mapping, prices, currency, reasons = COLUMNS[case]
    rows = [f"{number};Mug {number};{cell}" for number, cell in enumerate(cells)]
    report, catalog, _ = bring_in(tmp_path, "a.csv", "\n".join(["id;name;price", *rows]) + "\n", mapping)
    assert (sorted(catalog.price.tolist()), report.currency, report.reasons) == (prices, currency, reasons)


@pytest.mark.parametrize(
    ("encoding", "titles"),
    [
        ("cp1252", ("Café “crème” – 3 m³", "¿Qué? Señor, Größe 20°")),
        ("latin-1", ("Þórður úr áli", "Ýta við ís")),
        ("utf-16-be", ("Κούπα", "マグカップ")),
        ("utf-8-sig", ("Кружка", "勺子")),
    ],
)
def test_encodings_that_can_be_told(encoding: str, titles: tuple[str, str], tmp_path: Path) -> None:
    text = 'id,name,price\r\n1,"{}",5\r2,"{}",6\n'.format(*titles)
    report, catalog, _ = bring_in(tmp_path, "a.csv", text.encode(encoding))
    assert report.kept == 2
    assert sorted(catalog.titles or ()) == sorted(title.replace("“", '"').replace("”", '"') for title in titles)


@pytest.mark.parametrize(
    ("encoding", "titles"),
    [
        ("cp1250", ("Żółty kubek", "Łyżka dębowa")),
        ("cp1251", ("Кружка эмалированная", "A long English name to dilute the rest of this small file with ASCII")),
        ("cp1253", ("Κούπα", "A long English name to dilute the rest of this small file with ASCII letters")),
        ("cp1254", ("Çay bardağı", "Kaşık")),
        ("mac_roman", ("Café crème", "Thé")),
        ("gbk", ("马克杯", "勺子")),
        ("koi8-r", ("Кружка", "A long English name to dilute the rest of this small file with ASCII letters")),
    ],
)
def test_encodings_that_cannot_be_told_are_refused(encoding: str, titles: tuple[str, str], tmp_path: Path) -> None:
    text = "id,name,price\n1,{},5\n2,{},6\n".format(*titles)
    with pytest.raises(CatalogError, match="encoding that cannot be told"):
        bring_in(tmp_path, "a.csv", text.encode(encoding))


def test_quotes_behind_spaces_are_quotes(tmp_path: Path) -> None:
    report, catalog, _ = bring_in(tmp_path, "a.csv", 'id, name, price\n1, "Mug, red", 5\n2, "Cup", 6\n')
    assert (report.kept, sorted(catalog.titles or ())) == (2, ["Cup", "Mug, red"])


@pytest.mark.parametrize(
    ("mapping", "prices", "code"), [("", [500, 700], "USD"), ('currency = "EUR"', [400, 600], "EUR")]
)
def test_prices_in_several_currencies(mapping: str, prices: list[int], code: str, tmp_path: Path) -> None:
    data = "id,name,price_usd,price_eur,color\n1,Mug,5,4,red\n2,Cup,7,6,red\n"
    report, catalog, _ = bring_in(tmp_path, "a.csv", data, mapping)
    assert (sorted(catalog.price.tolist()), report.currency) == (prices, code)
    assert set(catalog.facts(0, 0)) == {"price", "color", "type"}
