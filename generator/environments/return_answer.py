"""Answering a RETURN task from its prompt alone."""

import json
from collections.abc import Sequence
from functools import lru_cache

from ecomrlve.generator.environments.base import Message
from ecomrlve.generator.environments.order_page import ShownLine, ShownOrder, read_orders
from ecomrlve.generator.environments.return_page import (
    ShownVersion,
    read_form,
    read_opening,
    read_rules,
    read_versions,
)
from ecomrlve.generator.return_lines import has_words, is_order
from ecomrlve.generator.return_wishes import wanted_versions
from ecomrlve.grammars.engine import words
from ecomrlve.grammars.policy import Policy
from ecomrlve.grammars.policy_rules import Case
from ecomrlve.grammars.policy_text import parse_policy
from ecomrlve.grammars.return_hearing import read_return
from ecomrlve.grammars.returns import Heard

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


def answer_return(prompt: Sequence[Message]) -> str:
    """Read the page, the form, the rules and the request; find the line, and settle the case."""
    system = prompt[0]["content"]
    today, tier = read_opening(system)
    orders, products = read_orders(system), read_versions(system)
    names = page_words(orders, products)
    turns = [message["content"] for message in prompt if message["role"] == "user"]
    heard = read_return(turns, names, today)[0]
    found = meant_lines(heard, orders)
    if not found:
        return json.dumps(NO_LINE)
    order, line = found[0]
    form = read_form(system)
    quantity = heard.count or int(form.get("count", line.quantity))
    version = _version(heard, line, products)
    policy: Policy = _parsed(read_rules(system))
    case = Case(
        return_class=line.return_class,
        tier=tier,
        placed=order.placed,
        delivered=order.delivered or today,
        today=today,
        condition=heard.condition or form["condition"],
        reason=heard.reason or form["reason"],
        final_sale=line.final_sale,
        unit_price=line.unit_price,
        bought=line.quantity,
        quantity=quantity,
        totals=tuple(one.unit_price * one.quantity for one in order.lines),
        line=order.lines.index(line),
        discount=order.discount,
        shipping=order.shipping,
        replacement_price=version.price if version is not None and version.stock >= quantity else None,
    )
    outcome = policy.decide(case)
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


def page_words(orders: Sequence[ShownOrder], products: Sequence[tuple[str, Sequence[ShownVersion]]]) -> frozenset[str]:
    """The words of the titles and options that a prompt shows."""
    texts = {text for order in orders for line in order.lines for text in (line.title, line.options)}
    texts |= {version.options for _, versions in products for version in versions}
    return frozenset(word for text in texts | {title for title, _ in products} for word in words(text))


def meant_lines(heard: Heard, orders: Sequence[ShownOrder]) -> list[tuple[ShownOrder, ShownLine]]:
    """The lines that have everything that was said; orders are shown newest first."""
    found = []
    for number, order in enumerate(orders):
        if heard.order is not None and not is_order(heard.order, len(orders) - 1 - number, order, len(orders)):
            continue
        found += [
            (order, line)
            for line in order.lines
            if has_words(heard.words, line) and heard.price in (None, line.unit_price)
        ]
    return found


def _version(
    heard: Heard, line: ShownLine, products: Sequence[tuple[str, Sequence[ShownVersion]]]
) -> ShownVersion | None:
    """The version wanted in exchange; None where money is wanted, or where there is no such version."""
    if heard.version is None:
        return None
    for title, versions in products:
        options = [version.options for version in versions]
        if title == line.title and line.options in options:
            places = wanted_versions(line.options, options, heard.version)
            return versions[places[0]] if len(places) == 1 else None
    return None
