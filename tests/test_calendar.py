"""The shipping calendar against counting days, and dates as the shop writes them."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.orders.calendar import Calendar, holidays, parse_date, render_date, shipping_times
from ecomrlve.generator.randomness import Draws

TODAY = date(2026, 3, 11)
CALENDAR = Calendar(TODAY)


def test_holidays_fall_on_their_days() -> None:
    assert dict(holidays(2025))[date(2025, 11, 27)] == "Thanksgiving"
    assert dict(holidays(2026))[date(2026, 9, 7)] == "Labor Day"
    assert dict(holidays(2027))[date(2027, 5, 31)] == "Memorial Day"
    assert all(len(holidays(year)) == 6 for year in range(2000, 2060))


@given(st.dates(TODAY - timedelta(400), TODAY + timedelta(100)), st.integers(1, 15))
def test_business_days_agree_with_counting_them(day: date, count: int) -> None:
    """The count-th business day is found by walking, too."""
    found, left = day, count
    while left:
        found += timedelta(1)
        left -= found.weekday() < 5 and found not in dict(holidays(found.year))
    assert CALENDAR.add_business_days(day, count) == found
    first, last = CALENDAR.senders(found.toordinal(), count)
    assert first <= day.toordinal() <= last


@given(st.dates(TODAY - timedelta(700), TODAY), st.sampled_from(sorted(shipping_times())), st.integers(0, 1 << 30))
def test_an_order_dated_backwards_could_have_been_dated_forwards(arrival: date, speed: str, seed: int) -> None:
    times = shipping_times()[speed]
    arrived = arrival.toordinal()
    placed, shipped = CALENDAR.placed_before(Draws(seed), arrived, times.processing, times.transit)
    assert any(CALENDAR.shift(placed, count) == shipped for count in times.processing)
    assert arrived - shipped in times.transit


@given(st.dates())
def test_a_shown_date_is_read_back(day: date) -> None:
    assert parse_date(render_date(day)) == day


def test_no_business_day_is_asked_for_before_the_day_itself() -> None:
    with pytest.raises(InvalidArgument, match=r"^count=0"):
        CALENDAR.add_business_days(TODAY, 0)
