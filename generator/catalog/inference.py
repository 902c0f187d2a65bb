"""What the cells of a detail are: numbers with a unit, yes or no, a choice among few values, or text."""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.importers.measures import Column, Measure, read_measure
from ecomrlve.generator.catalog.importers.prices import convention_of
from ecomrlve.generator.catalog.importers.tables import words
from ecomrlve.generator.catalog.importers.values import spellings
from ecomrlve.grammars.conditions.attributes import Attribute
from ecomrlve.grammars.conditions.units import UNITS, convert

MOST_CHOICES = 40
"""Most different values of a choice; options that buyers pick may have more."""
LONGEST_CHOICE = 30
_AGREE = 0.95
_FINEST = 2
_LARGEST = 2**31 - 1


@dataclass(slots=True)
class Cells:
    """All cells of one detail: the place of its product's type, the neutral text, and whether buyers pick it."""

    kinds: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    picked: list[bool] = field(default_factory=list)

    def add(self, kind: int, text: str, picked: bool) -> int:
        """Add a cell; returns its place."""
        self.kinds.append(kind)
        self.texts.append(text)
        self.picked.append(picked)
        return len(self.texts) - 1


class Codes(Mapping[int, int]):
    """Place of a cell to its code, kept in two arrays: a shop may have millions of cells.

    >>> codes = Codes({7: 1, 2: 0})
    >>> dict(codes), codes[7], len(codes)
    ({2: 0, 7: 1}, 1, 2)
    """

    def __init__(self, codes: Mapping[int, int]) -> None:
        self._places = array("q", sorted(codes))
        self._codes = array("q", (codes[place] for place in self._places))

    def __getitem__(self, place: int) -> int:
        at = bisect_left(self._places, place)
        if at == len(self._places) or self._places[at] != place:
            raise KeyError(place)
        return self._codes[at]

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def items(self) -> ItemsView[int, int]:
        """Each place with its code, without looking one up for the other."""
        return _Pairs(self)


class _Pairs(ItemsView[int, int]):
    _mapping: Codes

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._mapping._places, self._mapping._codes, strict=True)


@dataclass(slots=True)
class Inferred:
    """One attribute and the code of each cell that it covers.

    Args:
        attribute: with a label that is not yet unique in the shop.
        codes: place of the cell to code.
        kinds: places of the types that have it.
    """

    attribute: Attribute
    codes: Mapping[int, int]
    kinds: tuple[int, ...]


@dataclass(slots=True)
class Finding:
    """What a detail came to: attributes, one for each way its cells are written, and notes for the report."""

    found: list[Inferred] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def infer(column: Column, cells: Cells, nouns: Sequence[str]) -> Finding:
    """Infer what a detail is from its cells.

    Types may write it differently ("2 l" for kettles, "4 cups" for coffee makers), so each says first how its own
    cells read, and those that read alike become one attribute.

    Args:
        column: what the name tells.
        cells: all of them.
        nouns: of the types, for labels that must be told apart.

    >>> from ecomrlve.generator.catalog.importers.mapping import Hints
    >>> from ecomrlve.generator.catalog.importers.measures import column_named
    >>> cells = Cells([0] * 4, ["8GB", "16GB", "8 GB", "1TB"], [False] * 4)
    >>> attribute = infer(column_named("Ram", Hints()), cells, ["laptop"]).found[0].attribute
    >>> attribute.label, attribute.kind, attribute.unit, attribute.text(8)
    ('RAM', 'number', 'GB', '8 GB')
    """
    finding = Finding()
    if not any(cells.picked) and _says_little(column, cells, finding):
        return finding
    convention = convention_of(dict.fromkeys(cells.texts))
    measures = {text: _with_unit(read_measure(text, convention), column) for text in dict.fromkeys(cells.texts)}
    by_kind: dict[int, list[int]] = {}
    for place, kind in enumerate(cells.kinds):
        by_kind.setdefault(kind, []).append(place)
    groups: dict[tuple[str, str], list[int]] = {}
    for kind, places in sorted(by_kind.items()):
        groups.setdefault(_vote(column, cells, places, measures), []).append(kind)
    _part_by_unit(groups, by_kind, cells, measures)
    largest = max(sum(len(by_kind[kind]) for kind in kinds) for kinds in groups.values())
    for (form, _), kinds in sorted(groups.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        places = [place for kind in kinds for place in by_kind[kind]]
        picked = any(cells.picked[place] for place in places)
        if not picked and len(places) * 100 < largest:
            finding.notes.append(f"{len(places)} cells are written unlike the rest and left out")
        elif form == "number":
            _add_number(finding, column, cells, places, measures, kinds)
        elif form == "boolean":
            _add_boolean(finding, column, cells, places, kinds)
        else:
            _add_choice(finding, column, cells, by_kind, kinds)
    _tell_apart(finding, column, nouns)
    return finding


def _says_little(column: Column, cells: Cells, finding: Finding) -> bool:
    why = column.why_not
    distinct = set(cells.texts)
    if not why and len(distinct) == 1 and len(cells.texts) >= 20:
        why = f"it is {cells.texts[0]!r} everywhere"
    if not why and len(cells.texts) >= 20 and len(distinct) > 0.9 * len(cells.texts):
        digits = [text for text in distinct if text.isdigit() and len(text) >= 6]
        if len(digits) > 0.9 * len(distinct):
            why = "its numbers look like codes"
    if why:
        finding.notes.append(f"left out: {why}")
    return bool(why)


def _with_unit(measure: Measure | None, column: Column) -> Measure | None:
    if measure is not None and not measure.unit and column.known.unit:
        return Measure(measure.number, column.known.unit)
    return measure


def _yes_or_no(text: str) -> int | None:
    low = text.lower()
    return 1 if low in words()["words"]["yes"] else 0 if low in words()["words"]["no"] else None


def _vote(column: Column, cells: Cells, places: list[int], measures: dict[str, Measure | None]) -> tuple[str, str]:
    """How the cells of one type read: ("number", dimension), ("boolean", "") or ("words", "")."""
    picked = any(cells.picked[place] for place in places)
    needed = len(places) if picked else _AGREE * len(places)
    texts = [cells.texts[place] for place in places]
    if sum(_yes_or_no(text) is not None for text in texts) >= needed:
        return "boolean", ""
    dimensions = Counter(UNITS[measure.unit].dimension for text in texts if (measure := measures[text]) is not None)
    if dimensions:
        dimension, count = max(dimensions.items(), key=lambda entry: (entry[1], entry[0]))
        names = dimension == "count" and (column.known.nominal or (picked and not column.label.endswith("s")))
        if count >= needed and not names and not (picked and _collide(texts, measures)):
            return "number", dimension
    return "words", ""


def _part_by_unit(
    groups: dict[tuple[str, str], list[int]],
    by_kind: dict[int, list[int]],
    cells: Cells,
    measures: dict[str, Measure | None],
) -> None:
    """Part types whose numbers would look odd in the unit of the others: a hose of 50 feet beside boards in inches."""
    for (form, dimension), kinds in list(groups.items()):
        if form != "number":
            continue
        units = {kind: _usual_unit(by_kind[kind], cells, measures) for kind in kinds}
        sizes = Counter(
            {unit: sum(len(by_kind[kind]) for kind in kinds if units[kind] == unit) for unit in units.values()}
        )
        usual = max(sizes.items(), key=lambda entry: (entry[1], entry[0]))[0]
        for kind in kinds:
            factor = UNITS[units[kind]].factor / UNITS[usual].factor
            numbers = sorted(
                measure.number for place in by_kind[kind] if (measure := measures[cells.texts[place]]) is not None
            )
            middle = Fraction(numbers[len(numbers) // 2]) * factor
            if units[kind] != usual and not Fraction(1, 10) <= abs(middle) <= 150:
                groups[form, dimension].remove(kind)
                groups.setdefault((form, f"{dimension} {units[kind]}"), []).append(kind)


def _usual_unit(places: list[int], cells: Cells, measures: dict[str, Measure | None]) -> str:
    counted = Counter(measure.unit for place in places if (measure := measures[cells.texts[place]]) is not None)
    return max(counted.items(), key=lambda entry: (entry[1], entry[0]))[0]


def _collide(texts: list[str], measures: dict[str, Measure | None]) -> bool:
    """Whether different options would become one number, or need more digits than numbers keep."""
    bases: dict[Fraction, str] = {}
    for text in texts:
        measure = measures[text]
        if measure is None or -int(measure.number.as_tuple().exponent) > _FINEST:
            return True
        base = Fraction(measure.number) * UNITS[measure.unit].factor
        if bases.setdefault(base, text.lower()) != text.lower():
            return True
    return False


def _add_number(
    finding: Finding,
    column: Column,
    cells: Cells,
    places: list[int],
    measures: dict[str, Measure | None],
    kinds: list[int],
) -> None:
    read = {place: measure for place in places if (measure := measures[cells.texts[place]]) is not None}
    unit = Counter(measure.unit for measure in read.values()).most_common(1)[0][0]
    picked = any(cells.picked[place] for place in places)
    numbers: dict[int, Decimal] = {}
    for place, measure in read.items():
        if UNITS[measure.unit].dimension != UNITS[unit].dimension:
            continue
        number = measure.number if measure.unit == unit else _converted(measure, unit)
        numbers[place] = (
            number if number == number.to_integral_value() else number.quantize(Decimal("0.01"), ROUND_HALF_EVEN)
        )
    unread = len(places) - len(read)
    del read
    if not picked:
        numbers = _without_placeholder(numbers, UNITS[unit].dimension, finding)
    decimals = max((_places(number) for number in set(numbers.values())), default=0)
    codes = {place: int(number * 10**decimals) for place, number in numbers.items()}
    del numbers
    for place in [place for place, code in codes.items() if not -_LARGEST <= code <= _LARGEST]:
        del codes[place]
    if unread:
        finding.notes.append(f"{unread} cells are no plain numbers and left out")
    attribute = Attribute("", column.label, "number", unit=unit, decimals=decimals, better=column.known.better)
    if codes:
        finding.found.append(Inferred(attribute, codes, tuple(kinds)))


def _converted(measure: Measure, unit: str) -> Decimal:
    amount = convert(Fraction(measure.number), measure.unit, unit)
    return Decimal(amount.numerator) / Decimal(amount.denominator)


def _places(number: Decimal) -> int:
    return max(0, -int(number.normalize().as_tuple().exponent))


def _without_placeholder(numbers: dict[int, Decimal], dimension: str, finding: Finding) -> dict[int, Decimal]:
    """Leave out a smallest size that stands for "not known": frequent, and far below nearly all others."""
    if dimension not in ("length", "mass", "volume") or len(numbers) < 20:
        return numbers
    least = min(numbers.values())
    rest = sorted(number for number in numbers.values() if number != least)
    frequent = len(numbers) - len(rest) >= 0.05 * len(numbers)
    if frequent and rest and least in (0, 1, -1) and rest[len(rest) // 100] >= 5 * max(least, Decimal("0.1")):
        finding.notes.append(f"{least} stands for unknown in {len(numbers) - len(rest)} cells, which are left out")
        return {place: number for place, number in numbers.items() if number != least}
    return numbers


def _add_boolean(finding: Finding, column: Column, cells: Cells, places: list[int], kinds: list[int]) -> None:
    codes = {place: code for place in places if (code := _yes_or_no(cells.texts[place])) is not None}
    last = column.label.split()[-1].lower()
    table = words()["qualities"]
    quality = last in table["words"] or last.endswith(tuple(table["endings"]))
    yes, no = (
        (f"that is {column.label}", f"that is not {column.label}")
        if quality
        else (f"with {column.label}", f"without {column.label}")
    )
    finding.found.append(Inferred(Attribute("", column.label, "boolean", yes=yes, no=no), codes, tuple(kinds)))


def _add_choice(
    finding: Finding, column: Column, cells: Cells, by_kind: dict[int, list[int]], kinds: list[int]
) -> None:
    spelled = spellings(column.label, (cells.texts[place] for kind in kinds for place in by_kind[kind]))
    uses = Counter(spelled[cells.texts[place]] for kind in kinds for place in by_kind[kind])
    values: dict[str, int] = {}
    codes: dict[int, int] = {}
    taken: list[int] = []
    for kind in kinds:
        chosen = {place: spelled[cells.texts[place]] for place in by_kind[kind]}
        picked = any(cells.picked[place] for place in by_kind[kind])
        if not picked and not _are_choices(set(chosen.values()), uses, 1 if column.expected else 2):
            continue
        taken.append(kind)
        for place, value in chosen.items():
            if value and (picked or len(value) <= LONGEST_CHOICE):
                codes[place] = values.setdefault(value, len(values))
    if len(taken) < len(kinds):
        finding.notes.append("kept as text" if not taken else f"kept as text in {len(kinds) - len(taken)} types")
    if codes:
        attribute = Attribute("", column.label, "choice", tuple(values), column.known.phrases)
        finding.found.append(Inferred(attribute, codes, tuple(taken)))


def _are_choices(values: set[str], uses: Counter[str], least: int) -> bool:
    """Whether values are few, short and used ``least`` times in the mean, so that a customer may ask for one."""
    given = [value for value in values if value]
    short = sum(len(value) <= LONGEST_CHOICE for value in given)
    return (
        bool(given)
        and len(given) <= MOST_CHOICES
        and short >= _AGREE * len(values)
        and sum(uses[value] for value in given) >= least * len(given)
    )


def _tell_apart(finding: Finding, column: Column, nouns: Sequence[str]) -> None:
    """Give attributes that share a name but not a kind labels of their own; the most used one keeps the name."""
    kinds = {one.attribute.kind for one in finding.found}
    taken: set[str] = set()
    for one in sorted(
        finding.found,
        key=lambda one: (_renamed(one, column) == "", -len(one.codes), one.attribute.kind, one.attribute.unit),
    ):
        labels = [column.label]
        dimension = UNITS[one.attribute.unit].dimension if one.attribute.kind == "number" else "type"
        if _renamed(one, column):
            labels = [_renamed(one, column)]
        elif one.attribute.kind == "choice" and "boolean" in kinds:
            labels = [f"{column.label} level"]
        if len(one.kinds) == 1:
            labels.append(f"{nouns[one.kinds[0]]} {column.label}")
        labels += [f"{column.label} {dimension}", f"{column.label} {len(taken) + 1}"]
        label = next(label for label in labels if label not in taken)
        taken.add(label)
        one.attribute = replace(one.attribute, label=label)


def _renamed(one: Inferred, column: Column) -> str:
    """What numbers of this dimension are called under this label, or ""."""
    if one.attribute.kind != "number":
        return ""
    found: str = words()["by_dimension"].get(f"{column.label} {UNITS[one.attribute.unit].dimension}", "")
    return found


def twins(catalog: Catalog) -> NDArray[np.bool_]:
    """Which products are visibly the same as another one: title, details, options and prices, shape (n,).

    Stock is not looked at: a customer cannot know it.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> twins(synthesize(500)).shape
    (500,)
    """
    first: dict[object, int] = {}
    found = np.zeros(len(catalog), dtype=np.bool_)
    kinds = np.repeat(np.arange(len(catalog.types)), np.diff(catalog.type_start)).tolist()
    starts = catalog.variant_start.tolist()
    shown = np.column_stack([catalog.brand, catalog.rating, catalog.reviews, catalog.values]).astype(np.int32)
    for row in range(len(catalog)):
        start, end = starts[row], starts[row + 1]
        title: object = (
            catalog.titles[row].casefold()
            if catalog.titles is not None
            else int(catalog.series[row])
            if catalog.series is not None
            else ""
        )
        order = np.lexsort((*catalog.options[start:end].T, catalog.price[start:end]))
        key = (
            kinds[row],
            title,
            shown[row].tobytes(),
            catalog.price[start:end][order].tobytes(),
            catalog.options[start:end][order].tobytes(),
        )
        other = first.setdefault(key, row)
        if other != row:
            found[other] = found[row] = True
    return found
