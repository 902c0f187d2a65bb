"""The page of orders: everything on it is read back, from any prompt and in any currency."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.generator.customers import Customer, customer_pool
from ecomrlve.generator.orders.book import Order, OrderMaker, Required
from ecomrlve.generator.orders.dates import STATES
from ecomrlve.generator.pages.orders import EMPTY, parse_orders, render_orders
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import CURRENCIES
from ecomrlve.grammars.policy.rules import RETURN_CLASSES

TODAY = date(2026, 3, 11)
SHOP = synthesize(5_000)
POOL = customer_pool(0, "train", SHOP, 64)
MAKER = OrderMaker(SHOP, TODAY)


def shown(orders: tuple[Order, ...], shop: Catalog, customer: Customer = POOL[0]) -> None:
    """What is read from the page is what is on it."""
    page = render_orders(orders, shop, TODAY)
    assert parse_orders(
        f"Orders of {customer.name}:\n{page}\n\nR1. Toys may be returned.\n  - Q | not | a | line"
    ) == parse_orders(page)
    for order, seen in zip(orders, parse_orders(page), strict=True):
        assert (seen.order, seen.placed, seen.state) == (order.order_id, order.placed, order.state)
        assert seen.delivered == order.delivered
        assert seen.shipped == (order.shipped if order.state == "shipped" else None)
        assert seen.promised == (order.promised if order.state in ("processing", "shipped") else None)
        assert (seen.shipping, seen.discount) == (order.shipping, order.discount)
        assert seen.discount_name == order.discount_name
        for line, read in zip(order.lines, seen.lines, strict=True):
            assert (read.line, read.title, read.options) == (line.line_id, line.title, line.options)
            assert (read.quantity, read.unit_price) == (line.quantity, line.unit_price)
            assert (read.return_class, read.final_sale) == (line.return_class, line.final_sale)


@given(st.integers(0, 1 << 40), st.sampled_from(sorted(CURRENCIES)), st.lists(st.sampled_from(STATES), max_size=3))
@settings(max_examples=80, deadline=None)
def test_the_page_is_read_back(seed: int, code: str, states: list[str]) -> None:
    required = [Required(state=state) for state in states]
    shop = replace(SHOP, currency=CURRENCIES[code])
    shown(MAKER.book(Draws(seed), POOL[seed % 64], TODAY, 4, required=required).orders, shop)


def test_a_page_without_orders_says_so() -> None:
    assert render_orders((), SHOP, TODAY) == EMPTY
    assert parse_orders(EMPTY) == ()


def test_text_that_would_break_the_table_stays_in_its_cell() -> None:
    order = MAKER.book(Draws(0), POOL[0], TODAY, 1).orders[0]
    line = replace(order.lines[0], title="Rope | 3\nmetres", options="red | thin")
    seen = parse_orders(render_orders([replace(order, lines=(line,))], SHOP, TODAY))[0]
    assert (seen.lines[0].title, seen.lines[0].options) == ("Rope / 3 metres", "red / thin")


def test_a_parcel_past_its_day_was_expected() -> None:
    order = MAKER.book(
        Draws(0), POOL[0], TODAY, 1, required=[Required(state="shipped", placed_days_ago=(40, 50))]
    ).orders[0]
    page = render_orders([order], SHOP, TODAY)
    assert ", was expected " in page
    shown((order,), SHOP)


@pytest.mark.parametrize("return_class", RETURN_CLASSES)
def test_every_return_class_is_read_back(return_class: str) -> None:
    order = MAKER.book(Draws(0), POOL[0], TODAY, 1).orders[0]
    line = replace(order.lines[0], return_class=return_class)
    shown((replace(order, lines=(line,)),), SHOP)
