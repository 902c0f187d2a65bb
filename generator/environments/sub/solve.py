"""Answering a SUB task from its prompt alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ecomrlve.generator.pages.products import (
    ShownProduct,
    facts_for,
    parse_currency,
    parse_money,
    parse_page,
    shown_vocabulary,
)
from ecomrlve.generator.pages.prompt import (
    Message,
    bought_on,
    customer_texts,
    parse_history,
    parse_notes,
    parse_substitutes,
)
from ecomrlve.generator.pages.scopes import parse_introduction
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.grammars.conditions.constraints import AllOf, Is, Node, holds, parse_quantity, resolve
from ecomrlve.grammars.conditions.vocabulary import Vocabulary
from ecomrlve.grammars.conditions.wording import parse_condition
from ecomrlve.grammars.dialogue.requests import Preference, SubstituteRequest
from ecomrlve.grammars.dialogue.substitutes import parse_substitute, pronouns, substitute_lexicon


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand a prompt.

    Args:
        request: what the customer's turns ask for in the end.
        products: the page.
        wanted: facts of what cannot be had, by label.
        price: what it costs, in minor units.
        types: the types that can stand in for it, or None where the page holds no other.
        saved: saved preferences.
        minor: minor units of the currency in one of it.
        turns: the customer's, as they stand.
        vocabulary: of the page.
    """

    request: SubstituteRequest
    products: Sequence[ShownProduct]
    wanted: Mapping[str, str]
    price: int
    types: tuple[str, ...] | None
    saved: Sequence[Node]
    minor: int
    turns: Sequence[str] = field(compare=False)
    vocabulary: Vocabulary = field(compare=False)


def read_substitutes(prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
    """Every way to understand the page, the notes and the request."""
    system = prompt[0]["content"]
    currency = parse_currency(system)
    products = parse_page(system, currency)
    scope, nouns = parse_introduction(system)
    history = parse_history(system)
    bought = {f"bought {number}": facts for number, (_, _, facts) in enumerate(history)}
    phrases = {f"bought {number}": bought_on(facts["type"], day) for number, (day, _, facts) in enumerate(history)}
    names = {name: phrase for one in pronouns().values() for name, phrase in one.items()}
    vocabulary = shown_vocabulary(products, currency, nouns, {**phrases, **names})
    minor = 10**currency.decimals
    stand_in = parse_substitutes(system)
    turns = perception.filter_turns(customer_texts(prompt))
    saved = [parse_condition(note, vocabulary)[0] for _, note in parse_notes(system, nouns)]
    # A page says each product's type where not all are of the type that was wanted.
    mixed = any("type" in product.facts for product in products)
    titles = {product.id: product.title for product in products}
    found = []
    for request in parse_substitute(turns, vocabulary, titles, scope.name):
        for wanted in _wanted(request, products, bought, minor):
            types = (wanted["type"], *stand_in.get(wanted["type"], ())) if mixed else None
            price = parse_money(wanted["price"], currency)
            found.append(Reading(request, products, wanted, price, types, saved, minor, turns, vocabulary))
    return found


def _wanted(
    request: SubstituteRequest, products: Sequence[ShownProduct], bought: Mapping[str, dict[str, str]], minor: int
) -> list[dict[str, str]]:
    """The facts of everything that the request can call wanted."""
    if request.wanted in bought:
        return [bought[request.wanted]]
    tree = AllOf(request.version)
    (product,) = (product for product in products if product.id == request.wanted)
    return [facts for _, facts in product.offers() if holds(tree, facts_for(facts), minor)]


def solve_substitutes(reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
    """Check every product against what has to stay, and take the best of those that would do."""
    request, minor = reading.request, reading.minor
    conditions = [*request.conditions, *perception.filter_asides(reading.saved)]
    if request.tolerance is not None:
        conditions.append(request.tolerance.around(reading.price))
    if reading.types is not None:
        conditions.append(Is("type", reading.types))
    if not perception.is_faithful:
        mistyped = substitute_lexicon(reading.vocabulary).mistyped(reading.turns)
        conditions = perception.drop_mistyped(perception.filter_conditions(conditions), mistyped)
    references = dict.fromkeys((name for one in pronouns().values() for name in one), facts_for(dict(reading.wanted)))
    tree = resolve(AllOf(tuple(conditions)), references, reading.vocabulary.attributes, minor)
    any_stock = perception.overlooks()
    fitting = []
    for product in reading.products:
        if product.id == request.wanted:
            continue
        offers = [(variant.price, facts_for(facts), variant.stock) for variant, facts in product.offers()]
        meant = [offer for offer in offers if (offer[2] or any_stock) and holds(tree, offer[1], minor)]
        if perception.judge(bool(meant)):
            _, facts, _ = min(meant or offers, key=lambda offer: offer[0])
            fitting.append((_distance(facts, reading.wanted, request.preference), product.id))
    return {"products": [min(fitting)[1]] if fitting else []}


def _distance(
    facts: Mapping[str, str], wanted: Mapping[str, str], preference: Preference
) -> tuple[tuple[bool, Fraction], ...]:
    """Sort key of a product: smaller is better, a missing detail last."""
    found = []
    for key, first in preference:
        if key not in facts:
            found.append((True, Fraction(0)))
            continue
        amount, _ = parse_quantity(facts[key])
        if first == "near":
            found.append((False, abs(amount - parse_quantity(wanted[key])[0])))
        else:
            found.append((False, -amount if first == "more" else amount))
    return tuple(found)
