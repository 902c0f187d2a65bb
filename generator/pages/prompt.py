"""The parts of a context-mode prompt that environments share: the shop's opening, notes, history, customer turns."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from ecomrlve.generator.customers import Customer
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.dialogue.noise import HasLexicon, Utterance, add_noise
from ecomrlve.grammars.engine.dates import parse_day, render_day
from ecomrlve.grammars.engine.tables import load_table

Message = dict[str, str]

_TODAY = re.compile(r"Today is (\d{1,2} \w+ \d{4})\.")
_TIER = re.compile(r", a (standard|plus|gold) customer\.")

# None of these grants anything: what is asked may yet have to be refused.
_ACKNOWLEDGED = ("Noted.", "Thanks, noted.", "Got it.", "Thanks, I have that.", "Understood.")


def texts() -> Mapping[str, Any]:
    """The fixed texts of system prompts."""
    return load_table("generator.pages/prompts")


def opening(world: World, customer: Customer) -> list[str]:
    """The first lines of a system prompt."""
    words = texts()
    return [
        words["opening"].format(
            shop=world.catalog.name, currency=world.catalog.currency.name, today=render_day(world.today)
        ),
        words["customer"].format(name=customer.name, tier=customer.tier),
    ]


def parse_opening(system: str) -> tuple[date, str]:
    """Today and the customer's tier, as a prompt says them.

    >>> parse_opening("Today is 11 March 2026.\\nYou are talking to Ada Byron, a plus customer.")
    (datetime.date(2026, 3, 11), 'plus')
    """
    today, tier = _TODAY.search(system), _TIER.search(system)
    if today is None or tier is None:
        raise ValueError("the prompt names no day or no customer")
    return parse_day(today[1]), tier[1]


ANYTHING = "products"
"""The noun of a saved preference that holds for every product."""


def render_notes(notes: Sequence[tuple[str, str]]) -> list[str]:
    """The customer's saved preferences, (plural noun, condition) each; empty where there are none."""
    words = texts()["notes"]
    lines = (words["item"].format(note=f"{noun} {condition}") for noun, condition in notes)
    return [words["heading"], *lines] if notes else []


def parse_notes(system: str, nouns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The saved preferences that a system prompt shows: (singular noun, condition); ``""`` is any product.

    Args:
        system: the prompt.
        nouns: (singular, plural) of what the page holds.
    """
    known = sorted([*nouns, ("", ANYTHING)], key=lambda pair: -len(pair[1]))
    return [
        next((singular, item[len(plural) + 1 :]) for singular, plural in known if item.startswith(plural + " "))
        for item in _items(system, texts()["notes"]["heading"])
    ]


def render_substitutes(pairs: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Which product types can stand in for which, by their singular nouns.

    >>> render_substitutes([("quilt", ["duvet", "blanket"])])[1]
    '- quilt: duvet, blanket'
    """
    table = texts()["substitutes"]
    if not pairs:
        return [table["same"], table["rule"]]
    lines = (table["item"].format(noun=noun, nouns=", ".join(others)) for noun, others in pairs)
    return [table["heading"], *lines, table["rule"]]


def parse_substitutes(system: str) -> dict[str, list[str]]:
    """Which product types can stand in for which, as a system prompt says."""
    found = (item.split(": ", 1) for item in _items(system, texts()["substitutes"]["heading"]))
    return {noun: others.split(", ") for noun, others in found}


def render_history(bought: Sequence[tuple[date, str, Mapping[str, str]]]) -> list[str]:
    """Earlier purchases: (day, title, facts by label)."""
    words = texts()["history"]
    lines = [
        words["item"].format(
            date=render_day(day), title=title, facts="; ".join(f"{label}: {text}" for label, text in facts.items())
        )
        for day, title, facts in bought
    ]
    return [words["heading"], *lines] if lines else []


def bought_on(noun: str, day: date) -> str:
    """How a customer speaks of an earlier purchase.

    >>> bought_on("lamp", date(2026, 3, 11))
    'the lamp I bought on 11 March'
    """
    return f"the {noun} I bought on {render_day(day).rsplit(' ', 1)[0]}"


def parse_history(system: str) -> list[tuple[date, str, dict[str, str]]]:
    """The earlier purchases that a system prompt shows."""
    found = []
    for item in _items(system, texts()["history"]["heading"]):
        day, rest = item.split(": ", 1)
        title, facts = re.fullmatch(r"(.*?) \(([^()]*: .*)\)", rest).groups()  # type: ignore[union-attr]
        found.append((parse_day(day), title, dict(part.split(": ", 1) for part in facts.split("; "))))
    return found


def _items(system: str, heading: str) -> list[str]:
    lines = system.split("\n")
    if heading not in lines:
        return []
    found = []
    for line in lines[lines.index(heading) + 1 :]:
        if not line.startswith("- "):
            break
        found.append(line[2:])
    return found


def customer_texts(prompt: Sequence[Message]) -> list[str]:
    """The customer's turns of a prompt, oldest first.

    >>> customer_texts([{"role": "system", "content": "A shop."}, {"role": "user", "content": "A lamp, please."}])
    ['A lamp, please.']
    """
    return [message["content"] for message in prompt if message["role"] == "user"]


def customer_turns(utterances: Sequence[Utterance], noise: int, vocabulary: HasLexicon, draws: Draws) -> list[Message]:
    """The customer's turns with their typing errors, and a short word from the assistant between them."""
    messages: list[Message] = []
    for place, utterance in enumerate(utterances):
        if place:
            messages.append({"role": "assistant", "content": draws.choice(_ACKNOWLEDGED)})
        text = add_noise(utterance, noise, vocabulary, draws) if noise else utterance.text
        messages.append({"role": "user", "content": text})
    return messages
