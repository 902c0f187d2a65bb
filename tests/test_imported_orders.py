"""Orders of an imported shop before they are dated: which lines stay, whose they are, what their states mean."""

from dataclasses import replace

import numpy as np
import pytest

from ecomrlve.generator.catalog.imported import ImportedOrder, keep_orders
from ecomrlve.generator.catalog.splits import orders_of_split
from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.generator.identifiers import SPLITS
from ecomrlve.generator.orders.baskets import usable_orders

SHOP = synthesize(500)


def test_lines_that_cannot_be_shown_are_left_out() -> None:
    odd = ImportedOrder("#1", 0, ((-1, 1, 5), (SHOP.variants, 1, 5), (3, 0, 5), (3, 1, 0), (4, 1, 5), (4, 2, 7)), "")
    assert usable_orders([odd, replace(odd, lines=())], SHOP) == (replace(odd, lines=((4, 3, 5),)),)


def test_orders_follow_the_products_that_are_kept() -> None:
    orders = [
        ImportedOrder("#1", 0, ((11, 1, 5), (16, 2, 7), (12, 1, 5)), "sent"),
        ImportedOrder("#2", 1, ((3, 1, 5),), ""),
    ]
    kept = keep_orders(orders, np.array([0, 11, 16], dtype=np.int64))
    assert kept == (ImportedOrder("#1", 0, ((1, 1, 5), (2, 2, 7)), "sent"),)


def test_customers_are_parted_between_splits() -> None:
    orders = [ImportedOrder(f"#{number}", number % 20, ((0, 1, 5),), "") for number in range(60)]
    parts = {split: orders_of_split(orders, split) for split in SPLITS}
    assert sorted((order for part in parts.values() for order in part), key=orders.index) == orders
    customers = {split: {order.customer for order in part} for split, part in parts.items()}
    assert sum(map(len, customers.values())) == 20 and len(customers["train"]) == 10 and all(customers.values())


@pytest.mark.parametrize(
    ("said", "state"),
    [("Return_Requested", "delivered"), (" in  TRANSIT", "shipped"), ("pending", "processing"), ("", ""), ("odd", "")],
)
def test_states_of_the_source_in_our_words(said: str, state: str) -> None:
    assert usable_orders([ImportedOrder("#1", 0, ((0, 1, 5),), said)], SHOP)[0].state == state
