"""Typing errors never change what a message says: reading the noisy text gives what reading the clean one gives."""

import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from ecomrlve.generator.catalog.ontology import load_ontology
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import CURRENCIES
from ecomrlve.grammars.conditions.constraints import Criterion, Is
from ecomrlve.grammars.conditions.vocabulary import MEASURE_WORDS
from ecomrlve.grammars.dialogue.cart import parse_cart, render_cart
from ecomrlve.grammars.dialogue.noise import Utterance, add_noise, noisy
from ecomrlve.grammars.dialogue.requests import ShoppingRequest
from ecomrlve.grammars.dialogue.shopping import parse_shopping, render_shopping
from ecomrlve.grammars.engine.grammar import tokenize
from ecomrlve.grammars.engine.lexicon import Lexicon, within_one
from tests.wording_worlds import STYLES, carts, requests, type_vocabulary, vocabularies

LAWS = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
RATES = st.sampled_from((0, 10, 40, 125, 400))


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32), rate=RATES, held_out=st.booleans())
def test_a_noisy_request_reads_as_the_clean_one(data: st.DataObject, seed: int, rate: int, held_out: bool) -> None:
    vocabulary = data.draw(vocabularies)
    request, corrections = data.draw(requests(vocabulary))
    draws = Draws(seed)
    turns = render_shopping(request, corrections, vocabulary, draws, data.draw(st.sampled_from(STYLES)), held_out)
    spoiled = [add_noise(turn, rate, vocabulary, draws) for turn in turns]
    note(repr(spoiled))
    clean = [reading.meaning() for reading in parse_shopping([turn.text for turn in turns], vocabulary, request.scope)]
    assert [reading.meaning() for reading in parse_shopping(spoiled, vocabulary, request.scope)] == clean
    assert [reading.meaning() for reading in parse_shopping(spoiled, vocabulary)] == clean


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32), rate=RATES)
def test_a_noisy_cart_reads_as_the_clean_one(data: st.DataObject, seed: int, rate: int) -> None:
    vocabulary = data.draw(vocabularies)
    items, corrections = data.draw(carts(vocabulary))
    assume(items)
    draws = Draws(seed)
    style = data.draw(st.sampled_from(STYLES))
    turns = render_cart(items, corrections, "storage clearance", "page", vocabulary, draws, style)
    spoiled = [add_noise(turn, rate, vocabulary, draws) for turn in turns]
    note(repr(spoiled))
    assert parse_cart(spoiled, vocabulary) == parse_cart([turn.text for turn in turns], vocabulary)


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32), held_out=st.booleans())
def test_every_word_said_is_known_to_the_reader(data: st.DataObject, seed: int, held_out: bool) -> None:
    vocabulary = data.draw(vocabularies)
    request, corrections = data.draw(requests(vocabulary))
    lexicon = vocabulary.lexicon
    for turn in render_shopping(request, corrections, vocabulary, Draws(seed), "plain", held_out):
        words = [token.norm for token in tokenize(turn.text.replace(request.scope, ""))]
        assert [word for word in words if word.isalpha() and not lexicon.knows(word)] == []


def _messages() -> list[Utterance]:
    ontology = load_ontology()
    found: list[Utterance] = []
    for place, kind in enumerate(ontology.types[:60]):
        vocabulary = type_vocabulary((kind,), CURRENCIES["USD"])
        key = next(key for key in kind.attributes if vocabulary.attributes[key].kind == "choice")
        node = Is(key, (vocabulary.attributes[key].values[0],))
        request = ShoppingRequest(kind.key, 2, "Desk Audio 2", "page", (node,), Criterion((("rating", "more"),)))
        found += render_shopping(request, (), vocabulary, Draws(0, place), "chatty")
    return found


@pytest.mark.parametrize("rate", [0, 10, 60, 125])
def test_the_rate_asked_for_is_reached(rate: int) -> None:
    vocabulary = type_vocabulary(load_ontology().types[:1], CURRENCIES["USD"])
    results = [noisy(turn, rate, vocabulary, Draws(1, place)) for place, turn in enumerate(_messages())]
    letters, errors = sum(result.letters for result in results), sum(result.errors for result in results)
    assert abs(errors * 1000 - rate * letters) <= max(letters * rate // 12, 0)


def test_names_numbers_and_units_are_left_alone() -> None:
    vocabulary = type_vocabulary(load_ontology().types[:1], CURRENCIES["USD"])
    for place, turn in enumerate(_messages()):
        text = noisy(turn, 300, vocabulary, Draws(2, place)).text
        assert "Desk Audio 2" in text
        kept = [token.norm for token in tokenize(turn.text) if token.norm in MEASURE_WORDS or token.raw[0].isdigit()]
        norms = [token.norm for token in tokenize(text)]
        assert all(norms.count(word) >= kept.count(word) for word in kept)


def test_no_noise_is_no_change_and_noise_is_repeatable() -> None:
    vocabulary = type_vocabulary(load_ontology().types[:1], CURRENCIES["USD"])
    for turn in _messages():
        assert add_noise(turn, 0, vocabulary, Draws(3)) == turn.text
        assert add_noise(turn, 100, vocabulary, Draws(3)) == add_noise(turn, 100, vocabulary, Draws(3))


PAIRS = (
    ("from", "form", True),
    ("lid", "lids", True),
    ("lid", "slide", False),
    ("ab", "ba", True),
    ("abc", "bca", False),
)


@pytest.mark.parametrize(("left", "right", "near"), PAIRS)
def test_one_error_apart(left: str, right: str, near: bool) -> None:
    assert within_one(left, right) is near is within_one(right, left)


@given(word=st.text("abc", min_size=1, max_size=6), other=st.text("abc", min_size=1, max_size=6))
def test_within_one_agrees_with_a_plain_distance(word: str, other: str) -> None:
    assert within_one(word, other) == (_distance(word, other) <= 1)


def _distance(left: str, right: str) -> int:
    """Optimal string alignment by its textbook table."""
    table = [[max(i, j) if not i or not j else 0 for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i, a in enumerate(left, 1):
        for j, b in enumerate(right, 1):
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def test_a_word_near_two_known_ones_is_left_as_it_is() -> None:
    lexicon = Lexicon([frozenset({"form", "from"}), frozenset({"lamp"})])
    assert lexicon.correct("fom") == "fom"
    assert lexicon.correct("lmap") == "lamp"
    assert lexicon.correct("lamp") == "lamp"
