"""A question about an order as drawn, before it is put into words: the orders, what is said, the answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from ecomrlve.difficulty.axes import Axes
from ecomrlve.errors import CannotPose, CatalogError
from ecomrlve.generator.customers import Customer
from ecomrlve.generator.environments.status.amiss import Others
from ecomrlve.generator.environments.status.index import StatusShop, zone_of
from ecomrlve.generator.environments.status.plan import Plan, Sketch, Sketches, draw_plan
from ecomrlve.generator.orders.book import Order, OrderLine, Required
from ecomrlve.generator.orders.histories import Course, History, draw_course
from ecomrlve.generator.orders.promises import REMOTE, Settled
from ecomrlve.generator.orders.shipments import Parcel, Shipment
from ecomrlve.generator.orders.tracking import Found, Mark, lacks
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.engine.tables import load_table

_TRIES = 16
# After so many tries an order that should be of the same month as another is of any.
_PATIENCE = 10
_NUMBERS = load_table("generator.orders/promises")["numbers"]
_PLACES = ("last", "before last", "third last")


@dataclass(frozen=True, slots=True)
class Draft:
    """A question as drawn.

    Args:
        customer: who asks.
        plan: what is said, by kind.
        shipments: the customer's orders, the newest last.
        meant: the line (and with it the parcel and the order) that is meant; what stands there where nothing is.
        sold: product and variant rows of the lines, by their identifiers.
        marks: what is said.
        near: order or line that lacks just one thing said, with that.
        rules: that bear on the parcel that is meant.
        course: of the parcel that is meant.
        is_amiss: whether nothing is what is said.
        denied: whether the customer says that it never came.
        settled: what the rules make of it.
        others: what else could be said.
    """

    customer: Customer
    plan: Plan
    shipments: tuple[Shipment, ...]
    meant: Found
    sold: dict[str, tuple[int, int]]
    marks: tuple[Mark, ...]
    near: dict[str, Mark]
    rules: tuple[str, ...]
    course: Course
    is_amiss: bool
    denied: bool
    settled: Settled
    others: Others

    @property
    def has_room(self) -> bool:
        """Whether more or fewer rules could bear on the way that the order took."""
        return bool(self.course.may)

    @property
    def scope(self) -> int:
        """How many things could be meant."""
        lines = sum(len(shipment.lines) for shipment in self.shipments)
        return lines if self.plan.about == "line" else len(self.shipments)


class _Drawn(NamedTuple):
    """A shipment, the parcel that its history was drawn for, and the way and rules of that."""

    shipment: Shipment
    parcel: Parcel
    course: Course
    rules: frozenset[str]


def draw_status(world: World, shop: StatusShop, axes: Axes, draws: Draws, impossible: bool) -> Draft | None:
    """Draw a question; None where luck finds none.

    Raises:
        CannotPose: where the shop cannot fill the orders.
    """
    customer = draws.choice(world.customers)
    plan = draw_plan(shop, world.orders.goods, customer, axes.constraints, axes.orders, draws)
    if plan is None:
        return None
    sketches = Sketches(shop, customer, plan, axes.decoys, axes.branches == 1, draws)
    outlines = sketches.several(axes.orders)
    try:
        orders = _orders(world, shop, customer, plan, outlines, draws)
    except CatalogError as error:
        raise CannotPose(f"STATUS: {error}") from error
    drawn = _drawn(shop, plan, outlines, orders, axes.branches - 1, sketches.people, draws)
    if drawn is None:
        return None
    meant = drawn[0]
    lead = [one.line_id for one in orders[0].lines if one.variant_row == outlines[0].variant]
    line = next((one for one in meant.parcel.lines if one.line_id in lead), None) or draws.choice(meant.parcel.lines)
    shipments = tuple(sorted((one.shipment for one in drawn), key=lambda one: one.placed))
    target = Found(meant.shipment, meant.parcel, line)
    sold = {one.line_id: (one.product_row, one.variant_row) for order in orders for one in order.lines}
    others = Others(shop, world.orders.goods, customer, plan, shipments, list(sold.values()), sketches, draws)
    marks = _unique(plan, _marks(plan, shipments, target), shipments, target)
    if marks is not None and impossible:
        marks = others.amiss(marks)
    if marks is None:
        return None
    denied = "denied" in meant.rules
    facts = meant.shipment.facts(meant.parcel, denied)
    return Draft(
        *(customer, plan, shipments, target, sold, marks, _near(plan, marks, shipments)),
        shop.promises.bearing(facts),
        meant.course,
        impossible,
        denied,
        shop.promises.settle(facts),
        others,
    )


def _orders(
    world: World, shop: StatusShop, customer: Customer, plan: Plan, outlines: Sequence[Sketch], draws: Draws
) -> list[Order]:
    """An order of the customer's for each outline, with its lines; its days are still to come."""
    required, wanted = [], []
    for number, outline in enumerate(outlines):
        variants = [*([] if outline.variant is None else [outline.variant]), *outline.others]
        if variants:
            quantity = plan.target.bought if number == 0 else None
            required.append(Required(variants[0], others=tuple(variants[1:]), quantity=quantity))
            wanted.append(number)
    avoid = () if shop.few_kinds or not plan.items else (plan.target.kind,)
    book = world.orders.book(draws, customer, world.today, len(outlines), required=required, avoid_types=avoid)
    places = dict(zip(wanted, (place for place, _ in book.places), strict=True))
    left = [place for place in range(len(outlines)) if place not in places.values()]
    return [book.orders[places[number] if number in places else left.pop()] for number in range(len(outlines))]


def _drawn(
    shop: StatusShop,
    plan: Plan,
    outlines: Sequence[Sketch],
    orders: Sequence[Order],
    rules: int,
    people: Sequence[str],
    draws: Draws,
) -> list[_Drawn] | None:
    """The orders on their way, no two of one day; None where luck finds none."""
    found: list[_Drawn] = []
    taken: set[int] = set()
    for number, (outline, order) in enumerate(zip(outlines, orders, strict=True)):
        whole = number == 0 and plan.about == "order"
        split = len(order.lines) > 1 and not whole and draws.chance(_NUMBERS["split_per_thousand"])
        lead = next((line for line in order.lines if line.variant_row == outline.variant), draws.choice(order.lines))
        here = [line for line in order.lines if line is lead or not split or draws.chance(500)]
        there = [line for line in order.lines if line not in here]
        month = date.fromordinal(found[0].shipment.placed[0]) if outline.same_month else None
        express = draws.chance(_NUMBERS["express_per_thousand"])
        service = _service(shop, here, express)
        drawn = _history(shop, service, outline.city, rules, taken, month, draws)
        if drawn is None:
            return None
        history, course, bearing = drawn
        taken.add(history.placed[0])
        recipient = outline.recipient
        if "wrapping" in bearing and not recipient:
            others = [name for name in people if name != outlines[0].recipient]
            recipient = draws.choice(others)
        waiting = frozenset({draws.choice(here).line_id} if "back_order" in bearing else ())
        parcel = Parcel(tuple(here), service, waiting, history.events)
        parcels = [parcel]
        if there:
            other = _service(shop, there, express)
            events = shop.histories.sibling(draws, history, other)
            parcels.insert(draws.below(2), Parcel(tuple(there), other, frozenset(), events))
        shipment = Shipment(
            order.order_id,
            history.placed,
            history.paid,
            order.total,
            outline.city,
            zone_of(outline.city),
            recipient,
            "wrapping" in bearing,
            tuple(parcels),
        )
        found.append(_Drawn(shipment, parcel, course, bearing))
    return found


def _service(shop: StatusShop, lines: Sequence[OrderLine], express: bool) -> str:
    return shop.service((shop.catalog.type_of(line.product_row) for line in lines), express)


def _history(
    shop: StatusShop, service: str, city: str, rules: int, taken: set[int], month: date | None, draws: Draws
) -> tuple[History, Course, frozenset[str]] | None:
    """What happened to an order that was placed on a day not taken, and in a month where one is given."""
    bulky, far = service == shop.slowest[-1], zone_of(city) == REMOTE
    for attempt in range(_TRIES):
        course, bearing = draw_course(draws, rules, bulky, far)
        history = shop.histories.draw(draws, course, bearing, service, rules)
        if history is None or history.placed[0] in taken:
            continue
        day = date.fromordinal(history.placed[0])
        if month is None or attempt >= _PATIENCE or (day.year, day.month) == (month.year, month.month):
            return history, course, bearing
    return None


# --- what is said of it ----------------------------------------------------------------------------------------------


def _marks(plan: Plan, shipments: Sequence[Shipment], meant: Found) -> tuple[Mark, ...]:
    """What the plan says, of what is meant."""
    marks: list[Mark] = []
    for item in plan.items:
        marks.append(("price", meant.line.unit_price) if item.key == "price" else (item.key, item.text))
    marks += [("order", reference_of(kind, shipments, meant.shipment)) for kind in plan.kinds]
    return tuple(marks)


def reference_of(kind: str, shipments: Sequence[Shipment], meant: Shipment) -> tuple[object, ...]:
    """A reference of a kind to an order; by its day where its place has no name."""
    age = len(shipments) - 1 - shipments.index(meant)
    day = date.fromordinal(meant.placed[0])
    if kind == "position" and age < len(_PLACES):
        return (_PLACES[age],)
    if kind == "month":
        return ("month", day.year, day.month)
    named = {"destination": meant.city, "gift": meant.recipient, "total": meant.total}
    return (kind, named[kind]) if kind in named else ("placed", day)


def _unique(
    plan: Plan, marks: tuple[Mark, ...], shipments: Sequence[Shipment], meant: Found
) -> tuple[Mark, ...] | None:
    """The marks, with more where they do not tell what is meant apart; None where nothing does."""
    spare: list[Mark] = []
    if len(shipments) > 1 and not any(mark[1][0] in ("placed", *_PLACES) for mark in marks if mark[0] == "order"):
        spare.append(("order", reference_of("placed", shipments, meant.shipment)))
    if plan.items and not any(mark[0] == "price" for mark in marks):
        spare.append(("price", meant.line.unit_price))
    for more in ((), *((mark,) for mark in spare), tuple(spare)):
        said = (*marks, *more)
        fits = [(shipment, found) for shipment, found, off in lacks(said, plan.about, shipments) if not off]
        if [(shipment is meant.shipment, found is None or found.line is meant.line) for shipment, found in fits] == [
            (True, True)
        ]:
            return said
    return None


def _near(plan: Plan, marks: Sequence[Mark], shipments: Sequence[Shipment]) -> dict[str, Mark]:
    """What lacks just one thing said, other than its name."""
    return {
        shipment.order_id if found is None else found.line.line_id: off[0]
        for shipment, found, off in lacks(marks, plan.about, shipments)
        if len(off) == 1 and off[0][0] != "name"
    }
