"""Past orders of a customer: lines, money and dates, around the lines that a task needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.imported import ImportedOrder
from ecomrlve.generator.customers import Customer
from ecomrlve.generator.identifiers import mint
from ecomrlve.generator.orders.baskets import Basket, Baskets, Required
from ecomrlve.generator.orders.calendar import Calendar
from ecomrlve.generator.orders.dates import STATES, Dates, OrderDates
from ecomrlve.generator.orders.goods import ProductSampler, delivery_charges
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.engine.tables import load_table

__all__ = ["Order", "OrderBook", "OrderLine", "OrderMaker", "Required", "delivery_charges"]

_CACHED = 1 << 16
_NUMBERS = 1 << 24
LEAST_SPAN = 30
MOST_SPAN = 730


@dataclass(frozen=True, slots=True)
class OrderLine:
    """One line of an order.

    Args:
        line_id: minted.
        variant_row: in the catalog.
        product_row: in the catalog.
        title: of the product.
        options: as shown, such as ``"charcoal / M"``; ``""`` where the buyer picks nothing.
        quantity: units bought.
        unit_price: what was paid for one, minor units, before the order's discount.
        final_sale: whether the line is marked so.
        return_class: of the product's type.
    """

    line_id: str
    variant_row: int
    product_row: int
    title: str
    options: str
    quantity: int
    unit_price: int
    final_sale: bool
    return_class: str


@dataclass(frozen=True, slots=True)
class Order:
    """One order.

    Args:
        order_id: minted.
        placed: the day it was placed.
        lines: at least one; no two are of one variant.
        discount: taken on the whole order, minor units, less than the lines come to.
        discount_name: what for; ``""`` where there is none.
        shipping: delivery charge, minor units.
        state: one of `ecomrlve.generator.orders.dates.STATES`.
        shipped: the day it left, a business day.
        delivered: the day it came.
        promised: the day by which it was promised; None on a cancelled order.
        source_id: the source's identifier of an imported order.
    """

    order_id: str
    placed: date
    lines: tuple[OrderLine, ...]
    discount: int
    discount_name: str
    shipping: int
    state: str
    shipped: date | None
    delivered: date | None
    promised: date | None
    source_id: str = ""

    @property
    def subtotal(self) -> int:
        """What the lines come to, minor units."""
        return sum(line.quantity * line.unit_price for line in self.lines)

    @property
    def total(self) -> int:
        """What was paid, minor units."""
        return self.subtotal - self.discount + self.shipping


@dataclass(frozen=True, slots=True)
class OrderBook:
    """A customer's orders, the newest last.

    Args:
        orders: no two were placed on one day.
        places: for each required order its place in ``orders``, and the place of its ``variant_row`` among its lines
            (0 where it names none).
    """

    orders: tuple[Order, ...]
    places: tuple[tuple[int, int], ...]


class OrderMaker:
    """Draws order books; built once per world, a pure function of the draws afterwards.

    Args:
        catalog: the shop.
        today: the world's day; books can be drawn for days up to 90 days from it.
        split: whose identifiers to mint, and whose imported customers are meant; the catalog's own where None.
        imported: orders of the source, whose lines are taken in place of drawn ones.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> from ecomrlve.generator.customers import customer_pool
    >>> shop = synthesize(500)
    >>> maker = OrderMaker(shop, date(2026, 3, 11))
    >>> wish = Required(delivered_days_ago=20)
    >>> book = maker.book(Draws(0, "orders"), customer_pool(0, "train", shop, 1)[0], maker.today, 3, required=[wish])
    >>> book.orders[book.places[0][0]].delivered
    datetime.date(2026, 2, 19)
    """

    def __init__(
        self,
        catalog: Catalog,
        today: date,
        *,
        split: str | None = None,
        imported: Sequence[ImportedOrder] | None = None,
    ) -> None:
        table = load_table("generator.orders/orders")
        self.catalog = catalog
        self.today = today
        self.split = catalog.split if split is None else split
        self.goods = ProductSampler(catalog)
        self._dates = OrderDates(Calendar(today))
        self._discount = table["discount"]
        names = self._discount["name"]
        self._discount_names = [
            [name["text"] for name in names if month in name.get("months", range(1, 13))] for month in range(1, 13)
        ]
        self._delivery = delivery_charges(catalog.currency)
        self._speeds = [kind.shipping_class for kind in catalog.types]
        self._texts: dict[int, tuple[str, str, str]] = {}
        self._baskets = Baskets(self.goods, self.split, imported or ())

    @property
    def drawn(self) -> tuple[str, ...]:
        """What the source of imported orders lacks and is drawn, in words, for the world's card."""
        if not self._baskets.imported:
            return ("orders",)
        return ("order dates", "discounts and delivery charges of orders", "final sale marks of order lines")

    def book(
        self,
        draws: Draws,
        customer: Customer,
        today: date,
        count: int,
        *,
        span_days: int = 150,
        required: Sequence[Required] = (),
        avoid_types: Sequence[int] = (),
    ) -> OrderBook:
        """Draw a customer's orders.

        A variant or product that ``required`` names is on no other line.

        Args:
            draws: where the numbers come from.
            customer: whose orders; sizes are mostly theirs.
            today: the day; nothing is dated later but promises.
            count: how many orders, at least as many as are required.
            span_days: the oldest order is about this old where nothing else is required.
            required: orders that must be among them.
            avoid_types: places of product types that no drawn line may have.

        Raises:
            InvalidArgument: where the dates that are required contradict each other.
            CatalogError: where the shop has no product beside those required and avoided.
        """
        self._check(today, count, span_days, required)
        baskets = self._baskets.fill(draws, customer, count, required, avoid_types)
        dated = self._dated(draws, baskets, required, today.toordinal(), span_days)
        ranked = sorted(range(count), key=lambda place: dated[place].placed)
        taken: tuple[set[int], set[int]] = (set(), set())
        orders = []
        for place in ranked:
            discounted = required[place].discounted if place < len(required) else None
            orders.append(self._order(draws, baskets[place], dated[place], discounted, taken))
        places = []
        for number, wish in enumerate(required):
            at = ranked.index(number)
            rows = [line.variant_row for line in orders[at].lines]
            places.append((at, 0 if wish.variant_row is None else rows.index(wish.variant_row)))
        return OrderBook(tuple(orders), tuple(places))

    def _check(self, today: date, count: int, span_days: int, required: Sequence[Required]) -> None:
        if count < max(1, len(required)):
            raise InvalidArgument("count", count, f"must be at least {max(1, len(required))}: one per required order")
        if not max(LEAST_SPAN, 2 * count) <= span_days <= MOST_SPAN:
            rule = f"must lie between {LEAST_SPAN} (or twice the count) and {MOST_SPAN}"
            raise InvalidArgument("span_days", span_days, rule)
        if not self._dates.calendar.covers(today):
            raise InvalidArgument("today", today.isoformat(), f"must be within 90 days of {self.today.isoformat()}")
        for wish in required:
            if wish.state not in STATES:
                raise InvalidArgument("state", wish.state, f"must be one of {', '.join(STATES)}")

    def _dated(
        self, draws: Draws, baskets: list[Basket], required: Sequence[Required], today: int, span_days: int
    ) -> list[Dates]:
        """Dates of each basket, those that are required first."""
        taken: set[int] = set()
        found = []
        for place, basket in enumerate(baskets):
            kinds = [self.goods.type_of(line[1]) for line in basket.lines]
            speed = self._dates.slowest(self._speeds[kind] for kind in kinds)
            if place < len(required):
                wish = required[place]
                ago, delivered = wish.placed_days_ago, wish.delivered_days_ago
                dates = self._dates.required(draws, speed, today, span_days, taken, wish.state, ago, delivered)
            elif basket.state is not None:
                dates = self._dates.required(draws, speed, today, span_days, taken, basket.state, None, None)
            else:
                dates = self._dates.free(draws, speed, today, span_days, taken)
            taken.add(dates.placed)
            found.append(dates)
        return found

    def _order(
        self, draws: Draws, basket: Basket, dates: Dates, discounted: bool | None, taken: tuple[set[int], set[int]]
    ) -> Order:
        mine = self.catalog.key
        subtotal = sum(line[2] * line[3] for line in basket.lines)
        day = self._dates.calendar.date_of
        discount, name = 0, ""
        if draws.below(1000) < self._discount["per_thousand"] if discounted is None else discounted:
            discount = max(subtotal * draws.choice(self._discount["percent"]) // 100, int(subtotal > 1))
            name = draws.choice(self._discount_names[day(dates.placed).month - 1]) if discount else ""
        fee = 0 if subtotal - discount >= self._delivery["free_from"] else self._delivery[dates.speed]
        lines = []
        for variant, row, quantity, price, final in basket.lines:
            texts = self._texts.get(variant) or self._keep_texts(variant, row)
            number = _number(draws, taken[1])
            lines.append(
                OrderLine(
                    mint("line", number, self.split, mine),
                    variant,
                    row,
                    texts[0],
                    texts[1],
                    quantity,
                    price,
                    final,
                    texts[2],
                )
            )
        return Order(
            mint("order", _number(draws, taken[0]), self.split, mine),
            day(dates.placed),
            tuple(lines),
            discount,
            name,
            fee,
            dates.state,
            None if dates.shipped is None else day(dates.shipped),
            None if dates.delivered is None else day(dates.delivered),
            None if dates.promised is None else day(dates.promised),
            basket.source_id,
        )

    def _keep_texts(self, variant: int, row: int) -> tuple[str, str, str]:
        """Title, options and return class of a variant; the memory is bounded."""
        if len(self._texts) >= _CACHED:
            self._texts.clear()
        catalog = self.catalog
        kind = catalog.types[self.goods.type_of(row)]
        found = (catalog.title(row), catalog.option_text(variant, row), kind.return_class)
        self._texts[variant] = found
        return found

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_texts": {}}


def _number(draws: Draws, taken: set[int]) -> int:
    number = draws.below(_NUMBERS)
    while number in taken:
        number = draws.below(_NUMBERS)
    taken.add(number)
    return number
