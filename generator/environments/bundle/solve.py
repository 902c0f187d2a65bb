"""Answering a BUNDLE task from its prompt alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ecomrlve.generator.pages.fits import FitLine, parse_fits
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
from ecomrlve.generator.verifiers.sets import Offer, Part, SetProblem, best_set
from ecomrlve.grammars.conditions.constraints import AllOf, Node, holds, parse_quantity
from ecomrlve.grammars.conditions.vocabulary import Vocabulary
from ecomrlve.grammars.conditions.wording import parse_condition
from ecomrlve.grammars.dialogue.bundle import SetRequest, bundle_lexicon, parse_set

NOTHING: Mapping[str, Any] = {"products": []}


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand a prompt.

    Args:
        request: what the customer's turns ask for in the end.
        products: the page.
        saved: (singular noun, condition) of each saved preference.
        fits: what fits what.
        minor: minor units of the currency in one of it.
        turns: the customer's, as they stand.
        vocabulary: of the page.
    """

    request: SetRequest
    products: Sequence[ShownProduct]
    saved: Sequence[tuple[str, Node]]
    fits: Sequence[FitLine]
    minor: int
    turns: Sequence[str] = field(compare=False)
    vocabulary: Vocabulary = field(compare=False)


def read_set(prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
    """Every way to understand the page, the notes and the wish."""
    system = prompt[0]["content"]
    currency = parse_currency(system)
    products = parse_page(system, currency)
    scope, nouns = parse_introduction(system)
    vocabulary = shown_vocabulary(products, currency, nouns, {})
    turns = perception.filter_turns(customer_texts(prompt))
    saved = [(singular, parse_condition(text, vocabulary)[0]) for singular, text in parse_notes(system, nouns)]
    fits = parse_fits(system)
    return [
        Reading(request, products, saved, fits, 10**currency.decimals, turns, vocabulary)
        for request in parse_set(turns, vocabulary, scope.name)
    ]


_Details = list[tuple[tuple[int, ...], tuple[str, ...]]]


def _links(reading: Reading, perception: Perception) -> _Details:
    """The parts that must agree, and the label of the detail of each."""
    request = reading.request
    place = {part.noun: slot for slot, part in enumerate(request.parts)}
    found: _Details = [
        ((place[line.source], place[line.target]), (line.label, line.target_label))
        for line in reading.fits
        if request.fit and line.source in place and line.target in place
    ]
    for shared in request.shared:
        label = reading.vocabulary.attributes[shared.key].label
        slots = sorted(place[noun] for noun in shared.nouns)
        found.append((tuple(slots), (label,) * len(slots)))
    return perception.filter_conditions(found)


def solve_set(reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
    """Check every product for every part, and search for the best set."""
    request = reading.request
    saved: dict[str, list[Node]] = {}
    for singular, node in perception.filter_asides(reading.saved):
        saved.setdefault(singular, []).append(node)
    mistyped = 0 if perception.is_faithful else bundle_lexicon(reading.vocabulary).mistyped(reading.turns)
    links = _links(reading, perception)
    slots = []
    for slot, part in enumerate(request.parts):
        conditions = perception.filter_conditions([*part.conditions, *saved.get(part.noun, ())])
        tree = AllOf(tuple(perception.drop_mistyped(conditions, mistyped)))
        own = [(link, labels[places.index(slot)]) for link, (places, labels) in enumerate(links) if slot in places]
        slots.append(_parts(reading, part.noun, tree, own, len(links), perception))
    problem = SetProblem(
        tuple(slots),
        tuple(places for places, _ in links),
        request.least,
        request.budget,
        request.goal,
        tuple(slot for slot, part in enumerate(request.parts) if request.rated in ("", part.noun)),
    )
    found = best_set(problem)
    return {"products": list(found[1])} if found else dict(NOTHING)


def _parts(
    reading: Reading, noun: str, tree: Node, own: Sequence[tuple[int, str]], links: int, perception: Perception
) -> tuple[Part, ...]:
    """The products on the page that a part can be, as they are taken in."""
    any_stock = perception.overlooks()
    found = []
    for product in reading.products:
        if product.facts.get("type") != noun:
            continue
        offers = [(variant, facts_for(facts)) for variant, facts in product.offers()]
        meant = [offer for offer in offers if (offer[0].stock or any_stock) and holds(tree, offer[1], reading.minor)]
        if perception.judge(bool(meant)):
            stars = product.facts.get("rating")
            ways = []
            for variant, facts in meant or offers:
                values: list[str | None] = [None] * links
                for link, label in own:
                    values[link] = facts.get(label)
                ways.append(Offer(variant.price, tuple(values)))
            found.append(Part(product.id, 0 if stars is None else int(parse_quantity(stars)[0] * 10), tuple(ways)))
    return tuple(found)
