"""PD: the products that meet all conditions, best first.

Truth: ``{"env":"PD","version":1,"ranking":["id",…],"shown":["id",…]}``; the ranking is the one right list, in order,
``[]`` where nothing fits. Reply: ``{"products": ["id", …]}``.

Parts, each a share of the longer of the two lists, so that whatever is listed beyond the right products costs:
``products`` those that belong, each counted once; ``order`` those that stand at their place. The score is their mean.
"""

from dataclasses import dataclass
from operator import eq
from typing import Any

from ecomrlve.generator.verifiers.canonical import counted, identifiers
from ecomrlve.generator.verifiers.truth import require_identifiers, require_keys, require_on_page, require_shown
from ecomrlve.generator.verifiers.verdict import Judgement

ENV = "PD"
KEY = "products"
PARTS = ("products", "order")

_KEYS = frozenset({"env", "version", "ranking", "shown"})


@dataclass(frozen=True, slots=True)
class Truth:
    """The right list, and all identifiers on the page."""

    ranking: tuple[str, ...]
    shown: frozenset[str]


def check_truth(truth: dict[str, Any]) -> Truth:
    """The truth of a PD task, typed, or `TruthError`.

    >>> check_truth({"env": "PD", "version": 1, "ranking": ["A1"], "shown": ["A1", "B2"]}).ranking
    ('A1',)
    """
    require_keys(truth, _KEYS, "the object")
    ranking = require_identifiers(truth["ranking"], "ranking")
    shown = require_shown(truth)
    require_on_page(ranking, shown, "ranking")
    return Truth(ranking, shown)


def judge(truth: Truth, answer: dict[str, Any]) -> Judgement:
    """Judge the products listed.

    >>> judge(Truth(("A1", "B2"), frozenset({"A1", "B2"})), {"products": ["B2", "A1"]}).parts
    {'products': 1.0, 'order': 0.0}
    """
    given = identifiers(answer[KEY], "a product", KEY)
    wanted = truth.ranking
    if given == wanted:
        return Judgement(True, 1.0, dict.fromkeys(PARTS, 1.0), 0.0, _praise(len(wanted)))
    size = max(len(given), len(wanted))
    hits = len(set(given).intersection(wanted))
    placed = sum(map(eq, given, wanted))
    invented = sum(text not in truth.shown for text in given) / (len(given) or 1)
    parts = {"products": hits / size, "order": placed / size}
    return Judgement(False, (hits + placed) / (2 * size), parts, invented, _fault(given, wanted, hits))


def _praise(wanted: int) -> str:
    if not wanted:
        return "The reply rightly says that nothing fits."
    return f"The reply lists exactly the {counted(wanted, 'product')} wanted{', in order' if wanted > 1 else ''}."


def _fault(given: tuple[str, ...], wanted: tuple[str, ...], hits: int) -> str:
    listed = f"The reply lists {counted(len(given), 'product')}"
    if not wanted:
        return f"{listed}, but nothing on the page meets the request."
    if not given:
        return f"The reply says that nothing fits, but {counted(len(wanted), 'product')} should be listed."
    if not hits:
        return f"{listed}, {'which does not belong' if len(given) == 1 else 'none of which belongs'} in the answer."
    verb = "is" if hits == 1 else "are"
    if hits < len(wanted):
        return f"{listed}, but only {hits} of the {len(wanted)} wanted {verb} among them."
    if len(given) == len(wanted):
        return f"{listed}, which are the right ones in the wrong order."
    return f"{listed}, but only {hits} {verb} wanted."
