"""What columns are: numbers with units, yes or no, choices, text; prices; nouns; names."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecomrlve.generator.catalog.importers.kinds import kinds_of
from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.measures import column_named
from ecomrlve.generator.catalog.importers.nouns import noun, plural, return_class, singular
from ecomrlve.generator.catalog.importers.prices import convention_of, minor_units, read_amount
from ecomrlve.generator.catalog.importers.raw import RawProduct
from ecomrlve.generator.catalog.importers.roles import find_roles
from ecomrlve.generator.catalog.importers.stocks import read_stocks
from ecomrlve.generator.catalog.importers.tables import words
from ecomrlve.generator.catalog.importers.trees import split_path
from ecomrlve.generator.catalog.inference import Cells, Finding, infer, twins
from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.grammars.conditions.attributes import CURRENCIES
from ecomrlve.grammars.conditions.units import UNITS
from ecomrlve.grammars.conditions.vocabulary import Vocabulary


def found(name: str, *texts: str, picked: bool = False, hints: Hints | None = None) -> Finding:
    cells = Cells()
    for text in texts:
        cells.add(0, text, picked)
    return infer(column_named(name, hints or Hints()), cells, ["lamp"])


NUMBERS = [
    ("Weight", ("1.37kg", "2 kg", "1.5 kilograms"), "kg", ["1.37 kg", "2 kg", "1.5 kg"]),
    ("Weight", ("800 g", "1.5 kg", "750 g"), "g", ["800 g", "1500 g", "750 g"]),
    ("Inches", ("15.6", "14"), "in", ["15.6 in", "14 in"]),
    ("Ram", ("8GB", "16 GB", "1TB"), "GB", ["8 GB", "16 GB", "1000 GB"]),
    ("screen size", ("13-inch", "15-inch"), "in", ["13 in", "15 in"]),
    ("Width", ('15.6"', '14"'), "in", ["15.6 in", "14 in"]),
    ("Depth (cm)", ("38", "40.5"), "cm", ["38 cm", "40.5 cm"]),
    ("height_mm", ("380", "405"), "mm", ["380 mm", "405 mm"]),
    ("Gewicht", ("0,35 kg", "1,2 kg"), "kg", ["0.35 kg", "1.2 kg"]),
    ("Number of doors", ("2", "4"), "", ["2", "4"]),
    ("Capacity", ("5000mAh", "10,000 mAh"), "mAh", ["5000 mAh", "10000 mAh"]),
    ("Item Weight", ("12 ounces", "1.2 pounds", "2 pounds"), "lb", ["0.75 lb", "1.2 lb", "2 lb"]),
]


@pytest.mark.parametrize(("name", "texts", "unit", "shown"), NUMBERS)
def test_numbers_with_units(name: str, texts: tuple[str, ...], unit: str, shown: list[str]) -> None:
    (one,) = found(name, *texts).found
    assert (one.attribute.kind, one.attribute.unit) == ("number", unit)
    assert [one.attribute.text(one.codes[place]) for place in range(len(texts))] == shown


CHOICES = [
    ("Memory", ("256GB SSD", "1TB HDD", "256GB SSD", "1TB HDD"), ("256GB SSD", "1TB HDD")),
    ("resolution", ("4K", "5K", "4K", "5K"), ("4K", "5K")),
    ("weight range", ("55-75 lbs", "5-25 lbs", "55-75 lbs", "5-25 lbs"), ("55-75 lbs", "5-25 lbs")),
    ("Color", ("Grey", "gray", "gray", "BLACK", "Black", "Black"), ("gray", "Black")),
    ("armrest", ("none", "fixed", "none", "fixed"), ("no armrest", "fixed")),
    ("network", ("4G", "5G", "4G", "5G"), ("4G", "5G")),
    ("finish", ("Black, matt", "Black; matt", "Oak/Pine", "Oak/Pine"), ("Black matt", "Oak-Pine")),
]


@pytest.mark.parametrize(("name", "texts", "values"), CHOICES)
def test_choices(name: str, texts: tuple[str, ...], values: tuple[str, ...]) -> None:
    (one,) = found(name, *texts).found
    assert (one.attribute.kind, one.attribute.values) == ("choice", values)


@pytest.mark.parametrize(("yes", "no"), [("TRUE", "FALSE"), ("Yes", "No"), ("y", "n")])
def test_yes_and_no(yes: str, no: str) -> None:
    (one,) = found("has_timer", yes, no, yes).found
    assert one.attribute.kind == "boolean" and [one.codes[place] for place in range(3)] == [1, 0, 1]
    assert (one.attribute.yes, one.attribute.no) == ("with timer", "without timer")
    assert found("foldable", yes, no).found[0].attribute.no == "that is not foldable"


def test_what_is_no_detail_stays_text() -> None:
    assert not found("notes", *(f"free text number {number} of some length" for number in range(30))).found
    assert not found("v", "1", "2", "3").found
    assert not found("vendor_code", "11", "12").found
    assert not found("thing", *(str(10**8 + 7 * number) for number in range(30))).found
    assert "everywhere" in found("state", *["new"] * 30).notes[0]
    assert not found("remark", *("x" * 50 for _ in range(9))).found


def test_options_stay_apart_whatever_they_are() -> None:
    (sizes,) = found("Size", "8", "9", "10", picked=True).found
    assert sizes.attribute.values == ("size 8", "size 9", "size 10")
    (many,) = found("Shade", *(f"tone {number} of the palette" for number in range(90)), picked=True).found
    assert len(set(many.codes.values())) == 90
    (mixed,) = found("Volume", "1 l", "1000 ml", picked=True).found
    assert mixed.attribute.kind == "choice" and len(set(mixed.codes.values())) == 2


def test_one_name_in_two_measures_becomes_two_details() -> None:
    cells = Cells()
    for kind, text in ((0, "2 l"), (0, "1 l"), (1, "5000 mAh"), (1, "9000 mAh"), (2, "4 cups"), (2, "8 cups")):
        cells.add(kind, text, True)
    finding = infer(column_named("capacity", Hints()), cells, ["kettle", "charger", "coffee maker"])
    shown = {one.attribute.label: (one.attribute.kind, one.attribute.unit) for one in finding.found}
    assert shown == {
        "battery capacity": ("number", "mAh"),
        "capacity": ("number", "l"),
        "coffee maker capacity": ("choice", ""),
    }


def test_a_smallest_size_that_stands_for_unknown_is_left_out() -> None:
    texts = ["1"] * 10 + [str(number) for number in range(20, 60)]
    finding = found("width", *texts, hints=Hints(units={"width": "cm"}))
    assert len(finding.found[0].codes) == 40 and "stands for unknown" in finding.notes[0]


AMOUNTS = [
    ("SR 1,385", "1385", "SAR"),
    ("$1,339.69", "1339.69", "USD"),
    ("12.99 USD", "12.99", "USD"),
    ("US$ 5", "5", "USD"),
    ("£0.99", "0.99", "GBP"),
    ("1339.69", "1339.69", None),
    ("₹ 1,29,999", "129999", "INR"),
    ("Rs. 1,299", "1299", "INR"),
    ("12.-", "12", None),
    ("-3", "-3", None),
    ("CHF 1'299.50", "1299.50", "CHF"),
]


@pytest.mark.parametrize(("text", "number", "currency"), AMOUNTS)
def test_prices_are_read(text: str, number: str, currency: str | None) -> None:
    amount = read_amount(text, convention_of([text]))
    assert (amount.number, amount.currency) == (Decimal(number), currency)


@pytest.mark.parametrize(
    "text",
    [
        "from 12.99",
        "12.99 - 24.99",
        "SR 50/4 pack",
        "two",
        "$5 €6",
        "1.2.3,4",
        "12.99 / kg",
        "No old price",
        "",
        "nan",
        "None",
        "ask",
        "1,2,3",
    ],
)
def test_what_is_no_price_is_not_read(text: str) -> None:
    amount = read_amount(text, convention_of([text]))
    assert amount.number is None and amount.why


def test_decimal_signs_are_told_by_the_whole_column() -> None:
    assert read_amount("1.385", convention_of(["1.385", "2.450"])).number == 1385
    assert read_amount("1.385", convention_of(["1.385", "2.45"])).number == Decimal("1.385")
    assert read_amount("1,385", convention_of(["1,385", "2,45"])).number == Decimal("1.385")
    assert minor_units(Decimal("12.989999771118164"), CURRENCIES["USD"]) == 1299
    assert minor_units(Decimal(2**31), CURRENCIES["JPY"]) == "price is too large"
    assert minor_units(Decimal("0.001"), CURRENCIES["USD"]) == "price is not above zero"


@given(st.integers(1, 2**31 - 1), st.sampled_from(sorted(CURRENCIES)))
def test_a_price_as_we_show_it_is_read_back(amount: int, code: str) -> None:
    currency = CURRENCIES[code]
    text = currency.text(amount)
    read = read_amount(text, convention_of([text, "1,234.50"]))
    assert read.number is not None and minor_units(read.number, currency) == amount
    assert read.currency == code or (read.currency, code) in {("JPY", "CNY")}


def test_every_currency_of_the_tables_is_known() -> None:
    assert set(words()["currencies"]) == set(CURRENCIES)


NOUNS = [
    ("Laptops", "laptop"),
    ("Bookcases & shelving units", "bookcase/shelving unit"),
    ("Sofas, armchairs", "sofa/armchair"),
    ("Running Shoes", "pair of running shoes"),
    ("Outdoor furniture", "piece of outdoor furniture"),
    ("Women", "women's item"),
    ("3-seat sofas", "sofa"),
    ("Phones with case", "phone"),
    ("Cases (leather)", "case"),
    ("T-Shirt", "T-shirt"),
    ("LED bulbs", "LED bulb"),
    ("Mice", "mouse"),
    ("GLASS", "GLASS"),
    ("Café furniture", "piece of café furniture"),
    ("Electronics", "electronics item"),
    ("Patio, Lawn & Garden", "patio/lawn/garden item"),
    ("Pet Supplies", "pet supplies item"),
    ("All Beauty", "beauty item"),
    ("Headphones, Earbuds & Accessories", "headphones/earbuds/accessory"),
    ("Headphones & Earbuds", "pair of headphones/earbuds"),
    ("Clothing, Shoes & Jewelry", "piece of clothing/shoes/jewelry"),
    ("Cameras", "camera"),
]


@pytest.mark.parametrize(("name", "one"), NOUNS)
def test_nouns_of_categories(name: str, one: str) -> None:
    assert noun(name)[0] == one


@pytest.mark.parametrize(("name", "one"), NOUNS)
def test_nouns_can_be_said(name: str, one: str) -> None:
    pair = noun(name)
    assert Vocabulary({}, {"x": pair}, {}, CURRENCIES["USD"]).noun_is_clear("x")


def test_singular_and_plural_undo_each_other() -> None:
    for one in (
        "shelf",
        "box",
        "trolley",
        "battery",
        "glass",
        "mug",
        "lens",
        "hose",
        "watch",
        "bus",
        "tie",
        "shoe",
        "potato",
        "case",
    ):
        assert singular(plural(one)) == one and singular(one) == one


def test_types_of_one_name_in_two_branches_are_told_apart() -> None:
    paths = [("Phones", "Cases"), ("Cameras & Photo", "Cases"), ("Phones", "Chargers"), ()]
    products = [RawProduct(number, str(number), "x", path, []) for number, path in enumerate(paths, 1)]
    kinds, places, _ = kinds_of(products, Hints(), "", "Shop")
    assert [kinds[place].one for place in places] == ["phones case", "cameras/photo case", "charger", "unsorted item"]


def test_every_type_can_be_named_by_a_customer() -> None:
    names = [
        "With love",
        "12",
        "!!!",
        "Item",
        "Products",
        "Not for kids",
        "茶碗",
        "3-seat",
        "Glass",
        "Glasses",
        "Or",
        "A",
        "Shelf",
        "shelves",
    ]
    products = [RawProduct(number, str(number), "x", (name,), []) for number, name in enumerate(names, 1)]
    kinds, _, _ = kinds_of(products, Hints(nouns={"a": ("this or that", "these")}), "", "Shop")
    vocabulary = Vocabulary({}, {kind.key: (kind.one, kind.many) for kind in kinds}, {}, CURRENCIES["USD"])
    assert [kind.one for kind in kinds if not vocabulary.noun_is_clear(kind.key)] == []
    assert len(kinds) >= 8


def test_return_classes() -> None:
    shown = {
        name: return_class(name) for name in ("pet bed", "espresso machine", "gaming laptop", "garden hose", "thing")
    }
    assert shown == {
        "pet bed": "pets",
        "espresso machine": "home",
        "gaming laptop": "electronics",
        "garden hose": "garden",
        "thing": "home",
    }


ROLES = [
    (
        "product_id,product_name,category,discounted_price,actual_price,rating,rating_count,about_product,img_link",
        {
            "id": "product_id",
            "title": "product_name",
            "rating": "rating",
            "reviews": "rating_count",
            "description": "about_product",
        },
        ["discounted_price", "actual_price"],
        ["category"],
    ),
    (
        "SKU,Name,Regular price,Sale price,Categories,In stock?",
        {"id": "SKU", "title": "Name", "stock": "In stock?"},
        ["Sale price", "Regular price"],
        ["Categories"],
    ),
    (
        "id,title,price,availability,brand,google_product_category,product_type",
        {"id": "id", "title": "title", "stock": "availability", "brand": "brand"},
        ["price"],
        ["google_product_category", "product_type"],
    ),
    ("wine_id,Winery,Title,Price USD,category_id", {"id": "wine_id", "title": "Title"}, ["Price USD"], []),
]


@pytest.mark.parametrize(("columns", "one", "prices", "path"), ROLES)
def test_columns_are_recognised(columns: str, one: dict[str, str], prices: list[str], path: list[str]) -> None:
    roles = find_roles(columns.split(","), Hints())
    assert (roles.one, roles.prices, roles.path) == (one, prices, path)


def test_category_cells() -> None:
    assert split_path("Computers&Accessories|Cables|USBCables") == ("Computers&Accessories", "Cables", "USBCables")
    assert split_path(["A", "A", "", None]) == ("A",)
    assert split_path("[") == ("(",) or split_path("[") == ()


def test_stock_cells() -> None:
    stock, drawn = read_stocks(
        ["1,200", "3.0", "-4", "In Stock", "OutOfStock", "http://schema.org/InStock", "", "true", "false"], 1
    )
    assert stock[[0, 1, 2, 4, 8]].tolist() == [1200, 3, 0, 0, 0]
    assert (stock[[3, 5, 7]] > 0).all() and len(drawn) == 2
    assert (read_stocks(["x"] * 5, 1)[0] == read_stocks(["x"] * 5, 1)[0]).all()


def test_twins_are_products_that_nothing_visible_parts() -> None:
    shop = synthesize(500)
    shop.series = None
    shop.titles = ["same"] * len(shop)
    shop.values[:] = 0
    shop.brand[:] = 0
    shop.rating[:] = 40
    shop.reviews[:] = 1
    shop.price[:] = 100
    assert twins(shop).sum() > 100
    shop.titles = [str(row) for row in range(len(shop))]
    assert not twins(shop).any()


def test_units_of_the_tables_are_known() -> None:
    assert set(words()["units"]) <= set(UNITS)
