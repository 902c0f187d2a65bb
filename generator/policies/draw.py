"""The return policy of a world: 11 to 16 rules drawn from the policy grammar, with values that real shops use.

The bands (windows, fees, who pays postage, the kinds of exception) are those of published policies.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction

from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.policy.json import check_policy
from ecomrlve.grammars.policy.policy import Policy
from ecomrlve.grammars.policy.rules import (
    FAULTS,
    Discount,
    ExchangeOnly,
    ExchangePostage,
    Fault,
    FeeWaiver,
    Late,
    Method,
    Postage,
    PostageWaiver,
    Refusal,
    Restocking,
    Rule,
    Season,
    ShippingRefund,
    Window,
)
from ecomrlve.grammars.policy.text import CLAUSES, wordings_of

__all__ = ["Policy", "draw_policy"]

# Return classes that shops treat alike, and the windows they give them, in days.
_GROUPS: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...] = (
    (("clothing", "footwear", "jewelry"), (30, 60, 90)),
    (("electronics", "media", "office"), (14, 15, 30)),
    (("furniture", "home", "garden"), (14, 30, 60)),
    (("beauty", "hygiene", "baby", "grocery"), (14, 15, 30)),
    (("toys", "outdoors", "tools", "automotive", "pets"), (30, 60, 90)),
)
_SEALED = ("hygiene", "beauty", "grocery", "baby", "media", "jewelry")
_NEVER = ("grocery", "hygiene", "beauty")
_EXCHANGED = ("media", "electronics", "toys", "jewelry", "footwear", "clothing", "office", "tools", "automotive")
_FLAT_FEE = ("electronics", "furniture", "outdoors", "tools", "garden", "automotive")
_BULKY = ("furniture", "garden", "outdoors", "home", "tools")

# How many units of the currency buy what a dollar buys, near enough for fees that look right.
_PER_DOLLAR = {"JPY": Fraction(150), "INR": Fraction(85), "SAR": Fraction(4), "KWD": Fraction(3, 10)}

_OPTIONAL = (
    *("second_class", "second_tier", "price", "season", "second_fault", "sealed", "never", "exchange_only", "late"),
    *("second_fee", "fee_waiver", "bulky", "postage_waiver", "exchange_postage", "method"),
)


def money(cents: int, currency: Currency) -> int:
    """What a shop in this currency would charge where another charges so many US cents, in minor units.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> money(595, CURRENCIES["USD"]), money(595, CURRENCIES["JPY"])
    (595, 890)
    """
    scale = _PER_DOLLAR.get(currency.code)
    if scale is None:
        return cents
    amount = int(Fraction(cents, 100) * scale * 10**currency.decimals)
    step = int(10 ** max(0, len(str(amount)) - 2))
    return max(1, amount // step * step)


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What the parts of one drawing share."""

    draws: Draws
    classes: tuple[str, ...]
    currency: Currency
    today: date
    chosen: frozenset[str]

    def some(self, among: Sequence[str], most: int) -> tuple[str, ...]:
        """Up to ``most`` of the shop's classes among these, in the order of the group; empty where it has none."""
        found = [one for one in among if one in self.classes]
        kept = self.draws.sample(found, self.draws.between(1, most))
        return tuple(one for one in found if one in kept)

    def tiers(self) -> tuple[str, ...]:
        """Who a favor is for."""
        return self.draws.choice((("gold",), ("plus", "gold")))


def draw_policy(
    seed: int,
    split: str,
    classes: Sequence[str],
    currency: Currency,
    today: date,
    number: int = 0,
    branches: int = 5,
) -> Policy:
    """One return policy of a world.

    Args:
        seed: the world's seed.
        split: the world's split.
        classes: return classes of the shop's goods.
        currency: of its fees.
        today: the world's date, which its season is near.
        number: which of the world's policies.
        branches: how many rules are to bear on a case.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> policy = draw_policy(0, "train", ("clothing", "media"), CURRENCIES["USD"], date(2026, 3, 11))
    >>> 11 <= len(policy.rules) <= 16
    True
    """
    draws = Draws(seed, "policy", split, number, branches)
    chosen = set(draws.sample(_OPTIONAL, draws.between(1, 5)))
    kept = [one for one in _NEVER if one in classes] if "never" in chosen and len(classes) > 3 else []
    never = draws.choice(kept) if kept else ""
    taken = tuple(one for one in classes if one != never)
    drawing = _Drawing(draws, taken, currency, today, frozenset(chosen))
    windows, tiers = _windows(drawing)
    refusals = _refusals(drawing, windows[0].classes)
    if not any(
        rule.conditions == ("opened", "used") and set(rule.classes) & set(windows[0].classes) for rule in refusals
    ):
        # With neither such a refusal nor a season, no refusal would have five rules bear on it.
        drawing = replace(drawing, chosen=drawing.chosen | {"season"})
    refusals = draws.shuffle([*refusals, *([Refusal((never,))] if never else [])])
    precedence = _precede(drawing, windows, tiers, refusals)
    policy = _document(draws, precedence, _charges(drawing, refusals))
    check_policy(policy)
    return policy


def _windows(drawing: _Drawing) -> tuple[list[Window], list[Window]]:
    """Windows by class, the general one last; and windows for members."""
    draws, chosen = drawing.draws, drawing.chosen
    general = draws.choice((30, 30, 60, 90))
    groups = [group for group in draws.shuffle(_GROUPS) if set(group[0]) & set(drawing.classes)]
    windows = []
    for names, days in groups[: 2 if "second_class" in chosen else 1]:
        windows.append(Window(draws.choice([one for one in days if one != general]), drawing.some(names, 3)))
    longest = max(general, *(window.days for window in windows))
    longer = [days for days in (45, 60, 90, 120, 365) if days > longest]
    if "second_tier" in chosen:
        plus, gold = sorted(draws.sample(longer, 2))
        tiers = [Window(plus, tiers=("plus",)), Window(gold, tiers=("gold",))]
    else:
        tiers = [Window(longer[0] if draws.chance(500) else draws.choice(longer), tiers=drawing.tiers())]
    return [*windows, Window(general)], tiers


def _refusals(drawing: _Drawing, first: tuple[str, ...]) -> list[Refusal | ExchangeOnly]:
    """What is refused or only exchanged because of what it is and the state it is in; ``first`` has a window."""
    draws, chosen = drawing.draws, drawing.chosen
    rules: list[Refusal | ExchangeOnly] = []
    sealed = drawing.some(_SEALED, 3) if "sealed" in chosen else ()
    if sealed:
        rules.append(Refusal(sealed, ("opened", "used")))
    swapped = drawing.some([one for one in _EXCHANGED if one not in sealed], 2) if "exchange_only" in chosen else ()
    if swapped:
        rules.append(ExchangeOnly(swapped, ("opened",), draws.choice((14, 15, 30, 60))))
    used: tuple[str, ...] = ()
    if draws.chance(250):
        more = drawing.some(draws.choice(_GROUPS)[0], 3)
        used = tuple(one for one in drawing.classes if one in (*first, *more))
    return [*rules, Refusal(used, ("used",))]


def _precede(drawing: _Drawing, windows: list[Window], tiers: list[Window], refusals: Sequence[Rule]) -> list[Rule]:
    """The deciding rules in their order of precedence."""
    draws, chosen = drawing.draws, drawing.chosen
    days = (30, 60, 90, 365)
    if "second_fault" in chosen:
        faults: list[Rule] = [Fault(FAULTS[:2], draws.choice(days)), Fault(FAULTS[2:], draws.choice(days))]
    else:
        faults = [Fault(FAULTS, draws.choice(days))]
    final: list[Rule] = [Refusal(final_sale=True)]
    order = [*faults, *final, *refusals] if draws.chance(650) else [*final, *faults, *refusals]
    dear: list[Rule] = []
    if "price" in chosen:
        over = draws.choice((10_000, 15_000, 20_000, 25_000, 30_000))
        dear.append(Window(draws.choice((14, 15)), price_over=money(over, drawing.currency)))
    above = bool(dear) and draws.chance(400)
    order += dear if above else []
    if "season" in chosen:
        until = drawing.today + timedelta(days=draws.between(0, 30))
        start = drawing.today - timedelta(days=draws.between(70, 120))
        order.append(Season(start, start + timedelta(days=draws.between(25, 45)), until))
    if "late" in chosen:
        order.append(_late(drawing, windows))
    order += draws.shuffle([*tiers, *([] if above else dear)])
    return [*order, *draws.shuffle(windows[:-1]), windows[-1]]


def _late(drawing: _Drawing, windows: list[Window]) -> Late:
    draws = drawing.draws
    covered = drawing.some(drawing.classes, 4) if draws.chance(500) else ()
    reached = max(window.days for window in windows)
    days = draws.choice([days for days in (60, 75, 90, 120, 180) if days > reached])
    return Late(days, covered, draws.choice((50, 60, 75, 80)) if draws.chance(400) else None)


def _charges(drawing: _Drawing, refusals: Sequence[Rule]) -> list[Rule]:
    """The amount rules."""
    draws, chosen, currency = drawing.draws, drawing.chosen, drawing.currency
    everything_used = Refusal(conditions=("used",)) in refusals
    conditions = ("opened",) if everything_used else ("opened", "used")
    rules: list[Rule] = [Discount(draws.choice(("first", "last"))), ShippingRefund()]
    flat = drawing.some(_FLAT_FEE, 2)
    if "second_fee" in chosen and flat:
        rest = drawing.some([one for one in drawing.classes if one not in flat], 3)
        rules.append(Restocking(conditions, flat, amount=money(draws.choice((800, 1000, 1500)), currency)))
        rules.extend([Restocking(conditions, rest, percent=draws.choice((10, 15, 20)))] if rest else [])
    else:
        covered = () if draws.chance(500) else drawing.some(drawing.classes, 5)
        rules.append(Restocking(conditions, covered, percent=draws.choice((10, 12, 15, 20))))
    reasons = draws.choice((("changed_mind",), ("changed_mind", "ordered_by_mistake")))
    rules.append(Postage(money(draws.choice((395, 495, 595, 695, 795)), currency), reasons=reasons))
    bulky = drawing.some(_BULKY, 2)
    if "bulky" in chosen and bulky and len(drawing.classes) > len(bulky):
        rules.append(Postage(money(draws.choice((1200, 1500, 1900, 2400)), currency), bulky))
    if "fee_waiver" in chosen:
        rules.append(FeeWaiver(drawing.tiers()))
    if "postage_waiver" in chosen:
        rules.append(PostageWaiver(drawing.tiers()))
    if "exchange_postage" in chosen:
        rules.append(ExchangePostage())
    if "method" in chosen:
        rules.append(Method(draws.choice((30, 60, 90))))
    return rules


def _document(draws: Draws, precedence: list[Rule], charges: list[Rule]) -> Policy:
    """The rules in the order of a document: by precedence, or by topic with the precedence listed."""
    if draws.chance(350):
        rules = [*precedence, *draws.shuffle(charges)]
    else:
        topics: dict[str, list[Rule]] = {}
        for rule in [*precedence, *charges]:
            topics.setdefault(_TOPICS.get(rule.kind, "money"), []).append(rule)
        rules = [rule for _, topic in draws.shuffle(list(topics.items())) for rule in draws.shuffle(topic)]
    order = tuple(rules.index(rule) for rule in precedence)
    worded = tuple(replace(rule, wording=draws.below(wordings_of(rule))) for rule in rules)
    return Policy(worded, order, tuple(draws.below(2) for _ in CLAUSES))


_TOPICS = {
    **dict.fromkeys(("window", "season", "late"), "time"),
    **dict.fromkeys(("refusal", "exchange_only"), "limits"),
    "fault": "faults",
}
