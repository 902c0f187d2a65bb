"""Order books: consistent dates and money, what a task requires, statistics of real shops, imported orders."""

import pickle
import time
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecomrlve.errors import CatalogError, InvalidArgument
from ecomrlve.generator.catalog.columns import select
from ecomrlve.generator.catalog.imported import ImportedOrder
from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.generator.customers import customer_pool
from ecomrlve.generator.orders.baskets import usable_orders
from ecomrlve.generator.orders.book import Order, OrderMaker, Required
from ecomrlve.generator.orders.calendar import Calendar, shipping_times
from ecomrlve.generator.orders.dates import STATES
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import CURRENCIES

TODAY = date(2026, 3, 11)
SHOP = synthesize(5_000)
POOL = customer_pool(0, "train", SHOP, 64)
MAKER = OrderMaker(SHOP, TODAY)
CALENDAR = Calendar(TODAY)
IMPORTED = tuple(
    ImportedOrder(
        f"#W{number}",
        number // 2,
        tuple((number * 11 + place * 5, 1 + place % 2, 1500 + number) for place in range(1 + number % 3)),
        ("pending", "Delivered", "cancelled", "in_transit", "who knows")[number % 5],
    )
    for number in range(200)
)
IMPORTED_MAKER = OrderMaker(SHOP, TODAY, imported=IMPORTED)


def many(books: int, count: int = 4, maker: OrderMaker = MAKER) -> list[Order]:
    """Orders of many customers."""
    return [
        order
        for number in range(books)
        for order in maker.book(Draws(1, "orders", number), POOL[number % 64], maker.today, count).orders
    ]


def check(orders: tuple[Order, ...], today: date = TODAY) -> None:
    """Everything that holds of every book."""
    assert [order.placed for order in orders] == sorted({order.placed for order in orders})
    ids = [order.order_id for order in orders] + [line.line_id for order in orders for line in order.lines]
    assert len(set(ids)) == len(ids)
    for order in orders:
        assert order.state in STATES
        variants = [line.variant_row for line in order.lines]
        assert variants and len(set(variants)) == len(variants)
        for line in order.lines:
            assert SHOP.product_of(line.variant_row) == line.product_row
            assert line.title == SHOP.title(line.product_row)
            assert line.options == SHOP.option_text(line.variant_row, line.product_row)
            assert line.return_class == SHOP.types[SHOP.type_of(line.product_row)].return_class
            assert line.quantity >= 1 and line.unit_price > 0
        assert 0 <= order.discount < order.subtotal and bool(order.discount) == bool(order.discount_name)
        assert order.shipping >= 0 and order.total == order.subtotal - order.discount + order.shipping
        check_dates(order, today)


def check_dates(order: Order, today: date) -> None:
    """Placed before shipped, shipped on a business day and not after delivery, nothing in the future but promises."""
    assert order.placed <= today
    assert (order.shipped is not None) == (order.state in ("shipped", "delivered"))
    assert (order.delivered is not None) == (order.state == "delivered")
    assert (order.promised is None) == (order.state == "cancelled")
    speeds = [SHOP.types[SHOP.type_of(line.product_row)].shipping_class for line in order.lines]
    slowest = max(speeds, key=list(shipping_times()).index)
    if order.promised is not None:
        assert order.promised == CALENDAR.promise(order.placed, slowest)
    if order.shipped is not None:
        assert order.placed < order.shipped <= (order.delivered or today)
        assert CALENDAR.is_business(order.shipped.toordinal())
    if order.delivered is not None:
        assert order.delivered <= today


# --- books -----------------------------------------------------------------------------------------------------------


@given(st.integers(0, 1 << 40), st.integers(1, 12), st.integers(30, 730), st.integers(-80, 80))
@settings(max_examples=60, deadline=None)
def test_every_book_is_consistent(seed: int, count: int, span: int, shift: int) -> None:
    today = TODAY + timedelta(shift)
    orders = MAKER.book(Draws(seed), POOL[seed % 64], today, count, span_days=span).orders
    assert len(orders) == count
    check(orders, today)


def test_a_book_is_a_function_of_its_draws() -> None:
    """Neither what was drawn before nor a journey through pickle changes it."""
    fresh = pickle.loads(pickle.dumps(OrderMaker(SHOP, TODAY)))
    assert MAKER.book(Draws(7), POOL[3], TODAY, 6) == fresh.book(Draws(7), POOL[3], TODAY, 6)


@st.composite
def wishes(draw: st.DrawFn) -> Required:
    """Required orders whose dates can be met."""
    state = draw(st.sampled_from(STATES))
    variant = draw(st.none() | st.integers(0, SHOP.variants - 1))
    others = tuple(draw(st.lists(st.integers(0, SHOP.variants - 1), max_size=3)))
    youngest = draw(st.integers(6, 200))
    ago = draw(st.none() | st.just((youngest, youngest + draw(st.integers(12, 60)))))
    delivered = draw(st.none() | st.integers(0, 365)) if state == "delivered" and ago is None else None
    if state == "delivered" and ago is not None and draw(st.booleans()):
        delivered = max(0, ago[0] - 6)
    quantity = None if variant is None else draw(st.none() | st.integers(1, 4))
    final_sale = None if variant is None else draw(st.none() | st.booleans())
    return Required(variant, ago, delivered, state, others, quantity, final_sale, draw(st.none() | st.booleans()))


@given(st.integers(0, 1 << 40), st.lists(wishes(), min_size=1, max_size=4), st.integers(0, 4), st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_book_has_what_is_required(seed: int, required: list[Required], more: int, imported: bool) -> None:
    maker = IMPORTED_MAKER if imported else MAKER
    book = maker.book(Draws(seed), POOL[seed % 64], TODAY, len(required) + more, required=required)
    check(book.orders)
    assert len({place for place, _ in book.places}) == len(required)
    named: Counter[int] = Counter()
    for wish, (at, line_at) in zip(required, book.places, strict=True):
        order = book.orders[at]
        rows = [line.variant_row for line in order.lines]
        assert order.state == wish.state and set(wish.variants) <= set(rows)
        named.update(wish.variants)
        if wish.placed_days_ago is not None:
            assert wish.placed_days_ago[0] <= (TODAY - order.placed).days <= wish.placed_days_ago[1]
        if wish.delivered_days_ago is not None:
            assert order.delivered == TODAY - timedelta(wish.delivered_days_ago)
        if wish.discounted is not None:
            assert bool(order.discount) == (wish.discounted and order.subtotal > 1)
        if wish.variant_row is not None:
            line = order.lines[line_at]
            assert line.variant_row == wish.variant_row
            assert wish.quantity in (None, line.quantity) and wish.final_sale in (None, line.final_sale)
    # What is named is nowhere else, nor another variant of its product.
    products = {SHOP.product_of(row) for row in named}
    lines = [line for order in book.orders for line in order.lines]
    assert Counter(line.variant_row for line in lines if line.product_row in products) == named


def test_drawn_lines_keep_clear_of_types() -> None:
    busiest = [
        place
        for place, _ in Counter(
            SHOP.type_of(line.product_row) for order in many(40) for line in order.lines
        ).most_common(5)
    ]
    for number in range(60):
        for order in MAKER.book(Draws(2, number), POOL[number], TODAY, 4, avoid_types=busiest).orders:
            assert all(SHOP.type_of(line.product_row) not in busiest for line in order.lines)


def test_where_a_required_line_stands_says_nothing() -> None:
    """Neither the first line nor the last is the required one more often than chance has it."""
    firsts = chances = 0.0
    for number in range(600):
        book = MAKER.book(Draws(3, number), POOL[number % 64], TODAY, 3, required=[Required(number * 7)])
        order = book.orders[book.places[0][0]]
        firsts += book.places[0][1] == 0
        chances += 1 / len(order.lines)
    assert abs(firsts - chances) < 60


def test_backwards_and_forwards_look_alike() -> None:
    """Days from order to delivery, and weekdays of both, don't tell an order dated backwards from any other."""
    free: list[Order] = []
    back: list[Order] = []
    for number in range(1500):
        wish = Required(delivered_days_ago=20 + number % 70)
        book = MAKER.book(Draws(4, number), POOL[number % 64], TODAY, 3, required=[wish], span_days=200)
        for at, order in enumerate(book.orders):
            if order.delivered is not None and (TODAY - order.delivered).days >= 20:
                (back if at == book.places[0][0] else free).append(order)
    for measure in (
        lambda order: order.placed.weekday(),
        lambda order: order.delivered.weekday(),
        lambda order: min((order.delivered - order.placed).days, 14),
    ):
        ours, theirs = (Counter(map(measure, group)) for group in (back, free))
        for key in ours | theirs:
            assert abs(ours[key] / len(back) - theirs[key] / len(free)) < 0.045


@pytest.mark.parametrize(
    ("count", "options", "name"),
    [
        (0, {}, "count"),
        (1, {"required": [Required(), Required()]}, "count"),
        (2, {"span_days": 29}, "span_days"),
        (20, {"span_days": 39}, "span_days"),
        (2, {"span_days": 731}, "span_days"),
        (1, {"required": [Required(state="lost")]}, "state"),
        (1, {"required": [Required(delivered_days_ago=3, state="shipped")]}, "delivered_days_ago"),
        (1, {"required": [Required(delivered_days_ago=-1)]}, "delivered_days_ago"),
        (1, {"required": [Required(placed_days_ago=(9, 3))]}, "placed_days_ago"),
        (1, {"required": [Required(placed_days_ago=(0, 0))]}, "placed_days_ago"),
        (1, {"required": [Required(placed_days_ago=(1, 3), delivered_days_ago=5)]}, "placed_days_ago"),
        (2, {"required": [Required(placed_days_ago=(30, 30)), Required(placed_days_ago=(30, 30))]}, "placed_days_ago"),
    ],
)
def test_what_cannot_be_is_named(count: int, options: dict[str, object], name: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^{name}="):
        MAKER.book(Draws(0), POOL[0], TODAY, count, **options)  # type: ignore[arg-type]


def test_a_day_far_from_the_worlds_own_is_named() -> None:
    with pytest.raises(InvalidArgument, match=r"^today='2027-03-11'"):
        MAKER.book(Draws(0), POOL[0], date(2027, 3, 11), 1)


def test_a_shop_of_one_product() -> None:
    """It has orders of that product, and none where the product is asked to stand apart."""
    row = next(row for row in range(len(SHOP)) if not SHOP.has_options(row))
    tiny = select(SHOP, np.array([row], dtype=np.int64))
    maker = OrderMaker(tiny, TODAY)
    orders = maker.book(Draws(0), POOL[0], TODAY, 5).orders
    assert [len(order.lines) for order in orders] == [1] * 5
    with pytest.raises(CatalogError, match="too few products"):
        maker.book(Draws(0), POOL[0], TODAY, 2, required=[Required(0)])
    with pytest.raises(CatalogError, match="too few products"):
        maker.book(Draws(0), POOL[0], TODAY, 2, avoid_types=[tiny.type_of(0)])


# --- statistics ------------------------------------------------------------------------------------------------------


def test_orders_look_like_those_of_real_shops() -> None:
    """The bands of the reference figures, on 2,000 orders; ``pytest -s`` prints them."""
    orders = many(500)
    lines = [line for order in orders for line in order.lines]
    sold = sum(order.state != "cancelled" for order in orders)
    late = [order for order in orders if order.delivered and order.promised and order.delivered > order.promised]
    repeated = Counter(line.product_row for line in lines)
    top = sum(units for _, units in repeated.most_common(len(SHOP) // 10)) / len(lines)
    table = {
        "lines per order": (len(lines) / len(orders), 2, 3),
        "orders of one line": (sum(len(order.lines) == 1 for order in orders) / len(orders), 0.2, 0.5),
        "quantity 1": (sum(line.quantity == 1 for line in lines) / len(lines), 0.75, 0.85),
        "discounted orders": (sum(order.discount > 0 for order in orders) / len(orders), 0.2, 0.3),
        "final sale": (sum(line.final_sale for line in lines) / len(lines), 0.06, 0.1),
        "paid less than today's price": (
            sum(line.unit_price < SHOP.price[line.variant_row] for line in lines) / len(lines), 0.15, 0.3,
        ),
        "cancelled": (1 - sold / len(orders), 0.02, 0.06),
        "delivered": (sum(order.state == "delivered" for order in orders) / len(orders), 0.8, 0.95),
        "late": (len(late) / len(orders), 0.03, 0.09),
        "free delivery": (sum(order.shipping == 0 for order in orders) / len(orders), 0.3, 0.8),
        "lines of the top tenth of products": (top, 0.5, 0.8),
    }  # fmt: skip
    for name, (value, low, high) in table.items():
        print(f"{name:40} {value:6.3f}  band {low}-{high}")
    for name, (value, low, high) in table.items():
        assert low <= value <= high, name
    shares = [order.discount / order.subtotal for order in orders if order.discount and order.subtotal > 2000]
    assert all(0.049 <= share <= 0.25 for share in shares)


def test_things_that_go_together_are_bought_together() -> None:
    """An order's second line is of a companion type of its first far more often than the shop's shares alone give."""
    goods = MAKER.goods
    together = pairs = by_chance = 0
    kinds = [[SHOP.type_of(line.product_row) for line in order.lines] for order in many(400)]
    for number, order in enumerate(kinds):
        if len(order) > 1:
            pairs += 1
            together += order[1] in goods.companions[order[0]]
            by_chance += kinds[number - 1][0] in goods.companions[order[0]]
    assert together / pairs > 0.25 > 4 * by_chance / pairs


def test_people_buy_their_own_size() -> None:
    own = other = 0
    groups = {place: group for group in reversed(MAKER.goods.sizes) for place in group.types}
    for number in range(400):
        customer = POOL[number % 64]
        for order in MAKER.book(Draws(1, "orders", number), customer, TODAY, 4).orders:
            for line in order.lines:
                kind = SHOP.type_of(line.product_row)
                if kind in groups:
                    code = SHOP.options[line.variant_row, SHOP.axes[kind][groups[kind].key]]
                    same = SHOP.attributes[groups[kind].key].text(int(code)) == customer.sizes[groups[kind].name]
                    own, other = own + same, other + (not same)
    # Not every product comes in every size, and some things are gifts; by chance it were one in seven.
    assert 0.35 < own / (own + other) < 0.95


def test_of_dear_things_one_is_bought() -> None:
    assert all(
        line.quantity * line.unit_price <= 60_000 for order in many(300) for line in order.lines if line.quantity > 1
    )


def test_delivery_is_free_from_a_value_on() -> None:
    for order in many(100):
        assert (order.shipping == 0) == (order.subtotal - order.discount >= 7500)


@pytest.mark.parametrize("code", sorted(CURRENCIES))
def test_every_currency_has_its_charges(code: str) -> None:
    shop = replace(SHOP, currency=CURRENCIES[code])
    for order in many(20, maker=OrderMaker(shop, TODAY)):
        check((order,))


def test_orders_are_cheap() -> None:
    """About 60 microseconds of processor time per order on a quiet machine; the test allows for a busy one."""
    best = 1.0
    for _ in range(3):
        start = time.process_time()
        orders = many(250)
        best = min(best, (time.process_time() - start) / len(orders))
    assert best < 150e-6


# --- imported orders -------------------------------------------------------------------------------------------------


def test_imported_orders_give_their_lines_and_states() -> None:
    maker = IMPORTED_MAKER
    known = {order.source_id: order for order in usable_orders(IMPORTED, SHOP)}
    seen = set()
    for number in range(60):
        orders = maker.book(Draws(5, number), POOL[number], TODAY, 3).orders
        check(orders)
        assert len({order.source_id for order in orders}) == 3
        for order in orders:
            source = known[order.source_id]
            assert tuple((line.variant_row, line.quantity, line.unit_price) for line in order.lines) == source.lines
            assert source.state in ("", order.state)
            seen.add(source.customer)
    assert len(seen) > 20


def test_splits_of_an_imported_shop_share_no_customer_and_no_order() -> None:
    def sources(split: str) -> set[str]:
        maker = OrderMaker(SHOP, TODAY, split=split, imported=IMPORTED)
        return {order.source_id for order in many(60, maker=maker)} - {""}

    train, test = sources("train"), sources("test")
    assert train and test and not train & test


def test_imported_orders_make_room_for_what_is_required() -> None:
    maker = IMPORTED_MAKER
    for number in range(60):
        wish = Required(number * 11, delivered_days_ago=9)
        book = maker.book(Draws(6, number), POOL[number], TODAY, 4, required=[wish])
        check(book.orders)
        rows = [line.product_row for order in book.orders for line in order.lines]
        assert rows.count(SHOP.product_of(number * 11)) == 1


def test_a_required_line_comes_with_its_imported_order() -> None:
    """Where the source has the line in an order of the wished state, price, units and neighbours are the source's."""
    maker = IMPORTED_MAKER
    source = next(order for order in IMPORTED if order.state == "Delivered" and order.customer % 5 < 4)
    variant, units, price = source.lines[0]
    seen = set()
    for number in range(40):
        book = maker.book(Draws(8, number), POOL[number], TODAY, 3, required=[Required(variant, delivered_days_ago=9)])
        at, line_at = book.places[0]
        order = book.orders[at]
        line = order.lines[line_at]
        if order.source_id == source.source_id:
            assert (line.quantity, line.unit_price) == (units, price)
            assert len(order.lines) <= len(source.lines)
        seen.add(order.source_id)
    assert source.source_id in seen
    wish = Required(variant, quantity=7, final_sale=True, state="cancelled")
    book = maker.book(Draws(9), POOL[0], TODAY, 1, required=[wish])
    line = book.orders[0].lines[book.places[0][1]]
    assert (line.quantity, line.final_sale) == (7, True)


def test_a_book_longer_than_the_imported_orders_is_filled_up() -> None:
    maker = OrderMaker(SHOP, TODAY, imported=IMPORTED[:2])
    orders = maker.book(Draws(0), POOL[0], TODAY, 6).orders
    check(orders)
    assert len({order.source_id for order in orders} - {""}) == 2


def test_the_card_says_what_is_drawn() -> None:
    assert OrderMaker(SHOP, TODAY).drawn == ("orders",)
    assert "order dates" in OrderMaker(SHOP, TODAY, imported=IMPORTED).drawn
