"""A shop's rules on other things: one reading per text, one answer per case, and rules that bear."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecomrlve.errors import InvalidArgument
from ecomrlve.generator.policies.terms import draw_terms
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import CURRENCIES
from ecomrlve.grammars.dialogue.cases import CaseRequest, case_lexicon, parse_case, render_case
from ecomrlve.grammars.dialogue.noise import add_noise
from ecomrlve.grammars.terms.form import ANSWERS, Clause, Rule, Section, bearing, evaluate, facts, topics
from ecomrlve.grammars.terms.text import Terms, parse_terms, render_terms

DOLLARS = CURRENCIES["USD"]


@settings(max_examples=300)
@given(
    number=st.integers(0, 10_000),
    branches=st.integers(1, 5),
    more=st.integers(0, 6),
    currency=st.sampled_from(list(CURRENCIES.values())),
)
def test_every_document_has_one_reading(number: int, branches: int, more: int, currency: object) -> None:
    terms, place = draw_terms(0, "train", number, currency, branches, more)  # type: ignore[arg-type]
    text = render_terms(terms, currency)  # type: ignore[arg-type]
    again = parse_terms(text)
    assert again == terms and render_terms(again, currency) == text  # type: ignore[arg-type]
    ids = [name for section in terms.sections for name in section.ids]
    assert len(set(ids)) == len(ids) and 0 <= place < len(terms.sections)


@pytest.mark.parametrize("key", facts())
def test_every_fact_is_told_heard_and_written_in_one_way(key: str) -> None:
    fact = facts()[key]
    if fact.kind == "tier":
        return
    values = fact.values or ((True, False) if fact.kind == "yes_no" else (2, 1999))
    for value in values:
        for number in range(40):
            draws = Draws(number, "facts", key)
            request = CaseRequest("points", "value", ((key, value),))
            turns = render_case(request, DOLLARS, draws, draws.choice(("plain", "chatty", "polite", "terse")))
            heard = parse_case([turn.text for turn in turns])
            assert [one.told for one in heard] == [((key, value),)], turns

            class Known:
                lexicon = case_lexicon()

            noisy = [add_noise(turn, 120, Known(), draws) for turn in turns]
            assert parse_case(noisy) == heard, noisy


@pytest.mark.parametrize("topic", topics())
def test_topics_hold_together(topic: str) -> None:
    one = topics()[topic]
    assert {one.main, one.measure, *one.facts} <= set(facts())
    assert facts()[one.main].kind == "choice" and len(facts()[one.main].values) > 4
    assert bool(one.choices) == (one.unit == "choice") == (one.sets.op == "choice")
    for wording in (text for effect in (one.sets, *one.adjusts) for text in effect.wordings):
        assert not any(part in wording for part in (" and ", " when ", " if ", ", ")), wording


SECTION = Section(
    "shipping",
    (
        Rule("per", (Clause("zone", ("the islands",)), Clause("express")), amount=900, each=200),
        Rule("per", (Clause("zone", ("the islands", "the mainland")),), amount=500, each=100),
        Rule("off", (Clause("tier", ("Gold",)),), unless=Clause("gift_wrap"), percent=15),
        Rule("add", (Clause("subtotal", over=5000),), amount=300),
        Rule("lifts", (Clause("bulky"),), lifts=2),
        Rule("cap", (Clause("weekend"),), amount=700),
    ),
    ("S1", "S2", "S3", "S4", "S5", "S6"),
)


@pytest.mark.parametrize(
    ("case", "value", "rule", "bears"),
    [
        ({"zone": "the mainland", "weight": 3}, 800, "S2", "S2"),
        ({"zone": "the islands", "weight": 3, "express": True}, 1500, "S1", "S1"),
        ({"zone": "the islands", "weight": 3, "tier": "Gold"}, 680, "S2", "S2 S3"),
        ({"zone": "the islands", "weight": 3, "tier": "Gold", "gift_wrap": True}, 800, "S2", "S2"),
        ({"zone": "the islands", "weight": 3, "tier": "Gold", "bulky": True}, 800, "S2", "S2 S5"),
        ({"zone": "the islands", "weight": 3, "subtotal": 5001}, 1100, "S2", "S2 S4"),
        ({"zone": "the islands", "weight": 3, "subtotal": 5000}, 800, "S2", "S2"),
        ({"zone": "the islands", "weight": 3, "weekend": True, "subtotal": 5001}, 700, "S2", "S2 S6"),
        ({"zone": "the highlands", "weight": 3, "tier": "Gold"}, None, None, ""),
    ],
)
def test_answers_worked_out_by_hand(case: dict[str, object], value: int | None, rule: str | None, bears: str) -> None:
    assert evaluate(SECTION, case, 100) == (value, rule)  # type: ignore[arg-type]
    found = [SECTION.ids[at] for at in bearing(SECTION, case, 100, "value")]  # type: ignore[arg-type]
    assert found == bears.split()


def test_the_last_rule_decides_where_the_document_says_so() -> None:
    turned = Section(SECTION.topic, SECTION.rules, SECTION.ids, last=True)
    assert evaluate(turned, {"zone": "the islands", "weight": 3, "express": True}, 100).rule == "S2"


def test_each_rule_of_a_document_is_there_for_something() -> None:
    """An exception is to a rule that stands there, and no rule that answers can never be reached."""
    for number in range(100):
        terms, _ = draw_terms(1, "train", number, DOLLARS, 1 + number % 5, number % 4)
        for section in terms.sections:
            for rule in section.rules:
                assert rule.clauses and (rule.op == "lifts") == (rule.lifts >= 0)
                if rule.op == "lifts":
                    assert section.rules[rule.lifts].op != "lifts"
            answering = [rule for rule in section.rules if rule.op in ANSWERS]
            order = answering[::-1] if section.last else answering
            lengths = [len(rule.clauses) for rule in order]
            assert lengths == sorted(lengths, reverse=True), "special cases go before the others"


@pytest.mark.parametrize(
    ("old", "new"), [("S2. ", "S1. "), ("$5.00", "five dollars"), ("Delivery charges:", "Charges:"), ("S3 ", "S9 ")]
)
def test_a_document_that_was_tampered_with_has_no_reading(old: str, new: str) -> None:
    text = render_terms(Terms((SECTION,)), DOLLARS)
    assert old in text
    with pytest.raises(InvalidArgument):
        parse_terms(text.replace(old, new))
