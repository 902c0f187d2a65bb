"""The policies of a world: many, each alone, and those that a shop brings itself."""

import json
import re
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from ecomrlve import CatalogError, InvalidArgument, World, make_task
from ecomrlve.generator.catalog.store import save
from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.generator.policies.pool import POOL, PolicyPool
from ecomrlve.generator.policies.situations import LATEST
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import CURRENCIES
from ecomrlve.grammars.policy.json import policy_to_json
from ecomrlve.grammars.policy.policy import Policy, discount_share
from ecomrlve.grammars.policy.rules import (
    CONDITIONS,
    REASONS,
    RETURN_CLASSES,
    TIERS,
    Case,
    Discount,
    Fault,
    Postage,
    Refusal,
    Window,
)
from ecomrlve.grammars.policy.text import reason_name, render_policy

TODAY = date(2026, 3, 11)
DOLLARS = CURRENCIES["USD"]
POOLED = PolicyPool(3, "train", RETURN_CLASSES, DOLLARS, TODAY)
OWN = Policy((Window(21), Refusal(final_sale=True), Fault(("faulty", "wrong_item"), 90)), (2, 1, 0))


def test_a_world_has_many_policies_and_no_two_are_alike() -> None:
    assert len(POOLED) == POOL >= 500
    assert len({POOLED.policy(number, 2) for number in range(POOL)}) == POOL


def test_a_policy_is_drawn_without_the_others() -> None:
    again = PolicyPool(3, "train", RETURN_CLASSES, DOLLARS, TODAY)
    assert again.policy(POOL - 1, 3) == POOLED.policy(POOL - 1, 3) != POOLED.policy(POOL - 1, 2)


def imported(folder: Path, policy: str | None) -> World:
    save(synthesize(500), folder)
    if policy is not None:
        (folder / "policy.json").write_text(policy, encoding="utf-8")
    return World.load(folder)


def test_a_shop_keeps_the_policy_it_brings(tmp_path: Path) -> None:
    own = imported(tmp_path / "own", json.dumps(policy_to_json(OWN)))
    drawn = imported(tmp_path / "drawn", None)
    assert own.policies.policy(own.policies.number(Draws(0, "number")), 4) == OWN
    assert len(drawn.policies) == POOL and own.digest != drawn.digest
    tasks = [make_task(own, "RETURN", level=2, seed=0, index=index) for index in range(20)]
    assert len({task.evidence["rules"] for task in tasks}) == 1


@pytest.mark.parametrize(
    ("text", "error"), [("{", CatalogError), ('{"rules": [{"kind": "gift"}], "precedence": []}', InvalidArgument)]
)
def test_a_policy_that_is_none_is_named(tmp_path: Path, text: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"policy.json|kind must be one of"):
        imported(tmp_path / "shop", text).policies.policy(0, 1)


# --- rules that a shop could have ------------------------------------------------------------------------------------


def pooled(branches: int, count: int = 150) -> list[Policy]:
    return [POOLED.policy(number, branches) for number in range(count)]


def sentences(policy: Policy) -> int:
    """How many sentences a document has, headings and ids apart."""
    lines = [line for line in render_policy(policy, DOLLARS).splitlines() if not line.endswith(":")]
    return sum(len(re.findall(r"[.!?](?=\s|$)", re.sub(r"^[A-Z]+\d+\. ", "", line))) for line in lines)


@pytest.mark.parametrize(("branches", "most"), [(1, 16), (2, 16), (3, 20), (4, 24), (5, 27)])
def test_a_document_is_as_long_as_its_cases_need(branches: int, most: int) -> None:
    for policy in pooled(branches):
        assert 8 <= sentences(policy) <= most


@pytest.mark.parametrize("branches", range(1, 6))
def test_what_the_law_grants_is_never_cut_by_an_exception(branches: int) -> None:
    """Fault rules come first; what is damaged or wrong is seen within their days, so it is never refused."""
    for policy in pooled(branches):
        kinds = [policy.deciding(at).kind for at in policy.precedence]
        faults = kinds.count("fault")
        assert faults and set(kinds[:faults]) == {"fault"}
        for at in policy.precedence:
            rule = policy.deciding(at)
            if isinstance(rule, Fault):
                assert all(rule.days >= LATEST[reason] for reason in rule.reasons if reason != "faulty")


def any_case(draws: Draws) -> Case:
    reason = draws.choice(REASONS)
    delivered = TODAY - timedelta(days=draws.between(0, LATEST[reason]))
    price, bought = draws.between(100, 40_000), draws.between(1, 3)
    others = [draws.between(100, 40_000) for _ in range(draws.below(3))]
    return Case(
        return_class=draws.choice(RETURN_CLASSES),
        tier=draws.choice(TIERS),
        placed=delivered - timedelta(days=draws.between(2, 18)),
        delivered=delivered,
        today=TODAY,
        condition=draws.choice(CONDITIONS),
        reason=reason,
        final_sale=draws.chance(200),
        unit_price=price,
        bought=bought,
        quantity=draws.between(1, bought),
        totals=(price * bought, *others),
        line=0,
        discount=price // 9 if draws.chance(700) else 0,
        shipping=599,
    )


def paid(policy: Policy, case: Case) -> int:
    outcome = policy.decide(case)
    assert outcome.amount is not None
    return outcome.amount


@pytest.mark.parametrize("branches", range(1, 6))
def test_nobody_pays_for_a_mistake_of_the_shop(branches: int) -> None:
    """Damaged or not what was ordered: all of what was paid, or the same again for nothing."""
    for number, policy in enumerate(pooled(branches, 60)):
        draws = Draws(number, "mistakes", branches)
        for _ in range(20):
            case = replace(any_case(draws), reason=draws.choice(("damaged_in_transit", "wrong_item")))
            case = replace(case, delivered=TODAY - timedelta(days=draws.between(0, LATEST[case.reason])))
            share = discount_share(case.totals, 0, case.discount, rest(policy)) * case.quantity // case.bought
            assert paid(policy, case) >= case.unit_price * case.quantity - share
            assert paid(policy, replace(case, replacement_price=case.unit_price)) == 0


@pytest.mark.parametrize("branches", range(1, 6))
def test_an_exchange_keeps_its_voucher_and_costs_only_the_difference(branches: int) -> None:
    """An even swap moves no money but return postage that a rule names; the discount has no say in it."""
    for number, policy in enumerate(pooled(branches, 60)):
        draws = Draws(number, "exchanges", branches)
        most = sum(rule.amount for rule in policy.rules if isinstance(rule, Postage))
        for _ in range(20):
            case = any_case(draws)
            even = policy.decide(replace(case, replacement_price=case.unit_price))
            if even.decision == "exchange" and even.amount is not None:
                assert even == policy.decide(replace(case, replacement_price=case.unit_price, discount=0))
                assert -most <= even.amount <= 0
                dearer = policy.decide(replace(case, replacement_price=case.unit_price + 500))
                assert dearer.amount == even.amount - 500 * case.quantity


@pytest.mark.parametrize("branches", range(1, 6))
def test_what_cannot_be_had_in_exchange_is_paid_back_in_full(branches: int) -> None:
    for number, policy in enumerate(pooled(branches, 60)):
        draws = Draws(number, "sold out", branches)
        for _ in range(20):
            case = any_case(draws)
            swapped = policy.decide(replace(case, replacement_price=case.unit_price))
            missing = policy.decide(replace(case, sold_out=True))
            assert missing.rule == swapped.rule
            if swapped.decision == "exchange" and missing.amount is not None:
                share = discount_share(case.totals, 0, case.discount, rest(policy)) * case.quantity // case.bought
                assert missing.decision == "refund" and not missing.fee and not missing.postage
                assert missing.amount >= case.unit_price * case.quantity - share


def rest(policy: Policy) -> str:
    return next(rule.rest for rule in policy.rules if isinstance(rule, Discount))


def test_every_term_that_decides_is_defined_in_the_text() -> None:
    """What a rule asks of the item, and of the reason, is said in the document before it is used."""
    for branches in range(1, 6):
        for policy in pooled(branches, 60):
            text = render_policy(policy, DOLLARS)
            opening = "\n".join(line for line in text.splitlines() if line.startswith("- "))
            for rule in policy.rules:
                for condition in getattr(rule, "conditions", ()):
                    assert (
                        f"{condition} (" in opening
                        or f"{condition}, that is" in opening
                        or (f"{condition} means" in opening.lower())
                    )
                if isinstance(rule, Postage):
                    assert all(f"{reason_name(reason)} " in opening for reason in rule.reasons)
            assert "day 0" in opening


def test_no_charge_hangs_on_a_mistake_rather_than_a_change_of_mind() -> None:
    for branches in range(1, 6):
        for policy in pooled(branches):
            for rule in policy.rules:
                if isinstance(rule, Postage) and rule.reasons:
                    assert {"changed_mind", "ordered_by_mistake"} <= set(rule.reasons)
