"""Return policies: numbered rules, a declared order of precedence, and the exact outcome of a case.

Of the deciding rules that fit a case, the first in the order of precedence decides, and is the rule to name; amount
rules change what is paid. `ecomrlve.grammars.policy.text` writes a policy as the document a customer reads and reads it
back; `ecomrlve.grammars.policy.json` is its JSON face.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from ecomrlve.grammars.policy.rules import (
    Case,
    Deciding,
    Discount,
    ExchangePostage,
    Fault,
    FeeWaiver,
    Late,
    Method,
    Postage,
    PostageWaiver,
    Restocking,
    Rule,
    ShippingRefund,
    Window,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a case.

    Args:
        decision: ``"refund"``, ``"exchange"`` or ``"refuse"``.
        rule: id of the rule that decides; None where no rule fits, which no complete policy allows.
        amount: paid to the customer, minor units; negative where the customer pays on an exchange; None on a refusal.
        method: ``"payment"`` or ``"credit"`` where a refund is paid and a rule says how, else None.
        paid: price of the units sent back.
        share: their part of the order's discount.
        fee: restocking fee taken off.
        postage: return postage taken off.
        shipping: delivery charge given back.
    """

    decision: Literal["refund", "exchange", "refuse"]
    rule: str | None
    amount: int | None = None
    method: Literal["payment", "credit"] | None = None
    paid: int = 0
    share: int = 0
    fee: int = 0
    postage: int = 0
    shipping: int = 0


def discount_share(totals: Sequence[int], line: int, discount: int, rest: str = "first") -> int:
    """One line's share of a discount on the whole order, to the minor unit.

    >>> [discount_share((1000, 1000, 1000), line, 100) for line in range(3)]
    [34, 33, 33]
    """
    whole = sum(totals)
    if not discount or not whole:
        return 0
    share = discount * totals[line] // whole
    if line == (0 if rest == "first" else len(totals) - 1):
        share += discount - sum(discount * total // whole for total in totals)
    return share


@dataclass(frozen=True, slots=True)
class Policy:
    """A shop's return policy.

    Args:
        rules: in the order of the document; the first is R1.
        precedence: indexes of the deciding rules; of those that fit a case, the first decides.
        reading: which wording each opening clause and heading of the document takes, by `policy_text.CLAUSES`.
        ids: of the rules; R1, R2, … where there are none.
        by_topic: whether the document groups its rules under headings, which say what goes before what.

    >>> from datetime import date
    >>> from ecomrlve.grammars.policy.rules import Refusal
    >>> policy = Policy((Refusal(final_sale=True), Window(30)), (0, 1))
    >>> day = date(2026, 3, 1)
    >>> case = Case(
    ...     "toys", "plus", day, day, date(2026, 3, 31), "opened", "changed_mind", False, 1999, 2, 1, (3998,), 0
    ... )
    >>> outcome = policy.decide(case)
    >>> outcome.decision, outcome.rule, outcome.amount
    ('refund', 'R2', 1999)
    """

    rules: tuple[Rule, ...]
    precedence: tuple[int, ...]
    reading: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()
    by_topic: bool = False

    def name(self, at: int) -> str:
        """The id of a rule by its place in the document."""
        return self.ids[at] if self.ids else f"R{at + 1}"

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of all rules, in the order of the document."""
        return tuple(self.name(at) for at in range(len(self.rules)))

    def deciding(self, at: int) -> Deciding:
        """A rule of the order of precedence, by its index."""
        return cast(Deciding, self.rules[at])

    def fitting(self, case: Case) -> list[int]:
        """Indexes of the deciding rules that fit, in the order of precedence."""
        covering = [(at, rule) for at in self.precedence if (rule := self.deciding(at)).covers(case)]
        windows = [(at, rule) for at, rule in covering if isinstance(rule, Window)]
        named = [(at, rule) for at, rule in windows if not rule.general]
        open_until = (named or windows)[0][1].days if windows else case.days
        late = case.days > open_until
        fits = []
        for at, rule in covering:
            if isinstance(rule, Window):
                if named and rule.general:
                    continue
            elif isinstance(rule, Late) and not late:
                continue
            fits.append(at)
        return fits

    def decide(self, case: Case) -> Outcome:
        """The outcome of a case."""
        fits = self.fitting(case)
        return self.outcome(case, fits[0]) if fits else Outcome("refuse", None)

    def bearing(self, case: Case) -> tuple[str, ...]:
        """Ids of the rules that bear on a case, in document order.

        A deciding rule bears when it fits: it decides, or is outranked by the one that does. An amount rule bears when
        the amount would be another without it.

        >>> from datetime import date
        >>> policy = Policy((Window(60, tiers=("plus",)), Window(30, classes=("toys",)), Window(14)), (0, 1, 2))
        >>> day = date(2026, 3, 1)
        >>> policy.bearing(Case("toys", "plus", day, day, day, "opened", "changed_mind", False, 1999, 2, 1, (3998,), 0))
        ('R1', 'R2')
        """
        fits = self.fitting(case)
        charging = self.charging(case, fits[0], self.outcome(case, fits[0])) if fits else []
        return tuple(self.name(at) for at in sorted({*fits, *charging}))

    def charging(self, case: Case, governing: int, outcome: Outcome) -> list[int]:
        """Indexes of the amount rules without which the amount of an outcome would be another."""
        if outcome.amount is None:
            return []
        return [
            at
            for at, rule in enumerate(self.rules)
            if _may_bear(rule, case, outcome) and self.outcome(case, governing, without=(at,)).amount != outcome.amount
        ]

    def outcome(self, case: Case, governing: int, without: Collection[int] = ()) -> Outcome:
        """Decision and amount where it is known which rule decides, as if some amount rules were not there."""
        rule, name = self.deciding(governing), self.name(governing)
        answer = rule.answer(case)
        exchange = case.replacement_price is not None and answer in ("accept", "exchange")
        # What cannot be had in exchange is paid back, and costs the customer nothing.
        instead = case.sold_out and answer in ("accept", "exchange")
        if answer == "refuse" or (answer == "exchange" and not exchange and not instead):
            return Outcome("refuse", name)
        charges = [other for at, other in enumerate(self.rules) if not other.decides and at not in without]
        fault = isinstance(rule, Fault)
        paid = case.unit_price * case.quantity
        if exchange:
            charged = not fault and any(isinstance(other, ExchangePostage) for other in charges)
            postage = _postage(charges, case) if charged else 0
            amount = paid - postage - (case.replacement_price or 0) * case.quantity
            return Outcome("exchange", name, amount, None, paid, 0, 0, postage)
        share = _share(charges, case)
        method = _method(charges, case)
        if isinstance(rule, Late) and not instead:
            return Outcome("refund", name, (paid - share) * (rule.percent or 0) // 100, method, paid, share)
        free = fault or instead
        fee = 0 if free else _fee(charges, case, paid - share)
        postage = 0 if free else _postage(charges, case)
        back = any(isinstance(other, ShippingRefund) for other in charges) and (fault or case.whole_order)
        shipping = case.shipping if back else 0
        amount = max(0, paid - share - fee - postage + shipping)
        return Outcome("refund", name, amount, method, paid, share, fee, postage, shipping)


def _may_bear(rule: Rule, case: Case, outcome: Outcome) -> bool:
    """Whether an amount rule can have changed an amount, by what it is made of; spares working it out anew."""
    match rule:
        case Discount():
            return outcome.share != 0
        case Restocking():
            return outcome.fee != 0
        case Postage() | ExchangePostage():
            return outcome.postage != 0
        case FeeWaiver() | PostageWaiver():
            return case.tier in rule.tiers
        case ShippingRefund():
            return outcome.shipping != 0
    return False


def _share(charges: Sequence[Rule], case: Case) -> int:
    for rule in charges:
        if isinstance(rule, Discount):
            return discount_share(case.totals, case.line, case.discount, rule.rest) * case.quantity // case.bought
    return 0


def _fee(charges: Sequence[Rule], case: Case, value: int) -> int:
    fee = 0
    for rule in charges:
        if isinstance(rule, FeeWaiver) and case.tier in rule.tiers:
            return 0
        if isinstance(rule, Restocking) and case.condition in rule.conditions:
            if rule.classes and case.return_class not in rule.classes:
                continue
            fee = (rule.amount or 0) * case.quantity if rule.percent is None else value * rule.percent // 100
    return fee


def _postage(charges: Sequence[Rule], case: Case) -> int:
    by_class = by_reason = None
    for rule in charges:
        if isinstance(rule, PostageWaiver) and case.tier in rule.tiers:
            return 0
        if isinstance(rule, Postage):
            if case.return_class in rule.classes:
                by_class = rule.amount
            elif case.reason in rule.reasons:
                by_reason = rule.amount
    return (by_reason or 0) if by_class is None else by_class


def _method(charges: Sequence[Rule], case: Case) -> Literal["payment", "credit"] | None:
    for rule in charges:
        if isinstance(rule, Method):
            return "payment" if case.days <= rule.days else "credit"
    return None
