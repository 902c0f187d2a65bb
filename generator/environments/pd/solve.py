"""Answering a PD task from its prompt alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ecomrlve.generator.pages.products import (
    ShownProduct,
    facts_for,
    parse_currency,
    parse_page,
    shown_vocabulary,
)
from ecomrlve.generator.pages.prompt import Message, bought_on, customer_texts, parse_history, parse_notes
from ecomrlve.generator.pages.scopes import parse_introduction
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.grammars.conditions.constraints import AllOf, Criterion, Is, Node, holds, parse_quantity, resolve
from ecomrlve.grammars.conditions.vocabulary import Vocabulary
from ecomrlve.grammars.conditions.wording import parse_condition
from ecomrlve.grammars.dialogue.requests import ShoppingRequest
from ecomrlve.grammars.dialogue.shopping import parse_shopping


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand a prompt.

    Args:
        request: what the customer's turns ask for in the end.
        products: the page.
        saved: saved preferences.
        bought: facts of what was bought before, by reference.
        several: whether the page holds several product types.
        minor: minor units of the currency in one of it.
        turns: the customer's, as they stand.
        vocabulary: of the page.
    """

    request: ShoppingRequest
    products: Sequence[ShownProduct]
    saved: Sequence[Node]
    bought: Mapping[str, Any]
    several: bool
    minor: int
    turns: Sequence[str] = field(compare=False)
    vocabulary: Vocabulary = field(compare=False)


def read_products(prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
    """Every way to understand the page, the notes and the request."""
    system = prompt[0]["content"]
    currency = parse_currency(system)
    products = parse_page(system, currency)
    scope, nouns = parse_introduction(system)
    history = parse_history(system)
    references = {f"bought {number}": bought_on(facts["type"], day) for number, (day, _, facts) in enumerate(history)}
    vocabulary = shown_vocabulary(products, currency, nouns, references)
    bought = {f"bought {number}": facts_for(facts) for number, (_, _, facts) in enumerate(history)}
    turns = perception.filter_turns(customer_texts(prompt))
    saved = [parse_condition(note, vocabulary)[0] for _, note in parse_notes(system, nouns)]
    minor = 10**currency.decimals
    return [
        Reading(request, products, saved, bought, len(nouns) > 1, minor, turns, vocabulary)
        for request in parse_shopping(turns, vocabulary, scope.name)
    ]


def solve_products(reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
    """Check every product, and rank what fits."""
    request, minor = reading.request, reading.minor
    conditions = [*request.conditions, *perception.filter_asides(reading.saved)]
    if request.noun and reading.several:
        conditions.append(Is("type", (request.noun,)))
    if not perception.is_faithful:
        mistyped = reading.vocabulary.lexicon.mistyped(reading.turns)
        conditions = perception.drop_mistyped(perception.filter_conditions(conditions), mistyped)
    tree = resolve(AllOf(tuple(conditions)), reading.bought, reading.vocabulary.attributes, minor)
    any_stock = perception.overlooks()
    fitting = []
    for product in reading.products:
        offers = [(variant.price, facts_for(facts), variant.stock) for variant, facts in product.offers()]
        meant = [offer for offer in offers if (offer[2] or any_stock) and holds(tree, offer[1], minor)]
        if perception.judge(bool(meant)):
            _, facts, _ = min(meant or offers, key=lambda offer: offer[0])
            fitting.append((*_shown_rank(facts, request.criterion), product.id))
    fitting.sort()
    return {"products": [entry[-1] for entry in fitting[: request.count]]}


def _shown_rank(facts: dict[str, str], criterion: Criterion) -> tuple[Fraction, ...]:
    key: list[Fraction] = []
    for name, direction in criterion.keys:
        amount = parse_quantity(facts[name])[0] if name in facts else None
        if amount is None:
            key += [Fraction(1), Fraction(0)]
        else:
            key += [Fraction(0), -amount if direction == "more" else amount]
    return tuple(key)
