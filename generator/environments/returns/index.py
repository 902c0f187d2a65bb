"""What returns in one world share: its policies at hand, and where to find things to send back."""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from ecomrlve.generator.customers import Customer
from ecomrlve.generator.environments.returns.page import render_product
from ecomrlve.generator.environments.returns.rulebook import Goods, Rulebook
from ecomrlve.generator.orders.book import Order, delivery_charges
from ecomrlve.generator.orders.references import Target, is_mass, preposition_of
from ecomrlve.generator.pages.orders import cell
from ecomrlve.generator.policies.situations import Scenario
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.engine.grammar import words
from ecomrlve.grammars.policy.rules import FAULTS, TIERS, Window

# Products with more versions than this make too long a page.
MOST_VERSIONS = 16
_TRIES = 16
_CACHED = 1 << 16
# How many policies are kept ready, at about 50 kB each.
_RULEBOOKS = 1_200
# Kinds of product from which on orders are filled with other kinds than the one asked about.
_KINDS = 6


@dataclass(frozen=True, slots=True)
class OnSale:
    """A product as the page for exchanges shows it: its title, and for each version its id, options, price and stock.

    Args:
        first: variant row of the first version.
        text: the lines of the page.
        clear: whether naming what is to be different always means one version.
        prepositions: how each of its options is said after the noun.
    """

    title: str
    first: int
    ids: tuple[str, ...]
    options: tuple[str, ...]
    prices: tuple[int, ...]
    stocks: tuple[int, ...]
    text: str
    clear: bool
    prepositions: dict[str, str]


class ReturnShop:
    """One world, as returns look at it; built once, see `return_shop`.

    Args:
        world: the shop.

    Attributes:
        customers: its customers by tier.
        charges: delivery charges by shipping class.
        few_kinds: whether it has so few kinds of goods that orders are filled with the kind asked about.
    """

    def __init__(self, world: World) -> None:
        self.catalog = world.catalog
        self.orders = world.orders
        self.today = world.today
        self.customers: dict[str, list[Customer]] = {tier: [] for tier in TIERS}
        for customer in world.customers:
            self.customers[customer.tier].append(customer)
        self._policies = world.policies
        self._goods: dict[int | None, Goods] = {}
        self._rulebooks: dict[tuple[int, int], Rulebook] = {}
        self.charges = delivery_charges(world.catalog.currency)
        types = self.goods(None).types
        self.few_kinds = len({kind for kinds in types.values() for kind in kinds}) < _KINDS
        self._on_sale: dict[int, OnSale] = {}

    def goods(self, over: int | None) -> Goods:
        """The shop's goods, parted at a price; kept, as policies have but few such prices."""
        if over not in self._goods:
            self._goods[over] = Goods(self.catalog, over)
        return self._goods[over]

    def rulebook(self, draws: Draws, branches: int) -> Rulebook:
        """One of the shop's policies, ready for use; the memory is bounded.

        Args:
            draws: where its number comes from.
            branches: how many rules are to bear on the case.
        """
        key = self._policies.number(draws), branches
        found = self._rulebooks.get(key)
        if found is None:
            if len(self._rulebooks) >= _RULEBOOKS:
                del self._rulebooks[next(iter(self._rulebooks))]
            policy = self._policies.policy(*key)
            windows = [rule for rule in policy.rules if isinstance(rule, Window)]
            over = next((rule.price_over for rule in windows if rule.price_over is not None), None)
            found = self._rulebooks[key] = Rulebook(policy, self.goods(over), self.catalog.currency, self.today)
        return found

    def on_sale(self, row: int) -> OnSale:
        """A product's versions; the memory is bounded."""
        found = self._on_sale.get(row)
        if found is None:
            if len(self._on_sale) >= _CACHED:
                self._on_sale.clear()
            found = self._on_sale[row] = self._look_up(row)
        return found

    def _look_up(self, row: int) -> OnSale:
        catalog = self.catalog
        first, end = catalog.variant_start[row : row + 2].tolist()
        several = end - first > 1 or catalog.has_options(row)
        ids = tuple(catalog.variant_ids(np.arange(first, end))) if several else (catalog.product_id(row),)
        options = tuple(cell(catalog.option_text(variant, row)) for variant in range(first, end))
        prices, stocks = tuple(catalog.price[first:end].tolist()), tuple(catalog.stock[first:end].tolist())
        title = cell(catalog.title(row))
        text = render_product(title, ids, options, [catalog.text("price", price) for price in prices], stocks)
        return OnSale(
            title, first, ids, options, prices, stocks, text, _is_clear(options), self._prepositions(row, first, end)
        )

    def _prepositions(self, row: int, first: int, end: int) -> dict[str, str]:
        catalog = self.catalog
        keys = catalog.types[catalog.type_of(row)].variant_axes
        found = {}
        for axis, key in enumerate(keys):
            preposition = preposition_of(catalog.attributes[key])
            for code in dict.fromkeys(catalog.options[first:end, axis].tolist()):
                if code != MISSING:
                    found[catalog.text(key, code)] = preposition
        return found

    def speed_of(self, order: Order) -> str:
        """The shipping class of an order's first line."""
        kind = self.orders.goods.type_of(order.lines[0].product_row)
        return self.catalog.types[kind].shipping_class

    def pick(
        self, draws: Draws, rulebook: Rulebook, scenario: Scenario, exchange: bool, in_stock: bool | None
    ) -> Target | None:
        """Something of a situation's class and price; for an exchange one with a version in stock (or out of it)."""
        catalog, side = self.catalog, scenario.situation.above_threshold
        goods = rulebook.goods
        kinds = goods.types[scenario.return_class, side]
        unfitting = scenario.fee_factors.reason == "does_not_fit"
        for attempt in range(_TRIES):
            kind = draws.choice(kinds)
            variant, row = goods.any_of(draws, kind, side)
            first, last = catalog.variant_start[row : row + 2].tolist()
            if last - first > MOST_VERSIONS and attempt < _TRIES // 2:
                continue
            price = int(catalog.price[variant])
            if unfitting and is_mass(catalog, kind) and attempt < _TRIES // 2:
                continue
            if not goods.is_on(side, price):
                continue
            if price < rulebook.worth and attempt < _TRIES // 2:
                continue
            bought = self.orders.goods.quantity(draws, price)
            target = Target(
                row, variant, kind, bought, bought if scenario.fee_factors.whole else draws.between(1, bought)
            )
            if not exchange or self._can_ask(target, first, last, scenario.fee_factors.reason in FAULTS, in_stock):
                return target
        return None

    def _can_ask(self, target: Target, first: int, last: int, same: bool, in_stock: bool | None) -> bool:
        """Whether there is a version to ask for: another one, or the same again where something went wrong with it."""
        stocks = self.catalog.stock[first:last].tolist()
        return any(
            (same or place != target.variant - first) and (in_stock is None or (stock >= target.count) == in_stock)
            for place, stock in enumerate(stocks)
        )

    def something_else(self, draws: Draws, customer: Customer, target: Target, alike: bool) -> int:
        """A variant of another kind of product; of another product where the shop has few kinds.

        Args:
            draws: where the numbers come from.
            customer: whose order it is for.
            target: what it is not.
            alike: whether it comes in options just where the target does, so that a wish for others fits it as well.
        """
        goods = self.orders.goods
        kinds = () if self.few_kinds else (target.kind,)
        for _ in range(_TRIES):
            variant, row = goods.first(draws, customer, kinds, frozenset((target.row,)))
            first, end = self.catalog.variant_start[row : row + 2].tolist()
            options = self.catalog.has_options(row) == self.catalog.has_options(target.row)
            if end - first <= MOST_VERSIONS and (options or not alike):
                break
        return variant


def _is_clear(options: Sequence[str]) -> bool:
    """Whether no two versions have the same options, nor two kinds of option a value in common."""
    table = [text.split(" / ") for text in options]
    if len(set(options)) < len(options) or len({len(parts) for parts in table}) > 1:
        return False
    values = [{words(part) for part in column} for column in zip(*table, strict=True)]
    return len(frozenset().union(*values)) == sum(map(len, values))


_SHOPS: "WeakKeyDictionary[World, ReturnShop]" = WeakKeyDictionary()


def return_shop(world: World) -> ReturnShop:
    """The `ReturnShop` of a world, built when first asked for."""
    found = _SHOPS.get(world)
    if found is None:
        found = _SHOPS[world] = ReturnShop(world)
    return found
