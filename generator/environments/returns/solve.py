"""Answering a RETURN task from its prompt alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any

from ecomrlve.generator.environments.returns.page import (
    ShownVersion,
    parse_form,
    parse_rules,
    parse_versions,
)
from ecomrlve.generator.environments.returns.wishes import wanted_versions
from ecomrlve.generator.orders.references import has_words, is_order
from ecomrlve.generator.pages.orders import ShownLine, ShownOrder, parse_orders
from ecomrlve.generator.pages.prompt import Message, customer_texts, parse_opening
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.grammars.dialogue.returns.parse import parse_return, return_lexicon
from ecomrlve.grammars.dialogue.returns.request import ParsedReturn
from ecomrlve.grammars.engine.grammar import words
from ecomrlve.grammars.policy.policy import Outcome, Policy
from ecomrlve.grammars.policy.rules import CONDITIONS, REASONS, Case
from ecomrlve.grammars.policy.text import parse_policy

NO_LINE = {
    "order": None,
    "line": None,
    "quantity": None,
    "decision": "refuse",
    "rule": None,
    "refund_cents": None,
    "replacement": None,
}

_parsed = lru_cache(maxsize=64)(parse_policy)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand a prompt.

    Args:
        request: what the customer's turns ask for in the end.
        today: the day of the request.
        tier: the customer's.
        orders: the page of orders, newest first.
        products: (title, versions on sale) of the products shown.
        form: what the return form says.
        rules: the shop's policy as a document.
        turns: the customer's, as they stand.
    """

    request: ParsedReturn
    today: date
    tier: str
    orders: tuple[ShownOrder, ...]
    products: Sequence[tuple[str, Sequence[ShownVersion]]]
    form: Mapping[str, str]
    rules: str
    turns: Sequence[str] = field(compare=False)


def read_returns(prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
    """Every way to understand the page, the form, the rules and the request."""
    system = prompt[0]["content"]
    today, tier = parse_opening(system)
    orders, products = parse_orders(system), parse_versions(system)
    turns = perception.filter_turns(customer_texts(prompt))
    page = (today, tier, orders, products, parse_form(system), parse_rules(system), turns)
    return [Reading(request, *page) for request in parse_return(turns, page_words(orders, products), today)]


def solve_return(reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
    """Find the line that is meant, and settle the case."""
    parsed, orders, products, form = reading.request, reading.orders, reading.products, reading.form
    if not perception.is_faithful:
        mistyped = return_lexicon(page_words(orders, products)).mistyped(reading.turns)
        parsed = _misread(parsed, perception, mistyped)
    found = meant_lines(parsed, orders, perception)
    if not found:
        return dict(NO_LINE)
    order, line = found[0]
    on_form = int(form["count"]) if "count" in form else None
    quantity: int = _understood(parsed.count or on_form, on_form, (line.quantity, 1), perception)
    version = _version(parsed, line, products, perception)
    policy: Policy = _parsed(reading.rules)
    in_stock = version is not None and (version.stock >= quantity or perception.overlooks())
    price = None
    if version is not None and in_stock:
        price = line.unit_price if version.options == line.options else version.price
    case = Case(
        return_class=line.return_class,
        tier=reading.tier,
        placed=order.placed,
        delivered=order.delivered or reading.today,
        today=reading.today,
        condition=_understood(parsed.condition or form["condition"], form.get("condition"), CONDITIONS, perception),
        reason=_understood(parsed.reason or form["reason"], form.get("reason"), REASONS, perception),
        final_sale=line.final_sale,
        unit_price=line.unit_price,
        bought=line.quantity,
        quantity=quantity,
        totals=tuple(one.unit_price * one.quantity for one in order.lines),
        line=order.lines.index(line),
        discount=order.discount,
        shipping=order.shipping,
        replacement_price=price,
        sold_out=version is not None and not in_stock,
    )
    outcome = _decided(policy, case, perception)
    return {
        "order": order.order,
        "line": line.line,
        "quantity": quantity,
        "decision": outcome.decision,
        "rule": outcome.rule,
        "refund_cents": outcome.amount,
        "replacement": version.id if version is not None and outcome.decision == "exchange" else None,
    }


def _misread(parsed: ParsedReturn, perception: Perception, undone: int) -> ParsedReturn:
    """What is left of a request."""
    said = [*sorted(parsed.words), *(name for name in ("order", "price") if getattr(parsed, name) is not None)]
    kept = perception.drop_mistyped(perception.filter_conditions(said), undone)
    return replace(
        parsed,
        words=parsed.words & set(kept),
        order=parsed.order if "order" in kept else None,
        price=parsed.price if "price" in kept else None,
    )


def _understood(value: Any, looked_up: Any, values: Sequence[Any], perception: Perception) -> Any:
    """A fact of the case as it is taken in; what has to be looked up in the form can be misread there too.

    Args:
        value: what is said or written of it; None leaves the first of ``values``.
        looked_up: what the form says; None where it says nothing.
        values: what it could be.
        perception: the reader's.
    """
    meant = values[0] if value is None else value
    if perception.slips() or (looked_up is not None and perception.overlooks()):
        return next((other for other in values if other != meant), meant)
    return meant


def _decided(policy: Policy, case: Case, perception: Perception) -> Outcome:
    """What the rules make of a case: a rule that fits may be taken to go first, one that changes the amount missed."""
    fits = policy.fitting(case)
    if not fits:
        return policy.decide(case)
    governing = next((other for other in fits[1:] if perception.slips()), fits[0])
    outcome = policy.outcome(case, governing)
    if perception.is_faithful:
        return outcome
    charging = policy.charging(case, governing, outcome)
    return policy.outcome(case, governing, without=[at for at in charging if perception.slips()])


def page_words(orders: Sequence[ShownOrder], products: Sequence[tuple[str, Sequence[ShownVersion]]]) -> frozenset[str]:
    """The words of the titles and options that a prompt shows."""
    texts = {text for order in orders for line in order.lines for text in (line.title, line.options)}
    texts |= {version.options for _, versions in products for version in versions}
    return frozenset(word for text in texts | {title for title, _ in products} for word in words(text))


def meant_lines(
    parsed: ParsedReturn, orders: Sequence[ShownOrder], perception: Perception = FAITHFUL
) -> list[tuple[ShownOrder, ShownLine]]:
    """The lines that have everything that was said; orders are shown newest first."""
    found = []
    for number, order in enumerate(orders):
        meant = parsed.order is None or is_order(parsed.order, len(orders) - 1 - number, order, len(orders))
        found += [
            (order, line)
            for line in order.lines
            if perception.judge(meant and has_words(parsed.words, line) and parsed.price in (None, line.unit_price))
        ]
    return found


def _version(
    parsed: ParsedReturn,
    line: ShownLine,
    products: Sequence[tuple[str, Sequence[ShownVersion]]],
    perception: Perception,
) -> ShownVersion | None:
    """The version wanted in exchange; None where money is wanted, or where there is no such version."""
    if parsed.version is None:
        return None
    for title, versions in products:
        options = [version.options for version in versions]
        if title == line.title and line.options in options:
            places = wanted_versions(line.options, options, parsed.version)
            if len(places) != 1:
                return None
            seen = [version for at, version in enumerate(versions) if perception.judge(at == places[0])]
            return seen[0] if seen else None
    return None
