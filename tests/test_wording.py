"""Every text said of conditions, requests and carts has exactly one reading: what was meant."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from ecomrlve.errors import EcomrlveError, InvalidArgument
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import CURRENCIES, Attribute, built_in
from ecomrlve.grammars.conditions.constraints import (
    AllOf,
    AnyOf,
    AtLeast,
    Between,
    Bound,
    Criterion,
    Has,
    Is,
    Node,
    Not,
    canonical,
)
from ecomrlve.grammars.conditions.trees import keys_of
from ecomrlve.grammars.conditions.wording import (
    Vocabulary,
    can_say,
    parse_condition,
    parse_ranking,
    plain,
    render_condition,
    superlative,
)
from ecomrlve.grammars.dialogue.cart import change, parse_cart, render_cart, spelled_out
from ecomrlve.grammars.dialogue.requests import CartCorrection, CartItem, Correction, ShoppingRequest
from ecomrlve.grammars.dialogue.shopping import corrected, parse_shopping, render_shopping
from ecomrlve.grammars.engine.grammar import Grammar, compile_production, load_grammar, tokenize
from ecomrlve.grammars.engine.tables import load_table
from tests.wording_worlds import (
    STYLES,
    carts,
    criteria,
    page_only,
    requests,
    shipped_vocabularies,
    trees,
    vocabularies,
)

LAWS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def _final(request: ShoppingRequest, corrections: list[Correction]) -> ShoppingRequest:
    for correction in corrections:
        after = corrected(request, correction)
        assert after is not None
        request = after
    return request


def _final_cart(items: list[CartItem], corrections: list[CartCorrection]) -> list[tuple[object, ...]]:
    current: list[CartItem | None] = list(spelled_out(items))
    for correction in corrections:
        assert change(current, correction)
    return [item.meaning() for item in current if item is not None]


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32), held_out=st.booleans(), many=st.booleans())
def test_a_condition_has_one_reading(data: st.DataObject, seed: int, held_out: bool, many: bool) -> None:
    vocabulary = data.draw(vocabularies)
    node = data.draw(trees(vocabulary))
    assume(node is not None)
    assert node is not None
    text = render_condition(
        node, vocabulary, Draws(seed), held_out, style=data.draw(st.sampled_from(STYLES)), many=many
    )
    note(text)
    assert [canonical(reading) for reading in parse_condition(text, vocabulary)] == [canonical(node)]


def _mentioned(node: Node) -> dict[str, set[str]]:
    if isinstance(node, Is):
        return {node.key: set(node.values)}
    found: dict[str, set[str]] = {}
    parts = (node.part,) if isinstance(node, Not) else node.parts if isinstance(node, AllOf | AnyOf | AtLeast) else ()
    for part in parts:
        for key, values in _mentioned(part).items():
            found.setdefault(key, set()).update(values)
    return found


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_a_page_is_enough_to_read_a_condition(data: st.DataObject, seed: int) -> None:
    vocabulary = data.draw(vocabularies)
    node = data.draw(trees(vocabulary))
    assume(node is not None)
    assert node is not None
    text = render_condition(node, vocabulary, Draws(seed))
    note(text)
    page = page_only(vocabulary, keys_of(node), _mentioned(node))
    assert [canonical(reading) for reading in parse_condition(text, page)] == [canonical(node)]


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32), held_out=st.booleans(), many=st.booleans())
def test_a_ranking_has_one_reading(data: st.DataObject, seed: int, held_out: bool, many: bool) -> None:
    vocabulary = data.draw(vocabularies)
    criterion = data.draw(criteria(vocabulary))
    text = superlative(criterion, vocabulary, Draws(seed), held_out, many=many)
    note(text)
    assert parse_ranking(text, vocabulary) == [criterion]


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32), held_out=st.booleans())
def test_a_request_has_one_reading(data: st.DataObject, seed: int, held_out: bool) -> None:
    vocabulary = data.draw(vocabularies)
    request, corrections = data.draw(requests(vocabulary))
    style = data.draw(st.sampled_from(STYLES))
    turns = [turn.text for turn in render_shopping(request, corrections, vocabulary, Draws(seed), style, held_out)]
    note(repr(turns))
    meant = _final(request, corrections).meaning()
    for scope in (request.scope, None):
        assert [reading.meaning() for reading in parse_shopping(turns, vocabulary, scope)] == [meant]


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32), held_out=st.booleans())
def test_a_cart_has_one_reading(data: st.DataObject, seed: int, held_out: bool) -> None:
    vocabulary = data.draw(vocabularies)
    items, corrections = data.draw(carts(vocabulary))
    assume(items)
    style = data.draw(st.sampled_from(STYLES))
    turns = [
        turn.text
        for turn in render_cart(
            items, corrections, "Desk Audio", "collection", vocabulary, Draws(seed), style, held_out
        )
    ]
    note(repr(turns))
    meant = _final_cart(items, corrections)
    for scope in ("Desk Audio", None):
        assert [[item.meaning() for item in reading] for reading in parse_cart(turns, vocabulary, scope)] == [meant]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_nothing_unfilled_or_untidy_is_said(data: st.DataObject, seed: int) -> None:
    vocabulary = data.draw(shipped_vocabularies())
    request, corrections = data.draw(requests(vocabulary))
    style = data.draw(st.sampled_from(STYLES))
    for turn in render_shopping(request, corrections, vocabulary, Draws(seed), style):
        assert not set("{}|<>_") & set(turn.text)
        assert "  " not in turn.text and " ," not in turn.text and " ." not in turn.text
        assert turn.text == turn.text.strip() and turn.text[-1] in ".?!"


def test_one_request_has_thousands_of_wordings() -> None:
    vocabulary = _lamps()
    conditions = (Is("color", ("red",)), Has("dimmer", True), Bound("price", "<=", Fraction(4000), ""))
    request = ShoppingRequest("lamp", 2, "Desk Audio", "page", conditions, Criterion((("rating", "more"),)))
    texts = {render_shopping(request, (), vocabulary, Draws(0, at), "chatty")[0].text for at in range(3000)}
    assert len(texts) > 2900


def test_held_out_wording_is_only_said_when_asked_for() -> None:
    vocabulary = _lamps()
    usual = {render_condition(Has("dimmer", True), vocabulary, Draws(0, at)) for at in range(200)}
    kept = {render_condition(Has("dimmer", True), vocabulary, Draws(0, at), True) for at in range(200)}
    assert usual and kept and not usual & kept
    (reading,) = parse_condition(kept.pop(), vocabulary)
    assert reading == Has("dimmer", True)


def _lamps() -> Vocabulary:
    attributes = {
        "color": Attribute("color", "color", "choice", values=("red", "blue", "dark blue"), phrases=("in {value}",)),
        "shade": Attribute("shade", "shade color", "choice", values=("red", "white")),
        "dimmer": Attribute("dimmer", "dimmer", "boolean", yes="with a dimmer", no="without a dimmer"),
        "weight": Attribute("weight", "weight", "number", unit="g"),
        "brand": Attribute("brand", "brand", "choice", values=("Orvane", "Tallow & Finch")),
        **built_in(CURRENCIES["USD"]),
    }
    return Vocabulary(attributes, {"lamp": ("lamp", "lamps")}, {}, CURRENCIES["USD"])


READINGS: tuple[tuple[str, list[Node]], ...] = (
    ("under $40", [Bound("price", "<", Fraction(4000), "")]),
    ("for $40 or less", [Bound("price", "<=", Fraction(4000), "")]),
    ("for up to 40 dollars", [Bound("price", "<=", Fraction(4000), "")]),
    ("between $20 and $39.99", [Between("price", Fraction(2000), Fraction(3999), "")]),
    ("that weighs at most half a pound", [Bound("weight", "<=", Fraction(1, 2), "lb")]),
    ("weighing no more than 1.5 kilograms", [Bound("weight", "<=", Fraction(3, 2), "kg")]),
    ("with a weight of 1,500 g or more", [Bound("weight", ">=", Fraction(1500), "g")]),
    ("rated 4 or better", [Bound("rating", ">=", Fraction(4), "")]),
    ("with at least 4.5 stars", [Bound("rating", ">=", Fraction(9, 2), "")]),
    ("reviewed by more than 200 people", [Bound("reviews", ">", Fraction(200), "")]),
    ("by Tallow & Finch", []),
    ('by "Tallow & Finch"', [Is("brand", ("Tallow & Finch",))]),
    ("NOT FROM ORVANE", [Not(Is("brand", ("Orvane",)))]),
    ("in dark blue", [Is("color", ("dark blue",))]),
    ("in blue or dark blue", [Is("color", ("blue", "dark blue"))]),
    # Red is a color and a shade color: a page with both leaves the bare word with two readings, so it is never said.
    ("in red", [Is("color", ("red",)), Is("shade", ("red",))]),
    ("whose shade color is red", [Is("shade", ("red",))]),
    ("with a dimmer", [Has("dimmer", True)]),
    ("without a dimmer, under $40", [AllOf((Has("dimmer", False), Bound("price", "<", Fraction(4000), "")))]),
    ("either in blue or with a dimmer", [AnyOf((Is("color", ("blue",)), Has("dimmer", True)))]),
    ("neither in blue nor by Orvane", [Not(AnyOf((Is("color", ("blue",)), Is("brand", ("Orvane",)))))]),
    (
        "that meets at least two of these three: in blue; by Orvane; with a dimmer",
        [AtLeast(2, (Is("color", ("blue",)), Is("brand", ("Orvane",)), Has("dimmer", True)))],
    ),
    ("that meets at least two of these four: in blue; by Orvane; with a dimmer", []),
    ("in blue or with a dimmer", []),
    ("that weighs at most half a meter", []),
    ("under 40", []),
    ("in green", []),
    ("", []),
)


@pytest.mark.parametrize(("text", "meant"), READINGS, ids=[text for text, _ in READINGS])
def test_what_phrases_mean(text: str, meant: list[Node]) -> None:
    found = {canonical(node) for node in parse_condition(text, _lamps())}
    if text == "by Tallow & Finch":
        # Unquoted, the sign is read as it stands.
        assert found == {canonical(Is("brand", ("Tallow & Finch",)))}
    else:
        assert found == {canonical(node) for node in meant}


def test_an_ambiguous_value_is_said_with_its_label() -> None:
    vocabulary = _lamps()
    texts = {render_condition(Is("color", ("red",)), vocabulary, Draws(0, at)) for at in range(200)}
    assert "in red" not in texts
    assert all("color" in text for text in texts)


SIGNS = (
    ("USD", "under $40"),
    ("CAD", "under C$40"),
    ("SAR", "under SR 40"),
    ("MXN", "under MX$40"),
    ("JPY", "under ¥4,000"),
)


@pytest.mark.parametrize(("code", "text"), SIGNS)
def test_prices_are_said_in_the_shops_currency(code: str, text: str) -> None:
    currency = CURRENCIES[code]
    vocabulary = Vocabulary(built_in(currency), {}, {}, currency)
    node = Bound("price", "<", Fraction(4000), "")
    assert text in {render_condition(node, vocabulary, Draws(0, at)) for at in range(100)}
    assert parse_condition(text, vocabulary) == [node]


def test_what_cannot_be_said_is_known_beforehand() -> None:
    vocabulary = _lamps()
    for node in (
        Is("color", ("green",)),
        Is("nothing", ("red",)),
        Has("color", True),
        Bound("color", "<=", Fraction(1), ""),
        AnyOf((Is("color", ("blue",)),)),
        AnyOf((AnyOf((Is("color", ("blue",)), Has("dimmer", True))), Has("dimmer", False))),
        AtLeast(4, (Is("color", ("blue",)), Has("dimmer", True), Is("shade", ("white",)))),
    ):
        assert not can_say(node, vocabulary)
    twins = {key: Attribute(key, "lid", "boolean", yes="with a lid") for key in ("one", "two")}
    assert not can_say(Has("one", True), Vocabulary(twins, {}, {}, CURRENCIES["USD"]))


def test_corrections_must_speak_of_what_was_said() -> None:
    vocabulary = _lamps()
    either = AnyOf((Is("color", ("blue",)), Has("dimmer", True)))
    request = ShoppingRequest("lamp", 1, "Sale", "page", (either,), Criterion((("price", "less"),)))
    for key in ("color", "shade"):
        with pytest.raises(InvalidArgument, match="corrections"):
            render_shopping(request, [Correction("condition", key)], vocabulary, Draws(0))
    cup = CartItem(1, "lamp", (Is("color", ("blue",)),))
    same = CartItem(1, "", (Is("color", ("dark blue",)),), same_as_previous=True)
    for items, correction in (
        ([same], None),
        ([cup], CartCorrection("drop", 1)),
        ([cup, same], CartCorrection("drop", 0)),
        ([cup, same], CartCorrection("option", 1, node=Is("color", ("blue",)))),
    ):
        with pytest.raises(InvalidArgument):
            render_cart(items, [correction] if correction else [], "Sale", "page", vocabulary, Draws(0))


def test_unknown_sentences_leave_no_reading() -> None:
    vocabulary = _lamps()
    assert parse_shopping(["I need a lamp. The cheapest, please. Also a unicorn."], vocabulary) == []
    assert parse_shopping([], vocabulary) == []
    assert parse_cart(["Hello."], vocabulary) == []


def test_plain_english_of_every_kind() -> None:
    vocabulary = _lamps()
    tree = AllOf(
        (
            AnyOf((Is("color", ("red", "blue")), Not(Has("dimmer", True)))),
            AtLeast(2, (Is("brand", ("Orvane",)), Between("weight", Fraction(1), Fraction(2), "kg"))),
            Bound("price", "<", Fraction(3999), ""),
        )
    )
    assert plain(tree, vocabulary) == (
        "(color is red or blue or not (dimmer: yes)) and "
        "at least 2 of [brand is Orvane; weight from 1 kg to 2 kg] and price below $39.99"
    )


# --- the engine ------------------------------------------------------------------------------------------------------

FAULTY = (
    ("an open brace", {"text": "with {label"}),
    ("a slot twice", {"text": "{value} or {value}"}),
    ("a choice within a choice", {"text": "(a|(b|c))"}),
    ("an unknown field", {"text": "with {label}", "wieght": 3}),
)


@pytest.mark.parametrize(("fault", "entry"), FAULTY, ids=[fault for fault, _ in FAULTY])
def test_faulty_productions_are_refused(fault: str, entry: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="production"):
        compile_production({"symbol": "s", "meaning": "m", **entry})


def test_a_symbol_may_not_begin_with_itself() -> None:
    entries = ({"symbol": "a", "meaning": "m", "text": "(so|) {b}"}, {"symbol": "b", "meaning": "m", "text": "{a} x"})
    with pytest.raises(ValueError, match="begin with itself"):
        Grammar(compile_production(entry) for entry in entries)


def test_too_many_readings_are_an_error() -> None:
    entries = (
        {"symbol": "s", "meaning": "m", "text": "x {s}"},
        {"symbol": "s", "meaning": "m", "text": "(x|x x) {s}"},
        {"symbol": "s", "meaning": "e", "text": "x"},
    )
    grammar = Grammar(compile_production(entry) for entry in entries)
    with pytest.raises(EcomrlveError, match="too many readings"):
        grammar.read("s", tokenize("x " * 40), {}, {"m": lambda slots: [1], "e": lambda slots: [1]}, limit=5000)


CONDITIONS = ("grammars.conditions/conditions", "grammars.conditions/things")


@pytest.mark.parametrize("name", [*CONDITIONS, "grammars.dialogue/shopping", "grammars.dialogue/cart"])
def test_data_files_are_tidy(name: str) -> None:
    """No production stands twice, none is without use, and each choice of words leaves single spaces."""
    entries = load_table(name)["production"]
    seen = [(entry["symbol"], entry["text"], tuple(entry.get("when", ()))) for entry in entries]
    assert len(set(seen)) == len(seen)
    for production in load_grammar(*CONDITIONS, *([] if name in CONDITIONS else [name])).productions:
        for variant in production.variants:
            assert variant == variant.strip() and "  " not in variant, production.text
