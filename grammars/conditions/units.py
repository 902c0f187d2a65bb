"""Units of measure: exact factors to a base unit, spellings, and which units a customer may use for another's table.

Factors are exact rationals (international yard and pound agreement, 1959; US customary volumes), so a bound said in
one unit and checked in another never depends on floating point.
"""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure.

    Args:
        name: as the evidence shows it after a number, such as ``"kg"``.
        dimension: units of one dimension convert into each other.
        factor: how many base units of the dimension one unit is.
        words: (singular, plural) as a customer may say it.
    """

    name: str
    dimension: str
    factor: Fraction
    words: tuple[str, str]


def _unit(name: str, dimension: str, factor: str, singular: str, plural: str) -> Unit:
    return Unit(name, dimension, Fraction(factor), (singular, plural))


UNITS: dict[str, Unit] = {
    unit.name: unit
    for unit in (
        _unit("g", "mass", "1", "gram", "grams"),
        _unit("kg", "mass", "1000", "kilogram", "kilograms"),
        _unit("oz", "mass", "28.349523125", "ounce", "ounces"),
        _unit("lb", "mass", "453.59237", "pound", "pounds"),
        _unit("mm", "length", "1", "millimeter", "millimeters"),
        _unit("cm", "length", "10", "centimeter", "centimeters"),
        _unit("m", "length", "1000", "meter", "meters"),
        _unit("in", "length", "25.4", "inch", "inches"),
        _unit("ft", "length", "304.8", "foot", "feet"),
        _unit("ml", "volume", "1", "milliliter", "milliliters"),
        _unit("l", "volume", "1000", "liter", "liters"),
        _unit("fl oz", "volume", "29.5735295625", "fluid ounce", "fluid ounces"),
        _unit("W", "power", "1", "watt", "watts"),
        _unit("kW", "power", "1000", "kilowatt", "kilowatts"),
        _unit("V", "voltage", "1", "volt", "volts"),
        _unit("mAh", "charge", "1", "milliamp hour", "milliamp hours"),
        _unit("s", "time", "1", "second", "seconds"),
        _unit("min", "time", "60", "minute", "minutes"),
        _unit("h", "time", "3600", "hour", "hours"),
        _unit("days", "days", "1", "day", "days"),
        _unit("months", "months", "1", "month", "months"),
        _unit("years", "months", "12", "year", "years"),
        _unit("GB", "data", "1", "gigabyte", "gigabytes"),
        _unit("TB", "data", "1000", "terabyte", "terabytes"),
        _unit("MB/s", "transfer", "8", "megabyte per second", "megabytes per second"),
        _unit("Mbps", "transfer", "1", "megabit per second", "megabits per second"),
        _unit("Hz", "frequency", "1", "hertz", "hertz"),
        _unit("GHz", "frequency", "1000000000", "gigahertz", "gigahertz"),
        _unit("dB", "loudness", "1", "decibel", "decibels"),
        _unit("lm", "light", "1", "lumen", "lumens"),
        _unit("K", "color temperature", "1", "kelvin", "kelvin"),
        _unit("°C", "temperature", "1", "degree Celsius", "degrees Celsius"),
        _unit("bar", "pressure", "1", "bar", "bar"),
        _unit("rpm", "rotation", "1", "revolution per minute", "revolutions per minute"),
        _unit("km/h", "speed", "1", "kilometer per hour", "kilometers per hour"),
        _unit("MP", "pixels", "1", "megapixel", "megapixels"),
        _unit("%", "share", "1", "percent", "percent"),
        _unit("L/min", "flow", "1", "liter per minute", "liters per minute"),
        _unit("kcal", "energy", "1", "kilocalorie", "kilocalories"),
        _unit("m²", "area", "1", "square meter", "square meters"),
        _unit("N", "force", "1", "newton", "newtons"),
        _unit("dpi", "resolution", "1", "dot per inch", "dots per inch"),
        _unit("", "count", "1", "", ""),
    )
}

# What a customer may say in place of the table's unit: near in size, so that the number stays a human one.
SPOKEN: dict[str, tuple[str, ...]] = {
    "g": ("oz", "lb"),
    "kg": ("lb",),
    "cm": ("in",),
    "mm": ("cm", "in"),
    "m": ("ft", "cm"),
    "ml": ("fl oz", "l"),
    "l": ("ml",),
    "h": ("min",),
    "GB": ("TB",),
    "TB": ("GB",),
    "years": ("months",),
}

_BY_SPELLING: dict[str, Unit] = {}
for _entry in UNITS.values():
    for _spelling in (_entry.name, *_entry.words):
        _BY_SPELLING.setdefault(_spelling.lower(), _entry)
_BY_SPELLING["lbs"] = UNITS["lb"]


def unit_named(text: str) -> Unit | None:
    """The unit of a spelling, letter case apart, or None.

    >>> unit_named("pounds").name
    'lb'
    """
    return _BY_SPELLING.get(text.strip().lower())


def convert(amount: Fraction, source: str, target: str) -> Fraction:
    """The same quantity in another unit, exactly.

    >>> convert(Fraction(1, 2), "lb", "g")
    Fraction(45359237, 200000)
    """
    return amount * UNITS[source].factor / UNITS[target].factor


def decimal_text(amount: Fraction) -> str:
    """A terminating decimal without trailing zeros; thousands are not grouped.

    >>> decimal_text(Fraction(3, 2)), decimal_text(Fraction(40))
    ('1.5', '40')
    """
    if amount.denominator == 1:
        return str(amount.numerator)
    scaled, places = amount, 0
    while scaled.denominator != 1:
        scaled, places = scaled * 10, places + 1
        if places > 12:
            raise ValueError(f"{amount} is not a short decimal")
    digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
    return ("-" if amount < 0 else "") + digits[:-places] + "." + digits[-places:]
