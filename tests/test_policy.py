"""Return policies: one reading per text, one outcome per case, and a second opinion on both."""

import json
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.policies.draw import draw_policy
from ecomrlve.generator.policies.situations import DECISIONS, LATEST, SOLD_OUT, TRANSIT, Scenario, Situations, plausible
from ecomrlve.generator.proofs.returns.document import read_document, settle
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import CURRENCIES, Currency
from ecomrlve.grammars.policy.json import check_policy, policy_from_json, policy_to_json
from ecomrlve.grammars.policy.policy import Policy, discount_share
from ecomrlve.grammars.policy.rules import (
    CONDITIONS,
    FAULTS,
    REASONS,
    RETURN_CLASSES,
    TIERS,
    Case,
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
from ecomrlve.grammars.policy.text import READING, parse_policy, render_policy, render_rule, rule_readings, wordings_of

TODAY = date(2026, 3, 11)
SHOPS = (
    RETURN_CLASSES,
    ("furniture",),
    ("clothing", "footwear"),
    ("jewelry",),
    ("electronics", "media", "jewelry", "grocery"),
)
DOLLARS = CURRENCIES["USD"]


def drawn(
    seed: int, classes: tuple[str, ...] = RETURN_CLASSES, currency: Currency = DOLLARS, branches: int = 5
) -> Policy:
    return draw_policy(seed, "train", classes, currency, TODAY, branches=branches)


def some(names: tuple[str, ...], least: int = 1) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(names), min_size=least, max_size=5, unique=True).map(tuple)


days = st.integers(1, 400)
cents = st.integers(1, 3_000_000)
percents = st.integers(1, 100)
classes = some(RETURN_CLASSES)
members = some(("plus", "gold"))
conditions = some(CONDITIONS)
dates = st.dates(date(2024, 1, 1), date(2027, 12, 31))
RULE = st.one_of(
    st.builds(Window, days),
    st.builds(Window, days, classes=classes),
    st.builds(Window, days, tiers=members),
    st.builds(Window, days, classes=classes, tiers=members),
    st.builds(Window, days, price_over=cents),
    st.builds(Season, dates, dates, dates),
    st.builds(Fault, some(FAULTS), days),
    st.just(Refusal(final_sale=True)),
    st.builds(Refusal, classes=classes),
    st.builds(Refusal, conditions=conditions),
    st.builds(Refusal, classes=classes, conditions=conditions),
    st.builds(ExchangeOnly, classes, conditions, days),
    st.builds(Late, days, st.one_of(st.just(()), classes), st.one_of(st.none(), percents)),
    st.builds(Discount, st.sampled_from(("first", "last"))),
    st.builds(Restocking, conditions, st.one_of(st.just(()), classes), percent=percents),
    st.builds(Restocking, conditions, st.one_of(st.just(()), classes), amount=cents),
    st.builds(FeeWaiver, members),
    st.builds(Postage, cents, classes=classes),
    st.builds(Postage, cents, reasons=some(REASONS)),
    st.builds(PostageWaiver, members),
    st.just(ShippingRefund()),
    st.just(ExchangePostage()),
    st.builds(Method, days),
)


@settings(max_examples=1200, deadline=None)
@given(rule=RULE, currency=st.sampled_from(list(CURRENCIES.values())), data=st.data())
def test_every_wording_of_every_rule_has_one_reading(rule: Rule, currency: Currency, data: st.DataObject) -> None:
    rule = replace(rule, wording=data.draw(st.integers(0, wordings_of(rule) - 1)))
    text = render_rule(Policy((rule, Fault(FAULTS, 30)), ()), 0, currency)
    assert rule_readings(text) == (rule,), text


@pytest.mark.parametrize("classes", SHOPS, ids=lambda classes: "-".join(classes)[:20])
def test_drawn_policies_hold_together(classes: tuple[str, ...]) -> None:
    """Size, one reading, JSON round trip, and each decision with as many bearing rules as the policy was drawn for."""
    prices = dict.fromkeys(classes, (300, 60_000))
    versions = [(one, side) for one in classes for side in (None, False, True)]
    for seed in range(60):
        branches = 1 + seed % 5
        currency = list(CURRENCIES.values())[seed % len(CURRENCIES)]
        policy = drawn(seed, classes, currency, branches)
        assert 6 <= len(policy.rules) <= 20
        assert parse_policy(render_policy(policy, currency)) == policy
        assert policy_from_json(json.loads(json.dumps(policy_to_json(policy)))) == policy
        situations = Situations(policy, TODAY, prices, versions)
        for decision in (*DECISIONS, SOLD_OUT):
            assert branches in situations.branches(decision), (seed, decision)


def test_policies_differ_and_repeat() -> None:
    assert len({drawn(seed) for seed in range(50)}) == 50
    assert drawn(3) == drawn(3)
    assert draw_policy(3, "test", RETURN_CLASSES, DOLLARS, TODAY) != drawn(3)


def any_case(draws: Draws, policy: Policy, classes: tuple[str, ...]) -> Case:
    """A case with its days near the edges of the policy's rules as often as not."""
    edges = [rule.days for rule in policy.rules if hasattr(rule, "days")]
    age = max(0, draws.choice(edges) + draws.between(-1, 1)) if draws.chance(600) else draws.below(420)
    delivered = TODAY - timedelta(days=age)
    placed = delivered - timedelta(days=draws.between(0, 20))
    for rule in policy.rules:
        if isinstance(rule, Season) and draws.chance(300):
            placed = draws.choice((rule.start, rule.end)) + timedelta(days=draws.between(-1, 1))
    over = [rule.price_over for rule in policy.rules if isinstance(rule, Window) and rule.price_over]
    price = over[0] + draws.between(-1, 1) if over and draws.chance(300) else draws.between(100, 50_000)
    bought = draws.between(1, 4)
    others = [draws.between(100, 40_000) for _ in range(draws.below(4))]
    line = draws.below(len(others) + 1)
    totals = (*others[:line], price * bought, *others[line:])
    return Case(
        return_class=draws.choice(classes),
        tier=draws.choice(TIERS),
        placed=placed,
        delivered=delivered,
        today=TODAY,
        condition=draws.choice(CONDITIONS),
        reason=draws.choice(REASONS),
        final_sale=draws.chance(200),
        unit_price=price,
        bought=bought,
        quantity=draws.between(1, bought),
        totals=totals,
        line=line,
        discount=draws.below(sum(totals) // 3) if draws.chance(500) else 0,
        shipping=draws.choice((0, 599, 2900)),
        replacement_price=draws.between(100, 50_000) if (wish := draws.below(10)) < 4 else None,
        sold_out=wish == 9,
    )


def facts_of(case: Case) -> dict[str, Any]:
    names = (
        "return_class tier placed delivered today condition reason final_sale unit_price bought quantity totals line"
    )
    facts = {name: getattr(case, name) for name in (*names.split(), "discount", "shipping")}
    price = case.replacement_price
    return facts | {"wants": None if price is None else price * case.quantity, "missing": case.sold_out}


@pytest.mark.parametrize("classes", SHOPS, ids=lambda classes: "-".join(classes)[:20])
def test_second_opinion_from_the_document_agrees(classes: tuple[str, ...]) -> None:
    """A procedure that reads the sentences on its own comes to the same decision, rule and amount."""
    decisions = dict.fromkeys(DECISIONS, 0)
    for seed in range(40):
        currency = list(CURRENCIES.values())[seed % len(CURRENCIES)]
        policy = drawn(seed, classes, currency, 1 + seed % 5)
        document = read_document(render_policy(policy, currency))
        draws = Draws(seed, "cases")
        for _ in range(60):
            case = any_case(draws, policy, classes)
            outcome = policy.decide(case)
            assert settle(document, facts_of(case)) == (outcome.decision, outcome.rule, outcome.amount), (seed, case)
            decisions[outcome.decision] += 1
    assert min(decisions.values()) > 100


def without(policy: Policy, gone: int) -> tuple[Policy, dict[str, str]]:
    """The policy less one rule, and the old id of each new one."""
    kept = [at for at in range(len(policy.rules)) if at != gone]
    place = {old: new for new, old in enumerate(kept)}
    order = tuple(place[at] for at in policy.precedence if at != gone)
    less = Policy(tuple(policy.rules[at] for at in kept), order)
    return less, {less.name(new): policy.name(old) for new, old in enumerate(kept)}


def test_rules_that_do_not_bear_can_be_struck_out() -> None:
    for seed in range(30):
        policy = drawn(seed)
        draws = Draws(seed, "bearing")
        for _ in range(15):
            case = any_case(draws, policy, RETURN_CLASSES)
            outcome, bearing = policy.decide(case), policy.bearing(case)
            assert outcome.rule in bearing
            for at, rule in enumerate(policy.rules):
                less, names = without(policy, at)
                changed = less.decide(case)
                same = (names.get(changed.rule or ""), changed.decision, changed.amount) == (
                    *(outcome.rule, outcome.decision, outcome.amount),
                )
                if policy.name(at) not in bearing:
                    assert same, (seed, case, rule)
                elif not rule.decides:
                    assert not same


def settled(chosen: Scenario, draws: Draws, policy: Policy, decision: str) -> Case:
    """A case of a situation."""
    situation = chosen.situation
    delivered = TODAY - timedelta(days=draws.choice((situation.low, situation.high)))
    over = next((rule.price_over for rule in policy.rules if isinstance(rule, Window) and rule.price_over), 0)
    price = over + 1000 if situation.above_threshold else 9_000
    totals = (price,) if chosen.fee_factors.whole else (price, 12_345)
    return Case(
        return_class=chosen.return_class,
        tier=situation.tier,
        placed=delivered - timedelta(days=draws.between(*TRANSIT)),
        delivered=delivered,
        today=TODAY,
        condition=situation.condition,
        reason=chosen.fee_factors.reason,
        final_sale=situation.final_sale,
        unit_price=price,
        bought=1,
        quantity=1,
        totals=totals,
        line=0,
        discount=1500 if chosen.fee_factors.discounted else 0,
        shipping=599,
        replacement_price=8_000 if decision == "exchange" else None,
        sold_out=decision == SOLD_OUT,
    )


def test_situations_are_what_they_say() -> None:
    """The grid of facts against cases settled one by one."""
    for seed in range(20):
        branches = 1 + seed % 5
        policy = drawn(seed, branches=branches)
        versions = [(one, side) for one in RETURN_CLASSES for side in (None, False, True)]
        situations = Situations(policy, TODAY, dict.fromkeys(RETURN_CLASSES, (300, 60_000)), versions)
        draws = Draws(seed, "situations")
        for decision in (*DECISIONS, SOLD_OUT):
            for count in (1, 2, 3, 4, 5, 8):
                for _ in range(6):
                    chosen = situations.draw(draws, decision, count)
                    assert chosen is not None
                    assert chosen.branches == count or count != branches
                    case = settled(chosen, draws, policy, decision)
                    assert plausible(case.return_class, case.condition, case.reason)
                    assert case.days <= LATEST[case.reason]
                    outcome = policy.decide(case)
                    assert outcome.decision == (decision if decision != SOLD_OUT else "refund")
                    assert outcome.rule == policy.name(chosen.situation.rule)
                    assert len(policy.bearing(case)) == chosen.branches


@settings(max_examples=300, deadline=None)
@given(
    totals=st.lists(st.integers(1, 10**7), min_size=1, max_size=8).map(tuple),
    discount=st.integers(0, 10**7),
    rest=st.sampled_from(("first", "last")),
)
def test_discount_shares_add_up(totals: tuple[int, ...], discount: int, rest: str) -> None:
    shares = [discount_share(totals, line, discount, rest) for line in range(len(totals))]
    assert sum(shares) == discount
    assert min(shares) >= 0


BY_HAND = Policy(
    rules=(
        Fault(FAULTS, 60),
        Refusal(final_sale=True),
        Refusal(conditions=("used",)),
        ExchangeOnly(("media",), ("opened",), 14),
        Season(date(2025, 11, 1), date(2025, 12, 24), date(2026, 3, 11)),
        Late(90, ("clothing",)),
        Late(90, ("tools",), 50),
        Window(60, tiers=("gold",)),
        Window(30, ("clothing", "tools")),
        Window(14),
        Discount("last"),
        ShippingRefund(),
        Restocking(("opened",), percent=15),
        FeeWaiver(("gold",)),
        Postage(595, reasons=("changed_mind",)),
        Postage(2900, classes=("furniture",)),
        ExchangePostage(),
        Method(20),
    ),
    precedence=tuple(range(10)),
)
PLAIN = Case(
    *("toys", "standard", date(2026, 2, 1), TODAY - timedelta(days=10), TODAY, "unopened", "arrived_late", False),
    unit_price=2000,
    bought=2,
    quantity=1,
    totals=(4000, 1000),
    line=0,
)


def ago(number: int) -> dict[str, Any]:
    return {"delivered": TODAY - timedelta(days=number)}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ("refund", "R10", 2000)),
        (ago(14), ("refund", "R10", 2000)),
        (ago(15), ("refuse", "R10", None)),
        ({"return_class": "clothing", **ago(30)}, ("refund", "R9", 2000)),
        ({"return_class": "clothing", **ago(31)}, ("refuse", "R6", None)),
        ({"return_class": "clothing", "replacement_price": 2500, **ago(31)}, ("exchange", "R6", -500)),
        ({"return_class": "clothing", "replacement_price": 2500, **ago(91)}, ("refuse", "R9", None)),
        ({"return_class": "clothing", "tier": "gold", **ago(60)}, ("refund", "R8", 2000)),
        ({"return_class": "clothing", "tier": "gold", **ago(61)}, ("refuse", "R6", None)),
        ({"return_class": "tools", "discount": 101, **ago(31)}, ("refund", "R7", 980)),
        ({"return_class": "tools", "replacement_price": 900, **ago(31)}, ("refund", "R7", 1000)),
        ({"return_class": "media", "condition": "opened", **ago(14)}, ("refuse", "R4", None)),
        ({"return_class": "media", "condition": "opened", "replacement_price": 2000}, ("exchange", "R4", 0)),
        ({"return_class": "media", "condition": "opened", "replacement_price": 1, **ago(15)}, ("refuse", "R4", None)),
        ({"placed": date(2025, 12, 24), **ago(70)}, ("refund", "R5", 2000)),
        ({"placed": date(2025, 12, 25), **ago(70)}, ("refuse", "R10", None)),
        ({"placed": date(2025, 12, 24), "today": date(2026, 3, 12), **ago(70)}, ("refuse", "R10", None)),
        ({"condition": "used"}, ("refuse", "R3", None)),
        ({"condition": "used", "reason": "faulty", **ago(60)}, ("refund", "R1", 2000)),
        ({"condition": "used", "reason": "faulty", **ago(61)}, ("refuse", "R3", None)),
        ({"final_sale": True, "condition": "used"}, ("refuse", "R2", None)),
        ({"final_sale": True, "reason": "wrong_item"}, ("refund", "R1", 2000)),
        ({"condition": "opened"}, ("refund", "R10", 1700)),
        ({"condition": "opened", "tier": "gold"}, ("refund", "R8", 2000)),
        ({"reason": "changed_mind"}, ("refund", "R10", 1405)),
        ({"reason": "changed_mind", "return_class": "furniture"}, ("refund", "R10", 0)),
        ({"reason": "changed_mind", "replacement_price": 1000}, ("exchange", "R10", 405)),
        ({"reason": "changed_mind", "sold_out": True}, ("refund", "R10", 2000)),
        ({"return_class": "clothing", "sold_out": True, **ago(31)}, ("refund", "R6", 2000)),
        ({"return_class": "tools", "sold_out": True, **ago(31)}, ("refund", "R7", 1000)),
        ({"return_class": "media", "condition": "opened", "sold_out": True}, ("refund", "R4", 2000)),
        ({"final_sale": True, "sold_out": True}, ("refuse", "R2", None)),
        ({"reason": "faulty", "replacement_price": 1000}, ("exchange", "R1", 1000)),
        # 101 over 4000 and 1000: 80 and 20, what is left goes to the last line; one of two units bears 40.
        ({"discount": 101}, ("refund", "R10", 1960)),
        ({"discount": 101, "replacement_price": 2000}, ("exchange", "R10", 0)),
        ({"discount": 101, "quantity": 2}, ("refund", "R10", 3920)),
        ({"shipping": 599, "quantity": 2}, ("refund", "R10", 4000)),
        ({"shipping": 599, "quantity": 2, "totals": (4000,)}, ("refund", "R10", 4599)),
        ({"shipping": 599, "quantity": 1, "totals": (4000,)}, ("refund", "R10", 2000)),
        ({"shipping": 599, "reason": "faulty"}, ("refund", "R1", 2599)),
    ],
)
def test_outcomes_worked_out_by_hand(changes: dict[str, Any], expected: tuple[str, str, int | None]) -> None:
    outcome = BY_HAND.decide(replace(PLAIN, **changes))
    assert (outcome.decision, outcome.rule, outcome.amount) == expected


def test_method_of_a_refund() -> None:
    gold = replace(PLAIN, tier="gold")
    assert [BY_HAND.decide(replace(gold, **ago(age))).method for age in (20, 21)] == ["payment", "credit"]


GENERAL: dict[str, Any] = {"kind": "window", "days": 30}


@pytest.mark.parametrize(
    ("rules", "order", "says"),
    [
        ([], [], "1 to 99"),
        ([{"kind": "gift"}], ["R1"], "kind must be one of"),
        ([{"kind": "window"}], ["R1"], "needs days"),
        ([{"kind": "window", "days": "30"}], ["R1"], "whole number"),
        ([{"kind": "window", "days": True}], ["R1"], "whole number"),
        ([{"kind": "window", "days": 0}], ["R1"], "from 1"),
        ([GENERAL | {"color": "red"}], ["R1"], "has only"),
        ([GENERAL | {"classes": ["shoes"]}], ["R1"], "list of different names"),
        ([GENERAL | {"classes": ["toys", "toys"]}], ["R1"], "list of different names"),
        ([GENERAL], [], "each rule that decides"),
        ([GENERAL], ["R1", "R1"], "each rule that decides"),
        ([GENERAL], ["R2"], "ids of the rules"),
        ([GENERAL, {"kind": "discount"}], ["R1", "R2"], "each rule that decides"),
        ([GENERAL, GENERAL], ["R1", "R2"], "exactly one window"),
        ([GENERAL | {"classes": ["toys"]}], ["R1"], "exactly one window"),
        ([GENERAL, {"kind": "shipping_refund"}], ["R1"], "there is none"),
        ([GENERAL, {"kind": "refusal"}], ["R1", "R2"], "refuse everything"),
        ([GENERAL, {"kind": "fault", "reasons": [], "days": 30}], ["R1", "R2"], "at least one"),
        ([GENERAL, {"kind": "fault", "reasons": ["changed_mind"], "days": 30}], ["R1", "R2"], "out of faulty"),
        ([GENERAL, {"kind": "discount", "rest": "middle"}], ["R1"], "first or last"),
        ([GENERAL, {"kind": "restocking", "conditions": ["opened"]}], ["R1"], "percentage or an amount"),
        ([GENERAL, {"kind": "postage", "amount": 500}], ["R1"], "classes or reasons"),
        ([GENERAL, {"kind": "season", "start": "1 May", "end": "2026-05-02", "until": "2026-05-03"}], [], "a date"),
        (
            [GENERAL, {"kind": "season", "start": "2026-05-09", "end": "2026-05-02", "until": "2026-05-03"}],
            ["R1", "R2"],
            "follow each other",
        ),
        (
            [GENERAL, GENERAL | {"classes": ["toys"]}, GENERAL | {"tiers": ["gold"]}],
            ["R2", "R3", "R1"],
            "goes before",
        ),
        (
            [GENERAL, *[{"kind": "restocking", "conditions": ["opened"], "percent": 10}] * 2],
            ["R1"],
            "two restocking fees",
        ),
    ],
)
def test_policies_that_leave_a_question_open_are_refused(rules: list[Any], order: list[str], says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        policy_from_json({"rules": rules, "precedence": order})


@pytest.mark.parametrize("data", [None, 3, [], {"rules": "R1"}, {"rules": [GENERAL]}, {"rules": [7], "precedence": []}])
def test_what_is_no_policy_is_refused(data: object) -> None:
    with pytest.raises(InvalidArgument):
        policy_from_json(data)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("R1. ", "R2. "),
        ("30 days", "thirty days"),
        ("day 0", "day 1"),
        ("R1, R2", "R1, R1"),
        ("decided by R1", "decided by R3"),
        ("- An item is unopened", "- An item is new"),
        ("R4. ", "R3. "),
    ],
)
def test_a_document_that_was_tampered_with_has_no_reading(old: str, new: str) -> None:
    text = render_policy(Policy(BY_HAND.rules, BY_HAND.precedence, (0,) * len(READING)), DOLLARS)
    assert old in text
    with pytest.raises(InvalidArgument):
        parse_policy(text.replace(old, new))


def test_a_rule_without_words_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="no words"):
        render_policy(Policy((Window(30, tiers=("gold",), price_over=100),), (0,)), DOLLARS)


def test_the_hand_written_policy_is_sound() -> None:
    check_policy(BY_HAND)
    assert parse_policy(render_policy(BY_HAND, DOLLARS)) == replace(BY_HAND, reading=(0,) * len(READING))
