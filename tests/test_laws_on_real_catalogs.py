"""The laws over shops imported from the real catalogs beside this checkout."""

from pathlib import Path

import pytest

from ecomrlve import World, environments, make_task
from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.importers import import_catalog
from ecomrlve.generator.proofs.laws import NOISE_FREE_LAWS, NOISY_LAWS, LawCase, broken

CATALOGS = Path(__file__).parents[2] / "shared" / "catalogs"
FILES = ("furniture.csv", "laptops.csv", "retail.json", "shopify_apparel.csv", "shopify_jewelery.csv")
PER_LEVEL = 2
LACKS = {"BUNDLE": "does not say what goes together", "SUB": "can stand in for each other"}
"""What a shop may lack altogether, by environment: how the message says so."""


@pytest.fixture(scope="module", params=FILES)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    """An imported shop."""
    source = CATALOGS / request.param
    if not source.is_file():
        pytest.skip(f"{request.param} is not beside this checkout")
    out = tmp_path_factory.mktemp("shops") / source.stem
    import_catalog(source, out)
    return World.load(out)


@pytest.mark.parametrize("env", environments())
def test_tasks_over_a_real_catalog_keep_the_laws(world: World, env: str) -> None:
    carried: list[int] = []
    for level in range(8):
        for index in range(PER_LEVEL):
            try:
                calm = LawCase(world, make_task(world, env, level=level, seed=5, index=index, axes={"noise": 0}))
                noisy = LawCase(world, make_task(world, env, level=level, seed=5, index=index))
            except CannotPose as error:
                if "at no level" in str(error):
                    # What the shop lacks altogether, its message says.
                    assert not carried and env in LACKS and LACKS[env] in str(error)
                    return
                assert "up to level" in str(error)
                continue
            carried.append(level)
            assert not broken(calm, NOISE_FREE_LAWS), (calm.name, broken(calm, NOISE_FREE_LAWS))
            assert not broken(noisy, NOISY_LAWS), (noisy.name, broken(noisy, NOISY_LAWS))
    # A shop of twenty products carries the first two levels.
    assert {0, 1} <= set(carried)
