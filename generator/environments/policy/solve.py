"""Answering a POLICY task from its prompt alone."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ecomrlve.generator.pages.products import parse_currency
from ecomrlve.generator.pages.prompt import Message, customer_texts, parse_opening
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.dialogue.cases import ParsedCase, case_lexicon, parse_case, render_value
from ecomrlve.grammars.engine.tables import load_table
from ecomrlve.grammars.policy.json import RULE_ID
from ecomrlve.grammars.terms.form import Value, asked, conclude, facts, topics
from ecomrlve.grammars.terms.text import Terms, parse_terms

NOTHING = {"answer": None, "rule": None}

_RULE = re.compile(rf"{RULE_ID.pattern}\. ")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand a prompt.

    Args:
        case: what is asked and told in the customer's turns.
        tier: the customer's, as rules name it.
        file: (fact, value) in the case file.
        terms: the shop's rules.
        minor: minor units of the currency in one of it.
        turns: the customer's, as they stand.
    """

    case: ParsedCase
    tier: str
    file: tuple[tuple[str, Value], ...]
    terms: Terms
    minor: int
    turns: Sequence[str] = field(compare=False)


def render_file(told: Sequence[tuple[str, Value]], currency: Currency) -> list[str]:
    """The case file with the facts that the customer does not tell; empty where there are none."""
    lines = [f"- {facts()[key].label}: {render_value(facts()[key], value, currency)}" for key, value in told]
    return [page()["file"], *lines] if lines else []


def parse_file(system: str) -> tuple[tuple[str, Value], ...]:
    """The facts in the case file of a prompt, by their keys."""
    lines = system.split("\n")
    if page()["file"] not in lines:
        return ()
    labels = {fact.label: fact for fact in facts().values()}
    found: dict[str, Value] = {}
    for line in lines[lines.index(page()["file"]) + 1 :]:
        label, _, text = line.removeprefix("- ").partition(": ")
        if not line.startswith("- ") or label not in labels:
            break
        fact = labels[label]
        if fact.kind == "yes_no":
            found[fact.key] = text == "yes"
        else:
            # A shop always writes all decimals of its currency, so the digits say the amount.
            found[fact.key] = text if fact.values else int(re.sub(r"\D", "", text))
    return tuple(sorted(found.items()))


def parse_rules(system: str) -> str:
    """The rules in a prompt: from their heading to the last of them."""
    lines = system.split("\n")
    heading = page()["rules"].split("{")[0]
    start = next(at for at, line in enumerate(lines) if line.startswith(heading))
    end = max(at for at, line in enumerate(lines) if _RULE.match(line))
    return "\n".join(lines[start + 1 : end + 1])


def page() -> Mapping[str, Any]:
    """The fixed texts of the prompt."""
    return load_table("generator.environments.policy/page")


def read_policy(prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
    """Every way to understand the rules, the case file and the question."""
    system = prompt[0]["content"]
    _, tier = parse_opening(system)
    terms, file = parse_terms(parse_rules(system)), parse_file(system)
    minor = 10 ** parse_currency(system).decimals
    turns = perception.filter_turns(customer_texts(prompt))
    return [Reading(case, tier.title(), file, terms, minor, turns) for case in parse_case(turns)]


def solve_policy(reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
    """Find the section, see which of its rules fit, and put them together."""
    said = list(reading.case.told)
    if not perception.is_faithful:
        said = perception.drop_mistyped(perception.filter_conditions(said), case_lexicon().mistyped(reading.turns))
    case = {"tier": reading.tier, **dict(perception.filter_asides(reading.file)), **dict(said)}
    for section in reading.terms.sections:
        if section.topic == reading.case.topic:
            fitting = [at for at, rule in enumerate(section.rules) if perception.judge(rule.fits(case))]
            answer = conclude(section, fitting, case, reading.minor)
            value, rule = asked(answer, reading.case.ask, case, topics()[section.topic])
            return {"answer": value, "rule": rule}
    return dict(NOTHING)
