"""SUB: its words have one reading, and what stands in for what comes from the graph."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from ecomrlve import Task, make_task, verify
from ecomrlve.errors import CannotPose, InvalidArgument
from ecomrlve.generator.catalog.columns import Catalog, select
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.attributes import CURRENCIES, built_in
from ecomrlve.grammars.conditions.constraints import holds
from ecomrlve.grammars.conditions.vocabulary import Vocabulary
from ecomrlve.grammars.dialogue.requests import (
    Preference,
    SubstituteCorrection,
    SubstituteRequest,
    Tolerance,
)
from ecomrlve.grammars.dialogue.substitutes import (
    can_name,
    corrected,
    parse_substitute,
    pronouns,
    render_substitute,
    stands_for_wanted,
)
from tests.shops import shop
from tests.wording_worlds import SCOPES, STYLES, sayable_details, vocabularies

TITLES = {
    "A": "Orvane Clip USB microphone",
    "B": "Orvane Clip USB microphone stand",
    "C": "Box with a lid, red",
    "D": "Tallow & Finch cups",
    "E": "The One",
}
LAST_WEEK = {"bought": "the lamp I bought on 3 March", "bought 2": "the lamp I bought on 30 March"}


# --- words -----------------------------------------------------------------------------------------------------------


@st.composite
def tolerances(draw: st.DrawFn) -> Tolerance:
    """An amount of money, or a share."""
    if draw(st.booleans()):
        return Tolerance(Fraction(draw(st.integers(1, 40))), "%", draw(st.booleans()))
    return Tolerance(Fraction(draw(st.integers(1, 90_000))), "", draw(st.booleans()))


@st.composite
def preferences(draw: st.DrawFn, vocabulary: Vocabulary) -> Preference:
    """Nearest in a number, and perhaps a second key; or a ranking."""
    numbers = ["price"] + [
        key
        for key, attribute in sorted(vocabulary.attributes.items())
        if attribute.kind == "number" and vocabulary.label_is_clear(key)
    ]
    key, other = draw(st.sampled_from(numbers)), draw(st.sampled_from(numbers))
    if draw(st.integers(0, 3)) == 0:
        return (("price", "less"),)
    ends: tuple[Preference, ...] = ((), ((other, "near"),), ((other, "more"),), ((other, "less"),))
    return ((key, "near"), *(draw(st.sampled_from(ends)) if other != key else ()))


@given(data=st.data(), seed=st.integers(0, 2**32), held_out=st.booleans())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_request_has_one_reading(data: st.DataObject, seed: int, held_out: bool) -> None:
    every = {**LAST_WEEK, **{name: phrase for one in pronouns().values() for name, phrase in one.items()}}
    vocabulary = data.draw(vocabularies).with_references(every)
    assume(vocabulary.label_is_clear("price"))
    title = data.draw(st.sampled_from(["", *TITLES]))
    pronoun = data.draw(st.sampled_from([name for name in every if stands_for_wanted(name)]))
    said = vocabulary.with_references({"bought": every["bought"], pronoun: every[pronoun]})
    keys = list(data.draw(st.permutations(sorted(vocabulary.attributes))))
    version = data.draw(sayable_details(said, keys, data.draw(st.integers(0, 2)))) if title else []
    kind, scope = data.draw(st.sampled_from(SCOPES))
    request = SubstituteRequest(
        title or "bought",
        tuple(version),
        scope,
        kind,
        tuple(data.draw(sayable_details(said, keys, data.draw(st.integers(0, 3))))),
        data.draw(st.none() | tolerances()),
        data.draw(preferences(vocabulary)),
    )
    corrections = [SubstituteCorrection("preference", preference=data.draw(preferences(vocabulary)))]
    if request.tolerance is not None:
        corrections.append(SubstituteCorrection("tolerance", tolerance=data.draw(tolerances())))
    corrections = corrections[: data.draw(st.integers(0, 2))]
    style = data.draw(st.sampled_from(STYLES))
    spoken = render_substitute(request, corrections, TITLES.get(title, ""), said, Draws(seed), style, held_out)
    turns = [turn.text for turn in spoken]
    note(repr(turns))
    for correction in corrections:
        request = corrected(request, correction) or request
    for place in (scope, None):
        assert [one.meaning() for one in parse_substitute(turns, vocabulary, TITLES, place)] == [request.meaning()]


def _lamps() -> Vocabulary:
    return Vocabulary(built_in(CURRENCIES["USD"]), {}, {"wanted 0": "the one I wanted"}, CURRENCIES["USD"])


def test_what_was_not_said_cannot_be_changed() -> None:
    request = SubstituteRequest("A", (), "", "", (), None, (("price", "less"),))
    for correction in (
        SubstituteCorrection("tolerance", tolerance=Tolerance(Fraction(5), "%", True)),
        SubstituteCorrection("condition", key="price"),
    ):
        assert corrected(request, correction) is None
        with pytest.raises(InvalidArgument):
            render_substitute(request, [correction], TITLES["A"], _lamps(), Draws(0))


@pytest.mark.parametrize(
    "turns",
    [
        ["What could I have instead? The cheapest, please."],
        ["The Orvane Clip USB microphone is sold out. The cheapest, please."],
        ["The Orvane Clip USB microphone is sold out. What could I have instead?"],
        ["The one I wanted is no longer made. What could I have instead? The cheapest, please."],
        ["Someone else's lamp is sold out. What could I have instead? The cheapest, please."],
        ["I need two lamps. What could I have instead? The cheapest, please."],
        [],
    ],
)
def test_a_request_lacks_no_part(turns: list[str]) -> None:
    assert parse_substitute(turns, _lamps(), TITLES) == []


def test_titles_that_nobody_says_are_not_said() -> None:
    assert [title for title in ('A "big" box', "Wow. A box", "a " * 20) if can_name(title)] == []


@pytest.mark.parametrize(
    ("tolerance", "price", "inside", "outside"),
    [
        (Tolerance(Fraction(10), "%", True), 1995, (1, 1995, 2194), (2195,)),
        (Tolerance(Fraction(10), "%", False), 2000, (1800, 2200), (1799, 2201)),
        (Tolerance(Fraction(500), "", True), 1995, (1, 2495), (2496,)),
        (Tolerance(Fraction(500), "", False), 1995, (1495, 2495), (1494, 2496)),
    ],
)
def test_a_tolerance_counts_to_the_cent(
    tolerance: Tolerance, price: int, inside: tuple[int, ...], outside: tuple[int, ...]
) -> None:
    node = tolerance.around(price)
    verdicts = {cost: holds(node, {"price": f"${cost / 100:.2f}"}) for cost in (*inside, *outside)}
    assert verdicts == {**dict.fromkeys(inside, True), **dict.fromkeys(outside, False)}


# --- facts -----------------------------------------------------------------------------------------------------------


def _tasks(count: int = 120, impossible: float = 0.1) -> list[Task]:
    return [
        make_task(shop(), "SUB", level=index % 9, seed=4, index=index, axes={"noise": 0}, impossible=impossible)
        for index in range(count)
    ]


def test_only_what_the_graph_lets_stand_in_is_right() -> None:
    """Neither what was wanted, nor a complement, however well it meets the rest."""
    catalog = shop().catalog
    pairs = {(edge.source, edge.target) for edge in catalog.edges if edge.kind == "substitutes"}
    others, complements = 0, 0
    for task in _tasks():
        row_of = {catalog.product_id(row): row for row in task.evidence["rows"]}
        wanted = catalog.types[catalog.type_of(task.evidence["row"])].key
        for name in json.loads(task.ground_truth)["accepted"]:
            kind = catalog.types[catalog.type_of(row_of[name])].key
            assert row_of[name] != task.evidence["row"]
            assert kind == wanted or (wanted, kind) in pairs
            others += kind != wanted
        for name, lack in task.notes:
            if lack.startswith("type is "):
                complements += 1
                assert not verify(task.ground_truth, json.dumps({"products": [name]})).correct
    assert others and complements


def test_all_sorts_of_tasks_occur() -> None:
    tasks = _tasks(240, 0.0)
    firsts: Counter[str] = Counter()
    for task in tasks:
        key, first = json.loads(task.goal)["preference"][0]
        firsts[f"{first} price" if key == "price" else first] += 1
    assert set(firsts) == {"near", "near price", "less price", "more"}
    ties = [task for task in tasks if len(json.loads(task.ground_truth)["accepted"]) > 1]
    bought = ["What this customer bought before" in task.prompt[0]["content"] for task in tasks]
    limited = [task.evidence["tolerance"] is not None for task in tasks]
    assert ties and 0.2 < sum(bought) / len(tasks) < 0.5 and 0.1 < sum(limited) / len(tasks) < 0.5


def test_what_was_wanted_cannot_be_had() -> None:
    """The wanted variant is sold out, or its product is not on the page."""
    catalog = shop().catalog
    for task in _tasks(60):
        on_page = task.evidence["row"] in task.evidence["rows"]
        assert not on_page or not catalog.stock[task.evidence["variant"]]
        assert on_page != ("What this customer bought before" in task.prompt[0]["content"])


def test_every_accepted_product_is_right_and_two_of_them_are_not() -> None:
    for task in _tasks(240, 0.0):
        accepted = json.loads(task.ground_truth)["accepted"]
        for name in accepted:
            assert verify(task.ground_truth, json.dumps({"products": [name]})).correct
        if len(accepted) > 1:
            assert not verify(task.ground_truth, json.dumps({"products": accepted})).correct


def _one_of_each(catalog: Catalog) -> Catalog:
    """One product of each type, and no edges."""
    return replace(select(catalog, catalog.type_start[:-1][np.diff(catalog.type_start) > 0]), edges=())


def test_a_shop_without_stand_ins_says_so() -> None:
    catalog = _one_of_each(shop(900, 2, "train").catalog)
    world = World(catalog, 0, "train", {"kind": "synthetic", "products": len(catalog), "seed": 0, "split": "train"})
    with pytest.raises(CannotPose, match="the shop lacks products that can stand in for each other"):
        make_task(world, "SUB", level=0, seed=0, index=0)
