"""A shop's rules as the document a customer reads, and the way back.

Sections stand under their titles, each rule on a line that begins with its id. The parser is made from the same data
and returns all readings of a sentence; a document has exactly one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.engine.tables import load_table
from ecomrlve.grammars.policy.json import RULE_ID
from ecomrlve.grammars.terms.form import Clause, Effect, Fact, Rule, Section, Topic, facts, topics

_SLOT = re.compile(r"\{(\w+)\}")
_MONEY = r"([^\s\d]{0,4} ?\d[\d,]*(?:\.\d+)?)"
_LINE = re.compile(rf"({RULE_ID.pattern})\. (.+)")

CLAUSES = ("first", "last", "changes", "absent")
"""The opening clauses; a document has ``first`` or ``last``, and the others."""


@dataclass(frozen=True, slots=True)
class Terms:
    """A document of rules.

    Args:
        sections: in order, all read in the same direction.
        reading: which wording each of the three opening clauses takes.
    """

    sections: tuple[Section, ...]
    reading: tuple[int, int, int] = (0, 0, 0)


def _table() -> dict[str, Any]:
    return load_table("grammars.terms/topics")


def _fill(text: str, value: Callable[[str], str]) -> str:
    return _SLOT.sub(lambda match: value(match[1]), text)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


# --- rendered --------------------------------------------------------------------------------------------------------


def wordings_of(rule: Rule, topic: Topic) -> tuple[int, int]:
    """How many wordings a rule's effect has, and how many frames its sentence.

    >>> wordings_of(Rule("lifts", (), lifts=0), topics()["shipping"])
    (2, 4)
    """
    return len(_effect_wordings(rule, topic)), len(_table()["frames"]["rule"])


def _effect_wordings(rule: Rule, topic: Topic) -> Sequence[str]:
    if rule.op == "lifts":
        return tuple(_table()["frames"]["lifts"])
    return next(one.wordings for one in (topic.sets, *topic.adjusts) if one.op == rule.op)


def _render_clause(clause: Clause, currency: Currency) -> str:
    fact = facts()[clause.fact]
    wording = fact.wordings[clause.wording % len(fact.wordings)]
    if clause.over is not None:
        amount = currency.text(clause.over) if fact.kind == "money" else str(clause.over)
        return wording.format(n=amount)
    return wording.format(value=" or ".join(clause.values)) if clause.values else wording


def render_rule(section: Section, at: int, currency: Currency) -> str:
    """The sentence of one rule, without its id.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> rule = Rule("off", (Clause("tier", ("Plus", "Gold")),), Clause("bulky"), percent=10)
    >>> render_rule(Section("shipping", (rule,), ("S1",)), 0, CURRENCIES["USD"])
    '10% is taken off the charge when the customer has Plus or Gold status, unless the goods are bulky.'
    """
    rule = section.rules[at]
    topic, frames = topics()[section.topic], _table()["frames"]
    values = {
        "amount": currency.text(rule.amount),
        "each": currency.text(rule.each),
        "percent": f"{rule.percent}%",
        "n": str(rule.amount),
        "choice": rule.choice,
        "coin": currency.text(10**currency.decimals),
        "rule": section.ids[rule.lifts] if rule.lifts >= 0 else "",
    }
    wordings = _effect_wordings(rule, topic)
    effect = _fill(wordings[rule.wording[0] % len(wordings)], values.__getitem__)
    conditions = " and ".join(_render_clause(clause, currency) for clause in rule.clauses)
    unless = frames["unless"][0].format(condition=_render_clause(rule.unless, currency)) if rule.unless else ""
    frame = frames["rule"][rule.wording[1] % len(frames["rule"])]
    parts = {"effect": effect, "Effect": _capital(effect), "conditions": conditions, "unless": unless}
    return _fill(frame, parts.__getitem__)


def render_terms(terms: Terms, currency: Currency) -> str:
    """The document: opening clauses, then each section under its title."""
    table = _table()["opening"]
    order = "last" if terms.sections[0].last else "first"
    lines = [
        f"- {table[key][number % len(table[key])]}"
        for key, number in zip((order, "changes", "absent"), terms.reading, strict=True)
    ]
    for section in terms.sections:
        lines.append(f"{topics()[section.topic].title}:")
        lines += [f"{name}. {render_rule(section, at, currency)}" for at, name in enumerate(section.ids)]
    return "\n".join(lines)


# --- parsed ----------------------------------------------------------------------------------------------------------


@cache
def _clause_patterns() -> tuple[tuple[Fact, int, re.Pattern[str]], ...]:
    found = []
    for fact in facts().values():
        for number, wording in enumerate(fact.wordings):
            pattern = re.escape(wording)
            if fact.values:
                one = "|".join(sorted(map(re.escape, fact.values), key=len, reverse=True))
                pattern = pattern.replace(r"\{value\}", f"((?:{one})(?: or (?:{one}))*)")
            else:
                pattern = pattern.replace(r"\{n\}", _MONEY if fact.kind == "money" else r"(\d+)")
            found.append((fact, number, re.compile(pattern)))
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def _read_clause(text: str) -> tuple[Clause, ...]:
    """All readings of a condition."""
    found = []
    for fact, number, pattern in _clause_patterns():
        match = pattern.fullmatch(text)
        if match and fact.values:
            found.append(Clause(fact.key, tuple(match[1].split(" or ")), wording=number))
        elif match and fact.over:
            found.append(Clause(fact.key, over=int(re.sub(r"\D", "", match[1])), wording=number))
        elif match:
            found.append(Clause(fact.key, wording=number))
    return tuple(found)


@cache
def _effect_patterns(topic: str) -> tuple[tuple[str, int, tuple[str, ...], re.Pattern[str]], ...]:
    one = topics()[topic]
    slots = {
        "amount": _MONEY,
        "each": _MONEY,
        "coin": _MONEY,
        "percent": r"(\d+)%",
        "n": r"(\d+)",
        "rule": rf"({RULE_ID.pattern})",
        "choice": "|".join(map(re.escape, one.choices)).join(("(", ")")),
    }
    lifts = Effect("lifts", tuple(_table()["frames"]["lifts"]))
    found = []
    for effect in (one.sets, *one.adjusts, lifts):
        for number, wording in enumerate(effect.wordings):
            parts = _SLOT.split(wording)
            text = "".join(slots[part] if at % 2 else re.escape(part) for at, part in enumerate(parts))
            found.append((effect.op, number, tuple(parts[1::2]), re.compile(text)))
    return tuple(found)


_FRAMES = (
    re.compile(r"(?P<effect>.+?) when (?P<conditions>.+?)(?:, unless (?P<unless>.+))?\."),
    re.compile(r"When (?P<conditions>.+?), (?P<effect>.+?)(?:, unless (?P<unless>.+))?\."),
    re.compile(r"If (?P<conditions>.+?), (?P<effect>.+?)(?:, unless (?P<unless>.+))?\."),
    re.compile(r"(?P<effect>.+?) if (?P<conditions>.+?)(?:, unless (?P<unless>.+))?\."),
)


def rule_readings(topic: str, text: str, ids: Sequence[str]) -> tuple[Rule, ...]:
    """All readings of a rule's sentence in a section; none where it is not one of ours.

    Args:
        topic: of the section.
        text: the sentence.
        ids: of the section's rules.

    >>> rule_readings("warranty", "4 months are added if the item was registered.", ())[0].amount
    4
    """
    found = []
    for number, frame in enumerate(_FRAMES):
        match = frame.fullmatch(text)
        if not match or (number in (0, 3) and text.startswith(("When ", "If "))):
            continue
        clauses = [_read_clause(one) for one in match["conditions"].split(" and ")]
        unless = _read_clause(match["unless"]) if match["unless"] else (None,)
        if any(len(one) != 1 for one in (*clauses, unless)):
            continue
        for op, wording, values in _read_effect(topic, match["effect"], ids):
            found.append(Rule(op, tuple(one[0] for one in clauses), unless[0], **values, wording=(wording, number)))
    return tuple(found)


def _read_effect(topic: str, effect: str, ids: Sequence[str]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for op, wording, slots, pattern in _effect_patterns(topic):
        # A sentence begins with a capital, and so may its effect.
        match = pattern.fullmatch(effect) or pattern.fullmatch(effect[0].lower() + effect[1:])
        if match is None:
            continue
        values: dict[str, Any] = {}
        for slot, said in zip(slots, match.groups(), strict=True):
            if slot == "choice":
                values["choice"] = said
            elif slot == "rule" and said in ids:
                values["lifts"] = ids.index(said)
            elif slot in ("amount", "n"):
                values["amount"] = int(re.sub(r"\D", "", said))
            elif slot in ("each", "percent"):
                values[slot] = int(re.sub(r"\D", "", said))
        if op != "lifts" or values:
            yield op, wording, values


def parse_terms(text: str) -> Terms:
    """The rules that a document states, from the document alone.

    Raises:
        InvalidArgument: where a line has no reading or several.
    """
    lines = text.strip().splitlines()
    titles = {topic.title: topic.key for topic in topics().values()}
    grouped: list[tuple[str, list[tuple[str, str]]]] = []
    opening: dict[str, int] = {}
    for line in lines:
        if line.startswith("- "):
            found = [
                (key, number)
                for key in CLAUSES
                for number, one in enumerate(_table()["opening"][key])
                if one == line[2:]
            ]
            if len(found) != 1:
                raise InvalidArgument("terms", line, "must be an opening clause")
            opening |= found
        elif line.endswith(":") and line[:-1] in titles:
            grouped.append((titles[line[:-1]], []))
        elif (match := _LINE.fullmatch(line)) and grouped:
            grouped[-1][1].append((match[1], match[2]))
        else:
            raise InvalidArgument("terms", line, "must be a clause, a title or a rule")
    if len(opening) != len(CLAUSES) - 1 or not ("first" in opening) ^ ("last" in opening):
        raise InvalidArgument("terms", sorted(opening), "must say once which rule decides, and the rest")
    sections = []
    for topic, numbered in grouped:
        ids = tuple(name for name, _ in numbered)
        rules = [rule_readings(topic, sentence, ids) for _, sentence in numbered]
        if any(len(one) != 1 for one in rules) or len(set(ids)) != len(ids):
            raise InvalidArgument("terms", numbered, f"must have one reading each, found {[len(one) for one in rules]}")
        sections.append(Section(topic, tuple(one[0] for one in rules), ids, "last" in opening))
    order = opening["last"] if "last" in opening else opening["first"]
    return Terms(tuple(sections), (order, opening["changes"], opening["absent"]))
