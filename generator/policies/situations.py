"""Situations under a policy: which combinations of facts lead to a decision with so many rules bearing on it.

Tabulated once per policy, so that a case with a wanted decision and a wanted number of bearing rules is drawn, never
searched for.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import product
from typing import NamedTuple

from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.policy.policy import Policy
from ecomrlve.grammars.policy.rules import (
    CONDITIONS,
    FAULTS,
    REASONS,
    TIERS,
    Answer,
    Case,
    ExchangeOnly,
    Fault,
    Late,
    Method,
    Season,
    Window,
)

DECISIONS = ("refund", "exchange", "refuse")

TRANSIT = (3, 18)
"""Days from order to delivery, least and most, for which a situation's facts hold."""

_FITTING = ("clothing", "footwear", "jewelry", "furniture", "automotive", "pets", "baby", "outdoors")
_OPEN_END = 40


class Situation(NamedTuple):
    """Facts that make the same deciding rules fit.

    Attributes:
        classes: any of these return classes.
        tier: the customer's.
        condition: of the item.
        reasons: any of these.
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
    reasons: tuple[str, ...]
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

    >>> plausible("toys", "unopened", "faulty")
    False
    """
    if reason == "does_not_fit" and return_class not in _FITTING:
        return False
    if condition == "unopened":
        return reason != "faulty"
    return condition == "opened" or reason not in ("ordered_by_mistake", "arrived_late")


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
        self.today = today
        self._prices = prices
        self._versions = frozenset(versions)
        self._cells: dict[tuple[object, ...], dict[int, tuple[FeeFactors, ...]]] = {}
        # decision -> branches -> rule that decides -> (situation, amount rules that bear)
        self._found: dict[str, dict[int, dict[int, list[tuple[Situation, int]]]]] = {name: {} for name in DECISIONS}
        for situation in self._situations():
            for decision in _decisions(situation.answer):
                for extra in self._extras(situation, decision):
                    by_rule = self._found[decision].setdefault(situation.fitting + extra, {})
                    by_rule.setdefault(situation.rule, []).append((situation, extra))

    def branches(self, decision: str) -> tuple[int, ...]:
        """How many rules can bear on a case with this decision."""
        return tuple(sorted(self._found[decision]))

    def rules(self, decision: str, branches: int) -> int:
        """How many rules can decide so where so many bear; each is drawn as often."""
        return len(self._found[decision][branches])

    def draw(self, draws: Draws, decision: str, branches: int) -> Scenario | None:
        """A situation with this decision on which so many rules bear, or the nearest number there is.

        The rule that decides is drawn first, each as likely; None where the policy never decides so.
        """
        counts = self._found[decision]
        if not counts:
            return None
        nearest = min(counts, key=lambda count: (abs(count - branches), count < branches))
        by_rule = counts[nearest]
        situation, extra = draws.choice(by_rule[draws.choice(sorted(by_rule))])
        cells = [(one, self._cell(situation, one, decision).get(extra, ())) for one in situation.classes]
        return_class, factors = draws.choice([cell for cell in cells if cell[1]])
        # Few send back a whole order: only where it matters, or now and then.
        part = [fee_factors for fee_factors in factors if not fee_factors.whole]
        if part and draws.chance(800):
            factors = tuple(part)
        return Scenario(situation, return_class, draws.choice(factors), nearest)

    def exchanges(self, return_class: str, above_threshold: bool | None, reason: str) -> bool:
        """Whether a customer with this reason would want an exchange of goods of a class on a side of the window."""
        return reason in FAULTS or (reason != "arrived_late" and (return_class, above_threshold) in self._versions)

    def _situations(self) -> Iterator[Situation]:
        season = next((rule for rule in self.policy.rules if isinstance(rule, Season)), None)
        spans = list(_spans(self._bands(), season if season and self.today <= season.until else None, self.today))
        over = next((rule.price_over for rule in self._windows() if rule.price_over is not None), None)
        for classes, above_threshold in self._goods(over):
            for tier, condition, reasons, final in product(TIERS, CONDITIONS, self._reasons(), (False, True)):
                said = tuple(one for one in reasons if any(plausible(of, condition, one) for of in classes))
                if not said:
                    continue
                for low, high, seasonal in spans:
                    case = self._case(
                        classes[0], tier, condition, said[0], final, above_threshold, over, low, seasonal, season
                    )
                    fits = self.policy.fitting(case)
                    answer = self.policy.deciding(fits[0]).answer(case)
                    yield Situation(
                        *(
                            classes,
                            tier,
                            condition,
                            said,
                            final,
                            above_threshold,
                            low,
                            high,
                            seasonal,
                            answer,
                            fits[0],
                            len(fits),
                        )
                    )

    def _windows(self) -> list[Window]:
        return [rule for rule in self.policy.rules if isinstance(rule, Window)]

    def _bands(self) -> list[tuple[int, int]]:
        """Ranges of days between which no rule changes its mind."""
        timed = (Window, Fault, Late, ExchangeOnly, Method)
        ends = sorted({rule.days for rule in self.policy.rules if isinstance(rule, timed)})
        starts = [0, *(day + 1 for day in ends)]
        return list(zip(starts, [*ends, ends[-1] + _OPEN_END], strict=True))

    def _goods(self, over: int | None) -> list[tuple[tuple[str, ...], bool | None]]:
        """Classes that the deciding rules treat alike, on each side of the price window where there is one."""
        alike: dict[tuple[int, ...], list[str]] = {}
        for one in self._prices:
            named = (at for at in self.policy.precedence if one in getattr(self.policy.rules[at], "classes", ()))
            alike.setdefault(tuple(named), []).append(one)
        if over is None:
            return [(tuple(group), None) for group in alike.values()]
        found: list[tuple[tuple[str, ...], bool | None]] = []
        for group in alike.values():
            cheap = tuple(one for one in group if self._prices[one][0] <= over)
            above_threshold = tuple(one for one in group if self._prices[one][1] > over)
            found += [(side, is_above) for side, is_above in ((cheap, False), (above_threshold, True)) if side]
        return found

    def _reasons(self) -> list[tuple[str, ...]]:
        """Reasons that the fault rules treat alike."""
        alike: dict[tuple[int, ...], list[str]] = {}
        for reason in REASONS:
            rules = enumerate(self.policy.rules)
            named = tuple(at for at, rule in rules if isinstance(rule, Fault) and reason in rule.reasons)
            alike.setdefault(named, []).append(reason)
        return [tuple(group) for group in alike.values()]

    def _case(
        self,
        return_class: str,
        tier: str,
        condition: str,
        reason: str,
        final_sale: bool,
        above_threshold: bool | None,
        over: int | None,
        days: int,
        seasonal: bool | None,
        season: Season | None,
    ) -> Case:
        price = (over or 0) + 1 if above_threshold else 1
        delivered = self.today - timedelta(days=days)
        placed = delivered - timedelta(days=TRANSIT[0])
        if seasonal is not None and season is not None:
            placed = season.start if seasonal else season.start - timedelta(days=1)
        return Case(
            *(
                return_class,
                tier,
                placed,
                delivered,
                self.today,
                condition,
                reason,
                final_sale,
                price,
                1,
                1,
                (price,),
                0,
            )
        )

    def _extras(self, situation: Situation, decision: str) -> list[int]:
        """How many amount rules can bear."""
        return sorted({extra for one in situation.classes for extra in self._cell(situation, one, decision)})

    def _cell(self, situation: Situation, return_class: str, decision: str) -> dict[int, tuple[FeeFactors, ...]]:
        """The charges possible for a class in a situation, by the number of amount rules that bear."""
        rule = self.policy.deciding(situation.rule)
        kind = (isinstance(rule, Fault), situation.answer == "share")
        key = (
            return_class,
            situation.above_threshold,
            situation.tier,
            situation.condition,
            situation.reasons,
            kind,
            decision,
        )
        cell = self._cells.get(key)
        if cell is None:
            cell = self._cells[key] = self._charges(situation, return_class, decision)
        return cell

    def _charges(self, situation: Situation, return_class: str, decision: str) -> dict[int, tuple[FeeFactors, ...]]:
        found: dict[int, list[FeeFactors]] = {}
        price = 10 * sum(getattr(rule, "amount", None) or 0 for rule in self.policy.rules) + 1000
        for reason, discounted, whole in product(situation.reasons, (False, True), (False, True)):
            if not plausible(return_class, situation.condition, reason):
                continue
            if decision == "exchange" and not self.exchanges(return_class, situation.above_threshold, reason):
                continue
            case = Case(
                return_class=return_class,
                tier=situation.tier,
                placed=self.today,
                delivered=self.today - timedelta(days=situation.low),
                today=self.today,
                condition=situation.condition,
                reason=reason,
                final_sale=situation.final_sale,
                unit_price=price,
                bought=1,
                quantity=1,
                totals=(price,) if whole else (price, price),
                line=0,
                discount=price // 10 if discounted else 0,
                shipping=price // 20,
                replacement_price=price if decision == "exchange" else None,
            )
            outcome = self.policy.outcome(case, situation.rule)
            extra = 0 if decision == "refuse" else len(self.policy.charging(case, situation.rule, outcome))
            found.setdefault(extra, []).append(FeeFactors(reason, discounted, whole))
        return {extra: tuple(factors) for extra, factors in found.items()}


def _decisions(answer: Answer) -> tuple[str, ...]:
    """What can become of a case, by what the rule that decides says; the customer's wish settles it."""
    return {
        "accept": ("refund", "exchange"),
        "exchange": ("exchange", "refuse"),
        "share": ("refund",),
        "refuse": ("refuse",),
    }[answer]


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
