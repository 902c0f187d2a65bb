"""A shop is the same shop in whatever format it is written, and carries tasks that keep the laws in each."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ecomrlve import World, environments, make_task
from ecomrlve.cli import cli
from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.proofs.laws import NOISE_FREE_LAWS, LawCase, broken
from tests.importing import bring_in
from tests.shop_writers import WRITERS, Product, Shop, Variant, amazon, shopify

COLORS = ("red", "navy blue", "dark green", "off-white")
SIZES = ("S", "M", "XL", "38", "40.5")
PATHS = (("Home", "Kitchen", "Mugs"), ("Home", "Lamps"), ("Clothing", "Shirts"), ("Toys",))
WORDS = ("Oslo", "Big", "“Nine”", "Crème", "O'Neil", "3-in-1", "Soft & warm", "A, B", "Tee")


@st.composite
def products(draw: st.DrawFn, number: int) -> Product:
    """A product with no option, one or two, of which each varies."""
    colors = draw(st.lists(st.sampled_from(COLORS), unique=True, max_size=3))
    sizes = draw(st.lists(st.sampled_from(SIZES), unique=True, max_size=3))
    picked: list[dict[str, str]] = [{}]
    if len(colors) > 1:
        picked = [{"Color": color} for color in colors]
    if len(sizes) > 1:
        picked = [{**one, "Size": size} for one in picked for size in sizes]
    if len(picked) >= 4 and draw(st.booleans()):
        picked.pop()
    return Product(
        f"p-{number}",
        f"{draw(st.sampled_from(WORDS))} {draw(st.sampled_from(WORDS))} {number}",
        draw(st.sampled_from(PATHS)),
        draw(st.sampled_from(("Acme", "Fjell & Co", ""))),
        tuple(
            Variant(f"p-{number}-{place}", options, draw(st.integers(1, 300_000)), draw(st.sampled_from((0, 0, 3, 17))))
            for place, options in enumerate(picked)
        ),
        draw(st.sampled_from(("", "oak", "steel"))),
        draw(st.sampled_from(("", "0.4", "12", "1.25"))),
        draw(st.dictionaries(st.sampled_from(("Wattage", "Dishwasher safe")), st.sampled_from(("9 W", "yes", "no")))),
    )


@st.composite
def shops(draw: st.DrawFn) -> Shop:
    """Few products, so that what is read of one hangs little on the others."""
    return [draw(products(number)) for number in range(draw(st.integers(1, 7)))]


def seen(catalog: Catalog) -> dict[str, Any]:
    """What customers see of a shop, by title: the type, and each variant's facts, price and whether it is there."""
    found = {}
    for row in range(len(catalog)):
        kind = catalog.types[int(catalog.type_start.searchsorted(row, side="right")) - 1]
        variants = range(int(catalog.variant_start[row]), int(catalog.variant_start[row + 1]))
        facts = [
            (sorted(catalog.facts(row, place).items()), int(catalog.price[place]), bool(catalog.stock[place]))
            for place in variants
        ]
        found[catalog.title(row)] = (kind.singular, kind.department, kind.category, sorted(facts))
    return found


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shop=shops())
def test_a_shop_is_the_same_in_every_format(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> None:
    first: tuple[str, dict[str, Any]] | None = None
    for name, (kind, write) in WRITERS.items():
        report, catalog, _ = bring_in(tmp_path_factory.mktemp("same"), name, write(shop), 'name = "Same"')
        assert (report.format, report.rejected, report.products) == (kind, 0, len(shop))
        assert report.variants == sum(len(product.variants) for product in shop)
        if first is None:
            first = name, seen(catalog)
        assert seen(catalog) == first[1], f"{name} reads unlike {first[0]}"


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shop=shops())
def test_a_shop_without_options_is_the_same_as_metadata(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> None:
    plain = [replace(one, variants=(replace(one.variants[0], options={}, units=1),)) for one in shop]
    found = []
    for name, write in (("meta.jsonl", amazon), ("shop.csv", shopify)):
        _, catalog, _ = bring_in(tmp_path_factory.mktemp("plain"), name, write(plain), 'name = "Same"')
        found.append(seen(replace(catalog, stock=np.ones_like(catalog.stock))))
    assert found[0] == found[1]


def _stocked_shop() -> Shop:
    """Thirty products of three types, that differ in material, weight, brand, color, size and price."""
    found = []
    for number in range(30):
        path = PATHS[number % 3]
        colors = COLORS[: 2 + number % 2] if number % 4 else ()
        sizes = SIZES[: 2 + number % 2] if path[-1] == "Shirts" else ()
        picked: list[dict[str, str]] = [{"Color": color} for color in colors] or [{}]
        picked = [{**one, **({"Size": size} if size else {})} for one in picked for size in sizes or ("",)]
        variants = tuple(
            Variant(f"k{number}-{place}", options, 900 + 137 * number + 50 * place, (number + place) % 5)
            for place, options in enumerate(picked)
        )
        material, weight = ("oak", "steel", "wool")[number % 3 - number % 2], f"0.{1 + number % 9}"
        brand = ("Acme", "Fjell", "Nordlys")[number % 7 % 3]
        found.append(Product(f"k{number}", f"Model {number}", path, brand, variants, material, weight))
    return found


@pytest.fixture(scope="module", params=["shop.csv", "woo.csv", "feed.xml", "graph.json", "retail.json", "table.csv"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The same shop, imported from one of the formats."""
    _, write = WRITERS[request.param]
    _, _, out = bring_in(tmp_path_factory.mktemp("law"), request.param, write(_stocked_shop()))
    return World.load(out)


LACKS = {"BUNDLE": "does not say what goes together", "SUB": "can stand in for each other"}
"""What no export of products alone says, by the environment that needs it."""


@pytest.mark.parametrize("env", environments())
def test_every_format_carries_every_environment(world: World, env: str) -> None:
    if env == "BUNDLE":
        # Its source does not say what goes together.
        with pytest.raises(CannotPose, match="goes together"):
            make_task(world, env, level=0, seed=3, index=0)
        return
    for level in (0, 1):
        try:
            case = LawCase(world, make_task(world, env, level=level, seed=3, index=level, axes={"noise": 0}))
        except CannotPose as error:
            assert env in LACKS and LACKS[env] in str(error) and "at no level" in str(error)
            return
        assert not broken(case, NOISE_FREE_LAWS), (case.name, broken(case, NOISE_FREE_LAWS))


def test_a_run_leaves_out_what_the_shop_cannot_carry(tmp_path: Path) -> None:
    """Where nobody names environments, those that the shop carries at no level are left out, and it says why."""
    name, (_, write) = next(iter(WRITERS.items()))
    _, _, folder = bring_in(tmp_path, name, write(_stocked_shop()))

    def generated(*options: str) -> Result:
        words = (
            "generate",
            tmp_path / f"run{len(options)}",
            "--count",
            8,
            "--levels",
            0,
            "--catalog",
            folder,
            *options,
        )
        return CliRunner().invoke(cli, [str(word) for word in words])

    done = generated()
    assert done.exit_code == 0, done.stderr
    assert "BUNDLE is left out. BUNDLE: the shop does not say what goes together" in done.stderr
    named = generated("--env", "BUNDLE")
    assert named.exit_code == 1 and "leave BUNDLE out" in named.stderr
