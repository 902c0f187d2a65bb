"""BUNDLE: a set of products for a project, one for each thing asked for, whose parts fit each other.

Truth: ``{"env":"BUNDLE","version":1,"slots":[[["id",rating,[[price,detail,…],…]],…],…],"links":[[0,1],…],"least":2,
"budget":42000,"goal":"any","rated":[],"optimum":0,"shown":["id",…]}``. A slot has every product that meets what is
asked of it, with its rating in tenths of a star and its offers: a price in minor units, then for each link the detail
by which it goes together with the others, null where it is unknown or the slot is no part of the link. A set fills at
least ``least`` slots, within the budget; where the goal is ``"price"`` its price is the optimum, where it is
``"rating"`` the sum of the ratings of the slots ``rated``. The optimum is 0 for ``"any"``, and null where there is no
set at all. Reply: ``{"products": ["id", …]}`` in any order: any set that meets all of this is right, and ``[]`` where
none does.

Parts: ``products`` is the share of the products that belong to the right set that is nearest, over the longer of the
two lists; ``together`` is the same share of pairs of products. What makes a set is that its parts go together, so the
score is the share of pairs: one product alone, or a blind pick, is hardly worth anything.
"""

from dataclasses import dataclass
from math import comb
from typing import Any

from ecomrlve.generator.verifiers.canonical import counted, identifiers
from ecomrlve.generator.verifiers.errors import TruthError
from ecomrlve.generator.verifiers.sets import Offer, Part, SetProblem, arrangement, right_sets
from ecomrlve.generator.verifiers.truth import (
    excerpt,
    require_identifier,
    require_integer,
    require_keys,
    require_list,
    require_on_page,
    require_shown,
)
from ecomrlve.generator.verifiers.verdict import Judgement

ENV = "BUNDLE"
KEY = "products"
PARTS = ("products", "together")

MOST_RIGHT = 1_000
"""A task with more right sets than this would be no task."""

_KEYS = frozenset({"env", "version", "slots", "links", "least", "budget", "goal", "rated", "optimum", "shown"})
_GOALS = ("any", "price", "rating")


@dataclass(frozen=True, slots=True)
class Truth:
    """What a set has to meet, the sets that do, the slot and part of each product, and all identifiers on the page."""

    problem: SetProblem
    right: tuple[frozenset[str], ...]
    part_of: dict[str, tuple[int, Part]]
    shown: frozenset[str]


def check_truth(truth: dict[str, Any]) -> Truth:
    """The truth of a BUNDLE task, typed, or `TruthError`.

    >>> slots = [[["A1", 40, [[500, "E27"]]]], [["B2", 45, [[200, "E27"]]]]]
    >>> truth = {
    ...     "env": "BUNDLE",
    ...     "version": 1,
    ...     "slots": slots,
    ...     "links": [[0, 1]],
    ...     "least": 2,
    ...     "budget": 700,
    ...     "goal": "any",
    ...     "rated": [],
    ...     "optimum": 0,
    ...     "shown": ["A1", "B2", "C3"],
    ... }
    >>> [sorted(found) for found in check_truth(truth).right]
    [['A1', 'B2']]
    """
    require_keys(truth, _KEYS, "the object")
    shown = require_shown(truth)
    problem = _problem(truth)
    part_of = {part.product: (slot, part) for slot, parts in enumerate(problem.slots) for part in parts}
    if len(part_of) != sum(map(len, problem.slots)):
        raise TruthError("ground_truth: slots repeats an identifier")
    require_on_page(part_of, shown, "slots")
    try:
        optimum, right = right_sets(problem, MOST_RIGHT)
    except OverflowError as error:
        raise TruthError(f"ground_truth: {error}") from None
    if optimum != truth["optimum"] or isinstance(truth["optimum"], bool):
        raise TruthError(f"ground_truth: the optimum is {excerpt(truth['optimum'])}, which its slots do not bear out")
    return Truth(problem, tuple(map(frozenset, right)), part_of, shown)


def _problem(truth: dict[str, Any]) -> SetProblem:
    slots, links = require_list(truth["slots"], "slots"), require_list(truth["links"], "links")
    known = range(len(slots))
    linked = tuple(_places(link, known, "a link") for link in links)
    if not all(len(link) > 1 for link in linked):
        raise TruthError("ground_truth: a link must join two slots or more")
    rated = _places(truth["rated"], known, "rated")
    if truth["goal"] not in _GOALS:
        raise TruthError(f"ground_truth: the goal must be one of {', '.join(_GOALS)}")
    if bool(rated) != (truth["goal"] == "rating"):
        raise TruthError("ground_truth: rated must name slots where the goal is rating, and nowhere else")
    if not all(require_list(slot, "a slot") for slot in slots):
        raise TruthError("ground_truth: a slot must have a part")
    least = require_integer(truth["least"], "least", least=1)
    if least > len(slots):
        raise TruthError("ground_truth: least asks for more slots than there are")
    return SetProblem(
        tuple(tuple(_part(part, len(links)) for part in slot) for slot in slots),
        linked,
        least,
        require_integer(truth["budget"], "budget", least=0),
        truth["goal"],
        rated,
    )


def _places(value: object, known: range, name: str) -> tuple[int, ...]:
    places = tuple(require_integer(place, name, least=0) for place in require_list(value, name))
    if len(set(places)) != len(places) or any(place not in known for place in places):
        raise TruthError(f"ground_truth: {name} must name different slots")
    return places


def _part(value: object, links: int) -> Part:
    members = require_list(value, "a part")
    if len(members) != 3:
        raise TruthError("ground_truth: a part must be an identifier, a rating and offers")
    offers = []
    for offer in require_list(members[2], "offers"):
        price, *values = require_list(offer, "an offer") or [None]
        if len(values) != links or not all(text is None or (isinstance(text, str) and text) for text in values):
            raise TruthError("ground_truth: an offer must be a price and one detail for each link")
        offers.append(Offer(require_integer(price, "a price", least=0), tuple(values)))
    if not offers or len(set(offers)) != len(offers):
        raise TruthError("ground_truth: a part must have offers, each another")
    rating = require_integer(members[1], "a rating", least=0)
    return Part(require_identifier(members[0], "slots"), rating, tuple(offers))


def judge(truth: Truth, answer: dict[str, Any]) -> Judgement:
    """Judge the set named.

    >>> lamp, bulb = Part("A1", 40, (Offer(500, ("E27",)),)), Part("B2", 45, (Offer(200, ("E27",)),))
    >>> problem = SetProblem(((lamp,), (bulb,)), ((0, 1),), 2, 700, "any")
    >>> part_of = {"A1": (0, lamp), "B2": (1, bulb)}
    >>> truth = Truth(problem, (frozenset({"A1", "B2"}),), part_of, frozenset({"A1", "B2", "C3"}))
    >>> judge(truth, {"products": ["b2", "#A1"]}).correct
    True
    >>> judge(truth, {"products": ["A1", "C3"]}).message
    'The reply names 2 products, of which 1 is not among those that meet what was asked.'
    """
    given = identifiers(answer[KEY], "a product", KEY)
    named = frozenset(given)
    if (named in truth.right and len(named) == len(given)) or not (given or truth.right):
        return Judgement(True, 1.0, dict.fromkeys(PARTS, 1.0), 0.0, _praise(len(given)))
    products = together = 0.0
    for right in truth.right:
        size, hits = max(len(given), len(right)), len(named & right)
        products = max(products, hits / size)
        together = max(together, comb(hits, 2) / comb(size, 2) if size > 1 else 0.0)
    invented = sum(text not in truth.shown for text in given) / (len(given) or 1)
    parts = {"products": products, "together": together}
    return Judgement(False, together, parts, invented, _fault(truth, given))


def _praise(count: int) -> str:
    if not count:
        return "The reply rightly says that there is no such set."
    return f"The reply names a set of {counted(count, 'product')} that meets everything that was asked."


def _fault(truth: Truth, given: tuple[str, ...]) -> str:
    """The first thing that is wrong with a set, in the order in which one would check it."""
    problem = truth.problem
    named = f"The reply names {counted(len(given), 'product')}"
    if not given:
        return "The reply says that there is no such set, but there is one."
    others = sum(text not in truth.part_of for text in given)
    if others:
        verb = "is" if others == 1 else "are"
        return f"{named}, of which {others} {verb} not among those that meet what was asked."
    chosen = [truth.part_of[text] for text in dict.fromkeys(given)]
    filled = len({slot for slot, _ in chosen})
    if filled < len(given):
        return f"{named}, some of them for the same thing."
    if filled < problem.least:
        return f"{named}, but {problem.least} are needed."
    arranged = arrangement(problem, chosen)
    if arranged is None:
        return f"{named} that do not go together."
    if arranged[0] > problem.budget:
        return f"{named} that cost more than the budget."
    return f"{named} that go together within the budget, but a better set can be had."
