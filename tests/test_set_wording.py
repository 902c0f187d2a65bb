"""Every wish for a set has exactly one reading: what was meant, with or without typing errors."""

from typing import Literal

from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.constraints import Node
from ecomrlve.grammars.conditions.trees import keys_of
from ecomrlve.grammars.conditions.vocabulary import Vocabulary
from ecomrlve.grammars.conditions.wording import can_say
from ecomrlve.grammars.dialogue.bundle import (
    SetCorrection,
    SetPart,
    SetRequest,
    Shared,
    bundle_lexicon,
    corrected,
    parse_set,
    render_set,
)
from ecomrlve.grammars.dialogue.noise import add_noise
from ecomrlve.grammars.engine.lexicon import Lexicon
from ecomrlve.grammars.engine.tables import load_table
from tests.wording_worlds import SCOPES, STYLES, details, sayable_details, shipped_vocabularies, vocabularies

LAWS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
PROJECTS = [project["phrase"] for project in load_table("generator.environments.bundle/projects")["project"]]
GOALS: tuple[Literal["any", "price", "rating"], ...] = ("any", "price", "rating")

Wish = tuple[SetRequest, list[SetCorrection]]


@st.composite
def wishes(draw: st.DrawFn, vocabulary: Vocabulary) -> Wish | None:
    """A wish for a set and changes of mind about it; None where too few nouns are clear."""
    nouns = [noun for noun in sorted(vocabulary.nouns) if vocabulary.noun_is_clear(noun)]
    if len(nouns) < 2:
        return None
    chosen = draw(st.permutations(nouns))[: draw(st.integers(2, min(6, len(nouns))))]
    parts = []
    for noun in chosen:
        keys = list(draw(st.permutations(sorted(vocabulary.attributes))))
        parts.append(SetPart(noun, tuple(draw(sayable_details(vocabulary, keys, draw(st.integers(0, 2)))))))
    choices = [
        key
        for key, attribute in sorted(vocabulary.attributes.items())
        if attribute.kind == "choice" and vocabulary.label_is_clear(key)
    ]
    shared = [
        Shared(key, tuple(chosen[: draw(st.integers(2, len(chosen)))]))
        for key in (draw(st.lists(st.sampled_from(choices), max_size=2, unique=True)) if choices else ())
    ]
    kind, scope = draw(st.sampled_from(SCOPES))
    goal = draw(st.sampled_from(GOALS))
    minor = 10**vocabulary.currency.decimals
    amounts = st.one_of(st.integers(1, 5000), st.integers(1, 90).map(lambda whole: whole * 10 * minor))
    request = SetRequest(
        tuple(parts),
        draw(st.sampled_from((len(parts), len(parts), max(2, len(parts) - 1)))),
        draw(st.booleans()),
        tuple(shared),
        draw(amounts),
        goal,
        draw(st.sampled_from(("", *chosen))) if goal == "rating" else "",
        scope,
        kind,
    )
    corrections = [SetCorrection(budget=draw(amounts))] if draw(st.booleans()) else []
    conditions: list[tuple[str, Node]] = [(part.noun, node) for part in parts for node in part.conditions]
    if draw(st.booleans()) and conditions:
        noun, node = draw(st.sampled_from(conditions))
        (key,) = keys_of(node)
        other = draw(details(vocabulary, key))
        if can_say(other, vocabulary):
            corrections.append(SetCorrection(noun=noun, node=other))
    return request, corrections


def said(wish: Wish, vocabulary: Vocabulary, draws: Draws, style: str, held_out: bool) -> list[str]:
    """What the customer writes; a single pair fits where anything has to."""
    request, corrections = wish
    project = draws.choice(["", *PROJECTS])
    nouns = [part.noun for part in request.parts]
    pairs = [(nouns[1], nouns[0])] if draws.chance(500) else [(nouns[1], nouns[0]), (nouns[0], nouns[-1])]
    return [turn.text for turn in render_set(request, corrections, project, pairs, vocabulary, draws, style, held_out)]


def meant(wish: Wish) -> tuple[object, ...]:
    """What it comes to."""
    request: SetRequest | None = wish[0]
    for correction in wish[1]:
        assert request is not None
        request = corrected(request, correction)
    assert request is not None
    return request.meaning()


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32), held_out=st.booleans())
def test_a_wish_for_a_set_has_one_reading(data: st.DataObject, seed: int, held_out: bool) -> None:
    vocabulary = data.draw(st.one_of(shipped_vocabularies(6), vocabularies))
    wish = data.draw(wishes(vocabulary))
    assume(wish is not None)
    assert wish is not None
    turns = said(wish, vocabulary, Draws(seed), data.draw(st.sampled_from(STYLES)), held_out)
    note(repr(turns))
    for scope in (wish[0].scope, None):
        assert [reading.meaning() for reading in parse_set(turns, vocabulary, scope)] == [meant(wish)]


class Known:
    """The words that the reader of a wish knows."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    @property
    def lexicon(self) -> Lexicon:
        return bundle_lexicon(self._vocabulary)


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_typing_errors_change_nothing(data: st.DataObject, seed: int) -> None:
    vocabulary = data.draw(shipped_vocabularies(6))
    wish = data.draw(wishes(vocabulary))
    assume(wish is not None)
    assert wish is not None
    request, corrections = wish
    draws = Draws(seed)
    pairs = [(request.parts[1].noun, request.parts[0].noun)]
    turns = render_set(request, corrections, draws.choice(PROJECTS), pairs, vocabulary, draws, "plain")
    spoiled = [add_noise(turn, 100, Known(vocabulary), draws) for turn in turns]
    note(repr(spoiled))
    assert [reading.meaning() for reading in parse_set(spoiled, vocabulary, request.scope)] == [meant(wish)]


@LAWS
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_nothing_unfilled_or_untidy_is_said(data: st.DataObject, seed: int) -> None:
    vocabulary = data.draw(shipped_vocabularies(6))
    wish = data.draw(wishes(vocabulary))
    assume(wish is not None)
    assert wish is not None
    for text in said(wish, vocabulary, Draws(seed), data.draw(st.sampled_from(STYLES)), False):
        assert not set("{}|<>_") & set(text)
        assert "  " not in text and " ," not in text and " ." not in text
        assert text == text.strip() and text[-1] in ".?!"
