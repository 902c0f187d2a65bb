"""Answering a RETURN task from its prompt alone."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ecomrlve.generator.environments.returns.page import (
    ShownVersion,
    read_form,
    read_opening,
    read_rules,
    read_versions,
)
from ecomrlve.generator.environments.returns.wishes import wanted_versions
from ecomrlve.generator.orders.references import has_words, is_order
from ecomrlve.generator.pages.orders import ShownLine, ShownOrder, read_orders
from ecomrlve.generator.pages.prompt import Message
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.grammars.dialogue.returns.parse import ReturnLexicon, read_return
from ecomrlve.grammars.dialogue.returns.request import Heard
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


def answer_return(prompt: Sequence[Message], perception: Perception = FAITHFUL) -> str:
    """Read the page, the form, the rules and the request; find the line, and settle the case."""
    system = prompt[0]["content"]
    today, tier = read_opening(system)
    orders, products = read_orders(system), read_versions(system)
    names = page_words(orders, products)
    turns = perception.hears([message["content"] for message in prompt if message["role"] == "user"])
    heard = read_return(turns, names, today)[0]
    if not perception.is_faithful:
        heard = _misheard(heard, perception, ReturnLexicon(names).mistyped(turns))
    found = meant_lines(heard, orders, perception)
    if not found:
        return json.dumps(NO_LINE)
    order, line = found[0]
    form = read_form(system)
    on_form = int(form["count"]) if "count" in form else None
    quantity: int = _understood(heard.count or on_form, on_form, (line.quantity, 1), perception)
    version = _version(heard, line, products, perception)
    policy: Policy = _parsed(read_rules(system))
    in_stock = version is not None and (version.stock >= quantity or perception.overlooks())
    case = Case(
        return_class=line.return_class,
        tier=tier,
        placed=order.placed,
        delivered=order.delivered or today,
        today=today,
        condition=_understood(heard.condition or form["condition"], form.get("condition"), CONDITIONS, perception),
        reason=_understood(heard.reason or form["reason"], form.get("reason"), REASONS, perception),
        final_sale=line.final_sale,
        unit_price=line.unit_price,
        bought=line.quantity,
        quantity=quantity,
        totals=tuple(one.unit_price * one.quantity for one in order.lines),
        line=order.lines.index(line),
        discount=order.discount,
        shipping=order.shipping,
        replacement_price=version.price if version is not None and in_stock else None,
    )
    outcome = _decided(policy, case, perception)
    return json.dumps(
        {
            "order": order.order,
            "line": line.line,
            "quantity": quantity,
            "decision": outcome.decision,
            "rule": outcome.rule,
            "refund_cents": outcome.amount,
            "replacement": version.id if version is not None and outcome.decision == "exchange" else None,
        }
    )


def _misheard(heard: Heard, perception: Perception, undone: int) -> Heard:
    """What is left of a request."""
    said = [*sorted(heard.words), *(name for name in ("order", "price") if getattr(heard, name) is not None)]
    kept = perception.keeps(perception.notices(said), undone)
    return replace(
        heard,
        words=heard.words & set(kept),
        order=heard.order if "order" in kept else None,
        price=heard.price if "price" in kept else None,
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
    heard: Heard, orders: Sequence[ShownOrder], perception: Perception = FAITHFUL
) -> list[tuple[ShownOrder, ShownLine]]:
    """The lines that have everything that was said; orders are shown newest first."""
    found = []
    for number, order in enumerate(orders):
        meant = heard.order is None or is_order(heard.order, len(orders) - 1 - number, order, len(orders))
        found += [
            (order, line)
            for line in order.lines
            if perception.sees(meant and has_words(heard.words, line) and heard.price in (None, line.unit_price))
        ]
    return found


def _version(
    heard: Heard,
    line: ShownLine,
    products: Sequence[tuple[str, Sequence[ShownVersion]]],
    perception: Perception,
) -> ShownVersion | None:
    """The version wanted in exchange; None where money is wanted, or where there is no such version."""
    if heard.version is None:
        return None
    for title, versions in products:
        options = [version.options for version in versions]
        if title == line.title and line.options in options:
            places = wanted_versions(line.options, options, heard.version)
            if len(places) != 1:
                return None
            seen = [version for at, version in enumerate(versions) if perception.sees(at == places[0])]
            return seen[0] if seen else None
    return None
