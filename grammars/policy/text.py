"""A return policy as the document a customer reads, and the way back.

Every wording stands in ``data/policy.toml``. The parser is made from the same wordings and returns all readings of a
sentence; a document has exactly one.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from typing import Any

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.engine.dates import MONTHS, parse_day, render_day
from ecomrlve.grammars.engine.tables import load_table
from ecomrlve.grammars.policy.json import check_policy
from ecomrlve.grammars.policy.policy import Policy, rule_id
from ecomrlve.grammars.policy.rules import RULES, Fault, Rule, Window

_SLOT = re.compile(r"\{(\w+)\}")
_DATE = rf"(\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}})"
_RULE_ID = re.compile(r"\bR\d+\b")
_IDS = r"(R\d+(?:, R\d+)*)"
_SLOT_FIELDS = {"Classes": "classes", "Conditions": "conditions", "faults": "reasons", "day": "days"}
_TABLES = {"classes": "classes", "tiers": "tiers", "conditions": "conditions", "reasons": "reasons", "faults": "faults"}
_LAST = {"classes": "and", "tiers": "and", "conditions": "or", "reasons": "or", "faults": "or"}

CLAUSES = ("days", "conditions", "order", "windows", "wish", "exchange_only", "refund", "exchange")
"""The opening clauses of a document, in their order; `Policy.reading` holds one wording number for each."""


@dataclass(frozen=True, slots=True)
class _Form:
    """One kind of rule with one set of fields, and all its wordings."""

    kind: str
    wordings: tuple[str, ...]
    fixed: tuple[tuple[str, Any], ...]
    patterns: tuple[re.Pattern[str], ...]
    slots: tuple[tuple[str, ...], ...]

    @property
    def named(self) -> frozenset[str]:
        """The fields of the rule that the wordings speak of."""
        spoken = {_SLOT_FIELDS.get(slot, slot) for slot in self.slots[0]} - {"fault_rules"}
        return frozenset(spoken | {name for name, _ in self.fixed})


def _data() -> dict[str, Any]:
    return load_table("grammars.policy/policy")


@cache
def _names(table: str) -> dict[str, str]:
    return dict(_data()[table])


def class_name(return_class: str) -> str:
    """A return class as order lines and rules name it.

    >>> class_name("hygiene")
    'hygiene goods'
    """
    return _names("classes")[return_class]


def class_of(name: str) -> str:
    """The return class with this name.

    >>> class_of("hygiene goods")
    'hygiene'
    """
    return {text: key for key, text in _names("classes").items()}[name]


def reason_name(reason: str) -> str:
    """A reason as rules and return forms name it.

    >>> reason_name("faulty")
    'a fault'
    """
    return _names("reasons")[reason]


def reason_of(name: str) -> str:
    """The reason with this name.

    >>> reason_of("a fault")
    'faulty'
    """
    return {text: key for key, text in _names("reasons").items()}[name]


def _join(names: Sequence[str], last: str) -> str:
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else names[0]


def _slot_pattern(slot: str) -> str:
    table = _TABLES.get(_SLOT_FIELDS.get(slot, slot) if slot[0].isupper() else slot)
    if table:
        one = "|".join(sorted(map(re.escape, _names(table).values()), key=len, reverse=True))
        rest = rf"(?:, (?:{one}))* {_LAST[table]} (?:{one})"
        first = rf"(?i:{one})" if slot[0].isupper() else rf"(?:{one})"
        return rf"({first}|{first}{rest})"
    return {
        "days": r"(\d+) days?",
        "day": r"(\d+)",
        "percent": r"(\d+)%",
        "rest": "(first|last)",
        **dict.fromkeys(("amount", "price_over"), r"([^\s\d]{0,4} ?\d[\d,]*(?:\.\d+)?)"),
        **dict.fromkeys(("start", "end", "until"), _DATE),
        "fault_rules": r"(R\d+(?: or R\d+)*)",
        **dict.fromkeys(("windows", "order"), _IDS),
    }[slot]


def _pattern(wording: str) -> re.Pattern[str]:
    parts = _SLOT.split(wording)
    return re.compile("".join(_slot_pattern(part) if at % 2 else re.escape(part) for at, part in enumerate(parts)))


@cache
def _forms() -> tuple[_Form, ...]:
    forms = []
    for entry in _data()["form"]:
        wordings = tuple(entry["wordings"])
        slots = tuple(tuple(_SLOT.findall(wording)) for wording in wordings)
        patterns = tuple(map(_pattern, wordings))
        forms.append(_Form(entry["kind"], wordings, tuple(entry.get("set", {}).items()), patterns, slots))
    return tuple(forms)


@cache
def _clauses() -> dict[str, tuple[tuple[str, re.Pattern[str]], ...]]:
    return {
        entry["key"]: tuple((wording, _pattern(wording)) for wording in entry["wordings"])
        for entry in _data()["clause"]
    }


def _fill(wording: str, value: Callable[[str], str]) -> str:
    return _SLOT.sub(lambda match: value(match[1]), wording)


@cache
def _form_by_fields() -> dict[tuple[str, frozenset[str]], _Form]:
    return {(form.kind, form.named): form for form in _forms()}


@cache
def _field_names(kind: str) -> tuple[str, ...]:
    return tuple(field.name for field in fields(RULES[kind]) if field.name != "wording")


def _form_of(rule: Rule) -> _Form:
    spoken = frozenset(name for name in _field_names(rule.kind) if getattr(rule, name) not in ((), None, False))
    form = _form_by_fields().get((rule.kind, spoken))
    if form is not None:
        return form
    raise InvalidArgument("rule", rule, "the documents have no words for this combination of fields")


def wordings_of(rule: Rule) -> int:
    """How many wordings a rule can be written in.

    >>> wordings_of(Window(30)) > 1
    True
    """
    return len(_form_of(rule).wordings)


def _say(slot: str, rule: Rule, currency: Currency, fault_rules: str) -> str:
    """One slot of a rule's sentence."""
    if slot == "fault_rules":
        return fault_rules
    value = getattr(rule, _SLOT_FIELDS.get(slot, slot))
    table = _TABLES.get(slot.lower())
    if table:
        names = _names(table)
        text = _join([names[key] for key in value], _LAST[table])
        return text[0].upper() + text[1:] if slot[0].isupper() else text
    if isinstance(value, date):
        return render_day(value)
    if slot in ("amount", "price_over"):
        return currency.text(value)
    if slot == "percent":
        return f"{value}%"
    if slot == "days":
        return f"{value} day" if value == 1 else f"{value} days"
    return str(value)


def _ids(numbers: Iterable[int]) -> str:
    return ", ".join(map(rule_id, numbers))


def _references(policy: Policy) -> dict[str, str]:
    """The lists of rule ids that a document's sentences name."""
    return {
        "order": _ids(policy.precedence),
        "windows": _ids(at for at, rule in enumerate(policy.rules) if isinstance(rule, Window)),
        "fault_rules": _ids(at for at, rule in enumerate(policy.rules) if isinstance(rule, Fault)),
    }


def render_rule(policy: Policy, at: int, currency: Currency) -> str:
    """The sentence of one rule, without its number.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> render_rule(Policy((Window(30, ("toys", "pets")),), (0,)), 0, CURRENCIES["USD"])
    'Toys and pet supplies may be returned within 30 days of delivery.'
    """
    rule = policy.rules[at]
    wordings = _form_of(rule).wordings
    fault_rules = _references(policy)["fault_rules"].replace(", ", " or ")
    return _fill(wordings[rule.wording % len(wordings)], lambda slot: _say(slot, rule, currency, fault_rules))


def render_policy(policy: Policy, currency: Currency) -> str:
    """The document: opening clauses, each a line, then a numbered line per rule.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> print(render_policy(Policy((Window(30),), (0,)), CURRENCIES["USD"]).splitlines()[-1])
    R1. Goods for which no other rule gives a window may be returned within 30 days of delivery.
    """
    references = _references(policy)
    lines = []
    for place, key in enumerate(CLAUSES):
        wordings = _clauses()[_clause_key(key, policy.precedence)]
        number = policy.reading[place] if place < len(policy.reading) else 0
        lines.append("- " + _fill(wordings[number % len(wordings)][0], references.__getitem__))
    lines.extend(f"{rule_id(at)}. {render_rule(policy, at, currency)}" for at in range(len(policy.rules)))
    return "\n".join(lines)


def _clause_key(key: str, precedence: Sequence[int]) -> str:
    if key != "order":
        return key
    return "order_top" if list(precedence) == sorted(precedence) else "order_listed"


def _read(slot: str, text: str) -> Any:
    """The value of one slot, read back."""
    table = _TABLES.get(slot.lower())
    if table:
        keys = {name: key for key, name in _names(table).items()}
        names = re.split(rf", | {_LAST[table]} ", text[0].lower() + text[1:] if slot[0].isupper() else text)
        return tuple(keys[name] for name in names)
    if slot in ("start", "end", "until"):
        return parse_day(text)
    if slot in ("amount", "price_over"):
        return int(re.sub(r"\D", "", text))
    return text if slot == "rest" else int(text)


def rule_readings(text: str) -> tuple[Rule, ...]:
    """All readings of a rule's sentence; none where it is not one of ours.

    >>> rule_readings("Toys and pet supplies may be returned within 30 days of delivery.")
    (Window(days=30, classes=('toys', 'pets'), tiers=(), price_over=None, wording=0),)
    """
    readings = []
    for form in _forms():
        for number, (pattern, slots) in enumerate(zip(form.patterns, form.slots, strict=True)):
            match = pattern.fullmatch(text)
            if match:
                values: Mapping[str, Any] = {
                    _SLOT_FIELDS.get(slot, slot): _read(slot, said)
                    for slot, said in zip(slots, match.groups(), strict=True)
                    if slot != "fault_rules"
                }
                readings.append(RULES[form.kind](**dict(form.fixed), **values, wording=number))
    return tuple(readings)


def parse_policy(text: str) -> Policy:
    """The policy that a document states, from the document alone.

    Raises:
        InvalidArgument: where a line has no reading or several, or the lines contradict each other.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> policy = Policy((Window(30),), (0,), (0, 1, 0, 1, 0, 1, 0, 1))
    >>> parse_policy(render_policy(policy, CURRENCIES["USD"])) == policy
    True
    """
    lines = text.strip().splitlines()
    opening, numbered = lines[: len(CLAUSES)], lines[len(CLAUSES) :]
    rules = []
    for at, line in enumerate(numbered):
        head, _, sentence = line.partition(". ")
        readings = rule_readings(sentence)
        if head != rule_id(at) or len(readings) != 1:
            raise InvalidArgument("policy", line, f"must be rule {rule_id(at)} with one reading, found {len(readings)}")
        rules.append(readings[0])
    order, reading, said = _read_opening(opening)
    policy = Policy(tuple(rules), order, reading)
    references = _references(policy)
    named = [", ".join(found) for line in numbered if (found := _RULE_ID.findall(line.partition(". ")[2]))]
    said_right = all(references[slot] == ids for slot, ids in said.items())
    if not said_right or any(ids != references["fault_rules"] for ids in named):
        raise InvalidArgument("policy", said, f"the rules named must be {references}")
    check_policy(policy)
    return policy


def _read_opening(lines: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...], dict[str, str]]:
    """The order of precedence, the wording of each clause, and the ids they name."""
    said: dict[str, str] = {}
    reading = []
    for key, line in zip(CLAUSES, lines, strict=True):
        choices = ("order_top", "order_listed") if key == "order" else (key,)
        found = [
            (number, dict(zip(_SLOT.findall(wording), match.groups(), strict=True)))
            for choice in choices
            for number, (wording, pattern) in enumerate(_clauses()[choice])
            if (match := pattern.fullmatch(line.removeprefix("- ")))
        ]
        if len(found) != 1:
            raise InvalidArgument("policy", line, f"must be the clause {key!r} with one reading, found {len(found)}")
        reading.append(found[0][0])
        said.update(found[0][1])
    order = tuple(int(name[1:]) - 1 for name in said["order"].split(", "))
    return order, tuple(reading), said
