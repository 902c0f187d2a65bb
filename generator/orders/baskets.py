"""What each order of a book holds: the lines a task needs, imported lines, and drawn ones."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.imported import ImportedOrder
from ecomrlve.generator.catalog.splits import orders_of_split
from ecomrlve.generator.customers import Customer
from ecomrlve.generator.orders.goods import ProductSampler
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.engine.tables import load_table

# Imported orders looked at to find one for what a task needs.
_LOOKED_AT = 8


@dataclass(frozen=True, slots=True)
class Required:
    """An order that a task needs in a book; what is None is drawn.

    Args:
        variant_row: a variant that the order has a line of.
        placed_days_ago: least and most days since it was placed.
        delivered_days_ago: days since it was delivered, exactly; only for a delivered order.
        state: one of `ecomrlve.generator.orders.dates.STATES`.
        others: further variants that the same order has a line of.
        quantity: units of ``variant_row``.
        final_sale: whether that line is marked so.
        discounted: whether the order has a discount.
    """

    variant_row: int | None = None
    placed_days_ago: tuple[int, int] | None = None
    delivered_days_ago: int | None = None
    state: str = "delivered"
    others: tuple[int, ...] = ()
    quantity: int | None = None
    final_sale: bool | None = None
    discounted: bool | None = None

    @property
    def variants(self) -> tuple[int, ...]:
        """The variants that the order must have, each once."""
        own = () if self.variant_row is None else (self.variant_row,)
        return tuple(dict.fromkeys((*own, *self.others)))


Line = tuple[int, int, int, int, bool]
"""(variant row, product row, quantity, unit price, final sale)."""


@dataclass(slots=True)
class Basket:
    """What goes into one order before it has dates; ``state`` where the source gives one."""

    lines: list[Line]
    state: str | None = None
    source_id: str = ""


class Baskets:
    """Fills the orders of a book.

    Args:
        goods: what the shop sells.
        split: each has imported customers of its own.
        imported: orders of the source.
    """

    def __init__(self, goods: ProductSampler, split: str, imported: Sequence[ImportedOrder]) -> None:
        self.goods = goods
        self._line_counts = list(accumulate(load_table("generator.orders/orders")["lines"]["weights"]))
        self.imported = usable_orders(orders_of_split(imported, split), goods.catalog)
        own: dict[int, list[int]] = {}
        for place, order in enumerate(self.imported):
            own.setdefault(order.customer, []).append(place)
        self._of_customer = [places for _, places in sorted(own.items())]
        self._with_variant: dict[int, list[int]] = {}
        for place, order in enumerate(self.imported):
            for variant, _, _ in order.lines:
                self._with_variant.setdefault(variant, []).append(place)

    def fill(
        self,
        draws: Draws,
        customer: Customer,
        count: int,
        required: Sequence[Required],
        types: Sequence[int],
    ) -> list[Basket]:
        """Baskets of ``count`` orders, those that are required first; drawn lines keep clear of ``types``."""
        named = {row for wish in required for row in wish.variants}
        apart = frozenset(self.goods.product_of(row) for row in named)
        used: set[int] = set()
        found = [self._around(draws, customer, wish, types, apart, used) for wish in required]
        if self.imported and count > len(found):
            found += self._imported_baskets(draws, customer, count - len(found), types, apart, used)
        while len(found) < count:
            found.append(Basket(self._drawn(draws, customer, [], types, apart)))
        return found

    def _around(
        self,
        draws: Draws,
        customer: Customer,
        wish: Required,
        types: Sequence[int],
        apart: frozenset[int],
        used: set[int],
    ) -> Basket:
        """The basket of a required order: its own lines and others beside them, in any order."""
        goods = self.goods
        source = self._imported_around(draws, wish, types, apart, used) if self.imported else None
        lines = [] if source is None else self._lines_of(draws, source, types, apart)
        given = {} if source is None else {variant: (units, price) for variant, units, price in source.lines}
        for row in wish.variants:
            asked = row == wish.variant_row
            final = wish.final_sale if asked and wish.final_sale is not None else goods.is_final_sale(draws)
            price = given[row][1] if row in given else goods.paid(draws, row, final)
            units = given[row][0] if row in given else goods.quantity(draws, price)
            if asked and wish.quantity is not None:
                units = wish.quantity
            lines.append((row, goods.product_of(row), units, price, final))
        if source is None:
            lines = self._drawn(draws, customer, lines, types, apart)
        return Basket(draws.shuffle(lines), source_id="" if source is None else source.source_id)

    def _imported_around(
        self, draws: Draws, wish: Required, types: Sequence[int], apart: frozenset[int], used: set[int]
    ) -> ImportedOrder | None:
        """An imported order in the wished state that has the wished line (any, where none is wished)."""
        known = len(self.imported)
        if wish.variant_row is None:
            places = [draws.below(known) for _ in range(_LOOKED_AT)]
        else:
            places = draws.shuffle(self._with_variant.get(wish.variant_row, ()))
        for place in places:
            order = self.imported[place]
            if place not in used and order.state in ("", wish.state):
                if not wish.variants and not self._lines_of(draws, order, types, apart):
                    continue
                used.add(place)
                return order
        return None

    def _lines_of(self, draws: Draws, order: ImportedOrder, types: Sequence[int], apart: frozenset[int]) -> list[Line]:
        """The lines of an imported order that are neither of ``types`` nor of the products ``apart``."""
        goods = self.goods
        return [
            (variant, row, quantity, price, goods.is_final_sale(draws))
            for variant, quantity, price in order.lines
            if (row := goods.product_of(variant)) not in apart and goods.type_of(row) not in types
        ]

    def _drawn(
        self, draws: Draws, customer: Customer, lines: list[Line], types: Sequence[int], apart: frozenset[int]
    ) -> list[Line]:
        goods = self.goods
        wanted = bisect_right(self._line_counts, draws.below(self._line_counts[-1])) + 1
        taken = {line[0] for line in lines}
        while len(lines) < wanted:
            if lines:
                found = goods.further(draws, customer, lines[0][1], taken, types, apart)
                if found is None:
                    break
            else:
                found = goods.first(draws, customer, types, apart)
            variant, row = found
            taken.add(variant)
            final = goods.is_final_sale(draws)
            price = goods.paid(draws, variant, final)
            lines.append((variant, row, goods.quantity(draws, price), price, final))
        return lines

    def _imported_baskets(
        self,
        draws: Draws,
        customer: Customer,
        count: int,
        types: Sequence[int],
        apart: frozenset[int],
        used: set[int],
    ) -> list[Basket]:
        """Up to ``count`` imported orders: those of the customer's counterpart first, then of anyone."""
        own = self._of_customer[customer.number % len(self._of_customer)]
        anyone = [draws.below(len(self.imported)) for _ in range(2 * count)]
        found: list[Basket] = []
        for place in dict.fromkeys((*draws.shuffle(own), *anyone)):
            order = self.imported[place]
            lines = [] if place in used else self._lines_of(draws, order, types, apart)
            if lines:
                found.append(Basket(lines, order.state or None, order.source_id))
                if len(found) == count:
                    break
        return found


def usable_orders(orders: Sequence[ImportedOrder], catalog: Catalog) -> tuple[ImportedOrder, ...]:
    """Imported orders with lines that can be shown: units of one variant counted together, states in our words.

    A line of no units, without a price or of an unknown variant is left out; a state that the table does not know
    becomes ``""``.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> order = ImportedOrder("#W1", 0, ((4, 1, 1999), (4, 2, 1999)), "Return_Requested")
    >>> usable_orders([order], synthesize(500))[0]
    ImportedOrder(source_id='#W1', customer=0, lines=((4, 3, 1999),), state='delivered')
    """
    states = load_table("generator.orders/orders")["state"]["words"]
    words = {word: state for state, known in states.items() for word in known}
    found = []
    for order in orders:
        units: dict[int, tuple[int, int]] = {}
        for variant, quantity, price in order.lines:
            if 0 <= variant < catalog.variants and quantity > 0 and price > 0:
                known = units.get(variant)
                # Two lines of one variant are one line, at the price of the first.
                units[variant] = (quantity, price) if known is None else (known[0] + quantity, known[1])
        if units:
            lines = tuple((variant, *rest) for variant, rest in units.items())
            state = words.get(" ".join(order.state.lower().replace("_", " ").split()), "")
            found.append(ImportedOrder(order.source_id, order.customer, lines, state))
    return tuple(found)
