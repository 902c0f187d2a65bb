"""What is said of an order, or of something in one, before there are orders: which things, of what."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.customers import Customer
from ecomrlve.generator.environments.status.index import StatusShop
from ecomrlve.generator.orders.goods import ProductSampler
from ecomrlve.generator.orders.references import (
    ORDER,
    PRICE,
    Descriptor,
    NearMisses,
    Target,
    descriptors_of,
    takes_plural,
)
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.dialogue.references import stems
from ecomrlve.grammars.dialogue.status.parse import ORDER_WORD

# How often an order is told by what is true of no other, per thousand: where one thing is said, two, or more. Whatever
# else is said of such an order tells nothing, so the more is said, the rarer it is.
_UNIQUE_SHARES = (500, 400, 150)
_UNIQUE = {"position": 5, "placed": 4, "total": 2}
# References to the order of an item that is asked about, at most.
_MOST_KINDS = 2
# How often each thing is said of an order, against the others.
_WEIGHTS = {"position": 6, "placed": 6, "total": 3, "month": 6, "destination": 4, "gift": 3}
_ABOUT_LINE = 600
_BY_ORDER = 700
_BY_ITEM = 600
_ITEM_ALONE = 300
_PRICED = 150
_TRIES = 12

UNIQUE = frozenset(_UNIQUE)
"""Kinds of reference that are true of one order alone."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be said.

    Args:
        about: an item, or an order as a whole.
        target: something bought.
        items: what is said of it, its name first; empty where nothing is.
        kinds: of references to the order: ``"position"``, ``"placed"``, ``"month"``, ``"destination"``, ``"gift"``,
            ``"total"``.
        many: whether the item is spoken of as several.
    """

    about: Literal["line", "order"]
    target: Target
    items: tuple[Descriptor, ...]
    kinds: tuple[str, ...]
    many: bool

    @property
    def count(self) -> int:
        """How many things are said."""
        return len(self.items) + len(self.kinds)


def describable(catalog: Catalog, target: Target) -> list[Descriptor]:
    """What can be said of something bought; nothing where its name would be taken for an order's."""
    marks = descriptors_of(catalog, target)
    return [] if marks and ORDER_WORD in stems(marks[0].text) else marks


def draw_target(
    catalog: Catalog, goods: ProductSampler, customer: Customer, draws: Draws, taken: frozenset[int] = frozenset()
) -> tuple[Target, list[Descriptor]] | None:
    """Something bought that can be spoken of, of no product taken, and what can be said of it."""
    for _ in range(_TRIES):
        variant, row = goods.first(draws, customer, (), taken)
        bought = goods.quantity(draws, int(catalog.price[variant]))
        target = Target(row, variant, catalog.type_of(row), bought, bought)
        marks = describable(catalog, target)
        if marks:
            return target, marks
    return None


def draw_plan(
    shop: StatusShop, goods: ProductSampler, customer: Customer, count: int, orders: int, draws: Draws
) -> Plan | None:
    """What is to be said: up to ``count`` things, of one of ``orders`` orders or of something in it."""
    drawn = draw_target(shop.catalog, goods, customer, draws)
    if drawn is None:
        return None
    target, marks = drawn
    line = draws.chance(_ABOUT_LINE)
    ranked = _ranked(count, draws)[: _MOST_KINDS if line else None]
    kinds: list[str] = []
    items = [marks[0]] if line or draws.chance(_ITEM_ALONE if count == 1 else _BY_ITEM) else []
    if len(items) < count and (not line or (orders > 1 and draws.chance(_BY_ORDER))):
        kinds.append(ranked.pop(0))
    priced = [PRICE] if items and draws.chance(_PRICED) else []
    others: list[str | Descriptor] = [*ranked, *(marks[1:] if items else ()), *priced]
    for one in draws.shuffle(others):
        if len(items) + len(kinds) < count:
            items.append(one) if isinstance(one, Descriptor) else kinds.append(one)
    for mark in marks:
        # Little else can be said: something in the order is named as well.
        if len(items) + len(kinds) < count and mark not in items:
            items.append(mark)
    return Plan(
        "line" if line else "order",
        target,
        tuple(items),
        tuple(kinds),
        takes_plural(shop.catalog, target, target.bought),
    )


def _ranked(count: int, draws: Draws) -> list[str]:
    """Kinds of reference to an order, in the order in which to say them; one at most is true of no other order."""
    when = "month"
    if draws.chance(_UNIQUE_SHARES[min(count, len(_UNIQUE_SHARES)) - 1]):
        # The place alone would be true of some order whatever is asked.
        able = [kind for kind in _UNIQUE if count > 1 or kind != "position"]
        when = able[draws.weighted([_UNIQUE[kind] for kind in able])]
    free = [when, "destination", "gift"]
    found: list[str] = []
    while free:
        found.append(free.pop(draws.weighted([_WEIGHTS[kind] for kind in free])))
    return found


@dataclass(slots=True)
class Sketch:
    """An order before it is drawn.

    Args:
        variant: something that it holds, or None.
        others: further variants that it holds.
        city: where it goes.
        recipient: whom it is a gift for, or ``""``.
        same_month: whether it is to be of the month of the order that is meant.
    """

    variant: int | None
    others: tuple[int, ...]
    city: str
    recipient: str
    same_month: bool = False


# Orders go to the customer's own address, per thousand; others are gifts so often.
_HOME = 550
_GIFT = 250
# How often what makes another order near is not the very thing asked about, where there is another, per thousand.
_NOT_THE_SAME = 850
# How often something else was bought more often than what is asked about, per thousand.
_OFTENER = 750
# An order has so many lines like the one that is asked about, at most, beside it.
_MOST_ALIKE = 3


class Sketches:
    """Draws the orders of a task in outline: the one that is meant, those much like it, and others.

    Args:
        shop: the world's.
        goods: what it sells.
        customer: whose orders.
        plan: what is said.
        decoys: how many of a thousand orders are to be much like the one that is meant.
        near_home: whether none of them may go far away.
        draws: where the numbers come from.
    """

    def __init__(
        self,
        shop: StatusShop,
        goods: ProductSampler,
        customer: Customer,
        plan: Plan,
        decoys: int,
        near_home: bool,
        draws: Draws,
    ) -> None:
        self.plan, self.draws, self.decoys = plan, draws, decoys
        cities = shop.cities[: shop.near] if near_home else shop.cities
        home = customer.city if customer.city in cities else draws.choice(cities)
        self.cities = list(dict.fromkeys((home, *draws.sample(cities, 3))))[:3]
        self.people = draws.sample(shop.people, 3)
        said = [mark for mark in plan.items if mark.key != "name"]
        self.misses = NearMisses(shop.catalog, plan.target, said, draws)
        self.unique = [kind for kind in plan.kinds if kind in UNIQUE]
        self.again: int | None = None
        if plan.about == "line" and not shop.few_kinds:
            # Bought again and again as well, so that what stands on the page most often need not be what is meant.
            self.again = goods.first(draws, customer, (plan.target.kind,))[0]

    def several(self, count: int) -> list[Sketch]:
        """Outlines of so many orders, the one that is meant first."""
        plan, draws = self.plan, self.draws
        recipient = draws.choice(self.people) if "gift" in plan.kinds else self._recipient()
        alike = self._alike([mark for mark in plan.items if mark.key != "name"])
        meant = Sketch(plan.target.variant if plan.items else None, alike, self._city(), recipient)
        found = [meant]
        # The order that is meant is no near miss, so the others make up for it.
        share = min(1000, self.decoys * (3 * count - 3 if plan.about == "line" else 2 * count) // max(1, 2 * count - 2))
        while len(found) < count:
            found.append((draws.chance(share) and self._near(meant)) or self._other())
        copies = sum(sketch.variant == plan.target.variant for sketch in found)
        if self.again is not None and copies > 1:
            for sketch in draws.sample(found, copies + draws.chance(_OFTENER)):
                sketch.others = (*sketch.others, self.again)
        return found

    def _city(self) -> str:
        return self.cities[0] if self.draws.chance(_HOME) else self.draws.choice(self.cities)

    def _recipient(self) -> str:
        return self.draws.choice(self.people) if self.draws.chance(_GIFT) else ""

    def _alike(self, lacks: Sequence[Descriptor]) -> tuple[int, ...]:
        """Variants that lack one of some marks of the item, for an order that is asked about by it."""
        if self.plan.about != "line" or not lacks:
            return ()
        found = []
        for _ in range(_MOST_ALIKE):
            near = self.misses.like(self.draws.choice(lacks), 1) if self.draws.chance(self.decoys) else None
            if near is not None:
                found.append(near.variant)
        return tuple(found)

    def _other(self) -> Sketch:
        """An order of no particular likeness."""
        alike = self._alike([mark for mark in self.plan.items if mark.key != "name"])
        return Sketch(None, alike, self._city(), self._recipient())

    def _near(self, meant: Sketch) -> Sketch | None:
        """An order like the one that is meant, but for one thing said of it; None where there is no such order."""
        plan, draws = self.plan, self.draws
        lacks: list[str | Descriptor] = [mark for mark in plan.items if mark.key != "name"]
        lacks = list(self.unique) if self.unique else [*lacks, *plan.kinds]
        if not lacks or len(self.unique) > 1:
            return None
        lack = draws.choice(lacks)
        variant = meant.variant
        if isinstance(lack, Descriptor):
            near = self.misses.like(lack, 1)
            if near is None:
                return None
            variant = near.variant
        elif variant is not None and draws.chance(_NOT_THE_SAME):
            # Another thing that is all that is said of the item.
            near = self.misses.like(ORDER, 1)
            variant = variant if near is None else near.variant
        city = meant.city
        if lack == "destination" or ("destination" not in plan.kinds and draws.chance(500)):
            others = [name for name in self.cities if name != meant.city]
            city = draws.choice(others) if others else city
        recipient = meant.recipient if "gift" in plan.kinds else self._recipient()
        if lack == "gift":
            recipient = draws.choice(["", *(name for name in self.people if name != meant.recipient)])
        # What else is like it there lacks just the same, so that it is a near miss too.
        alike = self._alike([lack if isinstance(lack, Descriptor) else ORDER])
        return Sketch(variant, alike, city, recipient, "month" in plan.kinds and lack != "month")
