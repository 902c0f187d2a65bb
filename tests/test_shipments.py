"""Orders on their way: the promised day by hand, histories that lead where they should, and the page read back."""

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecomrlve.generator.orders.histories import Histories, all_courses, draw_course
from ecomrlve.generator.orders.promises import (
    RULES,
    Event,
    ParcelFacts,
    Promises,
    Service,
    Settled,
    ShippingRules,
    draw_shipping_rules,
)
from ecomrlve.generator.orders.shipments import Parcel, Shipment
from ecomrlve.generator.pages.shipments import ShownLine, parse_shipments, render_shipments
from ecomrlve.generator.pages.shipping_rules import parse_shipping_rules, render_shipping_rules, rules_text
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import CURRENCIES

# Wednesday; closed on Monday 16 March.
TODAY = date(2026, 3, 11)
HAND = ShippingRules(
    closed=((date(2026, 3, 16), "stocktaking"),),
    services=(
        ("express", Service(1, 1)),
        ("letter", Service(1, 2)),
        ("parcel", Service(2, 2)),
        ("bulky", Service(2, 3)),
    ),
    cutoff=14 * 60,
    wrapping=1,
    back_order=3,
    remote=2,
    lost_after=8,
    notices_add=True,
    weekdays=(1, 4),
)
PROMISES = Promises(HAND, TODAY)


def day(number: int, month: int = 3) -> int:
    return date(2026, month, number).toordinal()


def facts(on: int, *events: Event, minute: int = 600, **changes: object) -> ParcelFacts:
    usual: dict[str, object] = {
        "placed": (on, minute),
        "paid": (on, minute + 2),
        "wrapped": False,
        "back_order": False,
        "zone": 1,
        "service": "parcel",
        "events": events,
    }
    return ParcelFacts(**{**usual, **changes})  # type: ignore[arg-type]


BY_HAND = [
    # Tuesday 10: packed by Thursday 12, two days on the road: Friday 13, Tuesday 17 (Monday is closed).
    ("plain", facts(day(10)), "paid", day(17), ("closed",)),
    ("cutoff", facts(day(10), minute=14 * 60), "paid", day(18), ("closed", "cutoff")),
    ("a minute before", facts(day(10), minute=14 * 60 - 1), "paid", day(17), ("closed",)),
    ("on Saturday", facts(day(7), service="bulky", minute=1200), "paid", day(17), ("rest",)),
    ("express", facts(day(10), service="express"), "paid", day(12), ()),
    ("unpaid", facts(day(10), paid=None), "placed", None, ()),
    ("paid later", facts(day(9), paid=(day(10), 600)), "paid", day(17), ("closed", "payment")),
    ("wrapped", facts(day(10), wrapped=True), "paid", day(18), ("closed", "wrapping")),
    ("back order", facts(day(10), back_order=True), "paid", day(20), ("closed", "back_order")),
    ("far away", facts(day(10), zone=3), "paid", day(19), ("closed", "remote")),
    (
        "hold",
        facts(day(9), Event(day(9), "hold"), Event(day(10), "released")),
        "paid",
        day(17),
        ("closed", "hold"),
    ),
    ("on hold", facts(day(9), Event(day(9), "hold")), "held", None, ()),
    ("packed late", facts(day(5), Event(day(11), "packed")), "packed", day(13), ("late_packing",)),
    (
        "two notices",
        facts(day(10), Event(day(10), "delay", 1), Event(day(11), "delay", 2)),
        "paid",
        day(20),
        ("closed", "delay"),
    ),
    (
        "an attempt",
        facts(day(5), Event(day(6), "handed over"), Event(day(10), "out"), Event(day(10), "attempt")),
        "shipped",
        day(11),
        ("attempt",),
    ),
    (
        "a replacement",
        facts(day(2), Event(day(3), "handed over"), Event(day(9), "lost"), Event(day(10), "replacement")),
        "shipped",
        day(12),
        ("replacement",),
    ),
    ("overdue", facts(day(3), Event(day(4), "packed"), Event(day(5), "handed over")), "shipped", day(12), ("overdue",)),
    ("lost", facts(day(17, 2), Event(day(18, 2), "handed over")), "lost", None, ("lost",)),
    ("to be cancelled", facts(day(10), Event(day(11), "cancel requested")), "paid", day(17), ("closed", "cancel")),
    ("denied", facts(day(2), Event(day(5), "delivered"), denied=True), "delivered", day(5), ("denied",)),
    (
        "return announced",
        facts(day(2), Event(day(5), "delivered"), Event(day(6), "return announced")),
        "delivered",
        day(5),
        ("return",),
    ),
    ("returned", facts(day(2), Event(day(5), "delivered"), Event(day(9), "back")), "returned", None, ()),
]


@pytest.mark.parametrize(("name", "case", "status", "arrives", "bearing"), BY_HAND, ids=[case[0] for case in BY_HAND])
def test_by_hand(name: str, case: ParcelFacts, status: str, arrives: int | None, bearing: tuple[str, ...]) -> None:
    """Each rule at work, counted on a calendar on the wall."""
    assert PROMISES.settle(case) == Settled(status, arrives), name
    assert PROMISES.bearing(case) == bearing


def test_only_the_last_notice_counts_where_the_rules_say_so() -> None:
    rules = replace(HAND, notices_add=False)
    case = facts(day(10), Event(day(10), "delay", 1), Event(day(11), "delay", 2))
    assert Promises(rules, TODAY).settle(case).arrives == day(19)


def shop(seed: int) -> Promises:
    today = date(2025, 1, 2) + timedelta(days=seed * 37 % 730)
    return Promises(draw_shipping_rules(Draws(seed, "shipping"), today), today)


def test_histories_lead_where_they_should() -> None:
    """Every way ends in its state, nothing happens before the order or after today, and every rule bears at times."""
    bearing = Counter[str]()
    met, wanted = 0, 0
    for seed in range(30):
        promises = shop(seed)
        draws = Draws(seed, "histories")
        for number in range(40):
            service = draws.choice(("express", "letter", "parcel", "bulky"))
            course, rules = draw_course(draws, number % 5, service == "bulky", draws.chance(200))
            history = Histories(promises).draw(draws, course, rules, service)
            assert history is not None, (course, rules)
            days = [history.placed[0], *(event.day for event in history.events)]
            assert days == sorted(days) and days[-1] <= promises.today
            case = facts(
                0,
                *history.events,
                placed=history.placed,
                paid=history.paid,
                wrapped="wrapping" in rules,
                back_order="back_order" in rules,
                zone=3 if "remote" in rules else 1,
                service=service,
                denied="denied" in rules,
            )
            assert promises.settle(case).status == course.state
            found = promises.bearing(case)
            bearing.update(found)
            met += len(found) == len(rules)
            wanted += 1
    assert set(bearing) == set(RULES)
    assert met > 0.7 * wanted
    assert {course.state for course in all_courses()} == {
        *("placed", "paid", "packed", "shipped", "out_for_delivery", "delivered", "returned", "cancelled", "lost"),
        "held",
    }


@given(st.integers(0, 1 << 40))
@settings(max_examples=60)
def test_the_rules_are_read_back(seed: int) -> None:
    today = date(2025, 1, 2) + timedelta(days=seed % 730)
    rules = draw_shipping_rules(Draws(seed, "shipping"), today)
    text = render_shipping_rules(rules, today)
    assert parse_shipping_rules(text) == rules
    assert rules_text(f"Hello.\nShipping rules of Harbor Lane:\n{text}\nS. T.") == text


def test_a_document_that_lacks_a_rule_is_not_read() -> None:
    text = render_shipping_rules(HAND, TODAY)
    with pytest.raises(ValueError, match="0 rules on cutoff"):
        parse_shipping_rules("\n".join(line for line in text.split("\n") if ":00 or later" not in line))


def drawn_shipments(seed: int, code: str) -> list[Shipment]:
    promises, draws = shop(seed), Draws(seed, "page")
    found = []
    for number in range(4):
        course, rules = draw_course(draws, draws.below(5), bulky=False, far=False)
        history = Histories(promises).draw(draws, course, rules, "parcel")
        assert history is not None
        bottle = ShownLine(f"B0TTL{number}", "Fjell bottle", "500 ml", 2, draws.between(1, 99_999))
        cup = ShownLine(f"CUPCU{number}", "Cup / in a box", "", 1, draws.between(1, 99_999))
        on_order = frozenset({bottle.line_id} if "back_order" in rules else ())
        parcels = [Parcel((bottle, cup), "parcel", on_order, history.events)]
        if draws.chance(500):
            rest = Histories(promises).sibling(draws, history, "bulky")
            parcels = [
                Parcel((bottle,), "parcel", on_order, history.events),
                Parcel((cup,), "bulky", frozenset(), rest),
            ]
        wrapped = "wrapping" in rules
        found.append(
            Shipment(
                f"D0RDR{number}",
                history.placed,
                history.paid,
                draws.between(1, 999_999),
                draws.choice(("Lyon", "Saint-Étienne", "San José")),
                draws.between(1, 3),
                "Anna-Lena" if wrapped or draws.chance(300) else "",
                wrapped,
                tuple(parcels),
            )
        )
    return found


@given(st.integers(0, 1 << 20), st.sampled_from(sorted(CURRENCIES)))
@settings(max_examples=60, deadline=None)
def test_the_page_is_read_back(seed: int, code: str) -> None:
    shown = drawn_shipments(seed, code)
    page = render_shipments(shown, CURRENCIES[code])
    assert parse_shipments(page) == tuple(shown)
    assert parse_shipments(f"Orders:\n{page}\nThe form:\n- going to: Lyon") == tuple(shown)
    for one in parse_shipments(page):
        for parcel in one.parcels:
            assert shop(seed).settle(one.facts(parcel)).status in {course.state for course in all_courses()}
