"""How a question is asked: what is said at first and corrected, and what stands in the contact form instead."""

from collections.abc import Sequence
from dataclasses import dataclass

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.environments.status.draft import Draft, reference_of
from ecomrlve.generator.environments.status.index import StatusShop
from ecomrlve.generator.environments.status.plan import describable
from ecomrlve.generator.orders.references import Target, takes_plural
from ecomrlve.generator.orders.tracking import Mark, lines_of
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.dialogue.references import OrderReference, stems
from ecomrlve.grammars.dialogue.status.request import ORDINALS, StatusCorrection, StatusRequest

# How often a change of mind is one about what is asked for altogether.
_ALTOGETHER = 350
# How often customers add that nothing has come, where something is still to come.
_WAITING = 200
_TO_COME = frozenset({"paid", "packed", "shipped", "out_for_delivery", "lost", "held"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is asked.

    Args:
        request: as first said.
        corrections: of it.
        form: what stands in the contact form instead.
    """

    request: StatusRequest
    corrections: list[StatusCorrection]
    form: list[Mark]


def ask(shop: StatusShop, axes: Axes, draft: Draft, draws: Draws) -> Asked:
    """How a question is asked."""
    changes = int(draws.chance(axes.switching)) + int(draws.chance(axes.switching // 2))
    altogether = changes > 0 and draws.chance(_ALTOGETHER)
    corrected: list[tuple[Mark, Mark]] = []
    for mark in draws.shuffle(_changeable(draft)):
        if len(corrected) == changes - altogether:
            break
        old = _said_before(draft, mark, [one for pair in corrected for one in pair])
        if old is not None:
            corrected.append((old, mark))
    form = _on_form(draft, axes.omission, [new for _, new in corrected], draws)
    complaint = "denied" if draft.denied else ""
    if draft.settled.status in _TO_COME and draws.chance(_WAITING):
        complaint = "waiting"
    marks = [mark for mark in draft.marks if mark not in form]
    request = _request(shop, draft, marks, complaint)
    corrections: list[StatusCorrection] = []
    for old, new in corrected:
        corrections.insert(0, StatusCorrection(request, old, new))
        marks = [old if mark == new else mark for mark in marks]
        request = _request(shop, draft, marks, complaint)
    if altogether:
        first = _something_else(shop, draft, draws)
        if first is not None:
            corrections.insert(0, StatusCorrection(request))
            request = first
    return Asked(request, corrections, form)


def _request(shop: StatusShop, draft: Draft, marks: Sequence[Mark], complaint: str) -> StatusRequest:
    """The request that says some marks."""
    looks = tuple(value for kind, value in marks if kind == "look")
    return StatusRequest(
        about=draft.plan.about,
        item=next((value for kind, value in marks if kind == "name"), ""),
        looks=looks,
        prepositions=shop.prepositions(looks),
        maker=next((value for kind, value in marks if kind == "maker"), ""),
        price=next((value for kind, value in marks if kind == "price"), None),
        references=tuple(value for kind, value in marks if kind == "order"),
        many=draft.plan.about == "line" and draft.plan.many,
        complaint=complaint,
    )


def _changeable(draft: Draft) -> list[Mark]:
    """What a change of mind can be about: the order, and options of an item that is asked about."""
    kinds = ("order", "look") if draft.plan.about == "line" else ("order",)
    return [mark for mark in draft.marks if mark[0] in kinds]


def _said_before(draft: Draft, mark: Mark, taken: Sequence[Mark]) -> Mark | None:
    """What was said by mistake in the place of one thing."""
    kind = mark[0]
    rest = [text for key, text in draft.marks if key in ("name", "look", "maker")]
    known = stems(" ".join(rest))
    said = [*draft.marks, *taken]
    for other in draft.others.values(mark):
        clear = kind != "look" or not stems(other) & known
        if clear and (kind, other) not in said:
            return kind, other
    return None


def _on_form(draft: Draft, omission: int, corrected: Sequence[Mark], draws: Draws) -> list[Mark]:
    """What stands in the form: an item's name only where all that is said of the item stands there."""
    count = (omission * len(draft.marks) + draws.below(1000)) // 1000
    free = [
        mark
        for mark in draft.marks
        if mark not in corrected
        and not (mark[0] == "order" and mark[1][0] in ORDINALS)
        and not (mark[0] == "name" and draft.plan.about == "line")
    ]
    chosen = draws.sample(free, count)
    if any(mark not in chosen for mark in draft.marks if mark[0] not in ("order", "name")):
        named = [mark for mark in chosen if mark[0] == "name"]
        spare = [mark for mark in free if mark not in chosen and mark[0] != "name"]
        chosen = [mark for mark in chosen if mark[0] != "name"] + spare[: len(named)]
    return [mark for mark in draft.marks if mark in chosen]


def _something_else(shop: StatusShop, draft: Draft, draws: Draws) -> StatusRequest | None:
    """A question about another order, or something in one, asked before the one that is meant."""
    others = [shipment for shipment in draft.shipments if shipment is not draft.meant.shipment] or [*draft.shipments]
    shipment = draws.choice(others)
    kind = draws.choice(("placed", "destination", "position"))
    reference: OrderReference = reference_of(kind, draft.shipments, shipment)
    if draws.chance(500):
        return StatusRequest("order", references=(reference,))
    line = draws.choice([found.line for found in lines_of(shipment)])
    row, variant = draft.sold[line.line_id]
    target = Target(row, variant, shop.catalog.type_of(row), line.quantity, line.quantity)
    marks = describable(shop.catalog, target)
    if not marks:
        return None
    many = takes_plural(shop.catalog, target, line.quantity)
    return StatusRequest("line", item=marks[0].text, references=(reference,), many=many)
