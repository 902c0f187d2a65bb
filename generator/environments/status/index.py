"""What questions about orders share in one world: its shipping rules, where orders go, and whom they are gifts for."""

from collections.abc import Iterable
from itertools import pairwise
from weakref import WeakKeyDictionary
from zlib import crc32

from ecomrlve.generator.orders.histories import Histories
from ecomrlve.generator.orders.promises import REMOTE, Promises, draw_shipping_rules
from ecomrlve.generator.orders.references import preposition_of
from ecomrlve.generator.pages.shipping_rules import render_shipping_rules
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.dialogue.references import can_name
from ecomrlve.grammars.engine.grammar import words

# Kinds of product from which on orders are filled with other kinds than the one asked about.
_KINDS = 6
_ZONES = 3
_FEWEST = 4


def zone_of(city: str) -> int:
    """The zone of a city, the same in every shop.

    >>> 1 <= zone_of("Lyon") <= 3
    True
    """
    return crc32(city.encode()) % _ZONES + 1


class StatusShop:
    """One world, as questions about orders look at it; built once, see `status_shop`.

    Args:
        world: the shop.

    Attributes:
        promises: its shipping rules on its day.
        histories: what draws what happened to orders.
        rules: the shipping rules as a document.
        cities: where orders go, those that are far away last.
        near: how many of the cities are not far away.
        people: first names of those for whom orders are gifts.
        few_kinds: whether it sells so few kinds of product that orders cannot keep clear of one.
        slowest: shipping classes, the fastest first.
    """

    def __init__(self, world: World) -> None:
        self.catalog = world.catalog
        draws = Draws(world.seed, "shipping rules", world.split)
        self.promises = Promises(draw_shipping_rules(draws, world.today), world.today)
        self.histories = Histories(self.promises)
        self.rules = render_shipping_rules(self.promises.rules, world.today)
        cities = _plain(customer.city for customer in world.customers)
        zones = {city: zone_of(city) for city in cities}
        close = [city for city in cities if zones[city] != REMOTE]
        self.cities = [*close, *(city for city in cities if zones[city] == REMOTE)]
        self.near = len(close)
        self.people = _plain(customer.first_name for customer in world.customers)
        starts = world.catalog.type_start.tolist()
        sold = sum(first < end for first, end in pairwise(starts))
        self.few_kinds = sold < _KINDS
        self._prepositions: dict[str, str] = {}
        for key in dict.fromkeys(key for kind in world.catalog.types for key in kind.variant_axes):
            attribute = world.catalog.attributes[key]
            for value in attribute.values:
                self._prepositions.setdefault(value, preposition_of(attribute))
        self.slowest = [name for name, _ in self.promises.rules.services]

    @property
    def is_enough(self) -> bool:
        """Whether there are places and people to tell orders apart by."""
        return self.near >= _FEWEST and len(self.people) >= _FEWEST

    def prepositions(self, looks: Iterable[str]) -> dict[str, str]:
        """How each of some options is said after the noun."""
        return {look: self._prepositions.get(look, "version") for look in looks}

    def service(self, kinds: Iterable[int], express: bool) -> str:
        """What brings goods of some types: the slowest that one of them needs; express where none is bulky."""
        slowest = max(self.slowest.index(self.catalog.types[kind].shipping_class) for kind in kinds)
        name = self.slowest[slowest]
        return self.slowest[0] if express and name != self.slowest[-1] else name


def _plain(names: Iterable[str]) -> list[str]:
    """Names that can be said, each once in any spelling, sorted."""
    found = {words(name): name for name in sorted(set(names)) if can_name(name)}
    return sorted(found.values())


_SHOPS: "WeakKeyDictionary[World, StatusShop]" = WeakKeyDictionary()


def status_shop(world: World) -> StatusShop:
    """The `StatusShop` of a world, built when first asked for."""
    found = _SHOPS.get(world)
    if found is None:
        found = _SHOPS[world] = StatusShop(world)
    return found
