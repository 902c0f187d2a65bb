"""A return as drawn, before it is put into words: a situation, something bought, the orders, and the proven answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ecomrlve.difficulty.axes import Axes
from ecomrlve.errors import CannotPose, CatalogError
from ecomrlve.generator.customers import Customer
from ecomrlve.generator.environments.returns.index import ReturnShop
from ecomrlve.generator.environments.returns.rulebook import Rulebook
from ecomrlve.generator.environments.returns.wishes import Version, choose_version, versions_of
from ecomrlve.generator.orders.book import Order, OrderLine, Required
from ecomrlve.generator.orders.references import (
    ORDER,
    PRICE,
    Descriptor,
    Disambiguation,
    Near,
    NearMisses,
    Target,
    descriptors_of,
    disambiguate,
    plan_descriptors,
)
from ecomrlve.generator.policies.situations import SOLD_OUT, Scenario
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.policy.policy import Outcome
from ecomrlve.grammars.policy.rules import Case, Fault

# Refund, exchange, refusal under a rule; a tenth of all tasks is a refusal because no line fits.
_DECISIONS = ("refund", "exchange", "refuse")
_WEIGHTS = (40, 31, 29)
# Lines that an order has on average, in tenths.
_LINES_PER_ORDER = 24
# How often (per thousand) an order without anything like what is asked about is of any date and in any state.
_FREE = 150


@dataclass(frozen=True, slots=True)
class Draft:
    """A return as drawn.

    Args:
        customer: who asks.
        rulebook: the policy that holds.
        scenario: the situation of the policy.
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
    rulebook: Rulebook
    scenario: Scenario
    target: Target
    plan: list[Descriptor]
    orders: tuple[Order, ...]
    place: int
    line: OrderLine
    price: int | None
    told: Disambiguation
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
        return self.bearing == self.scenario.branches and not (
            self.outcome.decision == "refund" and not self.outcome.amount
        )


def draw_decision(draws: Draws) -> str:
    """What is to become of a return.

    >>> draw_decision(Draws(0, "example")) in ("refund", "exchange", "refuse")
    True
    """
    return _DECISIONS[draws.weighted(_WEIGHTS)]


def draw_return(
    world: World,
    shop: ReturnShop,
    rulebook: Rulebook,
    axes: Axes,
    draws: Draws,
    decision: str,
    impossible: bool,
) -> Draft | None:
    """Draw a return that ends in a decision; None where luck finds none.

    Raises:
        CannotPose: where the shop cannot fill the orders.
    """
    sold_out = decision == "refund" and draws.chance(axes.out_of_stock)
    scenario = rulebook.situations.draw(draws, SOLD_OUT if sold_out else decision, axes.branches)
    if scenario is None:
        return None
    reason, catalog = scenario.fee_factors.reason, world.catalog
    exchange, in_stock = _wish(scenario, decision, sold_out, draws)
    exchange &= rulebook.situations.exchanges(scenario.return_class, scenario.situation.above_threshold, reason)
    target = shop.pick(draws, rulebook, scenario, exchange, in_stock)
    marks = descriptors_of(catalog, target) if target is not None else []
    customers = shop.customers[scenario.situation.tier]
    if target is None or not marks or not customers:
        return None
    versions = versions_of(shop, target)
    version = choose_version(catalog, versions, target, reason, in_stock, draws) if exchange else None
    if exchange and version is None:
        return None
    plan = plan_descriptors(marks, axes.constraints, axes.orders, scenario.fee_factors.whole, draws)
    customer = draws.choice(customers)
    try:
        orders, place, line = _orders(
            world, shop, axes, draws, customer, (rulebook, scenario, target, plan), impossible
        )
    except CatalogError as error:
        raise CannotPose(f"RETURN: {error}") from error
    price = _price_said(world, line, target, impossible)
    told = disambiguate(plan, orders, place, None if impossible else line, price, draws)
    if told is None:
        return None
    plan = told.plan
    case = None if impossible else _case(world, scenario, target, orders[place], line, version)
    outcome, bearing = None, 0
    if case is not None:
        fits = rulebook.policy.fitting(case)
        outcome = rulebook.policy.outcome(case, fits[0])
        bearing = len(fits) + len(rulebook.policy.charging(case, fits[0], outcome))
        if outcome.decision != decision:
            return None
    return Draft(
        *(
            customer,
            rulebook,
            scenario,
            target,
            plan,
            orders,
            place,
            line,
            price if PRICE in plan else None,
            told,
            versions,
            version,
            case,
            outcome,
            bearing,
        )
    )


def _wish(scenario: Scenario, decision: str, sold_out: bool, draws: Draws) -> tuple[bool, bool | None]:
    """Whether an exchange is wished, and whether its version must be in stock (None: either way)."""
    if decision == "exchange":
        return True, True
    if sold_out:
        return True, False
    return scenario.situation.answer == "refuse" and draws.chance(400), None


def _orders(
    world: World,
    shop: ReturnShop,
    axes: Axes,
    draws: Draws,
    customer: Customer,
    drawn: tuple[Rulebook, Scenario, Target, list[Descriptor]],
    impossible: bool,
) -> tuple[tuple[Order, ...], int, OrderLine]:
    """The customer's orders, the place of the one that is meant, and the line there."""
    rulebook, scenario, target, plan = drawn
    misses = NearMisses(shop.catalog, target, plan, draws)
    wanted = (axes.decoys * axes.orders * _LINES_PER_ORDER + 5000) // 10000
    near = misses.several(wanted, axes.orders)
    own = target.variant
    if impossible:
        own = misses.stand_in(plan, shop.something_else(draws, customer, target, True), axes.orders)
    required, twins = [_required(scenario, own, target.bought, draws)], [scenario]
    here, there = _parted(near, own, scenario.fee_factors.whole, ORDER in plan, axes.orders - 1, draws)
    required[0] = replace(required[0], others=tuple(draws.shuffle(here)))
    for variants in there:
        if not variants and draws.chance(_FREE):
            continue
        # The other orders are drawn as the one that is meant, so that nothing about it gives it away.
        twin = rulebook.situations.draw(draws, draw_decision(draws), axes.branches) or scenario
        lead = variants[0] if variants else shop.something_else(draws, customer, target, False)
        required.append(replace(_required(twin, lead, None, draws), others=tuple(variants[1:])))
        twins.append(twin)
    avoid = () if shop.few_kinds else (target.kind,)
    book = world.orders.book(draws, customer, world.today, axes.orders, required=required, avoid_types=avoid)
    orders = list(book.orders)
    place, at = book.places[0]
    line = orders[place].lines[at]
    for (number, spot), twin, wish in zip(book.places, twins, required, strict=True):
        order = orders[number]
        if twin.fee_factors.whole and not wish.others:
            order = _alone(order, order.lines[spot])
        if twin.fee_factors.whole or isinstance(rulebook.policy.deciding(twin.situation.rule), Fault):
            # What the rules say of the delivery charge bears only where there is one.
            order = order if order.shipping else replace(order, shipping=shop.charges[shop.speed_of(order)])
        elif len(order.lines) == 1:
            order = replace(order, shipping=0)
        orders[number] = order
    return tuple(orders), place, line


def _required(scenario: Scenario, variant: int, quantity: int | None, draws: Draws) -> Required:
    """An order with the dates and the flags of a situation."""
    situation = scenario.situation
    edges = (situation.low, situation.high)
    return Required(
        variant,
        delivered_days_ago=draws.choice(edges) if draws.chance(400) else draws.between(*edges),
        quantity=quantity,
        final_sale=situation.final_sale,
        discounted=scenario.fee_factors.discounted,
    )


def _parted(
    near: Sequence[Near], own: int, alone: bool, by_order: bool, others: int, draws: Draws
) -> tuple[list[int], list[list[int]]]:
    """Near misses beside the line that is meant, and those in each of the other orders."""
    here: list[int] = []
    there: list[list[int]] = [[] for _ in range(others)]
    for one in near:
        places = [place for place in range(others) if one.variant not in there[place]]
        if one.elsewhere or alone or (others and not by_order and draws.below(others + 1)):
            if places:
                there[draws.choice(places)].append(one.variant)
        elif one.variant != own and one.variant not in here:
            here.append(one.variant)
    return here, there


def _alone(order: Order, line: OrderLine) -> Order:
    """The order with nothing but one line, its discount in proportion."""
    own = line.quantity * line.unit_price
    discount = max(1, order.discount * own // order.subtotal) if order.discount and own > 1 else 0
    return replace(order, lines=(line,), discount=discount, discount_name=order.discount_name if discount else "")


def _price_said(world: World, line: OrderLine, target: Target, impossible: bool) -> int:
    return int(world.catalog.price[target.variant]) if impossible else line.unit_price


def _case(
    world: World, scenario: Scenario, target: Target, order: Order, line: OrderLine, version: Version | None
) -> Case:
    sold_out = version is not None and version.stock < target.count
    price = None
    if version is not None and not sold_out:
        price = line.unit_price if version.variant == target.variant else version.price
    return Case(
        return_class=line.return_class,
        tier=scenario.situation.tier,
        placed=order.placed,
        delivered=order.delivered or world.today,
        today=world.today,
        condition=scenario.situation.condition,
        reason=scenario.fee_factors.reason,
        final_sale=line.final_sale,
        unit_price=line.unit_price,
        bought=line.quantity,
        quantity=target.count,
        totals=tuple(one.quantity * one.unit_price for one in order.lines),
        line=order.lines.index(line),
        discount=order.discount,
        shipping=order.shipping,
        replacement_price=price,
        sold_out=sold_out,
    )
