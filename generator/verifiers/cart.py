"""CART: a cart of described items, each a variant and a quantity.

Truth: ``{"env":"CART","version":1,"items":[{"variants":["id",…],"quantity":2},…],"shown":["id",…]}``; an item may be
any of its variants, which nothing visible tells apart; ``[]`` where nothing can be added. Reply:
``{"items": [{"variant": "id", "quantity": 2}, …]}``, in any order; what is said twice adds up.

Parts: ``variants`` is the number of items met, over the larger of the items wanted and the different things given;
``quantities`` is the units right, over the larger of the units wanted and the units given. The score is their mean.
"""

from dataclasses import dataclass
from typing import Any

from ecomrlve.generator.verifiers.canonical import counted, identifier, whole_number
from ecomrlve.generator.verifiers.errors import ReplyShapeError, TruthError
from ecomrlve.generator.verifiers.truth import (
    require_integer,
    require_keys,
    require_list,
    require_names,
    require_on_page,
    require_shown,
)
from ecomrlve.generator.verifiers.verdict import Judgement

ENV = "CART"
KEY = "items"
PARTS = ("variants", "quantities")

_KEYS = frozenset({"env", "version", "items", "shown"})
_ITEM_KEYS = frozenset({"variants", "quantity"})


@dataclass(frozen=True, slots=True)
class Truth:
    """The units wanted of each item, the item that each right variant stands for, and all identifiers on the page."""

    wanted: tuple[int, ...]
    item_of: dict[str, int]
    shown: frozenset[str]


def check_truth(truth: dict[str, Any]) -> Truth:
    """The truth of a CART task, typed, or `TruthError`.

    >>> item = {"variants": ["A1", "A2"], "quantity": 2}
    >>> check_truth({"env": "CART", "version": 1, "items": [item], "shown": ["A1", "A2"]}).item_of
    {'A1': 0, 'A2': 0}
    """
    require_keys(truth, _KEYS, "the object")
    shown = require_shown(truth)
    wanted: list[int] = []
    item_of: dict[str, int] = {}
    for number, value in enumerate(require_list(truth["items"], "items")):
        item = require_keys(value, _ITEM_KEYS, "an item")
        variants = require_names(item["variants"], "variants")
        known = len(item_of)
        item_of.update(dict.fromkeys(variants, number))
        if not variants or len(item_of) != known + len(variants):
            raise TruthError("ground_truth: each item needs variants of its own")
        wanted.append(require_integer(item["quantity"], "quantity", least=1))
    require_on_page(item_of, shown, "variants")
    return Truth(tuple(wanted), item_of, shown)


def _read(items: object) -> dict[str, int]:
    """The units given of each variant."""
    if not isinstance(items, list):
        raise ReplyShapeError(f'The "{KEY}" of the reply are not a list.')
    units: dict[str, int] = {}
    for item in items:
        if not isinstance(item, dict) or "variant" not in item or "quantity" not in item:
            raise ReplyShapeError('The reply gives an item that is not an object with "variant" and "quantity".')
        variant = identifier(item["variant"], "a variant")
        quantity = whole_number(item["quantity"], "a quantity")
        if quantity < 1:
            raise ReplyShapeError("The reply gives a quantity below 1.")
        units[variant] = units.get(variant, 0) + quantity
    return units


def judge(truth: Truth, answer: dict[str, Any]) -> Judgement:
    """Judge the cart given.

    >>> truth = Truth((2,), {"A1": 0}, frozenset({"A1", "B2"}))
    >>> judge(truth, {"items": [{"variant": "A1", "quantity": 1}, {"variant": "a1", "quantity": "1"}]}).correct
    True
    """
    units = _read(answer[KEY])
    wanted = truth.wanted
    given = [0] * len(wanted)
    others = strange = 0
    for variant, quantity in units.items():
        number = truth.item_of.get(variant)
        if number is None:
            others += 1
            strange += quantity
        else:
            given[number] += quantity
    if not others and tuple(given) == wanted:
        return Judgement(True, 1.0, dict.fromkeys(PARTS, 1.0), 0.0, _praise(wanted))
    hit = sum(map(bool, given))
    most = max(hit + others, len(wanted))
    right = sum(map(min, given, wanted))
    units_most = max(sum(given) + strange, sum(wanted))
    parts = {"variants": hit / most, "quantities": right / units_most}
    # Whole numbers until the last step, so that no rounding is summed.
    score = (hit * units_most + right * most) / (2 * most * units_most)
    invented = sum(variant not in truth.shown for variant in units) / (len(units) or 1)
    return Judgement(False, score, parts, invented, _fault(wanted, units, hit, others))


def _praise(wanted: tuple[int, ...]) -> str:
    if not wanted:
        return "The reply rightly leaves the cart as it is."
    return f"The cart holds exactly the {counted(len(wanted), 'item')} wanted."


def _fault(wanted: tuple[int, ...], units: dict[str, int], hit: int, others: int) -> str:
    if not wanted:
        return f"The reply puts {counted(len(units), 'item')} in the cart, but nothing asked for can be added."
    if not units:
        return f"The reply puts nothing in the cart, but {counted(len(wanted), 'item')} can be added."
    if hit < len(wanted):
        missing = f"{len(wanted) - hit} of the {len(wanted)} items" if len(wanted) > 1 else "the item"
        lacks = f"The cart lacks {missing} wanted"
        return f"{lacks} and holds {others} not asked for." if others else f"{lacks}."
    if others:
        return f"The cart holds what was asked for and {counted(others, 'other item')}."
    return "The cart holds the right items in the wrong quantities."
