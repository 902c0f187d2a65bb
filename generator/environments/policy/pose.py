"""POLICY: what the shop's rules say of a case described in words, and the rule that decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from ecomrlve.difficulty.axes import Axes
from ecomrlve.errors import CannotPose
from ecomrlve.generator.customers import Customer
from ecomrlve.generator.environments.base import Environment, Posed
from ecomrlve.generator.environments.policy.solve import (
    NOTHING,
    Reading,
    page,
    read_policy,
    render_file,
    solve_policy,
)
from ecomrlve.generator.environments.posing import changes_of_mind, unsaid
from ecomrlve.generator.pages.prompt import Message, customer_turns, opening
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.generator.policies.cases import DrawnCase, another_value, draw_case
from ecomrlve.generator.policies.pool import POOL
from ecomrlve.generator.policies.terms import MOST_BRANCHES, draw_terms
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.dialogue.cases import CaseRequest, case_lexicon, render_case
from ecomrlve.grammars.dialogue.noise import HasLexicon
from ecomrlve.grammars.engine.lexicon import Lexicon
from ecomrlve.grammars.terms.form import ANSWERS, Clause, Section, Value, facts, mentioned, topics
from ecomrlve.grammars.terms.text import Terms, render_terms

_ATTEMPTS = 20
# Of a document's rules that miss by one thing, so many are added at most.
_MOST_MORE = 4
# A number has to be worked out from what the customer tells: a guess is among so many.
_NUMBERS = 20


@dataclass(frozen=True, slots=True)
class _Page:
    """A case and its rules as drawn.

    Args:
        terms: the document.
        section: the one that the case is about.
        text: the document in words.
        case: as drawn.
        customer: who asks.
        request: what is said, in order.
        file: (fact, value) that stand in the case file instead.
        told: how many facts are said or on file.
    """

    terms: Terms
    section: Section
    text: str
    case: DrawnCase
    customer: Customer
    request: CaseRequest
    file: tuple[tuple[str, Value], ...]
    told: int


class _Known:
    """Who reads the turns."""

    @property
    def lexicon(self) -> Lexicon:
        """The words they know."""
        return case_lexicon()


_KNOWN: HasLexicon = _Known()


class PolicyQuestion(Environment[Reading]):
    """The customer wants an answer under the shop's rules for a described case."""

    name: ClassVar[str] = "POLICY"
    slip: ClassVar[int] = 37_000
    summary: ClassVar[str] = "an answer under the shop's rules for a described case"
    order_matters: ClassVar[bool] = False
    axes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "context": ("constraints", "decoys", "omission", "noise", "switching", "branches")
    }

    def pose(self, world: World, axes: Axes, draws: Draws, impossible: bool) -> Posed:
        """Draw a document, a case on which just so many of its rules bear, and what is said of it."""
        by_tier = _customers(world)
        currency = world.catalog.currency
        more = axes.decoys * _MOST_MORE // 1000
        best: tuple[Terms, int, DrawnCase] | None = None
        attempts = 0
        while attempts < _ATTEMPTS and (best is None or best[2].bearing != axes.branches):
            attempts += 1
            number = draws.below(POOL)
            terms, place = draw_terms(world.seed, world.split, number, currency, axes.branches, more)
            case = draw_case(draws, terms.sections[place], currency, min(axes.branches, MOST_BRANCHES), impossible)
            if case is None or not by_tier.get(str(case.facts.get("tier", "Standard"))):
                continue
            if best is None or abs(case.bearing - axes.branches) < abs(best[2].bearing - axes.branches):
                best = terms, place, case
            if axes.branches > MOST_BRANCHES and best is not None:
                break
        if best is None:
            raise CannotPose(
                "POLICY: the shop has no customers of the standing that its rules speak of; set the level."
            )
        terms, place, case = best
        return _posed(world, axes, draws, _tell(axes, draws, terms, place, case, by_tier, currency), attempts)

    def read(self, prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
        """Every way to understand the rules, the case file and the question."""
        return read_policy(prompt, perception)

    def solve(self, reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
        """Find the rules that fit, and put them together."""
        return solve_policy(reading, perception)


_BY_TIER: "WeakKeyDictionary[World, dict[str, list[Customer]]]" = WeakKeyDictionary()


def _customers(world: World) -> Mapping[str, list[Customer]]:
    """A world's customers by their tier as rules name it, parted when first asked for."""
    found = _BY_TIER.get(world)
    if found is None:
        found = _BY_TIER[world] = {}
        for customer in world.customers:
            found.setdefault(customer.tier.title(), []).append(customer)
    return found


def _tell(
    axes: Axes,
    draws: Draws,
    terms: Terms,
    place: int,
    case: DrawnCase,
    by_tier: Mapping[str, list[Customer]],
    currency: Currency,
) -> _Page:
    """What is said of a case, what stands in the case file instead, and what is first said otherwise."""
    section = terms.sections[place]
    topic = topics()[section.topic]
    told = {key: value for key, value in case.facts.items() if key != "tier"}
    asides = [key for key in topic.facts if key not in told and key != "tier"]
    heard = set(mentioned(section))
    for key in draws.sample(asides, max(0, axes.constraints - len(told))):
        # What no rule asks about can be anything; what one asks about, and is not so, is said not to be so.
        told[key] = False if key in heard else another_value(draws, section, currency, key, None)
    keys = draws.sample(list(told), unsaid(axes, len(told), draws))
    file = tuple((key, told[key]) for key in told if key in keys)
    said = {key: value for key, value in told.items() if key not in keys}
    changed = draws.sample(list(said), min(len(said), changes_of_mind(axes, draws)))
    first = {
        key: another_value(draws, section, currency, key, value) if key in changed else value
        for key, value in said.items()
    }
    request = CaseRequest(
        section.topic,
        case.ask,
        tuple(first.items()),
        tuple((key, said[key]) for key in changed),
        on_file=bool(file),
    )
    customer = draws.choice(by_tier[str(case.facts.get("tier", "Standard"))])
    return _Page(terms, section, render_terms(terms, currency), case, customer, request, file, len(told))


def _near(section: Section, case: Mapping[str, Value], currency: Currency) -> dict[str, str]:
    """The rules of a section that one thing keeps from fitting, with that thing."""
    found = {}
    for name, rule in zip(section.ids, section.rules, strict=True):
        missing = [clause for clause in rule.clauses if not clause.holds(case)]
        if rule.unless is None or not rule.unless.holds(case):
            if len(missing) == 1:
                found[name] = f"{_say(missing[0], currency)} is not so"
        elif not missing:
            found[name] = f"{_say(rule.unless, currency)} is so, its exception"
    return found


def _say(clause: Clause, currency: Currency) -> str:
    fact = facts()[clause.fact]
    if clause.over is not None:
        return f"{fact.label} over {currency.text(clause.over) if fact.kind == 'money' else clause.over}"
    return f"{fact.label} {' or '.join(clause.values)}" if clause.values else fact.label


def _unit(page_of: _Page) -> str:
    topic = topics()[page_of.section.topic]
    if page_of.case.answer.value is None:
        return "nothing"
    if page_of.case.ask in ("within", "due"):
        return "yes_no"
    return {"money": "cents", "choice": "words"}.get(topic.unit, topic.unit)


def _posed(world: World, axes: Axes, draws: Draws, drawn: _Page, attempts: int) -> Posed:
    currency, case = world.catalog.currency, drawn.case
    system = [
        *opening(world, drawn.customer),
        page()["rules"].format(shop=world.catalog.name),
        drawn.text,
        *render_file(drawn.file, currency),
        page()["reply"].format(example=currency.text(1999)),
    ]
    held_out = world.split == "test_wording"
    turns = render_case(drawn.request, currency, draws, drawn.customer.style, held_out)
    answer = {"answer": case.answer.value, "rule": case.answer.rule} if case.answer.rule else dict(NOTHING)
    near = _near(drawn.section, case.facts, currency)
    used, measured = _accounts(axes, drawn, len(near))
    return Posed(
        prompt=[
            {"role": "system", "content": "\n".join(system)},
            *customer_turns(turns, axes.noise, _KNOWN, draws),
        ],
        truth={
            "env": "POLICY",
            "version": 1,
            **answer,
            "unit": _unit(drawn),
            "shown": [name for section in drawn.terms.sections for name in section.ids],
        },
        oracle=answer,
        oracle_text=_say_answer(currency, drawn),
        goal={
            "topic": drawn.section.topic,
            "ask": case.ask,
            "facts": {key: case.facts[key] for key in sorted(case.facts)},
            "rules": list(drawn.section.ids),
        },
        notes=tuple(near.items()),
        attempts=attempts,
        chance=_chance(drawn),
        used=used,
        measured=measured,
        evidence={"rules": drawn.text, "case": dict(case.facts), "ask": case.ask, "topic": drawn.section.topic},
    )


def _accounts(axes: Axes, drawn: _Page, near: int) -> tuple[dict[str, float], dict[str, float]]:
    """The axes whose value is another than the one asked for, and what each changed."""
    share = near / sum(len(section.rules) for section in drawn.terms.sections)
    used: dict[str, float] = {}
    if share * 1000 < axes.decoys:
        used["decoys"] = share
    if drawn.told != axes.constraints:
        used["constraints"] = drawn.told
    if drawn.case.bearing != axes.branches:
        used["branches"] = drawn.case.bearing
    measured: dict[str, float] = {
        "constraints": drawn.told,
        "decoys": share,
        "omission": len(drawn.file) / drawn.told,
        "switching": len(drawn.request.corrections),
        "branches": drawn.case.bearing,
    }
    return used, measured


def _chance(drawn: _Page) -> float:
    """A guess by one who knows which rules give answers: one of them, and the number, the yes or the words."""
    rules = sum(rule.op in ANSWERS for section in drawn.terms.sections for rule in section.rules)
    return 1 / (rules * {"yes_no": 2, "words": 1}.get(_unit(drawn), _NUMBERS))


def _say_answer(currency: Currency, drawn: _Page) -> str:
    """The sentence that a model would put before the oracle's object."""
    value, rule = drawn.case.answer
    if rule is None or value is None:
        return "I went through our rules, and none of them speaks of your case, so I can't promise you anything."
    if isinstance(value, bool):
        return f"{'Yes' if value else 'No'}, by rule {rule}."
    unit = topics()[drawn.section.topic].unit
    if unit == "choice":
        return f'By rule {rule} it is "{value}".'
    if unit == "money":
        return f"By rule {rule} it comes to {currency.text(int(value))}."
    return f"By rule {rule} it comes to {value} {unit}."


ENVIRONMENT = PolicyQuestion()
