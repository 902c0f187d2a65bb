"""The ways that orders take: histories drawn around the shipping rules that are to bear on them.

Each way leads to the state that it is to lead to, by the shop's own rules. Days are ordinals.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ecomrlve.generator.orders.promises import REMOTE, Event, ParcelFacts, Promises, courses
from ecomrlve.generator.randomness import Draws

_TRIES = 6
_MORNING, _NIGHT = 7 * 60, 22 * 60
# Ways of which fewer rules can bear than are asked for are taken so much less often.
_RARER = 4
# What comes back could mostly not be delivered; the rest was sent back.
_UNDELIVERED = 650


class Course(NamedTuple):
    """A way that an order takes.

    Args:
        name: of the way.
        state: where it leads.
        weight: how often it is taken.
        takes: rules without which it would lead elsewhere.
        may: further rules that can bear on it.
    """

    name: str
    state: str
    weight: int
    takes: frozenset[str]
    may: tuple[str, ...]

    def room(self, bulky: bool) -> int:
        """How many rules can bear on it, beside the usual ones."""
        apart = {"weekdays"} - ({"weekdays"} if bulky else set())
        free = [rule for rule in self.may if rule not in apart]
        # An order comes in on a day of rest or late on another day, not both.
        return len(self.takes) + len(free) - ({"rest", "cutoff"} <= set(free))


@lru_cache(maxsize=1)
def all_courses() -> tuple[Course, ...]:
    """The ways of the table.

    >>> all_courses()[0].name
    'placed'
    """
    return tuple(
        Course(
            entry["name"],
            entry["state"],
            entry["weight"],
            frozenset(entry.get("takes", ())),
            tuple(entry.get("may", ())),
        )
        for entry in courses()
    )


class History(NamedTuple):
    """What happened to an order: when it was placed and paid, the events, and the business day from which it counts."""

    placed: tuple[int, int]
    paid: tuple[int, int] | None
    events: tuple[Event, ...]
    counted: int


class _Span(NamedTuple):
    """Business days of a way: to the packing, the hand-over, and to its end, all from the day on which it counts."""

    packed: int
    handed: int
    end: int


@lru_cache(maxsize=64)
def _able(rules: int, bulky: bool) -> tuple[list[Course], list[int]]:
    """The ways that need no more rules than so many, and how often each is taken."""
    able = [course for course in all_courses() if len(course.takes) <= rules]
    return able, [course.weight * (_RARER if course.room(bulky) >= rules else 1) for course in able]


def draw_course(draws: Draws, rules: int, bulky: bool, far: bool) -> tuple[Course, frozenset[str]]:
    """A way on which ``rules`` rules can bear beside the usual ones, or as many as it has room for; and which rules.

    Args:
        draws: where the numbers come from.
        rules: how many are wanted.
        bulky: whether it is of bulky goods.
        far: whether it goes far away, which is then one of the rules.
    """
    able, weights = _able(rules, bulky)
    course = able[draws.weighted(weights)]
    chosen = {*course.takes, *(("remote",) if far else ())}
    for rule in draws.sample(course.may, len(course.may)):
        apart = {"rest", "cutoff"} <= chosen | {rule} or rule == "remote" or (rule == "weekdays" and not bulky)
        if len(chosen) < rules and not apart:
            chosen.add(rule)
    return course, frozenset(chosen)


class Histories:
    """Draws histories under a shop's rules.

    Args:
        promises: the shop's rules on its day.
    """

    def __init__(self, promises: Promises) -> None:
        self.promises = promises
        self.today = promises.today

    def draw(
        self, draws: Draws, course: Course, rules: frozenset[str], service: str, count: int | None = None
    ) -> History | None:
        """A history that leads to the state of a way, with as many rules to bear on it, as far as days allow.

        Args:
            draws: where the numbers come from.
            course: the way.
            rules: that are to bear on it.
            service: that brings the parcel.
            count: how many rules are to bear; all of ``rules`` where None.

        Returns:
            None where luck finds none.
        """
        best: tuple[int, History] | None = None
        for _ in range(_TRIES):
            history = self._once(draws, course, rules, service)
            facts = ParcelFacts(
                history.placed,
                history.paid,
                "wrapping" in rules,
                "back_order" in rules,
                REMOTE if "remote" in rules else REMOTE - 1,
                service,
                history.events,
                "denied" in rules,
            )
            if self.promises.settle(facts).status == course.state:
                off = abs(len(self.promises.bearing(facts)) - (len(rules) if count is None else count))
                if best is None or off < best[0]:
                    best = off, history
                if not off:
                    break
        return None if best is None else best[1]

    def _once(self, draws: Draws, course: Course, rules: frozenset[str], service: str) -> History:
        calendar, today = self.promises.calendar, self.today
        if course.name == "placed":
            placed = (today - draws.below(6), draws.between(_MORNING, _NIGHT))
            return History(placed, None, self._asked(draws, rules, placed[0], today, []), placed[0])
        end_day = today - draws.below(36) if course.state in ("delivered", "returned", "cancelled", "lost") else today
        if course.name in ("held", "tried"):
            end_day = today - draws.below(2)
        if course.name == "given up":
            end_day = today
        days = self._days(service, rules)
        hold = draws.between(1, 3) if "hold" in rules else 0
        span = self._span(draws, course, rules, days, hold)
        last = calendar.latest(end_day)
        counted = self._counted(last, span.end, max(span.packed, span.handed, hold), "rest" in rules)
        placed, paid = self._placed(draws, rules, counted)
        events: list[Event] = []
        if hold:
            events += [Event(counted, "hold"), Event(calendar.shift(counted, hold), "released")]
        if span.packed:
            events.append(Event(calendar.shift(counted, span.packed), "packed"))
        if span.handed:
            events.append(Event(calendar.shift(counted, span.handed), "handed over"))
        events += self._end(draws, course, end_day, days[1])
        if "delay" in rules:
            events = self._noticed(draws, events, counted, end_day)
        return History(placed, paid, self._asked(draws, rules, placed[0], end_day, events), counted)

    def _days(self, service: str, rules: frozenset[str]) -> tuple[int, int]:
        """Business days to pack and to travel."""
        shop = self.promises.rules
        packing, travel = shop.service(service)
        packing += shop.wrapping * ("wrapping" in rules) + shop.back_order * ("back_order" in rules)
        return packing, travel + shop.remote * ("remote" in rules)

    def _span(self, draws: Draws, course: Course, rules: frozenset[str], days: tuple[int, int], hold: int) -> _Span:
        """How long the stages of a way take; 0 for a stage that it does not reach."""
        packing, travel = days
        total = packing + travel
        pack = hold + (packing + draws.between(1, 3) if "late_packing" in rules else draws.between(1, packing))
        hand = pack + draws.below(2)
        road = max(0, travel - 1 - (hand - pack))
        match course.name:
            case "paid":
                return _Span(0, 0, hold + draws.between(0, packing))
            case "packed" | "packed late":
                return _Span(pack, 0, pack + draws.below(2))
            case "shipped" | "shipped late":
                return _Span(pack, hand, hand + draws.between(0, road))
            case "replaced" | "delivered at last":
                return _Span(pack, hand, hand + draws.between(4, 9) + travel)
            case "overdue":
                return _Span(pack, hand, total + draws.between(1, self.promises.rules.lost_after))
            case "given up":
                return _Span(pack, hand, total + self.promises.rules.lost_after + draws.between(1, 6))
            case "lost":
                return _Span(pack, hand, hand + draws.between(3, 8))
            case "cancelled":
                # Paid, or packed as well, before it was cancelled.
                return _Span(pack, 0, pack + draws.below(2)) if draws.chance(400) else _Span(0, 0, draws.below(3))
            case "held":
                return _Span(pack, hand, hand + draws.below(3)) if draws.chance(400) else _Span(0, 0, draws.below(3))
        return _Span(pack, hand, max(hand + 1, total + draws.between(-2, 1)))

    def _counted(self, last: int, end: int, least: int, after_rest: bool) -> int:
        """The business day from which an order counts, so that its end comes on the business day ``last``."""
        calendar = self.promises.calendar
        if not after_rest:
            return calendar.back(last, end)
        for off in (0, -1, 1, -2, 2, -3, 3, 4, 5):
            day = calendar.back(last, max(least, end + off))
            if not calendar.is_business(day - 1):
                return day
        return calendar.back(last, end)

    def _placed(self, draws: Draws, rules: frozenset[str], counted: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """When an order was placed and paid that counts from a business day."""
        calendar, cutoff = self.promises.calendar, self.promises.rules.cutoff
        day, minute = counted, draws.between(_MORNING, cutoff - 20)
        if "rest" in rules and not calendar.is_business(counted - 1):
            first = calendar.back(counted, 1) + 1
            day, minute = draws.between(first, counted - 1), draws.between(_MORNING, _NIGHT)
        elif "cutoff" in rules:
            day, minute = calendar.back(counted, 1), draws.between(cutoff, _NIGHT)
        if "payment" in rules:
            return (day - draws.between(1, 4), draws.between(_MORNING, _NIGHT)), (day, minute)
        return (day, minute), (day, minute + draws.between(1, 9))

    def _end(self, draws: Draws, course: Course, end_day: int, travel: int) -> list[Event]:
        """The last events of a way, the ones after the hand-over."""
        calendar, today = self.promises.calendar, self.today
        match course.name:
            case "out":
                return [Event(today, "out")]
            case "tried":
                return [Event(end_day, "out"), Event(end_day, "attempt")]
            case "replaced":
                sent = calendar.back(end_day, draws.between(0, travel - 1))
                return [Event(sent - draws.below(3), "lost"), Event(sent, "replacement")]
            case "delivered at last":
                sent = calendar.back(end_day - 1, draws.between(0, travel - 1))
                return [Event(sent - draws.below(3), "lost"), Event(sent, "replacement"), *_brought(end_day)]
            case "delivered":
                return _brought(end_day)
            case "returned":
                room = today - end_day
                back = end_day + draws.between(min(2, room), room)
                if draws.chance(_UNDELIVERED):
                    return [Event(end_day, "out"), Event(end_day, "attempt"), Event(back, "back")]
                told = [Event(draws.between(end_day, back), "return announced")] if draws.chance(700) else []
                return [*_brought(end_day), *told, Event(back, "back")]
            case "cancelled" | "lost":
                return [Event(end_day, course.name)]
            case "held":
                return [Event(end_day, "hold")]
        return []

    def _noticed(self, draws: Draws, events: list[Event], counted: int, end_day: int) -> list[Event]:
        """The events with one or two delay notices among them, after a replacement where there is one."""
        sent = max((event.day for event in events if event.kind == "replacement"), default=counted)
        released = max((event.day for event in events if event.kind == "released"), default=sent)
        first = min(released, end_day)
        found = list(events)
        for _ in range(1 + draws.chance(300)):
            if first <= end_day:
                notice = Event(draws.between(first, end_day), "delay", draws.between(1, 5))
                found, first = _inserted(found, notice), notice.day + 1
        return found

    def _asked(
        self, draws: Draws, rules: frozenset[str], first: int, end_day: int, events: list[Event]
    ) -> tuple[Event, ...]:
        """The events, with a request to cancel and a return announced where their rules are to bear."""
        found = list(events)
        if "cancel" in rules:
            last = min([end_day, *(event.day - 1 for event in events if event.kind in ("out", "delivered", "lost"))])
            found = _inserted(found, Event(draws.between(first, max(first, last)), "cancel requested"))
        if "return" in rules:
            found.append(Event(draws.between(end_day, self.today), "return announced"))
        return tuple(found)

    def sibling(self, draws: Draws, history: History, service: str) -> tuple[Event, ...]:
        """The events of another parcel of the same order, on its own way."""
        calendar = self.promises.calendar
        if history.paid is None:
            return ()
        packing, travel = self.promises.rules.service(service)
        age = calendar.between(history.counted, self.today)
        pack = draws.between(1, packing + 1)
        hand = pack + draws.below(2)
        come = hand + draws.between(1, travel)
        events = []
        for days, kind in ((pack, "packed"), (hand, "handed over")):
            if days <= age and draws.chance(900):
                events.append(Event(calendar.shift(history.counted, days), kind))
            else:
                return tuple(events)
        if come <= age and (age > come + travel or draws.chance(700)):
            events += _brought(calendar.shift(history.counted, come))
        return tuple(events)


def _brought(day: int) -> list[Event]:
    return [Event(day, "out"), Event(day, "delivered")]


def _inserted(events: Sequence[Event], event: Event) -> list[Event]:
    """The events with one more, behind all that are not after it."""
    at = next((place for place, other in enumerate(events) if other.day > event.day), len(events))
    return [*events[:at], event, *events[at:]]
