"""The projects: types that exist, two to six things each, and those that an imported shop gets."""

from dataclasses import replace

import numpy as np
import pytest

from ecomrlve import World
from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.columns import select
from ecomrlve.generator.catalog.imported import ImportedOrder
from ecomrlve.generator.catalog.ontology import load_ontology
from ecomrlve.generator.environments.bundle.projects import FEWEST, MOST, ProjectShop
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.engine.tables import load_table
from tests.shops import shop

PROJECTS = load_table("generator.environments.bundle/projects")["project"]


def test_there_are_forty_projects_of_two_to_six_types_that_exist() -> None:
    known = {kind.key for kind in load_ontology().types}
    phrases = [project["phrase"] for project in PROJECTS]
    assert len(PROJECTS) >= 40 and len(set(phrases)) == len(phrases)
    for project in PROJECTS:
        assert FEWEST <= len(project["types"]) <= MOST and len(set(project["types"])) == len(project["types"])
        assert set(project["types"]) <= known, project["phrase"]


def test_every_fit_of_the_shipped_shop_is_in_some_project() -> None:
    pairs = {(edge.source, edge.target) for edge in load_ontology().edges if edge.kind == "fits"}
    together = {(one, other) for project in PROJECTS for one in project["types"] for other in project["types"]}
    assert pairs <= together, pairs - together


def without_table(world: World, edges: bool) -> World:
    """The same shop as an import would have it: types of other names, and complements alone or nothing."""
    catalog = world.catalog
    renamed = {kind.key: f"t{place}" for place, kind in enumerate(catalog.types)}
    kinds = tuple(replace(kind, key=renamed[kind.key]) for kind in catalog.types)
    kept = tuple(
        replace(edge, source=renamed[edge.source], target=renamed[edge.target])
        for edge in catalog.edges
        if edge.kind == "complements" and edges
    )
    other = replace(catalog, types=kinds, edges=kept)
    return World(other, world.seed, world.split, world.recipe)


def test_another_shop_gets_its_projects_from_what_is_bought_together() -> None:
    found = ProjectShop(without_table(shop(), edges=True))
    assert len(found.projects) > 20 and all(project.phrase == "" for project in found.projects)
    for project in found.projects:
        assert FEWEST <= len(project.kinds) <= MOST
    assert found.choose(3, "BUNDLE", Draws(0, "projects")).kinds


def test_another_shop_gets_its_projects_from_its_orders_too() -> None:
    world = without_table(shop(), edges=False)
    catalog = world.catalog
    first = [int(catalog.variant_start[catalog.type_start[kind]]) for kind in (3, 8, 40)]
    world.__dict__["imported_orders"] = (
        ImportedOrder("#1", 0, tuple((variant, 1, 500) for variant in first), ""),
        ImportedOrder("#2", 0, ((first[0], 1, 500), (first[0], 2, 500)), ""),
    )
    assert [sorted(project.kinds) for project in ProjectShop(world).projects] == [[3, 8, 40]]


def test_a_shop_where_nothing_goes_together_says_what_is_missing() -> None:
    found = ProjectShop(without_table(shop(), edges=False))
    with pytest.raises(CannotPose, match="does not say what goes together"):
        found.choose(2, "BUNDLE", Draws(0, "projects"))


def test_a_type_with_hardly_a_product_is_no_part_of_a_project() -> None:
    catalog = shop().catalog
    lamps = catalog.type_index["table_lamp"]
    start, end = int(catalog.type_start[lamps]), int(catalog.type_start[lamps + 1])
    rows = np.array([row for row in range(len(catalog)) if not start + 2 <= row < end], dtype=np.int64)
    found = ProjectShop(World(select(catalog, rows), 0, "train", shop().recipe))
    assert all(lamps not in project.kinds for project in found.projects)
