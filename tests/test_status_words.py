"""Questions about orders: every wording has one reading, that which was meant."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from ecomrlve.generator.catalog.synthesis import synthesize
from ecomrlve.generator.customers import customer_pool
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import CURRENCIES
from ecomrlve.grammars.dialogue.noise import add_noise
from ecomrlve.grammars.dialogue.references import PREPOSITIONS, NamesLexicon, OrderReference
from ecomrlve.grammars.dialogue.status.parse import parse_status, status_lexicon
from ecomrlve.grammars.dialogue.status.render import render_status
from ecomrlve.grammars.dialogue.status.request import NAMED, StatusCorrection, StatusRequest, status_grammar
from ecomrlve.grammars.engine.grammar import words

TODAY = date(2026, 3, 11)
SHOP = synthesize(2_000)
PEOPLE = customer_pool(0, "train", SHOP, 200)
NOUNS = [(kind.singular, kind.plural) for kind in SHOP.types]
VALUES = sorted(
    {text for kind in SHOP.types for key in kind.variant_axes for text in SHOP.attributes[key].values if text}
)
BRANDS = list(SHOP.attributes["brand"].values)


class Known:
    def __init__(self, lexicon: NamesLexicon) -> None:
        self.lexicon = lexicon


def any_reference(draws: Draws, kind: str) -> OrderReference:
    day = TODAY - timedelta(days=draws.below(100))
    found: dict[str, OrderReference] = {
        "placed": ("placed", day),
        "month": ("month", day.year, day.month),
        "gift": ("gift", draws.choice(PEOPLE).first_name),
        "destination": ("destination", draws.choice(PEOPLE).city),
        "total": ("total", draws.between(100, 900_000)),
    }
    return found.get(kind, (kind,))


def any_request(draws: Draws) -> StatusRequest:
    about: Any = draws.choice(("line", "order"))
    many = draws.chance(300)
    named = about == "line" or draws.chance(500)
    looks = tuple(draws.sample(VALUES, draws.below(3))) if named else ()
    when = draws.choice(("last", "before last", "third last", "placed", "month"))
    kinds = draws.sample((when, "gift", "destination", "total"), draws.below(5))
    return StatusRequest(
        about,
        item=draws.choice(NOUNS)[many] if named else "",
        looks=looks,
        prepositions={value: draws.choice(PREPOSITIONS) for value in looks},
        maker=draws.choice(["", *BRANDS]) if named else "",
        price=draws.between(100, 400_000) if named and draws.chance(300) else None,
        references=tuple(any_reference(draws, kind) for kind in kinds),
        many=many and named,
        complaint=draws.choice(("", "", "waiting", "denied")),
    )


def any_correction(draws: Draws, request: StatusRequest) -> StatusCorrection:
    """Another value of one thing said, or something else altogether."""
    marks: list[Any] = [("order", one) for one in request.references]
    if request.about == "line":
        marks += [("look", look) for look in request.looks]
    if not marks or draws.chance(300):
        return StatusCorrection(replace(any_request(draws), complaint=request.complaint))
    old = draws.choice(marks)
    if old[0] == "look":
        new = draws.choice([value for value in VALUES if not set(words(value)) & set(words(" ".join(request.looks)))])
        looks = tuple(new if look == old[1] else look for look in request.looks)
        return StatusCorrection(replace(request, looks=looks), old, ("look", new))
    other = old[1]
    while other == old[1]:
        kind = old[1][0]
        other = any_reference(draws, draws.choice(("last", "placed")) if kind in ("last", "placed") else kind)
        if len(old[1]) == 1 and kind not in ("last", "placed"):
            other = ("last",)
    references = tuple(other if one == old[1] else one for one in request.references)
    return StatusCorrection(replace(request, references=references), old, ("order", other))


def names_of(*requests: StatusRequest) -> frozenset[str]:
    texts = [text for one in requests for text in (one.item, one.maker, *one.looks)]
    texts += [reference[1] for one in requests for reference in one.references if reference[0] in NAMED]
    return frozenset(word for text in texts for word in words(text))


@pytest.mark.parametrize("noise", [0, 30, 120])
def test_what_is_said_is_heard(noise: int) -> None:
    """In every currency and style, with corrections and typing errors."""
    for number in range(500):
        draws = Draws(number, "asked and heard")
        request = any_request(draws)
        said = [request]
        corrections: list[StatusCorrection] = []
        while draws.chance(350):
            corrections.append(any_correction(draws, said[-1]))
            said.append(corrections[-1].request)
        currency = draws.choice(list(CURRENCIES.values()))
        style = draws.choice(("plain", "chatty", "polite", "terse"))
        turns = render_status(request, corrections, currency, TODAY, draws, style, draws.chance(300))
        names = names_of(*said)
        known = Known(status_lexicon(names))
        texts = [add_noise(turn, noise, known, draws) if noise else turn.text for turn in turns]
        assert parse_status(texts, names, TODAY) == [said[-1].parsed()], texts


def test_productions_are_told_apart_by_number_alone() -> None:
    kinds = [(one.text, one.when, one.symbol) for one in status_grammar().productions]
    assert len(kinds) == len(set(kinds))
    assert not any(mark in text for text, _, _ in kinds for mark in "[]")
