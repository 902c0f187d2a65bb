"""Dates in English words, whatever the machine's language."""

from datetime import date

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def render_day(day: date) -> str:
    """A date as the shop writes it.

    >>> render_day(date(2026, 3, 11))
    '11 March 2026'
    """
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def parse_day(text: str) -> date:
    """The date that `render_day` wrote.

    >>> parse_day("11 March 2026")
    datetime.date(2026, 3, 11)
    """
    day, month, year = text.split()
    return date(int(year), MONTHS.index(month) + 1, int(day))
