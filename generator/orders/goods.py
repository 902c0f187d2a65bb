"""What past orders hold: products by their sales, things that go together, quantities and the prices paid."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.customers import Customer, size_groups
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.engine.tables import load_table

TRIES = 8
"""Draws for one more line of an order before it goes without."""
# A line comes to this many times the order value from which delivery is free, or is of one unit.
_DEAR = 8
NOTHING: frozenset[int] = frozenset()


class ProductSampler:
    """Draws products and variants of a shop; built once per world.

    Args:
        catalog: the shop.
    """

    def __init__(self, catalog: Catalog) -> None:
        table = load_table("generator.orders/orders")
        self.catalog = catalog
        self.starts: list[int] = catalog.type_start.tolist()
        self._sales = catalog.sales
        totals = self._sales.tolist()[-1:] or [0]
        self.sold = [int(self._sales[start - 1]) if start else 0 for start in self.starts[:-1]] + totals
        self.companions = _companions(catalog)
        self.sizes = size_groups(catalog)
        self._wanted: dict[int, tuple[object, dict[int, tuple[int, int]]]] = {}
        self._goes_together: int = table["lines"]["complement_per_thousand"]
        self._own_size: int = table["lines"]["size_per_thousand"]
        self._dear = _DEAR * delivery_charges(catalog.currency)["free_from"]
        self._quantities = list(accumulate(table["quantity"]["weights"]))
        price = table["price"]
        self._final_sale: int = price["final_sale_per_thousand"]
        self._final_off: list[int] = price["final_sale_off"]
        self._sale: int = price["sale_per_thousand"]
        self._sale_off: list[int] = price["sale_off"]

    def type_of(self, row: int) -> int:
        """The type of a product row."""
        return bisect_right(self.starts, row) - 1

    def product_of(self, variant: int) -> int:
        """The product row of a variant row."""
        return int(self.catalog.variant_start.searchsorted(variant, "right")) - 1

    def quantity(self, draws: Draws, price: int) -> int:
        """Units on a line; of dear things people buy one."""
        units = bisect_right(self._quantities, draws.below(self._quantities[-1])) + 1
        return units if units * price <= self._dear else max(1, self._dear // price)

    def is_final_sale(self, draws: Draws) -> bool:
        """Whether a line is sold for good."""
        return draws.below(1000) < self._final_sale

    def paid(self, draws: Draws, variant: int, final_sale: bool) -> int:
        """What was paid for a unit: today's price, or less where it was bought in a sale."""
        price = int(self.catalog.price[variant])
        if final_sale:
            off = draws.choice(self._final_off)
        elif draws.below(1000) < self._sale:
            off = draws.choice(self._sale_off)
        else:
            return price
        reduced = price * (100 - off) // 100
        # Sale prices end in nine too, where a nine makes no difference to speak of.
        return reduced - reduced % 10 + 9 if price >= 200 else max(1, reduced)

    def first(
        self, draws: Draws, customer: Customer, types: Sequence[int] = (), products: frozenset[int] = NOTHING
    ) -> tuple[int, int]:
        """(variant row, product row) of something that is neither of ``types`` nor among ``products``.

        Raises:
            CatalogError: where the shop has nothing else.
        """
        skipped = sorted(set(types))
        left = self.sold[-1] - sum(self.sold[place + 1] - self.sold[place] for place in skipped)
        for _ in range(TRIES if left > 0 else 0):
            row = self._by_sales(draws, left, skipped)
            if row not in products:
                return self.variant(draws, customer, row), row
        for row in range(len(self.catalog)):
            if row not in products and self.type_of(row) not in skipped:
                return self.variant(draws, customer, row), row
        raise CatalogError("The shop has too few products for an order history beside the things asked about.")

    def further(
        self,
        draws: Draws,
        customer: Customer,
        lead: int,
        taken: set[int],
        types: Sequence[int] = (),
        products: frozenset[int] = NOTHING,
    ) -> tuple[int, int] | None:
        """(variant row, product row) that joins product row ``lead``; None where luck finds nothing new."""
        companions = self.companions[self.type_of(lead)]
        skipped = sorted(set(types))
        left = self.sold[-1] - sum(self.sold[place + 1] - self.sold[place] for place in skipped)
        for _ in range(TRIES):
            if companions and draws.below(1000) < self._goes_together:
                kind = draws.choice(companions)
                if kind in skipped:
                    continue
                row = self._of_type(draws, kind)
            elif left > 0:
                row = self._by_sales(draws, left, skipped)
            else:
                return None
            if row in products:
                continue
            variant = self.variant(draws, customer, row)
            if variant not in taken:
                return variant, row
        return None

    def _by_sales(self, draws: Draws, left: int, skipped: list[int]) -> int:
        at = draws.below(left)
        for place in skipped:
            if at >= self.sold[place]:
                at += self.sold[place + 1] - self.sold[place]
        return int(self._sales.searchsorted(at, "right"))

    def _of_type(self, draws: Draws, kind: int) -> int:
        low = self.sold[kind]
        return int(self._sales.searchsorted(low + draws.below(self.sold[kind + 1] - low), "right"))

    def variant(self, draws: Draws, customer: Customer, row: int) -> int:
        """A variant of a product, mostly in the customer's own size."""
        first, end = self.catalog.variant_start[row : row + 2].tolist()
        if end - first == 1:
            return int(first)
        size = self._sizes_of(customer).get(self.type_of(row))
        if size is not None and draws.below(1000) < self._own_size:
            axis, code = size
            fitting = [
                place for place, found in enumerate(self.catalog.options[first:end, axis].tolist()) if found == code
            ]
            if fitting:
                return int(first) + draws.choice(fitting)
        return int(first) + draws.below(end - first)

    def _sizes_of(self, customer: Customer) -> dict[int, tuple[int, int]]:
        """Type to (axis, code) of what a customer wears."""
        kept = self._wanted.get(customer.number)
        if kept is not None and kept[0] is customer.sizes:
            return kept[1]
        found: dict[int, tuple[int, int]] = {}
        for group in self.sizes:
            text = customer.sizes.get(group.name)
            attribute = self.catalog.attributes[group.key]
            code = next((code for code in group.codes if attribute.text(code) == text), None)
            if code is not None:
                for place in group.types:
                    found.setdefault(place, (self.catalog.axes[place][group.key], code))
        self._wanted[customer.number] = customer.sizes, found
        return found


def _companions(catalog: Catalog) -> tuple[tuple[int, ...], ...]:
    """Per type: types with products that go with it, either way round."""
    near: list[set[int]] = [set() for _ in catalog.types]
    place = catalog.type_index
    for edge in catalog.edges:
        if edge.kind in ("complements", "fits") and edge.source in place and edge.target in place:
            near[place[edge.source]].add(place[edge.target])
            near[place[edge.target]].add(place[edge.source])
    starts = catalog.type_start.tolist()
    return tuple(tuple(sorted(kind for kind in found if starts[kind] < starts[kind + 1])) for found in near)


def delivery_charges(currency: Currency) -> dict[str, int]:
    """Delivery charge by shipping class, and ``free_from``, in a currency's minor units.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> delivery_charges(CURRENCIES["USD"])["parcel"]
    599
    """
    table: dict[str, dict[str, int]] = load_table("generator.orders/orders")["delivery"]
    alike = {0: "JPY", 2: "USD", 3: "KWD"}
    return table.get(currency.code) or table[alike.get(currency.decimals, "USD")]
