"""What else could be said: in a request that means nothing on the page, and before a change of mind.

The page is drawn as where something is meant; only what is said differs, so that no page tells which is which.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from ecomrlve.generator.customers import Customer
from ecomrlve.generator.environments.status.index import StatusShop
from ecomrlve.generator.environments.status.plan import Plan, Sketches, describable, draw_target
from ecomrlve.generator.orders.goods import ProductSampler
from ecomrlve.generator.orders.references import Descriptor, Target, can_say
from ecomrlve.generator.orders.shipments import Shipment
from ecomrlve.generator.orders.tracking import Mark, is_shipment, lacking, lacks, lines_of
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.dialogue.references import OrderReference, can_name, stems

_TRIES = 8
# Orders asked about are mostly no older, in days.
_OLDEST = 50
_DAYS_OFF = (-9, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4)
_PLACES = ("last", "before last", "third last")


@dataclass(frozen=True, slots=True)
class Others:
    """Finds other things to say of a kind: those true of other orders first, then those that are true of none.

    Args:
        shop: the world's.
        goods: what it sells.
        customer: who asks.
        plan: what is said, by kind.
        shipments: the orders, the newest last.
        sold: product and variant rows of the lines of the orders.
        sketches: the places and people of the orders.
        draws: where the numbers come from.
    """

    shop: StatusShop
    goods: ProductSampler
    customer: Customer
    plan: Plan
    shipments: Sequence[Shipment]
    sold: Sequence[tuple[int, int]]
    sketches: Sketches
    draws: Draws

    def amiss(self, marks: Sequence[Mark]) -> tuple[Mark, ...] | None:
        """The marks with one of them another, so that nothing has them all; None where luck finds none.

        What is said in its place is true of something on the page where that can be: no strange word gives it away.
        """
        strange: tuple[Mark, ...] | None = None
        for mark in self.draws.shuffle(marks):
            for others in self._changed(marks, mark):
                if all(off for _, _, off in lacks(others, self.plan.about, self.shipments)):
                    if all(map(self._is_shown, others)):
                        return others
                    strange = strange or others
        return strange

    def _is_shown(self, mark: Mark) -> bool:
        """Whether something on the page is as a mark says."""
        lines = [found.line for shipment in self.shipments for found in lines_of(shipment)]
        count = len(self.shipments)
        if mark[0] == "order":
            return any(is_shipment(mark[1], place, one, count) for place, one in enumerate(self.shipments))
        return any(not lacking([mark], line) for line in lines)

    def _changed(self, marks: Sequence[Mark], mark: Mark) -> Iterator[tuple[Mark, ...]]:
        """The marks with another value for one of them, again and again."""
        if mark[0] == "name":
            for target, found in self._other_targets():
                others = self._other_item(marks, target, found)
                if others is not None:
                    yield others
            return
        for value in self.values(mark):
            yield tuple((mark[0], value) if one == mark else one for one in marks)

    def _other_targets(self) -> Iterator[tuple[Target, list[Descriptor]]]:
        """Other things bought and what can be said of them: those of the orders, then any."""
        catalog, own = self.shop.catalog, self.plan.target
        for row, variant in self.draws.shuffle(self.sold):
            kind = catalog.type_of(row)
            if kind != own.kind:
                target = Target(row, variant, kind, 1, 1)
                if found := describable(catalog, target):
                    yield target, found
        for _ in range(_TRIES):
            drawn = draw_target(catalog, self.goods, self.customer, self.draws, frozenset((own.row,)))
            if drawn is not None:
                yield drawn

    def _other_item(self, marks: Sequence[Mark], target: Target, found: list[Descriptor]) -> tuple[Mark, ...] | None:
        """The marks with another item in the place of the one named, of which as much is said; None where it is not."""
        wanted = [mark for mark in marks if mark[0] in ("look", "maker")]
        if len(found) <= len(wanted):
            return None
        own: list[Mark] = [("name", found[0].text)]
        own += [(one.key, one.text) for one in self.draws.sample(found[1:], len(wanted))]
        price = int(self.shop.catalog.price[target.variant])
        own += [("price", price) for mark in marks if mark[0] == "price"]
        return (*own, *(mark for mark in marks if mark[0] == "order"))

    def values(self, mark: Mark) -> list[Any]:
        """What else could be said in the place of one thing, but its name."""
        kind, value = mark
        if kind == "look":
            return self._looks(value)
        if kind == "maker":
            catalog = self.shop.catalog
            brands = catalog.attributes["brand"].values
            codes = [int(catalog.brand[row]) for row, _ in self._alike()]
            codes += [self.draws.below(len(brands)) for _ in range(_TRIES)]
            found = [brands[code] for code in codes if code != MISSING]
            return [name for name in dict.fromkeys(found) if can_name(name) and not stems(name) & stems(value)]
        if kind == "price":
            prices = [line.unit_price for shipment in self.shipments for line in shipment.lines]
            prices = [*self.draws.shuffle(prices), value + 100 * self.draws.between(1, 40)]
            return [price for price in dict.fromkeys(prices) if price != value]
        return [reference for reference in dict.fromkeys(self._references(value)) if reference != value]

    def _looks(self, value: str) -> list[str]:
        """Other values of an option of what was bought: of its own versions, then of others of its type."""
        catalog, target = self.shop.catalog, self.plan.target
        axis = next((item.axis for item in self.plan.items if item.text == value and item.key == "look"), None)
        if axis is None:
            return []
        first, end = catalog.variant_start[catalog.type_start[target.kind : target.kind + 2]].tolist()
        own, last = catalog.variant_start[target.row : target.row + 2].tolist()
        shown = [int(catalog.options[variant, axis]) for _, variant in self._alike()]
        near = list(dict.fromkeys(catalog.options[own:last, axis].tolist()))
        anywhere = [int(catalog.options[first + self.draws.below(end - first), axis]) for _ in range(_TRIES)]
        attribute = catalog.attributes[catalog.types[target.kind].variant_axes[axis]]
        found = [attribute.text(code) for code in [*shown, *self.draws.shuffle(near), *anywhere] if code != MISSING]
        return [text for text in dict.fromkeys(found) if can_say(text) and not stems(text) & stems(value)]

    def _alike(self) -> list[tuple[int, int]]:
        """The lines of the orders that are of the kind asked about."""
        kind = self.plan.target.kind
        return [sold for sold in self.draws.shuffle(self.sold) if self.shop.catalog.type_of(sold[0]) == kind]

    def _references(self, value: OrderReference) -> list[OrderReference]:
        """References of a kind to other orders, then to none."""
        draws, kind = self.draws, value[0]
        days = [date.fromordinal(shipment.placed[0]) for shipment in self.shipments]
        if kind == "destination":
            cities = draws.shuffle([shipment.city for shipment in self.shipments])
            return [(kind, city) for city in [*cities, *self.sketches.cities, draws.choice(self.shop.cities)]]
        if kind == "gift":
            people = draws.shuffle([shipment.recipient for shipment in self.shipments if shipment.recipient])
            return [(kind, name) for name in [*people, *self.sketches.people, draws.choice(self.shop.people)]]
        if kind == "total":
            totals = draws.shuffle([shipment.total for shipment in self.shipments])
            return [(kind, total) for total in [*totals, totals[0] + 100 * draws.between(1, 40)]]
        if kind == "month":
            ages = [date.fromordinal(self._today - draws.below(_OLDEST)) for _ in range(_TRIES)]
            return [(kind, day.year, day.month) for day in [*draws.shuffle(days), *ages]]
        if kind == "placed":
            off = [day + timedelta(draws.choice(_DAYS_OFF)) for day in days]
            found = [day for day in [*draws.shuffle(days), *draws.shuffle(off)] if day.toordinal() <= self._today]
            return [(kind, day) for day in found]
        return [(place,) for place in draws.shuffle(_PLACES[: len(days)])]

    @property
    def _today(self) -> int:
        return self.shop.promises.today
