"""The common form of a shop's rules: conditions on facts to an answer, changes to it, and exceptions by precedence.

A rule *answers* (by an amount, a time, or words), *changes* the answer of others (adds, takes off, limits), or *lifts*
another rule. Topics are data (``data/topics.toml``, ``data/facts.toml``); one evaluator serves all of them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

from ecomrlve.grammars.engine.tables import load_table

Value = int | str | bool
"""What a fact or an answer is: a number (money in minor units), words, or yes or no."""

Facts = Mapping[str, Value]
"""What is the case, by fact; a thing that is so or not, and is not here, is not so."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that rules ask about, as ``data/facts.toml`` has it."""

    key: str
    kind: Literal["choice", "number", "money", "yes_no", "tier"]
    label: str
    values: tuple[str, ...] = ()
    draw: tuple[int, ...] = ()
    thresholds: tuple[int, ...] = ()
    clause: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    said_not: tuple[str, ...] = ()

    @property
    def wordings(self) -> tuple[str, ...]:
        """How a rule names it."""
        return self.over or self.clause


@dataclass(frozen=True, slots=True)
class Effect:
    """What a rule of a topic does, with the numbers that it is drawn from."""

    op: str
    wordings: tuple[str, ...]
    amount: tuple[int, ...] = ()
    each: tuple[int, ...] = ()
    percent: tuple[int, ...] = ()
    n: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """What a section of rules is about, as ``data/topics.toml`` has it."""

    key: str
    title: str
    unit: Literal["money", "days", "months", "hours", "points", "choice"]
    main: str
    measure: str
    facts: tuple[str, ...]
    lowers: tuple[str, ...]
    asks: tuple[str, ...]
    sets: Effect
    adjusts: tuple[Effect, ...]
    choices: tuple[str, ...] = ()


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


@cache
def facts() -> Mapping[str, Fact]:
    """Everything that rules ask about.

    >>> facts()["bulky"].kind
    'yes_no'
    """
    return {key: Fact(key=key, **_tuples(entry)) for key, entry in load_table("grammars.terms/facts").items()}


@cache
def topics() -> Mapping[str, Topic]:
    """Everything that rules are about.

    >>> topics()["shipping"].unit
    'money'
    """
    found = {}
    for entry in load_table("grammars.terms/topics")["topic"]:
        rest = {key: value for key, value in _tuples(entry).items() if key not in ("sets", "adjusts")}
        adjusts = tuple(Effect(**_tuples(effect)) for effect in entry["adjusts"])
        found[entry["key"]] = Topic(**rest, sets=Effect(**_tuples(entry["sets"])), adjusts=adjusts)
    return found


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition: the fact is one of the values, or more than a number, or so.

    >>> Clause("weight", over=5).holds({"weight": 6}), Clause("bulky").holds({})
    (True, False)
    """

    fact: str
    values: tuple[str, ...] = ()
    over: int | None = None
    wording: int = field(default=0, compare=False)

    def holds(self, case: Facts) -> bool:
        """Whether it is so; what is not known is not so."""
        value = case.get(self.fact)
        if self.values:
            return value in self.values
        if self.over is not None:
            return type(value) is int and value > self.over
        return value is True


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a section.

    Args:
        op: what it does: one of `ANSWERS`, one of `CHANGES`, or ``"lifts"``.
        clauses: all must hold.
        unless: it doesn't fit where this holds.
        amount: money, days, months, hours or points.
        each: money for each unit of the topic's measure.
        percent: of the measure, or of the answer so far.
        choice: the answer in words.
        lifts: place in the section of the rule that does not apply.
        wording: which wording of the effect, and which frame of the sentence.
    """

    op: str
    clauses: tuple[Clause, ...]
    unless: Clause | None = None
    amount: int = 0
    each: int = 0
    percent: int = 0
    choice: str = ""
    lifts: int = -1
    wording: tuple[int, int] = field(default=(0, 0), compare=False)

    def fits(self, case: Facts) -> bool:
        """Whether all conditions hold."""
        return all(one.holds(case) for one in self.clauses) and not (self.unless and self.unless.holds(case))


ANSWERS = ("flat", "per", "times", "share", "points", "choice")
"""Ops of rules that give an answer by themselves."""

CHANGES = ("add", "less", "more", "off", "cap")
"""Ops of rules that change the answer of another."""


@dataclass(frozen=True, slots=True)
class Section:
    """The rules on one topic.

    Args:
        topic: its key.
        rules: in the order of the document.
        ids: of the rules.
        last: whether of the rules that answer, the last that fits decides, rather than the first.
    """

    topic: str
    rules: tuple[Rule, ...]
    ids: tuple[str, ...]
    last: bool = False


class Answer(NamedTuple):
    """What the rules say of a case.

    Attributes:
        value: a number or words; None where no rule gives an answer.
        rule: id of the rule that decides, or None.
    """

    value: Value | None
    rule: str | None


def evaluate(section: Section, case: Facts, minor: int, without: Collection[int] = ()) -> Answer:
    """What a section says of a case.

    Args:
        section: the rules.
        case: the facts.
        minor: minor units of the currency in one of it.
        without: places of rules that are taken as not there.

    >>> rules = (
    ...     Rule("per", (Clause("zone", ("the islands",)),), amount=500, each=100),
    ...     Rule("off", (Clause("tier", ("Gold",)),), percent=10),
    ...     Rule("lifts", (Clause("bulky"),), lifts=1),
    ... )
    >>> section = Section("shipping", rules, ("S1", "S2", "S3"))
    >>> evaluate(section, {"zone": "the islands", "weight": 3, "tier": "Gold"}, 100)
    Answer(value=720, rule='S1')
    >>> evaluate(section, {"zone": "the islands", "weight": 3, "tier": "Gold", "bulky": True}, 100).value
    800
    """
    fitting = [at for at, rule in enumerate(section.rules) if at not in without and rule.fits(case)]
    return conclude(section, fitting, case, minor)


def conclude(section: Section, fitting: Sequence[int], case: Facts, minor: int) -> Answer:
    """What a section says where it is known which of its rules fit.

    >>> section = Section("warranty", (Rule("flat", (), amount=24),), ("W1",))
    >>> conclude(section, [0], {}, 100), conclude(section, [], {}, 100).value
    (Answer(value=24, rule='W1'), None)
    """
    lifted = {section.rules[at].lifts for at in fitting}
    standing = [at for at in fitting if at not in lifted]
    answering = [at for at in standing if section.rules[at].op in ANSWERS]
    if not answering:
        return Answer(None, None)
    decides = answering[-1 if section.last else 0]
    value = _given(section.rules[decides], case.get(topics()[section.topic].measure, 0), minor)
    for at in standing:
        if section.rules[at].op in CHANGES and isinstance(value, int):
            value = _changed(section.rules[at], value)
    return Answer(value, section.ids[decides])


def _given(rule: Rule, measure: Value, minor: int) -> Value:
    counted = measure if isinstance(measure, int) else 0
    match rule.op:
        case "choice":
            return rule.choice
        case "per":
            return rule.amount + rule.each * counted
        case "times":
            return rule.each * counted
        case "share":
            return counted * rule.percent // 100
        case "points":
            return rule.amount * (counted // minor)
    return rule.amount


def _changed(rule: Rule, value: int) -> int:
    match rule.op:
        case "add":
            return value + rule.amount
        case "less":
            return value - rule.amount
        case "more":
            return value + value * rule.percent // 100
        case "off":
            return value - value * rule.percent // 100
    return min(value, rule.amount)


def asked(answer: Answer, ask: str, case: Facts, topic: Topic) -> Answer:
    """The answer to a question about what the rules give.

    Args:
        answer: what they give.
        ask: ``"value"``: just that; ``"left"``: less the topic's measure, below zero where that is more;
            ``"within"``: whether the measure is not more; ``"due"``: whether it is not less.
        case: the facts.
        topic: of the section.

    >>> asked(Answer(24, "C1"), "left", {"hours": 30}, topics()["cancellation"])
    Answer(value=-6, rule='C1')
    """
    if answer.value is None or ask == "value":
        return answer
    value, measure = int(answer.value), int(case.get(topic.measure, 0))
    if ask == "left":
        return Answer(value - measure, answer.rule)
    return Answer(measure <= value if ask == "within" else measure >= value, answer.rule)


def bearing(section: Section, case: Facts, minor: int, ask: str) -> tuple[int, ...]:
    """Places of the rules that truly bear on a question: without any one of them the answer is another."""
    topic = topics()[section.topic]
    found = asked(evaluate(section, case, minor), ask, case, topic)
    return tuple(
        at
        for at, rule in enumerate(section.rules)
        if rule.fits(case) and not _same(asked(evaluate(section, case, minor, (at,)), ask, case, topic), found)
    )


def _same(one: Answer, other: Answer) -> bool:
    # True is 1 to the language, and not to a customer.
    return one == other and type(one.value) is type(other.value)


def mentioned(section: Section) -> tuple[str, ...]:
    """The facts that a section's rules ask about, in the order of the rules."""
    clauses = (clause for rule in section.rules for clause in (*rule.clauses, *([rule.unless] if rule.unless else [])))
    return tuple(dict.fromkeys(clause.fact for clause in clauses))


def rules_that_answer(sections: Sequence[Section]) -> int:
    """How many rules of some sections give an answer by themselves."""
    return sum(rule.op in ANSWERS for section in sections for rule in section.rules)
