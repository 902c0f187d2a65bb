"""Return policies of a world, drawn from the policy grammar with values that real shops use.

The bands (windows, fees, who pays postage, the kinds of exception) are those of published policies.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction

from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.policy.json import check_policy, topic_of
from ecomrlve.grammars.policy.policy import Policy
from ecomrlve.grammars.policy.rules import (
    FAULTS,
    TOPICS,
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
from ecomrlve.grammars.policy.text import clause_wordings, wordings_of

__all__ = ["Policy", "draw_policy"]

# Return classes that shops treat alike, and the windows they give them, in days.
_GROUPS: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...] = (
    (("clothing", "footwear", "jewelry"), (28, 30, 45, 60, 90)),
    (("electronics", "media", "office"), (10, 14, 15, 21, 30)),
    (("furniture", "home", "garden"), (14, 21, 30, 60)),
    (("beauty", "hygiene", "baby", "grocery"), (7, 10, 14, 15, 30)),
    (("toys", "outdoors", "tools", "automotive", "pets"), (30, 45, 60, 90)),
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
# By how many rules are to bear on a case: how many of these there are, and of the charges that most shops have.
_SIZES = {1: ((0, 1), 1), 2: ((0, 1), 1), 3: ((1, 2), 2), 4: ((2, 4), 3), 5: ((3, 6), 3)}
_BRANCHES = max(_SIZES)
# What is added to a charge can only stand where the charge does.
_NEEDS = {
    **dict.fromkeys(("second_fee", "fee_waiver"), "fee"),
    **dict.fromkeys(("bulky", "postage_waiver", "exchange_postage"), "postage"),
}

# Letters that the ids of rules begin with; those that look like digits are left out.
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


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
    >>> 10 <= len(policy.rules) <= 18
    True
    """
    draws = Draws(seed, "policy", split, number, branches)
    size = max(1, min(branches, _BRANCHES))
    chosen = _choose(draws, size)
    kept = [one for one in _NEVER if one in classes] if "never" in chosen and len(classes) > 3 else []
    never = draws.choice(kept) if kept else ""
    taken = tuple(one for one in classes if one != never)
    drawing = _Drawing(draws, taken, currency, today, chosen)
    windows, tiers = _windows(drawing)
    refusals = _refusals(drawing, windows[0].classes)
    first = set(windows[0].classes)
    if size == _BRANCHES and not any(
        rule.conditions == ("opened", "used") and set(rule.classes) & first for rule in refusals
    ):
        # With neither such a refusal nor a season, no refusal would have five rules bear on it.
        drawing = replace(drawing, chosen=drawing.chosen | {"season"})
    precedence = _precede(drawing, windows, tiers, draws.shuffle([*refusals, *([Refusal((never,))] if never else [])]))
    policy = _document(draws, precedence, _charges(drawing, refusals))
    check_policy(policy)
    return policy


def _choose(draws: Draws, size: int) -> frozenset[str]:
    """What a policy has beside what every policy has."""
    (fewest, most), charges = _SIZES[size]
    common = draws.sample(("fee", "postage", "shipping"), charges)
    able = [one for one in _OPTIONAL if _NEEDS.get(one, "fee") in common or one not in _NEEDS]
    if size < 3:
        # Small policies say no more than their cases need: with the reasons explained, there is no room for more.
        able = [one for one in able if one not in ("second_fault", "second_tier") and "postage" not in common]
    limits = ["final", "used"] if size > 2 else [draws.choice(("final", "used"))]
    return frozenset({*draws.sample(able, draws.between(fewest, most)), *common, *limits})


def _windows(drawing: _Drawing) -> tuple[list[Window], list[Window]]:
    """Windows by class, the general one last; and windows for members."""
    draws, chosen = drawing.draws, drawing.chosen
    general = draws.choice((20, 28, 30, 30, 40, 60, 90))
    groups = [group for group in draws.shuffle(_GROUPS) if set(group[0]) & set(drawing.classes)]
    windows = []
    for names, days in groups[: 2 if "second_class" in chosen else 1]:
        windows.append(Window(draws.choice([one for one in days if one != general]), drawing.some(names, 3)))
    longest = max(general, *(window.days for window in windows))
    longer = [days for days in (45, 60, 75, 90, 100, 120, 150, 180) if days > longest]
    if "second_tier" in chosen:
        plus, gold = sorted(draws.sample(longer, 2))
        tiers = [Window(plus, tiers=("plus",)), Window(gold, tiers=("gold",))]
    else:
        tiers = [Window(longer[0] if draws.chance(500) else draws.choice(longer), tiers=drawing.tiers())]
    return [*windows, Window(general)], tiers


def _refusals(drawing: _Drawing, first: tuple[str, ...]) -> list[Refusal | ExchangeOnly]:
    """What is refused or only exchanged because of what it is and the state it is in; ``first`` has a window."""
    draws, chosen = drawing.draws, drawing.chosen
    rules: list[Refusal | ExchangeOnly] = [Refusal(final_sale=True)] if "final" in chosen else []
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
    return [*rules, *([Refusal(used, ("used",))] if "used" in chosen else [])]


def _precede(drawing: _Drawing, windows: list[Window], tiers: list[Window], refusals: Sequence[Rule]) -> list[Rule]:
    """The deciding rules in their order of precedence: what the law grants, then exceptions, then windows."""
    draws, chosen = drawing.draws, drawing.chosen
    days = (60, 90, 180, 365)
    if "second_fault" in chosen:
        faults: list[Rule] = [Fault(FAULTS[:2], draws.choice(days)), Fault(FAULTS[2:], draws.choice(days))]
    else:
        faults = [Fault(FAULTS, draws.choice(days))]
    order = [*draws.shuffle(faults), *refusals]
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
    days = draws.choice([days for days in (60, 75, 90, 100, 120, 150, 180) if days > reached])
    return Late(days, covered, draws.choice((50, 60, 75, 80)) if draws.chance(400) else None)


def _charges(drawing: _Drawing, refusals: Sequence[Rule]) -> list[Rule]:
    """The amount rules."""
    draws, chosen = drawing.draws, drawing.chosen
    everything_used = Refusal(conditions=("used",)) in refusals
    conditions = ("opened",) if everything_used else ("opened", "used")
    rules: list[Rule] = [Discount(draws.choice(("first", "last")))]
    if "shipping" in chosen:
        rules.append(ShippingRefund())
    if "fee" in chosen:
        rules += _restocking(drawing, conditions)
    if "postage" in chosen:
        rules += _postage(drawing)
    if "fee_waiver" in chosen:
        rules.append(FeeWaiver(drawing.tiers()))
    if "postage_waiver" in chosen:
        rules.append(PostageWaiver(drawing.tiers()))
    if "exchange_postage" in chosen:
        rules.append(ExchangePostage())
    if "method" in chosen:
        rules.append(Method(draws.choice((30, 60, 90))))
    return rules


def _restocking(drawing: _Drawing, conditions: tuple[str, ...]) -> list[Rule]:
    draws, chosen, currency = drawing.draws, drawing.chosen, drawing.currency
    flat = drawing.some(_FLAT_FEE, 2)
    if "second_fee" not in chosen or not flat:
        covered = () if draws.chance(500) else drawing.some(drawing.classes, 5)
        return [Restocking(conditions, covered, percent=draws.choice((5, 8, 10, 12, 15, 20)))]
    rest = drawing.some([one for one in drawing.classes if one not in flat], 3)
    rules: list[Rule] = [Restocking(conditions, flat, amount=money(draws.choice((500, 800, 1000, 1500)), currency))]
    return [*rules, *([Restocking(conditions, rest, percent=draws.choice((5, 10, 15, 20)))] if rest else [])]


def _postage(drawing: _Drawing) -> list[Rule]:
    draws, chosen, currency = drawing.draws, drawing.chosen, drawing.currency
    # A change of mind and a mistake are hard to tell apart, so no charge hangs on which it was.
    own = ("changed_mind", "ordered_by_mistake")
    reasons = draws.choice((own, own, (own[0], "does_not_fit", own[1])))
    amounts = (295, 395, 450, 495, 595, 650, 695, 795)
    rules: list[Rule] = [Postage(money(draws.choice(amounts), currency), reasons=reasons)]
    bulky = drawing.some(_BULKY, 2)
    if "bulky" in chosen and bulky and len(drawing.classes) > len(bulky):
        rules.append(Postage(money(draws.choice((1200, 1500, 1900, 2400)), currency), bulky))
    return rules


def _document(draws: Draws, precedence: list[Rule], charges: list[Rule]) -> Policy:
    """The rules in the order of a document: under headings by topic, or in their order of precedence, or mixed."""
    by_topic = draws.chance(700)
    if by_topic:
        topics: dict[str, list[Rule]] = {}
        for rule in [*precedence, *draws.shuffle(charges)]:
            topics.setdefault(topic_of(rule), []).append(rule)
        groups = draws.shuffle(list(topics.values())) if draws.chance(500) else list(topics.values())
        rules = [rule for topic in groups for rule in topic]
    elif draws.chance(600):
        rules = [*precedence, *draws.shuffle(charges)]
    else:
        rules = draws.shuffle([*precedence, *charges])
    order = tuple(rules.index(rule) for rule in precedence)
    worded = tuple(replace(rule, wording=draws.below(wordings_of(rule))) for rule in rules)
    policy = Policy(worded, order, ids=_ids(draws, worded, by_topic), by_topic=by_topic)
    return replace(policy, reading=tuple(map(draws.below, clause_wordings(policy))))


def _ids(draws: Draws, rules: Sequence[Rule], by_topic: bool) -> tuple[str, ...]:
    """Ids of the rules: a letter or two and a running number, from anywhere and by any step, or so by topic."""
    start, step = draws.choice(((1, 1), (10, 10), (100 * draws.between(1, 8) + 1, 1), (draws.between(2, 60), 1)))
    if by_topic and draws.chance(400):
        letters = dict(zip(TOPICS, draws.sample(_LETTERS, len(TOPICS)), strict=True))
        found = list[str]()
        for rule in rules:
            letter = letters[topic_of(rule)]
            found.append(f"{letter}{start + step * sum(one.startswith(letter) for one in found)}")
        return tuple(found)
    letter = draws.choice(_LETTERS) + (draws.choice(_LETTERS) if draws.chance(300) else "")
    ids = tuple(f"{letter}{start + step * place}" for place in range(len(rules)))
    return () if ids == tuple(f"R{place + 1}" for place in range(len(rules))) else ids
