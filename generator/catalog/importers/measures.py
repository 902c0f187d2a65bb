"""Numbers with units as cells write them, and the labels of columns."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.neutral import SHORT, neutral
from ecomrlve.generator.catalog.importers.nouns import cased
from ecomrlve.generator.catalog.importers.prices import Convention, number_of
from ecomrlve.generator.catalog.importers.tables import Label, labels, plain, unit_spellings, words

_MEASURE = re.compile(
    r"^(?P<sign>[-−]?)(?P<number>\d+(?:[.,]\d+)*|[.,]\d+)\s*-?\s*(?P<unit>[^\d\s.,+\-][^\d+]{0,30})?$"
)
# Signs that mean a unit in one letter case only: "5M" is no length and "4G" no weight.
_ONE_CASE = {"m", "g", "s", "h", "N", "K"}
_LEAST_KELVIN = 1000

_UNIT_SUFFIX = re.compile(
    r"^(?P<name>.+?)(?:\s*[(\[]\s*(?:in\s+)?(?P<marked>[^()\[\]]{1,15})\s*[)\]]|[\s_]+(?:in[\s_]+)?(?P<bare>[^\s_()]{1,6}))\s*$"
)
_SUFFIXES = frozenset(
    [
        "cm",
        "mm",
        "m",
        "in",
        "inch",
        "inches",
        "ft",
        "kg",
        "g",
        "grams",
        "lb",
        "lbs",
        "oz",
        "ml",
        "l",
        "liters",
        "litres",
        "gb",
        "tb",
        "mah",
        "w",
        "watts",
        "v",
        "hz",
        "ghz",
        "mp",
        "db",
        "lm",
        "min",
        "hours",
        "days",
        "months",
        "years",
        "kcal",
        "rpm",
        "bar",
        "percent",
        "pct",
    ]
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number and its unit, ``""`` where the cell gives none."""

    number: Decimal
    unit: str


def read_measure(text: str, convention: Convention) -> Measure | None:
    """Read a cell that holds one number, with or without a unit.

    >>> (
    ...     read_measure("1.37kg", Convention()),
    ...     read_measure("13-inch", Convention()),
    ...     read_measure("15.6", Convention()).unit,
    ... )
    (Measure(number=Decimal('1.37'), unit='kg'), Measure(number=Decimal('13'), unit='in'), '')
    >>> (
    ...     read_measure("4K", Convention()),
    ...     read_measure("55-75 lbs", Convention()),
    ...     read_measure("256GB SSD", Convention()),
    ... )
    (None, None, None)
    """
    found = _MEASURE.match(text.strip())
    if found is None:
        return None
    unit = ""
    if found["unit"]:
        spelled = found["unit"].strip()
        named = unit_spellings().get(spelled.lower())
        if named is None or (named in _ONE_CASE and len(spelled) == 1 and spelled != named):
            return None
        unit = named
    digits = found["number"]
    number = number_of(f"0{digits}" if digits[0] in ".," else digits, convention)
    if number is None or (unit == "K" and number < _LEAST_KELVIN):
        return None
    return Measure(-number if found["sign"] else number, unit)


@dataclass(frozen=True, slots=True)
class Column:
    """What a detail is called and what is known of it before its values are looked at.

    Args:
        name: of the source.
        label: as the shop shows it.
        known: unit of bare numbers and more.
        why_not: why it can't be a detail that customers ask about, or ``""``.
        expected: whether the tables know it, so that a few values already count as choices.
    """

    name: str
    label: str
    known: Label
    why_not: str = ""
    expected: bool = False


def column_named(name: str, hints: Hints) -> Column:
    """The label of a column, and what its name tells.

    >>> (
    ...     column_named("OpSys", Hints()).label,
    ...     column_named("Depth (cm)", Hints()).known.unit,
    ...     column_named("has_bluetooth", Hints()).label,
    ... )
    ('operating system', 'cm', 'bluetooth')
    >>> (
    ...     column_named("Number of Doors", Hints()).label,
    ...     column_named("Country of Origin", Hints()).label,
    ...     column_named("v", Hints()).why_not,
    ... )
    ('doors', 'origin', 'its name says nothing')
    """
    own = plain(name)
    unit = hints.units.get(own, "")
    known = labels().get(own)
    expected = known is not None or own in hints.labels
    if known is None:
        stripped, suffix = _without_unit(name)
        known = labels().get(plain(stripped))
        if suffix and (known is None or known.unit in ("", suffix)):
            unit = unit or hints.units.get(plain(stripped), "") or suffix
            name_left = stripped
        else:
            name_left = name if known is None else stripped
        known = known or Label(_label_of(name_left))
    if unit:
        known = replace(known, unit=unit)
    label = hints.labels.get(own, known.label)
    label = words()["reserved"].get(label.lower(), label)
    return Column(name, label, known, _why_not(own, label), expected)


def _without_unit(name: str) -> tuple[str, str]:
    found = _UNIT_SUFFIX.match(name.strip())
    if found is None:
        return name, ""
    if found["marked"]:
        unit = unit_spellings().get(found["marked"].strip().lower(), "")
    else:
        bare = found["bare"].lower()
        # "height_in" is in inches; "check in" is no measure.
        certain = (len(bare) > 1 and bare != "in") or name.strip()[: -len(bare)].endswith("_")
        unit = unit_spellings().get(bare, "") if bare in _SUFFIXES and certain else ""
    return (found["name"], unit) if unit else (name, "")


def _label_of(name: str) -> str:
    """A label out of a header: words in lower case, without marks, numbers and joining words."""
    split = name if name.isupper() else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    text = neutral(split.replace("_", " ").replace("/", " ").replace("-", " "), 60)
    text = re.sub(r"[^\w\s'&%+]|\d{3,}", " ", text)
    text = cased(" ".join(text.split()))
    text = re.sub(r"^(?:is|has|have|with|does it have)\s+(?=\S)", "", text, flags=re.IGNORECASE)
    text = re.sub(r"^(?:number|no|nr|num|count|amount|total) of\s+(?=\S)", "", text, flags=re.IGNORECASE)
    found = re.match(r"^(\S+(?: \S+)?) of (?:the )?(\S.*)$", text)
    if found:
        text = f"{found[2]} {found[1]}"
    text = re.sub(r"\b(?:and|or|with|in|not)\b|&", " ", text)
    return neutral(" ".join(text.split()), SHORT)


_CODE = re.compile(
    r"(?:^| )(?:id|ids|code|url|link|uuid|hash|sku|no|nr|slug|path|timestamp|lat|lon|latitude|longitude)$"
)


def _why_not(own: str, label: str) -> str:
    if len(re.sub(r"[\W\d_]", "", label)) < 2:
        return "its name says nothing"
    if _CODE.search(own):
        return "it is a code"
    if len(label.split()) > 5:
        return "its name is too long to be said"
    return ""


def unit_in_texts(rows: Iterable[tuple[tuple[str, ...], str]], least: int = 20) -> str:
    """The unit of bare lengths that descriptions of the same products give with their unit, or "".

    Args:
        rows: (bare numbers, description) of each product.
        least: agreeing products needed.

    >>> unit_in_texts([(("38",), "Bracket, 38 cm"), (("120", "60"), "Table, 120x60 cm")], least=2)
    'cm'
    """
    counted: dict[str, int] = {}
    for numbers, text in rows:
        for found in _SIZES.finditer(text):
            unit = unit_spellings().get(found["unit"].lower(), "")
            if unit and set(re.findall(r"[\d.]+", found["sizes"])) & set(numbers):
                counted[unit] = counted.get(unit, 0) + 1
                break
    if not counted:
        return ""
    unit, count = max(counted.items(), key=lambda entry: (entry[1], entry[0]))
    return unit if count >= least and count >= 0.9 * sum(counted.values()) else ""


_SIZES = re.compile(r"(?P<sizes>\d[\d.]*(?:\s?[x×/]\s?\d[\d.]*)*)\s?(?P<unit>cm|mm|m|in|inches|ft)\b", re.IGNORECASE)
