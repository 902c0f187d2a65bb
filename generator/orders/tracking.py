"""Finding the order, or the line of one, that a description means: what each thing said is true of."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

from ecomrlve.generator.orders.references import has_words
from ecomrlve.generator.orders.shipments import Parcel, Shipment, SoldLine
from ecomrlve.grammars.dialogue.references import OrderReference, stems
from ecomrlve.grammars.engine.grammar import words

Mark = tuple[str, Any]
"""One thing said: ``("name", text)``, ``("look", text)``, ``("maker", text)``, ``("price", minor units)``, each of a
line, or ``("order", reference)``."""

_PLACES = {"last": 1, "before last": 2, "third last": 3}


class Found(NamedTuple):
    """A line of an order, with its parcel."""

    shipment: Shipment
    parcel: Parcel
    line: SoldLine


def is_shipment(reference: OrderReference, place: int, shipment: Shipment, count: int) -> bool:
    """Whether a reference is true of an order.

    Args:
        reference: as said, or as heard (names by their words).
        place: of the order, counted from the oldest.
        shipment: the order.
        count: how many orders there are.
    """
    kind = reference[0]
    if kind in _PLACES:
        return place == count - _PLACES[kind]
    if kind == "total":
        return bool(shipment.total == reference[1])
    if kind in ("gift", "destination"):
        name = shipment.recipient if kind == "gift" else shipment.city
        heard = words(reference[1]) if isinstance(reference[1], str) else reference[1]
        return bool(name) and words(name) == heard
    day = date.fromordinal(shipment.placed[0])
    return (day.year, day.month) == reference[1:] if kind == "month" else bool(day == reference[1])


def lacking(marks: Sequence[Mark], line: SoldLine) -> list[Mark]:
    """What is said of a line and not true of this one."""
    found = []
    for mark in marks:
        kind, value = mark
        if kind == "price":
            if line.unit_price != value:
                found.append(mark)
        elif kind != "order" and not has_words(stems(value), line):
            found.append(mark)
    return found


def lines_of(shipment: Shipment) -> Iterator[Found]:
    """The lines of an order with their parcels."""
    for parcel in shipment.parcels:
        for line in parcel.lines:
            yield Found(shipment, parcel, line)


def lacks(
    marks: Sequence[Mark], about: str, shipments: Sequence[Shipment]
) -> list[tuple[Shipment, Found | None, list[Mark]]]:
    """Everything that can be asked about, with what is said and not true of it.

    Args:
        marks: what is said.
        about: ``"line"``: each line can be meant; ``"order"``: each order, by the line that lacks least.
        shipments: the orders, the newest last.
    """
    references = [mark for mark in marks if mark[0] == "order"]
    of_line = [mark for mark in marks if mark[0] != "order"]
    found: list[tuple[Shipment, Found | None, list[Mark]]] = []
    for place, shipment in enumerate(shipments):
        off = [mark for mark in references if not is_shipment(mark[1], place, shipment, len(shipments))]
        missing = [(line, lacking(of_line, line.line)) for line in lines_of(shipment)]
        if about == "line":
            found += [(shipment, line, [*off, *more]) for line, more in missing]
        else:
            least = min((more for _, more in missing), key=len)
            found.append((shipment, None, [*off, *least]))
    return found
