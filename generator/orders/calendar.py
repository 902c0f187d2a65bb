"""The shipping calendar: business days and holidays, how long parcels take, and dates as the shop writes them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.engine.tables import load_table

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

BEFORE = 900
"""Days before its middle that a calendar covers."""
AFTER = 200
"""Days after its middle that a calendar covers."""


@dataclass(frozen=True, slots=True)
class ShippingTimes:
    """How long one shipping class takes.

    Args:
        processing: business days until the parcel leaves, each possible number.
        transit: days on the road, each possible number.
        promise: business days from the order to the promised day.
    """

    processing: tuple[int, ...]
    transit: tuple[int, ...]
    promise: int


@lru_cache(maxsize=1)
def shipping_times() -> dict[str, ShippingTimes]:
    """Shipping times by shipping class, the fastest first.

    >>> shipping_times()["letter"].promise
    6
    """
    found = {}
    for key, entry in load_table("generator.orders/shipping")["class"].items():
        processing, transit = (tuple(range(low, high + 1)) for low, high in (entry["processing"], entry["transit"]))
        found[key] = ShippingTimes(processing, transit, processing[-1] + transit[-1])
    return found


def holidays(year: int) -> tuple[tuple[date, str], ...]:
    """The shop's holidays of a year, with their names, in order.

    >>> holidays(2026)[1]
    (datetime.date(2026, 5, 25), 'Memorial Day')
    """
    found = []
    for entry in load_table("generator.orders/shipping")["holiday"]:
        month = entry["month"]
        if "day" in entry:
            day = date(year, month, entry["day"])
        else:
            first = date(year, month, 1)
            last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
            days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
            matching = [day for day in days if day.weekday() == entry["weekday"]]
            nth = entry["nth"]
            day = matching[nth - 1 if nth > 0 else nth]
        found.append((day, entry["name"]))
    return tuple(sorted(found))


class Calendar:
    """Business days around one day. Days are proleptic ordinals (`datetime.date.toordinal`) except where said.

    Args:
        middle: the world's today; days from `BEFORE` before it to `AFTER` after it can be asked about.
        closed: days on which the warehouse rests, beside Saturdays and Sundays; the holidays where None.

    >>> calendar = Calendar(date(2026, 3, 11))
    >>> calendar.add_business_days(date(2026, 3, 13), 1)
    datetime.date(2026, 3, 16)
    """

    def __init__(self, middle: date, closed: Iterable[date] | None = None) -> None:
        self.first = middle.toordinal() - BEFORE
        self.last = middle.toordinal() + AFTER
        years = range(date.fromordinal(self.first).year, date.fromordinal(self.last).year + 1)
        resting = (day for year in years for day, _ in holidays(year)) if closed is None else closed
        rests = {day.toordinal() for day in resting}
        self._business = [day for day in range(self.first, self.last + 1) if (day - 1) % 7 < 5 and day not in rests]
        self._open = frozenset(self._business)
        self._dates = [date.fromordinal(day) for day in range(self.first, self.last + 1)]

    def covers(self, day: date) -> bool:
        """Whether orders of the last two years can be dated with this day as today."""
        return self.first + 760 <= day.toordinal() <= self.last - 90

    def date_of(self, day: int) -> date:
        """The date of an ordinal."""
        return self._dates[day - self.first]

    def is_business(self, day: int) -> bool:
        """Whether the warehouse works on a day."""
        return day in self._open

    def shift(self, day: int, count: int) -> int:
        """The count-th business day after a day, count at least 1."""
        return self._business[bisect_right(self._business, day) + count - 1]

    def back(self, day: int, count: int) -> int:
        """The business day that is ``count`` of them before the last one that is not after a day."""
        return self._business[bisect_right(self._business, day) - 1 - count]

    def between(self, first: int, last: int) -> int:
        """How many business days there are after a day, up to and including another; below 0 where that is earlier."""
        return bisect_right(self._business, last) - bisect_right(self._business, first)

    def latest(self, day: int) -> int:
        """The last business day that is not after a day."""
        return self._business[bisect_right(self._business, day) - 1]

    def senders(self, shipped: int, count: int) -> tuple[int, int]:
        """First and last day whose count-th business day is the business day ``shipped``."""
        at = bisect_left(self._business, shipped)
        return self._business[at - count], self._business[at - count + 1] - 1

    def add_business_days(self, day: date, count: int) -> date:
        """The count-th business day after a date, count at least 1."""
        if count < 1:
            raise InvalidArgument("count", count, "must be at least 1")
        return self.date_of(self.shift(day.toordinal(), count))

    def promise(self, placed: date, shipping_class: str) -> date:
        """The day by which an order is promised.

        >>> Calendar(date(2026, 3, 11)).promise(date(2026, 3, 11), "letter")
        datetime.date(2026, 3, 19)
        """
        return self.date_of(self.shift(placed.toordinal(), shipping_times()[shipping_class].promise))

    def placed_before(
        self, draws: Draws, arrival: int, processing: tuple[int, ...], transit: tuple[int, ...]
    ) -> tuple[int, int]:
        """Draw (placed, shipped) of a parcel that arrives on a day, as likely as if it had been drawn from its order.

        Every (placed, processing days, transit days) that leads to the day is equally likely, so that an order dated
        backwards looks no different from one dated forwards.
        """
        ways = []
        weights = []
        for days in transit:
            shipped = arrival - days
            if shipped in self._open:
                for count in processing:
                    first, last = self.senders(shipped, count)
                    ways.append((first, shipped))
                    weights.append(last - first + 1)
        if not ways:
            shipped = self.latest(arrival - transit[-1])
            return self.senders(shipped, processing[-1])[0], shipped
        at = draws.weighted(weights)
        first, shipped = ways[at]
        return first + draws.below(weights[at]), shipped


def render_date(day: date) -> str:
    """A date as order pages show it.

    >>> render_date(date(2026, 2, 19))
    '19 Feb 2026'
    """
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def weekday(day: date) -> str:
    """The name of a date's day of the week.

    >>> weekday(date(2026, 3, 11))
    'Wednesday'
    """
    return WEEKDAYS[day.weekday()]


def parse_date(text: str) -> date:
    """The date that `render_date` wrote, whatever the machine's language.

    >>> parse_date("19 Feb 2026")
    datetime.date(2026, 2, 19)
    """
    day, month, year = text.split(" ")
    return date(int(year), MONTHS.index(month) + 1, int(day))
