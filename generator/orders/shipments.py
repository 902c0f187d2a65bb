"""Orders on their way: what was bought comes from an `ecomrlve.generator.orders.book.Order`, the rest is drawn.

Days are ordinals, times of day minutes after midnight.
"""

from dataclasses import dataclass
from typing import Protocol

from ecomrlve.generator.orders.promises import Event, ParcelFacts


class SoldLine(Protocol):
    """A line of an order, drawn or shown."""

    @property
    def line_id(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def options(self) -> str: ...  # noqa: D102
    @property
    def quantity(self) -> int: ...  # noqa: D102
    @property
    def unit_price(self) -> int: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Parcel:
    """Lines that travel together.

    Args:
        lines: of the order, at least one.
        service: that brings them.
        on_order: identifiers of the lines that are on back order.
        events: what happened, oldest first.
    """

    lines: tuple[SoldLine, ...]
    service: str
    on_order: frozenset[str]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Shipment:
    """An order on its way.

    Args:
        order_id: of the order.
        placed: day and minute.
        paid: day and minute, or None.
        total: what was paid, minor units.
        city: where it goes.
        zone: of the city.
        recipient: whom it is a gift for, or ``""``.
        wrapped: whether the gift is wrapped.
        parcels: at least one.
    """

    order_id: str
    placed: tuple[int, int]
    paid: tuple[int, int] | None
    total: int
    city: str
    zone: int
    recipient: str
    wrapped: bool
    parcels: tuple[Parcel, ...]

    @property
    def lines(self) -> tuple[SoldLine, ...]:
        """The lines of all parcels."""
        return tuple(line for parcel in self.parcels for line in parcel.lines)

    def facts(self, parcel: Parcel, denied: bool = False) -> ParcelFacts:
        """What the rules ask of one of its parcels."""
        return ParcelFacts(
            self.placed,
            self.paid,
            self.wrapped,
            bool(parcel.on_order),
            self.zone,
            parcel.service,
            parcel.events,
            denied,
        )
