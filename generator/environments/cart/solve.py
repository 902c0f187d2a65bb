"""Answering a CART task from its prompt alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ecomrlve.generator.pages.products import (
    ShownProduct,
    facts_for,
    parse_currency,
    parse_page,
    shown_vocabulary,
)
from ecomrlve.generator.pages.prompt import Message, customer_texts, parse_notes
from ecomrlve.generator.pages.scopes import parse_introduction
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.grammars.conditions.constraints import AllOf, Node, holds
from ecomrlve.grammars.conditions.vocabulary import Vocabulary
from ecomrlve.grammars.conditions.wording import parse_condition
from ecomrlve.grammars.dialogue.cart import parse_cart
from ecomrlve.grammars.dialogue.requests import CartItem

NOTHING: Mapping[str, Any] = {"items": []}


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand a prompt.

    Args:
        items: what the customer's turns put in the cart in the end.
        products: the page.
        saved: (singular noun, condition) of each saved preference.
        several: whether the page holds several product types.
        minor: minor units of the currency in one of it.
        turns: the customer's, as they stand.
        vocabulary: of the page.
    """

    items: tuple[CartItem, ...]
    products: Sequence[ShownProduct]
    saved: Sequence[tuple[str, Node]]
    several: bool
    minor: int
    turns: Sequence[str] = field(compare=False)
    vocabulary: Vocabulary = field(compare=False)


def read_wishes(prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
    """Every way to understand the page, the notes and the wishes."""
    system = prompt[0]["content"]
    currency = parse_currency(system)
    products = parse_page(system, currency)
    _, nouns = parse_introduction(system)
    vocabulary = shown_vocabulary(products, currency, nouns, {})
    turns = perception.filter_turns(customer_texts(prompt))
    saved = [(singular, parse_condition(text, vocabulary)[0]) for singular, text in parse_notes(system, nouns)]
    return [
        Reading(items, products, saved, len(nouns) > 1, 10**currency.decimals, turns, vocabulary)
        for items in parse_cart(turns, vocabulary)
    ]


def solve_wishes(reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
    """Find the one variant in stock that each wish means."""
    saved: dict[str, list[Node]] = {}
    for singular, node in perception.filter_asides(reading.saved):
        saved.setdefault(singular, []).append(node)
    mistyped = 0 if perception.is_faithful else reading.vocabulary.lexicon.mistyped(reading.turns)
    answer = []
    for item in reading.items:
        conditions = perception.filter_conditions([*item.conditions, *saved.get(item.noun, ())])
        tree = AllOf(tuple(perception.drop_mistyped(conditions, mistyped)))
        least = 0 if perception.overlooks() else item.quantity
        meant = [
            variant
            for product in reading.products
            if not reading.several or product.facts.get("type") == item.noun
            for variant, facts in product.offers()
            if perception.judge(variant.stock >= least and bool(holds(tree, facts_for(facts), reading.minor)))
        ]
        # Two that fit would be a fault of the task; a reader who slips takes the first.
        if not meant or (len(meant) > 1 and perception.is_faithful):
            return dict(NOTHING)
        answer.append({"variant": meant[0].id, "quantity": item.quantity})
    return {"items": answer}
