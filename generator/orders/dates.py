"""When orders were placed, shipped and delivered, forwards from their day or backwards from what a task needs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.orders.calendar import Calendar, ShippingTimes, shipping_times
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.engine.tables import load_table

STATES = ("processing", "shipped", "delivered", "cancelled")

# Draws for a day that no other order has before the days are walked through.
_TRIES = 12
# The longest that a parcel with both days fixed by a task can have been on its way.
_LONGEST = 30


class Dates(NamedTuple):
    """State and days of one order, as ordinals; None where there is no such day."""

    state: str
    speed: str
    placed: int
    shipped: int | None
    delivered: int | None
    promised: int | None


@dataclass(frozen=True, slots=True)
class OrderDates:
    """Draws the days of orders on a calendar; all days are ordinals.

    Args:
        calendar: of the shop.
    """

    calendar: Calendar

    def slowest(self, classes: Iterable[str]) -> str:
        """The shipping class that an order of several goes by."""
        order = list(shipping_times())
        return order[max(order.index(key) for key in classes)]

    def free(self, draws: Draws, speed: str, today: int, span: int, taken: set[int]) -> Dates:
        """An order of any day in the span, in the state that its age gives it."""
        placed = self._day(draws, today - span, today - 1, taken)
        if draws.below(1000) < _CANCELLED:
            return Dates("cancelled", speed, placed, None, None, None)
        times = shipping_times()[speed]
        shipped, delivered, promised = self._forward(draws, placed, times)
        if shipped > today:
            return Dates("processing", speed, placed, None, None, promised)
        if delivered > today:
            return Dates("shipped", speed, placed, shipped, None, promised)
        return Dates("delivered", speed, placed, shipped, delivered, promised)

    def required(
        self,
        draws: Draws,
        speed: str,
        today: int,
        span: int,
        taken: set[int],
        state: str,
        ago: tuple[int, int] | None,
        delivered_ago: int | None,
    ) -> Dates:
        """An order in a given state, placed within given days and delivered on a given day where that is asked.

        Raises:
            InvalidArgument: where no day fits.
        """
        times = shipping_times()[speed]
        if ago is not None and not 0 <= ago[0] <= ago[1] <= 740:
            raise InvalidArgument("placed_days_ago", ago, "must be two ages of at most 740 days, the younger first")
        if delivered_ago is not None and (state != "delivered" or not 0 <= delivered_ago <= 700):
            raise InvalidArgument("delivered_days_ago", delivered_ago, "is for delivered orders, 0 to 700 days")
        if delivered_ago is not None and ago is None:
            return self._back(draws, speed, times, today - delivered_ago, taken)
        if delivered_ago is not None and ago is not None:
            return self._between(draws, speed, times, today, ago, today - delivered_ago, taken)
        low, high, given = (today - span, today, False) if ago is None else (today - ago[1], today - ago[0], True)
        if state == "processing":
            # The latest order that must still be here is one whose most processing days are not over.
            first = self.calendar.senders(self.calendar.shift(today, 1), times.processing[-1])[0]
            placed = self._day(draws, low if given else first, high, taken, given)
            return Dates(state, speed, placed, None, None, self._promise(placed, times))
        if state == "cancelled":
            return Dates(state, speed, self._day(draws, low, high, taken, given), None, None, None)
        high = min(high, self.calendar.latest(today) - 1)
        if state == "shipped":
            if given:
                placed = self._day(draws, low, high, taken, given)
            else:
                on_road = tuple(range(times.transit[-1]))
                wanted, _ = self.calendar.placed_before(draws, today, times.processing, on_road)
                placed = self._near(wanted, taken)
            shipped = min(self.calendar.shift(placed, draws.choice(times.processing)), self.calendar.latest(today))
            return Dates(state, speed, placed, shipped, None, self._promise(placed, times))
        placed = self._day(draws, low, high, taken, given)
        shipped, delivered, promised = self._forward(draws, placed, times)
        return Dates(state, speed, placed, min(shipped, self.calendar.latest(today)), min(delivered, today), promised)

    def _back(self, draws: Draws, speed: str, times: ShippingTimes, delivered: int, taken: set[int]) -> Dates:
        """From the day of delivery back to the order, late as often as any other."""
        late = draws.below(1000) < _LATE
        processing, transit = ((times.promise,), _LATE_DAYS) if late else (times.processing, times.transit)
        for _ in range(_TRIES):
            placed, shipped = self.calendar.placed_before(draws, delivered, processing, transit)
            if placed not in taken:
                break
        else:
            placed = self._near(placed, taken)
            shipped = self.calendar.shift(placed, 1)
        if late:
            shipped = self.calendar.shift(placed, draws.choice(times.processing))
        return Dates("delivered", speed, placed, shipped, delivered, self._promise(placed, times))

    def _between(
        self,
        draws: Draws,
        speed: str,
        times: ShippingTimes,
        today: int,
        ago: tuple[int, int],
        delivered: int,
        taken: set[int],
    ) -> Dates:
        """Both days asked for: the parcel leaves on a business day between them."""
        last = self.calendar.latest(delivered)
        low, high = max(today - ago[1], delivered - _LONGEST), min(today - ago[0], last - 1)
        placed = self._day(draws, low, high, taken, True)
        shipped = min(self.calendar.shift(placed, draws.choice(times.processing)), last)
        return Dates("delivered", speed, placed, shipped, delivered, self._promise(placed, times))

    def _forward(self, draws: Draws, placed: int, times: ShippingTimes) -> tuple[int, int, int]:
        """(shipped, delivered, promised) of an order placed on a day."""
        shipped = self.calendar.shift(placed, draws.choice(times.processing))
        promised = self._promise(placed, times)
        if draws.below(1000) < _LATE:
            return shipped, promised + draws.choice(_LATE_DAYS), promised
        return shipped, shipped + draws.choice(times.transit), promised

    def _promise(self, placed: int, times: ShippingTimes) -> int:
        return self.calendar.shift(placed, times.promise)

    def _day(self, draws: Draws, low: int, high: int, taken: set[int], given: bool = False) -> int:
        """A day that no other order was placed on; where the days are full and not given, the nearest one before."""
        if low <= high:
            for _ in range(_TRIES):
                day = draws.between(low, high)
                if day not in taken:
                    return day
            for day in range(high, low - 1, -1):
                if day not in taken:
                    return day
        if given:
            rule = "no day that is free leaves time for the order to be packed and sent; ask for older ones"
            raise InvalidArgument("placed_days_ago", (low, high), rule)
        return self._near(min(low, high), taken)

    def _near(self, day: int, taken: set[int]) -> int:
        while day in taken:
            day -= 1
        return day


_CANCELLED: int = load_table("generator.orders/orders")["state"]["cancelled_per_thousand"]
_LATENESS = load_table("generator.orders/shipping")["late"]
_LATE: int = _LATENESS["per_thousand"]
_LATE_DAYS = tuple(range(_LATENESS["days"][0], _LATENESS["days"][1] + 1))
