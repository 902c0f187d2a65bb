"""SUB: one substitute for what cannot be had.

Truth: ``{"env":"SUB","version":1,"accepted":["id",…],"shown":["id",…]}``; any one of the accepted is right, ``[]``
where nothing comes near enough. Reply: ``{"products": ["id"]}``, exactly one.

The one part, ``products``, is the share of what the reply lists that one accepted product makes up, so that whatever is
listed beside it costs; it is the score too.
"""

from dataclasses import dataclass
from typing import Any

from ecomrlve.generator.verifiers.canonical import counted, identifiers
from ecomrlve.generator.verifiers.truth import require_identifiers, require_keys, require_on_page, require_shown
from ecomrlve.generator.verifiers.verdict import Judgement

ENV = "SUB"
KEY = "products"
PARTS = ("products",)

_KEYS = frozenset({"env", "version", "accepted", "shown"})


@dataclass(frozen=True, slots=True)
class Truth:
    """The best substitutes, each as good as the others, and all identifiers on the page."""

    accepted: frozenset[str]
    shown: frozenset[str]


def check_truth(truth: dict[str, Any]) -> Truth:
    """The truth of a SUB task, typed, or `TruthError`.

    >>> sorted(check_truth({"env": "SUB", "version": 1, "accepted": ["a1"], "shown": ["A1", "B2"]}).accepted)
    ['A1']
    """
    require_keys(truth, _KEYS, "the object")
    accepted = require_identifiers(truth["accepted"], "accepted")
    shown = require_shown(truth)
    require_on_page(accepted, shown, "accepted")
    return Truth(frozenset(accepted), shown)


def judge(truth: Truth, answer: dict[str, Any]) -> Judgement:
    """Judge the product named.

    >>> judge(Truth(frozenset({"A1"}), frozenset({"A1", "B2"})), {"products": ["A1", "B2"]}).score
    0.5
    """
    given = identifiers(answer[KEY], "a product", KEY)
    hit = bool(truth.accepted.intersection(given))
    if (hit and len(given) == 1) or not (truth.accepted or given):
        return Judgement(True, 1.0, dict.fromkeys(PARTS, 1.0), 0.0, _praise(hit))
    score = hit / (len(given) or 1)
    invented = sum(text not in truth.shown for text in given) / (len(given) or 1)
    return Judgement(False, score, {"products": score}, invented, _fault(given, truth, hit))


def _praise(hit: bool) -> str:
    if hit:
        return "The reply names one of the best substitutes."
    return "The reply rightly says that nothing comes near enough."


def _fault(given: tuple[str, ...], truth: Truth, hit: bool) -> str:
    listed = f"The reply lists {counted(len(given), 'product')}"
    if not truth.accepted:
        return f"{listed}, but nothing on the page comes near enough."
    if not given:
        return "The reply says that nothing comes near enough, but there is a substitute."
    if hit:
        return f"{listed}, and exactly one is wanted."
    return f"{listed}, {'which is no' if len(given) == 1 else 'none of which is a'} best substitute."
