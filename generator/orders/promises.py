"""Where a parcel is and when it arrives: the shop's shipping rules, and what they make of a parcel's history.

Days are proleptic ordinals (`datetime.date.toordinal`) except where said, times of day are minutes after midnight.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, NamedTuple

from ecomrlve.generator.orders.calendar import Calendar, holidays
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.engine.tables import load_table

RULES = (
    *("closed", "rest", "cutoff", "payment", "wrapping", "back_order", "hold", "late_packing", "remote", "delay"),
    *("weekdays", "attempt", "replacement", "lost", "overdue", "cancel", "return", "denied"),
)
"""The rules beside the usual course: each can bear on a case."""

REMOTE = 3
"""The zone that is far away."""

_NONE: frozenset[str] = frozenset()
_PROMISED = frozenset({"paid", "packed", "shipped"})
_BY_EVENT = {
    "hold": "released",
    "late_packing": "packed",
    "delay": "delay",
    "attempt": "attempt",
    "replacement": "replacement",
    "cancel": "cancel requested",
    "return": "return announced",
}
"""The event without which a rule cannot bear."""
_WITHOUT_DAY = frozenset({"placed", "held", "cancelled", "lost", "returned"})


class Event(NamedTuple):
    """Something that happened to a parcel: its day, its kind, and the business days that a delay notice names."""

    day: int
    kind: str
    days: int = 0


class Service(NamedTuple):
    """Business days that a shipping service takes to pack, and then to travel."""

    packing: int
    travel: int


@dataclass(frozen=True, slots=True)
class ShippingRules:
    """A shop's numbers.

    Args:
        closed: days on which the warehouse is closed, beside weekends, with what for.
        services: by name, the fastest first.
        cutoff: minute of a business day from which an order counts as of the next.
        wrapping: business days more to pack a wrapped gift.
        back_order: business days more to pack what is on back order.
        remote: business days more to travel to zone `REMOTE`.
        lost_after: business days after the promised day, past which a parcel is lost.
        notices_add: whether several delay notices add up; else the last one counts.
        weekdays: on which bulky goods are brought, 0 is Monday.
    """

    closed: tuple[tuple[date, str], ...]
    services: tuple[tuple[str, Service], ...]
    cutoff: int
    wrapping: int
    back_order: int
    remote: int
    lost_after: int
    notices_add: bool
    weekdays: tuple[int, ...]

    def service(self, name: str) -> Service:
        """The days of a service."""
        return next(service for known, service in self.services if known == name)


def draw_shipping_rules(draws: Draws, today: date) -> ShippingRules:
    """A shop's shipping rules.

    >>> rules = draw_shipping_rules(Draws(0, "shipping"), date(2026, 3, 11))
    >>> [name for name, _ in rules.services]
    ['express', 'letter', 'parcel', 'bulky']
    """
    table = load_table("generator.orders/promises")
    numbers, closing, shown = table["numbers"], table["closing"], table["shown"]
    first, last = today - timedelta(shown["before"]), today + timedelta(shown["after"])
    closed = {
        day: name for year in range(first.year, last.year + 1) for day, name in holidays(year) if first <= day <= last
    }
    span = range(-closing["before"], closing["after"] + 1)
    working = [day for day in (today + timedelta(number) for number in span) if day.weekday() < 5]
    free = [day for day in working if day not in closed and day != today]
    for day in draws.sample(free, draws.between(*closing["count"])):
        closed[day] = draws.choice(closing["names"])
    services = {
        name: Service(draws.between(*days["packing"]), draws.between(*days["travel"]))
        for name, days in table["service"].items()
    }
    return ShippingRules(
        closed=tuple(sorted(closed.items())),
        services=tuple(services.items()),
        cutoff=60 * draws.between(*numbers["cutoff_hour"]),
        wrapping=draws.between(*numbers["wrapping"]),
        back_order=draws.between(*numbers["back_order"]),
        remote=draws.between(*numbers["remote"]),
        lost_after=draws.between(*numbers["lost_after"]),
        notices_add=draws.chance(500),
        weekdays=tuple(draws.choice(numbers["delivery_weekdays"])),
    )


@dataclass(frozen=True, slots=True)
class ParcelFacts:
    """All that the rules ask of a parcel.

    Args:
        placed: day and minute of the order.
        paid: day and minute of its payment; None while there is none.
        wrapped: whether it is a gift to be wrapped.
        back_order: whether something in it is on back order.
        zone: of its destination.
        service: that brings it.
        events: what happened to it, in order.
        denied: whether the customer says that it never came.
    """

    placed: tuple[int, int]
    paid: tuple[int, int] | None
    wrapped: bool
    back_order: bool
    zone: int
    service: str
    events: tuple[Event, ...]
    denied: bool = False


class Settled(NamedTuple):
    """What the rules make of a parcel: its status, and the day it came or comes; None where there is no such day."""

    status: str
    arrives: int | None


@dataclass(slots=True)
class _Course:
    """A parcel's history as far as it was followed."""

    state: str
    before_hold: str = ""
    held_from: int = 0
    held: int = 0
    packed: int | None = None
    out: int | None = None
    delivered: int | None = None
    attempt: int | None = None
    replaced: int | None = None
    delay: int = 0


class Promises:
    """A shop's shipping rules on one day.

    Args:
        rules: the shop's.
        today: the day of the question.

    >>> rules = draw_shipping_rules(Draws(0, "shipping"), date(2026, 3, 11))
    >>> promises = Promises(rules, date(2026, 3, 11))
    >>> day = date(2026, 3, 10).toordinal()
    >>> facts = ParcelFacts((day, 600), (day, 603), False, False, 1, "parcel", ())
    >>> promises.settle(facts).status, "wrapping" in promises.bearing(facts)
    ('paid', False)
    """

    def __init__(self, rules: ShippingRules, today: date) -> None:
        self.rules, self.today = rules, today.toordinal()
        self.calendar = Calendar(today, [day for day, _ in rules.closed])
        self._services = dict(rules.services)
        self._never_closed = Calendar(today, ())

    def settle(self, facts: ParcelFacts, without: frozenset[str] = _NONE) -> Settled:
        """The status and the day of arrival.

        Args:
            facts: of the parcel.
            without: rules that are passed over.
        """
        calendar = self._never_closed if "closed" in without else self.calendar
        course = self._follow(facts, calendar, without)
        if course.state in _WITHOUT_DAY:
            return Settled(course.state, None)
        if course.state == "delivered":
            if facts.denied and "denied" in without:
                return Settled("lost", None)
            return Settled("delivered", course.delivered)
        if course.state == "out_for_delivery":
            return Settled(course.state, course.out)
        due = self._due(facts, course, calendar, without)
        late = calendar.between(due, self.today)
        if course.state == "shipped" and late > self.rules.lost_after and "lost" not in without:
            return Settled("lost", None)
        if due < self.today and "overdue" not in without:
            due = calendar.shift(self.today, 1)
        return Settled(course.state, due)

    def _follow(self, facts: ParcelFacts, calendar: Calendar, without: frozenset[str]) -> _Course:
        """Where the events lead."""
        course = _Course("placed" if facts.paid is None else "paid")
        for day, kind, days in facts.events:
            if kind == "packed":
                course.state, course.packed = "packed", day
            elif kind == "handed over":
                course.state = "shipped"
            elif kind == "out":
                course.state, course.out = "out_for_delivery", day
            elif kind == "attempt" and "attempt" not in without:
                course.state, course.attempt = "shipped", day
            elif kind == "delivered":
                course.state, course.delivered = "delivered", day
            elif kind == "replacement" and "replacement" not in without:
                course.state, course.replaced, course.attempt, course.delay = "shipped", day, None, 0
            elif kind == "hold":
                course.before_hold, course.held_from, course.state = course.state, day, "held"
            elif kind == "released":
                course.state = course.before_hold
                course.held += 0 if "hold" in without else calendar.between(course.held_from, day)
            elif kind == "delay" and "delay" not in without:
                course.delay = course.delay + days if self.rules.notices_add else days
            elif kind == "back" or (kind == "return announced" and "return" in without):
                course.state = "returned"
            elif kind in ("lost", "cancelled"):
                course.state = kind
            elif kind == "cancel requested" and "cancel" in without:
                course.state = "cancelled"
                break
        return course

    def _due(self, facts: ParcelFacts, course: _Course, calendar: Calendar, without: frozenset[str]) -> int:
        """The promised day."""
        rules = self.rules
        if course.attempt is not None:
            return calendar.shift(course.attempt, 1)
        service = self._services[facts.service]
        travel = service.travel + (rules.remote if facts.zone == REMOTE and "remote" not in without else 0)
        ready = course.replaced
        if ready is None:
            ready = self._ready(facts, course, calendar, without)
        due = calendar.shift(ready, travel + course.delay)
        if facts.service == "bulky" and "weekdays" not in without:
            while (due - 1) % 7 not in rules.weekdays or not calendar.is_business(due):
                due += 1
        return due

    def _ready(self, facts: ParcelFacts, course: _Course, calendar: Calendar, without: frozenset[str]) -> int:
        """The day by which the parcel is packed, from which it travels."""
        rules = self.rules
        day, minute = facts.placed
        if facts.paid is not None and facts.paid[0] > day and "payment" not in without:
            day, minute = facts.paid
        if not calendar.is_business(day):
            day = day if "rest" in without else calendar.shift(day, 1)
        elif minute >= rules.cutoff and "cutoff" not in without:
            day = calendar.shift(day, 1)
        packing = self._services[facts.service].packing + course.held
        packing += rules.wrapping if facts.wrapped and "wrapping" not in without else 0
        packing += rules.back_order if facts.back_order and "back_order" not in without else 0
        ready = calendar.shift(day, packing)
        if course.packed is not None and course.packed > ready and "late_packing" not in without:
            return course.packed
        return ready

    def bearing(self, facts: ParcelFacts) -> tuple[str, ...]:
        """The rules without which the answer would be another, in the order of `RULES`."""
        settled = self.settle(facts)
        found = {rule for rule in self._touched(facts, settled) if self.settle(facts, frozenset((rule,))) != settled}
        return tuple(rule for rule in RULES if rule in found)

    def _touched(self, facts: ParcelFacts, settled: Settled) -> list[str]:
        """The rules that could bear, by a quick look."""
        kinds = {event.kind for event in facts.events}
        found = [rule for rule, kind in _BY_EVENT.items() if kind in kinds]
        if facts.denied:
            found.append("denied")
        if settled.status == "lost" and "lost" not in kinds:
            found.append("lost")
        if settled.status not in _PROMISED:
            return found
        come = facts.paid if facts.paid is not None and facts.paid[0] > facts.placed[0] else facts.placed
        found += ["closed", "overdue"]
        for rule, touched in (
            ("rest", not (self.calendar.is_business(come[0]) and self.calendar.is_business(facts.placed[0]))),
            ("cutoff", max(come[1], facts.placed[1]) >= self.rules.cutoff),
            ("payment", come is not facts.placed),
            ("wrapping", facts.wrapped),
            ("back_order", facts.back_order),
            ("remote", facts.zone == REMOTE),
            ("weekdays", facts.service == "bulky"),
        ):
            if touched:
                found.append(rule)
        return found


def courses() -> list[dict[str, Any]]:
    """The ways that orders take, as the table has them."""
    found: list[dict[str, Any]] = load_table("generator.orders/promises")["course"]
    return found
