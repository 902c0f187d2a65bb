"""Projects: which product types a shop's customers buy together, and what they call the occasion.

The shipped shop's are written down as data; an imported shop gets its own from its ``complements``, which its import
takes from what is bought together, and from the orders of its source.
"""

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from weakref import WeakKeyDictionary

import numpy as np

from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.columns import Catalog, Page
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.engine.tables import load_table

FEWEST, MOST = 2, 6
"""How many different things a project can ask for."""

FEWEST_PRODUCTS = 3
"""A type of which the shop has fewer products is no part of a project."""


@dataclass(frozen=True, slots=True)
class Project:
    """A reason to buy several things.

    Args:
        phrase: what customers call it; ``""`` where nobody wrote it down.
        kinds: the product types, as places in the catalog's types, the most wanted first.
    """

    phrase: str
    kinds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fit:
    """How two product types fit: where the detail of one is that of the other.

    Args:
        source: the type that fits, as a place in the catalog's types.
        target: the type it fits.
        attribute: key of the source's detail.
        target_attribute: key of the target's.
    """

    source: int
    target: int
    attribute: str
    target_attribute: str


class ProjectShop:
    """One world, as projects look at it; built once, see `project_shop`.

    Args:
        world: the shop.

    >>> shop = ProjectShop(World.synthetic(products=20_000))
    >>> len(shop.projects) >= 40
    True
    """

    def __init__(self, world: World) -> None:
        catalog = world.catalog
        sizes = np.diff(catalog.type_start).tolist()
        self.fits = tuple(
            Fit(catalog.type_index[edge.source], catalog.type_index[edge.target], edge.attribute, edge.target_attribute)
            for edge in catalog.edges
            if edge.kind == "fits" and edge.source in catalog.type_index and edge.target in catalog.type_index
        )
        stocked = {place for place, size in enumerate(sizes) if size >= FEWEST_PRODUCTS}
        self.projects = tuple(_written(catalog, stocked) or _derived(world, stocked))
        self._by_size = sorted(self.projects, key=lambda project: len(project.kinds))
        self._counts = [len(project.kinds) for project in self._by_size]
        self._shelves: dict[int, list[int]] = {}
        for place, rows in enumerate(world.shelves_by_size[0]):
            kind = catalog.type_of(int(rows[0]))
            if catalog.type_of(int(rows[-1])) == kind:
                self._shelves.setdefault(kind, []).append(place)

    def choose(self, count: int, env: str, draws: Draws) -> Project:
        """A project that asks for at least so many things.

        Raises:
            CannotPose: where the shop has none; the message says what is missing.
        """
        usable = self._by_size[bisect_left(self._counts, count) :]
        if usable:
            return draws.choice(usable)
        if self.projects:
            raise CannotPose(
                f"{env}: {count} things that go together are wanted and the shop's largest project has "
                f"{self._counts[-1]}."
            )
        raise CannotPose(
            f"{env}: the shop does not say what goes together: this needs product types of {FEWEST_PRODUCTS} products "
            "or more that are bought together, by the orders of its source or by what its products are shown with."
        )

    def page(self, world: World, kind: int, draws: Draws) -> Page:
        """Products of one type to choose from: a block of bounded size. The world is the one this was made for."""
        # Were it kept here, it would never be forgotten.
        shelves = self._shelves.get(kind)
        if shelves:
            return world.page(draws.choice(shelves))
        catalog = world.catalog
        # A type too small for a shelf of its own.
        return Page(catalog, np.arange(int(catalog.type_start[kind]), int(catalog.type_start[kind + 1])))

    def fits_among(self, kinds: tuple[int, ...]) -> list[Fit]:
        """The fits between some types."""
        return [fit for fit in self.fits if fit.source in kinds and fit.target in kinds]


def _written(catalog: Catalog, stocked: set[int]) -> list[Project]:
    """The projects of the table of which the shop has two types or more."""
    found = []
    for entry in load_table("generator.environments.bundle/projects")["project"]:
        kinds = [catalog.type_index[key] for key in entry["types"] if key in catalog.type_index]
        kept = tuple(kind for kind in kinds if kind in stocked)[:MOST]
        if len(kept) >= FEWEST:
            found.append(Project(entry["phrase"], kept))
    return found


def _derived(world: World, stocked: set[int]) -> list[Project]:
    """What each type is bought together with, the most often first; each combination once."""
    catalog = world.catalog
    counts: Counter[tuple[int, int]] = Counter()
    for edge in catalog.edges:
        if edge.kind == "complements" and edge.source in catalog.type_index and edge.target in catalog.type_index:
            counts[catalog.type_index[edge.source], catalog.type_index[edge.target]] += 1
    for order in world.imported_orders or ():
        kinds = {catalog.type_of(catalog.product_of(variant)) for variant, _, _ in order.lines}
        counts.update(permutations(sorted(kinds), 2))
    companions: dict[int, list[int]] = {}
    for (one, other), _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        if one in stocked and other in stocked and one != other:
            companions.setdefault(one, []).append(other)
            companions.setdefault(other, []).append(one)
    found: dict[tuple[int, ...], Project] = {}
    for kind, others in sorted(companions.items()):
        kinds_of = tuple(dict.fromkeys([kind, *others]))[:MOST]
        found.setdefault(tuple(sorted(kinds_of)), Project("", kinds_of))
    return list(found.values())


_SHOPS: WeakKeyDictionary[World, ProjectShop] = WeakKeyDictionary()


def project_shop(world: World) -> ProjectShop:
    """The world's projects, made at the first call and kept as long as the world."""
    found = _SHOPS.get(world)
    if found is None:
        found = _SHOPS[world] = ProjectShop(world)
    return found
