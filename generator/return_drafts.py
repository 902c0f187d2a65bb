"""A return as drawn, before it is put into words: a situation, something bought, the orders, and the proven answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ecomrlve.difficulty.axes import Axes
from ecomrlve.errors import CatalogError
from ecomrlve.generator.customers import Customer
from ecomrlve.generator.environments.base import CannotPose
from ecomrlve.generator.orders import Order, OrderLine, Required
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.return_lines import (
    PRICE,
    Mark,
    Near,
    NearMisses,
    ToldApart,
    marks_of,
    plan_marks,
    tell_apart,
)
from ecomrlve.generator.return_shop import ReturnShop, Target
from ecomrlve.generator.return_wishes import Version, choose_version, versions_of
from ecomrlve.generator.situations import Chosen
from ecomrlve.generator.world import World
from ecomrlve.grammars.policy import Outcome
from ecomrlve.grammars.policy_rules import FAULTS, Case, Fault

# Refund, exchange, refusal under a rule; a tenth of all tasks is a refusal because no line fits.
_DECISIONS = ("refund", "exchange", "refuse")
_WEIGHTS = (40, 31, 29)
# Lines that an order has on average, in tenths.
_LINES_PER_ORDER = 24
_LONGEST_SPAN = 700


@dataclass(frozen=True, slots=True)
class Draft:
    """A return as drawn.

    Args:
        customer: who asks.
        chosen: the situation of the policy.
        target: what is described.
        plan: what is said of it.
        orders: the customer's, newest last.
        place: of the order that is meant.
        line: the line in the target's place; the target itself but where no line is to fit.
        price: the unit price that is said, or None.
        told: the reference to the order, and the near misses.
        versions: of the target, that can be asked for.
        version: the one asked for in exchange, or None.
        case: for the policy; None where no line fits.
        outcome: of the case.
        bearing: how many rules bear on it.
    """

    customer: Customer
    chosen: Chosen
    target: Target
    plan: list[Mark]
    orders: tuple[Order, ...]
    place: int
    line: OrderLine
    price: int | None
    told: ToldApart
    versions: list[Version]
    version: Version | None
    case: Case | None
    outcome: Outcome | None
    bearing: int

    @property
    def order(self) -> Order:
        """The order that is meant."""
        return self.orders[self.place]

    @property
    def lines(self) -> int:
        """How many lines all orders have."""
        return sum(len(order.lines) for order in self.orders)

    @property
    def good(self) -> bool:
        """Whether as many rules bear as were asked for, and a refund comes to something."""
        if self.outcome is None:
            return True
        return self.bearing == self.chosen.branches and not (
            self.outcome.decision == "refund" and not self.outcome.amount
        )


def draw_return(world: World, shop: ReturnShop, axes: Axes, draws: Draws, impossible: bool) -> Draft | None:
    """Draw a return; None where luck finds none.

    Raises:
        CannotPose: where the shop cannot fill the orders.
    """
    decision = _DECISIONS[draws.weighted(_WEIGHTS)]
    chosen = shop.situations.draw(draws, decision, axes.branches)
    if chosen is None:
        return None
    reason, catalog = chosen.charge.reason, world.catalog
    exchange, in_stock = _wish(chosen, decision, draws.chance(axes.out_of_stock), draws)
    target = shop.pick(draws, chosen, exchange and reason not in FAULTS)
    marks = marks_of(catalog, target) if target is not None else []
    customers = shop.customers[chosen.situation.tier]
    if target is None or not marks or not customers:
        return None
    versions = versions_of(catalog, target)
    version = choose_version(catalog, versions, target, reason, in_stock, draws) if exchange else None
    if exchange and version is None:
        return None
    plan = plan_marks(marks, axes.constraints, axes.orders, chosen.charge.whole, draws)
    customer = draws.choice(customers)
    orders, place, line = _orders(world, shop, axes, draws, customer, (chosen, target, plan), impossible)
    price = _price_said(world, line, target, impossible) if PRICE in plan else None
    told = tell_apart(plan, orders, place, None if impossible else line, price, draws)
    if told is None:
        return None
    case = None if impossible else _case(world, chosen, target, orders[place], line, version)
    outcome = None if case is None else world.policy.decide(case)
    bearing = 0 if case is None else len(world.policy.bearing(case))
    if outcome is not None and outcome.decision != decision:
        return None
    return Draft(
        *(customer, chosen, target, plan, orders, place, line, price, told, versions, version, case, outcome, bearing)
    )


def _wish(chosen: Chosen, decision: str, sold_out: bool, draws: Draws) -> tuple[bool, bool | None]:
    """Whether an exchange is wished, and whether its version must be in stock (None: either way)."""
    answer = chosen.situation.answer
    if decision == "exchange":
        return True, True
    if chosen.charge.reason == "arrived_late":
        return False, None
    if answer == "refuse":
        return draws.chance(400), None
    # What cannot be exchanged for lack of stock counts as a request for money: paid, or refused.
    return sold_out and answer != "share", False


def _orders(
    world: World,
    shop: ReturnShop,
    axes: Axes,
    draws: Draws,
    customer: Customer,
    drawn: tuple[Chosen, Target, list[Mark]],
    impossible: bool,
) -> tuple[tuple[Order, ...], int, OrderLine]:
    """The customer's orders, the place of the one that is meant, and the line there."""
    chosen, target, plan = drawn
    misses = NearMisses(shop, target, plan, draws)
    lacking = draws.shuffle(plan[1:])
    wanted = (axes.decoys * axes.orders * _LINES_PER_ORDER + 5000) // 10000 if lacking else 0
    found = [misses.like(lacking[number % len(lacking)]) for number in range(wanted)]
    near = [one for one in found if one is not None]
    elsewhere = shop.something_else(draws, customer, target)
    own = target.variant
    if impossible:
        own, more = misses.stand_in(plan, elsewhere)
        near += more
    situation = chosen.situation
    edges = (situation.low, situation.high)
    days = draws.choice(edges) if draws.chance(400) else draws.between(*edges)
    beside = () if chosen.charge.whole or target.count < target.bought or own == elsewhere else (elsewhere,)
    required = _required(chosen, target, days, own, beside, near, axes.orders, draws)
    avoid = () if shop.few_kinds else (target.kind,)
    span = min(_LONGEST_SPAN, max(150, days + 60))
    try:
        book = world.orders.book(
            draws, customer, world.today, axes.orders, span_days=span, required=required, avoid_types=avoid
        )
    except CatalogError as error:
        raise CannotPose(f"RETURN: {error}") from error
    place, at = book.places[0]
    line = book.orders[place].lines[at]
    orders = list(book.orders)
    if chosen.charge.whole:
        orders[place] = _alone(orders[place], line)
    if chosen.charge.whole or isinstance(world.policy.deciding(situation.rule), Fault):
        # A delivery charge must not tell the order for which it matters.
        for number, order in enumerate(orders):
            if not order.shipping and (number == place or draws.chance(500)):
                orders[number] = replace(order, shipping=shop.charges[shop.speed_of(order)])
    return tuple(orders), place, line


def _alone(order: Order, line: OrderLine) -> Order:
    """The order with nothing but one line, its discount in proportion."""
    own = line.quantity * line.unit_price
    discount = max(1, order.discount * own // order.subtotal) if order.discount and own > 1 else 0
    return replace(order, lines=(line,), discount=discount, discount_name=order.discount_name if discount else "")


def _required(
    chosen: Chosen,
    target: Target,
    days: int,
    own: int,
    beside: tuple[int, ...],
    near: Sequence[Near],
    count: int,
    draws: Draws,
) -> list[Required]:
    """The orders that hold the target (or what stands in for it) and the near misses, the target's first."""
    here = list(beside)
    there: list[list[int]] = [[] for _ in range(count - 1)]
    for one in near:
        places = [place for place in range(count - 1) if one.variant not in there[place]]
        if one.elsewhere or chosen.charge.whole or (count > 1 and draws.chance(300)):
            if places:
                there[draws.choice(places)].append(one.variant)
        elif one.variant != own and one.variant not in here:
            here.append(one.variant)
    final, discounted = chosen.situation.final_sale, chosen.charge.discounted
    required = [
        Required(
            own,
            delivered_days_ago=days,
            others=tuple(draws.shuffle(here)),
            quantity=target.bought,
            final_sale=final,
            discounted=discounted,
        )
    ]
    for variants in there:
        if variants:
            # What the target's line or order has is as common on those that resemble it.
            required.append(
                Required(
                    variants[0],
                    others=tuple(variants[1:]),
                    final_sale=True if final and draws.chance(500) else None,
                    discounted=draws.chance(500) if discounted else None,
                )
            )
    return required


def _price_said(world: World, line: OrderLine, target: Target, impossible: bool) -> int:
    return int(world.catalog.price[target.variant]) if impossible else line.unit_price


def _case(world: World, chosen: Chosen, target: Target, order: Order, line: OrderLine, version: Version | None) -> Case:
    to_be_had = version is not None and version.stock >= target.count
    return Case(
        return_class=line.return_class,
        tier=chosen.situation.tier,
        placed=order.placed,
        delivered=order.delivered or world.today,
        today=world.today,
        condition=chosen.situation.condition,
        reason=chosen.charge.reason,
        final_sale=line.final_sale,
        unit_price=line.unit_price,
        bought=line.quantity,
        quantity=target.count,
        totals=tuple(one.quantity * one.unit_price for one in order.lines),
        line=order.lines.index(line),
        discount=order.discount,
        shipping=order.shipping,
        replacement_price=version.price if version is not None and to_be_had else None,
    )
