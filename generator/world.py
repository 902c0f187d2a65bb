"""A world: one shop with its customers, orders and policy on one day, shared by all its tasks."""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import ecomrlve
from ecomrlve.check import check_whole
from ecomrlve.errors import CatalogError, InvalidArgument
from ecomrlve.generator.catalog.columns import Catalog, Int64, Page, select, variants_of
from ecomrlve.generator.catalog.imported import ImportedOrder, keep_orders
from ecomrlve.generator.catalog.related import related_rows
from ecomrlve.generator.catalog.splits import PARTED_FROM, held_out_departments, rows_of_departments, rows_of_split
from ecomrlve.generator.catalog.store import load, load_orders, load_policy
from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.generator.customers import Customer, customer_pool
from ecomrlve.generator.identifiers import SPLITS
from ecomrlve.generator.orders.book import OrderMaker
from ecomrlve.generator.policies.pool import PolicyPool
from ecomrlve.generator.randomness import rng_for

# Rows keep whole numbers in 64 bits.
LARGEST = 2**63 - 1

_FIRST_DAY = date(2025, 1, 2)
_DAYS = 730

# Raised whenever the same seed draws other tasks, so that no recipe of before re-makes something else unnoticed.
_EDITION = 2

# How many shelves are kept as columns, at about 150 kB each.
_PAGES = 400

# Fewer shelves of one sort than this are no choice.
_ENOUGH_SHELVES = 16


class World:
    """One shop on one day. Make it with `World.synthetic` or `World.load`.

    Attributes:
        catalog: the products.
        seed: the seed of everything the world draws.
        split: whose products, customers and orders these are.
        today: the world's date; no clock is ever read.
        recipe: JSON-ready; `World.from_recipe` re-makes the world from it.
        shared: for an imported shop, whether its splits share products.
    """

    def __init__(
        self, catalog: Catalog, seed: int, split: str, recipe: Mapping[str, Any], shared: bool = False
    ) -> None:
        self.catalog = catalog
        self.seed = seed
        self.split = split
        self.recipe = dict(recipe)
        self.shared = shared
        self._pages: dict[int, Page] = {}
        # Variant rows of an imported shop that this split has, where that is not all.
        self._kept: Int64 | None = None
        self._plain: dict[tuple[int, int], Sequence[int]] = {}
        self.today = _FIRST_DAY + timedelta(days=int(rng_for(seed, "today").integers(_DAYS)))

    @classmethod
    def synthetic(cls, *, products: int = 50_000, seed: int = 0, split: str = "train") -> "World":
        """A shop drawn from the shipped ontology; the splits of one seed share no product, customer or order.

        Args:
            products: how many, 500 to 4,000,000.
            seed: at least 0.
            split: one of ``ecomrlve.generator.identifiers.SPLITS``.

        >>> World.synthetic(products=500, seed=1).catalog.currency.code
        'USD'
        """
        check_whole("seed", seed, 0, LARGEST)
        recipe = {"kind": "synthetic", "products": products, "seed": seed, "split": split}
        return cls(synthesize(products, seed, split), seed, split, recipe)

    @classmethod
    def load(
        cls, folder: str | Path, *, split: str = "train", seed: int = 0, without_test_types: bool = False
    ) -> "World":
        """An imported shop, as ``ecomrlve catalog import`` wrote it.

        Products are parted between the splits where there are enough; else every split has them all (`shared`), and
        only customers, orders and goals differ.

        Args:
            folder: where it lies. The recipe keeps the path as it is given here, so that a relative one holds no
                place of this machine.
            split: one of ``ecomrlve.generator.identifiers.SPLITS``.
            seed: at least 0.
            without_test_types: leave the departments out that ``test_types`` shops in; a shop is its own, so unlike
                the synthetic one it has them in every split unless this is asked for.
        """
        check_whole("seed", seed, 0, LARGEST)
        if split not in SPLITS:
            raise InvalidArgument("split", split, f"must be one of {', '.join(SPLITS)}")
        if not isinstance(folder, (str, Path)):
            raise InvalidArgument("folder", folder, "must be the path of an imported shop")
        catalog = load(Path(folder))
        # Of the whole shop, so that no identifier means one thing here and another in the next split.
        key = _imported_key(catalog)
        rows, parted = _rows(catalog, split, without_test_types, load_orders(Path(folder)) is not None)
        kept = None if len(rows) == len(catalog) else variants_of(catalog, rows)
        catalog = replace(
            catalog if kept is None else select(catalog, rows), split=split if parted else "train", key=key
        )
        recipe = {"kind": "imported", "folder": os.path.normpath(folder), "seed": seed, "split": split}
        if without_test_types:
            recipe["without_test_types"] = True
        world = cls(catalog, seed, split, recipe, not parted)
        world._kept = kept
        return world

    @classmethod
    def from_recipe(cls, recipe: Mapping[str, Any]) -> "World":
        """The world that a recipe names.

        >>> world = World.synthetic(products=500)
        >>> World.from_recipe(world.recipe).digest == world.digest
        True
        """
        if not isinstance(recipe, Mapping):
            raise InvalidArgument("recipe", recipe, "must be that of a world")
        kind = recipe.get("kind")
        sizes = {"synthetic": "products", "imported": "folder"}
        missing = [name for name in (sizes.get(str(kind), "kind"), "seed", "split") if name not in recipe]
        if missing:
            raise InvalidArgument("recipe", dict(recipe), f"lacks {', '.join(missing)}")
        if kind == "synthetic":
            return cls.synthetic(products=recipe["products"], seed=recipe["seed"], split=recipe["split"])
        if kind == "imported":
            if not os.path.isabs(recipe["folder"]) and not os.path.isdir(recipe["folder"]):
                raise CatalogError(
                    f"The imported shop {recipe['folder']} is not in {os.getcwd()}; run this where it lies, or load it "
                    "with World.load and pass that world."
                )
            without = recipe.get("without_test_types", False)
            return cls.load(recipe["folder"], split=recipe["split"], seed=recipe["seed"], without_test_types=without)
        raise InvalidArgument("recipe", dict(recipe), "kind must be 'synthetic' or 'imported'")

    @cached_property
    def digest(self) -> str:
        """A hash of everything tasks are drawn from: products, its own policy, the day, and this version.

        Customers and the pool of policies follow from the seed and the split.
        """
        catalog = self.catalog
        state = hashlib.blake2b(digest_size=16)
        words = [
            ecomrlve.__version__,
            str(_EDITION),
            self.split,
            self.today.isoformat(),
            str(self.seed),
            str(catalog.key),
        ]
        words += [repr(kind) for kind in catalog.types] + [
            repr(value) for _, value in sorted(catalog.attributes.items())
        ]
        words += [*(catalog.titles or ()), repr(self.policies.own)]
        state.update("\n".join(words).encode())
        columns = (
            catalog.type_start,
            catalog.brand,
            catalog.rating,
            catalog.reviews,
            catalog.popularity,
            catalog.values,
            catalog.variant_start,
            catalog.price,
            catalog.stock,
            catalog.options,
        )
        for column in columns:
            state.update(np.ascontiguousarray(column).astype(column.dtype.newbyteorder("<"), copy=False).data)
        return state.hexdigest()

    @cached_property
    def customers(self) -> tuple[Customer, ...]:
        """The world's customers, drawn once."""
        return customer_pool(self.seed, self.split, self.catalog)

    @cached_property
    def policies(self) -> PolicyPool:
        """The shop's return policies: its own where it brings one, else a pool of which each task draws one."""
        classes = sorted({kind.return_class for kind in self.catalog.types})
        own = load_policy(Path(self.recipe["folder"])) if self.recipe["kind"] == "imported" else None
        return PolicyPool(self.seed, self.split, classes, self.catalog.currency, self.today, own)

    @cached_property
    def imported_orders(self) -> Sequence[ImportedOrder] | None:
        """The orders of the shop's source, as far as this split has their products; None where it gives none."""
        if self.recipe["kind"] != "imported":
            return None
        found = load_orders(Path(self.recipe["folder"]))
        return found if found is None or self._kept is None else keep_orders(found, self._kept)

    @cached_property
    def orders(self) -> OrderMaker:
        """What draws past orders."""
        return OrderMaker(self.catalog, self.today, split=self.split, imported=self.imported_orders)

    @cached_property
    def shelves_by_size(self) -> tuple[tuple[Int64, ...], list[int]]:
        """Shelves, largest first, and their sizes."""
        shelves = tuple(sorted(self.catalog.shelves, key=lambda rows: (-len(rows), int(rows[0]))))
        if not shelves:
            raise CatalogError("The shop has no products.")
        return shelves, [len(rows) for rows in shelves]

    def plain_shelves(self, usable: int, most: int) -> Sequence[int]:
        """Of the first ``usable`` of `shelves_by_size`, those whose products come in at most so many options.

        All of them where there are few: in a small shop they would be drawn in vain again and again.
        """
        found = self._plain.get((usable, most))
        if found is None:
            kinds, of = self.catalog.types, self.catalog.type_of
            shelves = self.shelves_by_size[0][:usable]
            options = [
                max(len(kinds[kind].variant_axes) for kind in range(of(int(rows[0])), of(int(rows[-1])) + 1))
                for rows in shelves
            ]
            few = [place for place, count in enumerate(options) if count <= most]
            found = self._plain[usable, most] = few if len(few) >= _ENOUGH_SHELVES else range(usable)
        return found

    def page(self, shelf: int) -> Page:
        """A shelf, by its place among `shelves_by_size`, as columns; what was worked out about it is kept a while."""
        return self._page(shelf, lambda: self.shelves_by_size[0][shelf])

    def page_with_related(self, shelf: int) -> Page:
        """A shelf beside some products of the types that substitute and that complement its own, where it has one."""
        return self._page(-1 - shelf, lambda: related_rows(self.catalog, self.shelves_by_size[0][shelf]))

    def _page(self, name: int, rows: Callable[[], Int64]) -> Page:
        found = self._pages.get(name)
        if found is None:
            if len(self._pages) >= _PAGES:
                del self._pages[next(iter(self._pages))]
            found = self._pages[name] = Page(self.catalog, rows())
        return found

    @cached_property
    def departments(self) -> list[str]:
        """The names of the departments that have a product here, in alphabetical order."""
        catalog = self.catalog
        stocked = {
            kind.department
            for kind, count in zip(catalog.types, np.diff(catalog.type_start).tolist(), strict=True)
            if count
        }
        return sorted(catalog.departments.get(key, key) for key in stocked)

    @cached_property
    def _departments(self) -> dict[str, list[int]]:
        groups: dict[str, list[int]] = {}
        for place, shelf in enumerate(self.shelves_by_size[0]):
            kind = self.catalog.types[self.catalog.type_of(int(shelf[0]))]
            groups.setdefault(kind.department, []).append(place)
        return groups

    def shelves_of_department(self, row: int) -> Sequence[int]:
        """Places among `shelves_by_size` of the shelves of the department that a product row belongs to."""
        # A small department has no shelf of its own: its products stand on a mixed one that another department begins.
        return self._departments.get(self.catalog.types[self.catalog.type_of(row)].department, ())

    @cached_property
    def buyable(self) -> bool:
        """Whether anything in the shop can be bought at all."""
        return bool((self.catalog.stock > 0).any())

    @property
    def has_held_out_wording(self) -> bool:
        """Whether its customers speak in wording that no other split's customers use."""
        return self.split == "test_wording"

    @property
    def card(self) -> list[str]:
        """What was drawn because the source lacks it, for the dataset card."""
        return [*self.catalog.drawn, *self.orders.drawn] if self.recipe["kind"] == "imported" else []


def _imported_key(catalog: Catalog) -> int:
    text = catalog.name + "".join((catalog.source_ids or ())[:100])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:5], "little")


def _rows(catalog: Catalog, split: str, without_test_types: bool, has_orders: bool) -> tuple[Int64, bool]:
    """The products of a split of an imported shop, and whether no other split has them."""
    rows = np.arange(len(catalog), dtype=np.int64)
    parted = len(catalog) >= PARTED_FROM and not has_orders
    if parted:
        rows = rows_of_split(catalog, split)
    if split == "test_types" or without_test_types:
        sizes: dict[str, int] = {}
        for kind, count in zip(catalog.types, np.diff(catalog.type_start).tolist(), strict=True):
            sizes[kind.department] = sizes.get(kind.department, 0) + count
        held_out = held_out_departments({key: size for key, size in sizes.items() if size})
        if not held_out:
            raise CatalogError(
                "The shop cannot have a split test_types: it would take more than a third of its products, since "
                f"{'there is but one department' if len(sizes) == 1 else 'each department is so large'}."
            )
        rows = np.intersect1d(rows, rows_of_departments(catalog, held_out, inside=split == "test_types"))
    return rows, parted or split == "test_types"
