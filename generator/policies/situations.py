"""Situations under a policy: which combinations of facts lead to a decision with so many rules bearing on it.

Tabulated over a grid of facts, all cells at once, so that a case with a wanted decision and a wanted number of bearing
rules is drawn, never searched for, and a policy that was drawn for one task costs little.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecomrlve.generator.policies.charges import Bearing, count_bearing
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.policy.policy import Policy
from ecomrlve.grammars.policy.rules import (
    CONDITIONS,
    FAULTS,
    REASONS,
    TIERS,
    Answer,
    ExchangeOnly,
    Fault,
    Late,
    Method,
    Season,
    Window,
)

DECISIONS = ("refund", "exchange", "refuse")

SOLD_OUT = "sold out"
"""Drawn like a decision: an exchange is wished and allowed, and cannot be had, so that it becomes a refund."""

LATEST = {
    "changed_mind": 220,
    "does_not_fit": 120,
    "ordered_by_mistake": 60,
    "arrived_late": 30,
    "faulty": 400,
    "damaged_in_transit": 30,
    "wrong_item": 30,
}
"""Days after delivery by which a customer with this reason has written, at the latest: a wrong item is seen when the
parcel is opened, a fault may show after a year. Our judgement."""

TRANSIT = (3, 18)
"""Days from order to delivery, least and most, for which a situation's facts hold."""

_FITTING = ("clothing", "footwear", "jewelry", "furniture", "automotive", "pets", "baby", "outdoors")
_OPEN_END = 40
_ANSWERS: tuple[Answer, ...] = ("accept", "exchange", "share", "refuse")
# The axes of the grid of facts.
_GOODS, _TIER, _CONDITION, _REASON, _FINAL, _SPAN = range(6)

Grid = NDArray[Any]


class Situation(NamedTuple):
    """Facts of which the deciding rules that fit are the same.

    Attributes:
        classes: any of these return classes.
        tier: the customer's.
        condition: of the item.
        reason: why it comes back.
        final_sale: whether the line is marked so.
        above_threshold: whether the unit price is above the policy's price window; None where it has none.
        low, high: days since delivery, both ends included.
        seasonal: whether the order was placed in the season; None where no season counts today.
        answer: what the rule that decides says.
        rule: index of the rule that decides.
        fitting: how many deciding rules fit.
    """

    classes: tuple[str, ...]
    tier: str
    condition: str
    reason: str
    final_sale: bool
    above_threshold: bool | None
    low: int
    high: int
    seasonal: bool | None
    answer: Answer
    rule: int
    fitting: int


class FeeFactors(NamedTuple):
    """The facts that decide how many amount rules bear: the reason, a discount on the order, all of it sent back."""

    reason: str
    discounted: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class Scenario:
    """A situation with its open facts settled, and how many rules bear on it in all."""

    situation: Situation
    return_class: str
    fee_factors: FeeFactors
    branches: int


def plausible(return_class: str, condition: str, reason: str) -> bool:
    """Whether a customer would say so of such goods.

    >>> plausible("toys", "unopened", "faulty"), plausible("toys", "used", "wrong_item")
    (False, False)
    """
    if reason == "does_not_fit" and return_class not in _FITTING:
        return False
    if condition == "unopened":
        return reason != "faulty"
    return condition == "opened" or reason in ("changed_mind", "does_not_fit", "faulty")


class Situations:
    """All situations of a policy on one day.

    Args:
        policy: the shop's.
        today: the world's date.
        prices: least and greatest unit price of the goods of each return class.
        versions: (return class, side of the price window) with goods that come in several versions; others can only
            be exchanged for the same, which nobody wants unless something is wrong with it.

    >>> from ecomrlve.grammars.policy.rules import Refusal
    >>> policy = Policy((Refusal(final_sale=True), Window(30)), (0, 1))
    >>> found = Situations(policy, date(2026, 3, 11), {"toys": (999, 4999)}, {("toys", None)})
    >>> found.branches("refuse")
    (1, 2)
    >>> found.draw(Draws(0, "example"), "refuse", 2).situation.final_sale
    True
    """

    def __init__(
        self,
        policy: Policy,
        today: date,
        prices: Mapping[str, tuple[int, int]],
        versions: Collection[tuple[str, bool | None]],
    ) -> None:
        self.policy = policy
        self._versions = frozenset(versions)
        season = next((rule for rule in policy.rules if isinstance(rule, Season)), None)
        self._spans = list(_spans(self._bands(), season if season and today <= season.until else None, today))
        self._goods = self._alike(prices)
        self._shape = (len(self._goods), len(TIERS), len(CONDITIONS), len(REASONS), 2, len(self._spans))
        self._first, self._fitting = self._decide()
        self._bearing = count_bearing(policy, [classes[0] for classes, _ in self._goods])
        self._wished = np.array(
            [[self.exchanges(classes[0], side, reason) for reason in REASONS] for classes, side in self._goods]
        )
        # decision -> how many rules can bear; (decision, branches asked for) -> branches, rule that decides -> cells
        self._counts: dict[str, tuple[int, ...]] = {}
        self._deciding: dict[str, int] = {}
        self._cells: dict[tuple[str, int], tuple[int, dict[int, Grid]]] = {}

    def branches(self, decision: str) -> tuple[int, ...]:
        """How many rules can bear on a case with this decision."""
        if decision not in self._counts:
            self._counts[decision] = _bits(self._totals(decision))
        return self._counts[decision]

    def rules(self, decision: str) -> int:
        """How many rules can decide so, whatever else bears on a case."""
        if decision not in self._deciding:
            self._deciding[decision] = len(np.unique(self._first[self._totals(decision) > 0]))
        return self._deciding[decision]

    def draw(self, draws: Draws, decision: str, branches: int) -> Scenario | None:
        """A situation with this decision on which so many rules bear, or the nearest number there is.

        The rule that decides is drawn first, each as likely; None where the policy never decides so.
        """
        nearest, by_rule = self._nearest(decision, branches)
        if not by_rule:
            return None
        cells = by_rule[draws.choice(sorted(by_rule))]
        cell = int(cells[draws.below(len(cells))])
        place = tuple(int(at) for at in np.unravel_index(cell, self._shape))
        situation = self._situation(place)
        wanted = nearest - situation.fitting
        bearing: Bearing = self._bearing[self._kind(situation, decision)]
        factors = [
            FeeFactors(situation.reason, discounted, whole)
            for discounted, whole in product((False, True), (False, True))
            if bearing.total(place[: _REASON + 1], discounted, whole) == wanted
        ]
        # Few send back a whole order: only where it matters, or now and then.
        part = [one for one in factors if not one.whole]
        if part and draws.chance(800):
            factors = part
        return Scenario(situation, draws.choice(situation.classes), draws.choice(factors), nearest)

    def exchanges(self, return_class: str, above_threshold: bool | None, reason: str) -> bool:
        """Whether a customer with this reason would want an exchange of goods of a class on a side of the window."""
        return reason in FAULTS or (reason != "arrived_late" and (return_class, above_threshold) in self._versions)

    def _situation(self, place: Sequence[int]) -> Situation:
        classes, side = self._goods[place[_GOODS]]
        low, high, seasonal = self._spans[place[_SPAN]]
        rule = int(self._first[tuple(place)])
        return Situation(
            classes=classes,
            tier=TIERS[place[_TIER]],
            condition=CONDITIONS[place[_CONDITION]],
            reason=REASONS[place[_REASON]],
            final_sale=bool(place[_FINAL]),
            above_threshold=side,
            low=low,
            high=min(high, LATEST[REASONS[place[_REASON]]]),
            seasonal=seasonal,
            answer=_ANSWERS[self._answer(rule)[place[_SPAN]]],
            rule=rule,
            fitting=int(self._fitting[tuple(place)]),
        )

    def _windows(self) -> list[Window]:
        return [rule for rule in self.policy.rules if isinstance(rule, Window)]

    def _bands(self) -> list[tuple[int, int]]:
        """Ranges of days between which no rule changes its mind."""
        timed = (Window, Fault, Late, ExchangeOnly, Method)
        ends = sorted({rule.days for rule in self.policy.rules if isinstance(rule, timed)})
        starts = [0, *(day + 1 for day in ends)]
        return list(zip(starts, [*ends, ends[-1] + _OPEN_END], strict=True))

    def _alike(self, prices: Mapping[str, tuple[int, int]]) -> list[tuple[tuple[str, ...], bool | None]]:
        """Classes that all rules treat alike, on each side of the price window where there is one."""
        over = next((rule.price_over for rule in self._windows() if rule.price_over is not None), None)
        alike: dict[tuple[bool | None, tuple[object, ...]], list[str]] = {}
        for one, (low, high) in prices.items():
            named = (at for at, rule in enumerate(self.policy.rules) if one in getattr(rule, "classes", ()))
            key = (one in _FITTING, *named)
            sides: list[bool | None] = [None]
            if over is not None:
                sides = [side for side, there in ((False, low <= over), (True, high > over)) if there]
            for side in sides:
                alike.setdefault((side, ((one, side) in self._versions, *key)), []).append(one)
        return [(tuple(group), side) for (side, _), group in alike.items()]

    # --- the grid ----------------------------------------------------------------------------------------------------

    def _covering(self, rule: Any) -> Grid:
        """Where a deciding rule covers a case, by what it names; broadcast along the other axes."""
        covers = np.ones((1,) * 6, dtype=bool)
        for axis, name, values in (
            (_GOODS, "classes", [classes[0] for classes, _ in self._goods]),
            (_TIER, "tiers", TIERS),
            (_CONDITION, "conditions", CONDITIONS),
            (_REASON, "reasons", REASONS),
        ):
            if named := getattr(rule, name, ()):
                covers = covers & _along(axis, [value in named for value in values])
        if getattr(rule, "price_over", None) is not None:
            covers = covers & _along(_GOODS, [side is True for _, side in self._goods])
        if getattr(rule, "final_sale", False):
            covers = covers & _along(_FINAL, [False, True])
        if isinstance(rule, Season):
            covers = covers & _along(_SPAN, [seasonal is True for _, _, seasonal in self._spans])
        if isinstance(rule, Fault | Late):
            covers = covers & _along(_SPAN, [high <= rule.days for _, high, _ in self._spans])
        return covers

    def _decide(self) -> tuple[Grid, Grid]:
        """The rule that decides each cell, and how many deciding rules fit there."""
        covering = [(at, self.policy.deciding(at)) for at in self.policy.precedence]
        covers = {at: self._covering(rule) for at, rule in covering}
        named = np.zeros((1,) * 6, dtype=bool)
        open_until = next(_along(_SPAN, [rule.days] * len(self._spans)) for rule in self._windows() if rule.general)
        for at, rule in reversed(covering):
            if isinstance(rule, Window) and not rule.general:
                named = named | covers[at]
                open_until = np.where(covers[at], rule.days, open_until)
        late = _along(_SPAN, [low for low, _, _ in self._spans]) > open_until
        first = np.full(self._shape, -1, dtype=np.int8)
        fitting = np.zeros(self._shape, dtype=np.int8)
        for at, rule in covering:
            fits = covers[at]
            if isinstance(rule, Window) and rule.general:
                fits = fits & ~named
            elif isinstance(rule, Late):
                fits = fits & late
            fitting += fits
            np.copyto(first, np.int8(at), where=(first < 0) & fits)
        return first, fitting

    def _answer(self, at: int) -> list[int]:
        """What a rule says at each span of days, as a place among the answers."""
        rule = self.policy.deciding(at)
        if isinstance(rule, Window | ExchangeOnly):
            open_answer: Answer = "accept" if isinstance(rule, Window) else "exchange"
            return [_ANSWERS.index(open_answer if high <= rule.days else "refuse") for _, high, _ in self._spans]
        if isinstance(rule, Late):
            return [_ANSWERS.index("exchange" if rule.percent is None else "share")] * len(self._spans)
        return [_ANSWERS.index("accept" if isinstance(rule, Fault | Season) else "refuse")] * len(self._spans)

    def _plausible(self) -> Grid:
        """Where a customer could say so, along the axes that matter."""
        said = np.array([_said(classes[0]) for classes, _ in self._goods])[:, None, :, :, None, None]
        latest = _along(_REASON, [LATEST[reason] for reason in REASONS])
        in_time: Grid = said & (_along(_SPAN, [low for low, _, _ in self._spans]) <= latest)
        return in_time

    def _kind(self, situation: Situation, decision: str) -> str:
        """Which amount rules can bear, by the rule that decides."""
        if decision == "refuse":
            return decision
        if situation.answer == "share":
            return "share"
        if decision == SOLD_OUT and not isinstance(self.policy.deciding(situation.rule), Fault):
            return decision
        decision = "refund" if decision == SOLD_OUT else decision
        return f"{decision} after fault" if isinstance(self.policy.deciding(situation.rule), Fault) else decision

    def _totals(self, decision: str) -> Grid:
        """For each cell the numbers of rules that can bear where it is decided so, as bits."""
        rules = range(len(self.policy.rules))
        deciding = set(self.policy.precedence)
        answers = np.array([self._answer(at) if at in deciding else [3] * len(self._spans) for at in rules])
        answer = answers[self._first, np.arange(len(self._spans))]
        fault = np.array([isinstance(rule, Fault) for rule in self.policy.rules])[self._first]
        wished = self._wished[:, None, None, :, None, None]
        accepts, swaps, share, refuses = (answer == number for number in range(len(_ANSWERS)))
        parts: dict[str, Grid] = {
            "refund": {"refund": accepts & ~fault, "refund after fault": accepts & fault, "share": share},
            "exchange": {
                "exchange": (accepts | swaps) & ~fault & wished,
                "exchange after fault": accepts & fault & wished,
            },
            "refuse": {"refuse": refuses | swaps},
            SOLD_OUT: {
                SOLD_OUT: (accepts | swaps) & ~fault & wished,
                "refund after fault": accepts & fault & wished,
            },
        }[decision]
        found = np.zeros(self._shape, dtype=np.uint16)
        plausible_here = self._plausible()
        for kind, where in parts.items():
            bearing = self._bearing[kind]
            # Never more than 15: six amount rules can bear at once, and of the deciding rules not ten.
            bits = np.left_shift(np.uint16(1), (self._fitting + bearing.grid[..., None, None]).astype(np.uint16))
            several = bits
            for more in sorted(bearing.extras() - {0}):
                several = several | bits << np.uint16(more)
            np.copyto(found, several, where=where & plausible_here)
        return found

    def _nearest(self, decision: str, branches: int) -> tuple[int, dict[int, Grid]]:
        """The number of rules nearest to the one asked for, and the cells where so many bear, by rule; kept."""
        key = (decision, branches)
        if key not in self._cells:
            totals = self._totals(decision)
            counts = self._counts.setdefault(decision, _bits(totals))
            if not counts:
                return 0, {}
            nearest = min(counts, key=lambda count: (abs(count - branches), count < branches))
            cells = np.flatnonzero(totals & np.uint16(1 << nearest))
            rules = self._first.reshape(-1)[cells]
            small = cells.astype(np.uint16 if self._first.size < 1 << 16 else np.uint32)
            self._cells[key] = nearest, {int(at): small[rules == at] for at in np.unique(rules)}
        return self._cells[key]


@cache
def _said(return_class: str) -> list[list[bool]]:
    """By condition and reason, whether a customer would say so of such goods."""
    return [[plausible(return_class, condition, reason) for reason in REASONS] for condition in CONDITIONS]


def _bits(totals: Grid) -> tuple[int, ...]:
    found = int(np.bitwise_or.reduce(totals, axis=None))
    return tuple(count for count in range(found.bit_length()) if found >> count & 1)


def _along(axis: int, values: Sequence[Any]) -> Grid:
    shape = [1] * 6
    shape[axis] = len(values)
    return np.array(values).reshape(shape)


def _spans(
    bands: Sequence[tuple[int, int]], season: Season | None, today: date
) -> Iterator[tuple[int, int, bool | None]]:
    """Bands of days, parted by whether an order delivered then was surely placed in the season or surely not."""
    if season is None:
        yield from ((low, high, None) for low, high in bands)
        return
    shortest, longest = TRANSIT
    last, first = (today - season.end).days, (today - season.start).days
    parts = (
        (0, last - longest - 1, False),
        (last - shortest, first - longest, True),
        (first - shortest + 1, bands[-1][1], False),
    )
    for low, high in bands:
        for start, end, inside in parts:
            if max(low, start) <= min(high, end):
                yield max(low, start), min(high, end), inside
