"""A return policy as the document a customer reads, and the way back.

Every wording stands in ``data/policy.toml``. The parser is made from the same wordings and returns all readings of a
sentence; a document has exactly one.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from typing import Any

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.engine.dates import MONTHS, parse_day, render_day
from ecomrlve.grammars.engine.tables import load_table
from ecomrlve.grammars.policy.json import RULE_ID, check_policy, topic_of
from ecomrlve.grammars.policy.policy import Policy
from ecomrlve.grammars.policy.rules import RULES, TOPICS, Fault, Postage, Rule

_SLOT = re.compile(r"\{(\w+)\}")
_DATE = rf"(\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}})"
_ID = RULE_ID.pattern
_LINE = re.compile(rf"({_ID})\. (.+)")
_RULE_ID = re.compile(rf"\b{_ID}\b")
_IDS = rf"({_ID}(?:, {_ID})*)"
_SLOT_FIELDS = {"Classes": "classes", "Conditions": "conditions", "faults": "reasons", "day": "days"}
_TABLES = {"classes": "classes", "tiers": "tiers", "conditions": "conditions", "reasons": "reasons", "faults": "faults"}
_HEADING = "heading "
_LAST = {"classes": "and", "tiers": "and", "conditions": "or", "reasons": "or", "faults": "or"}

CLAUSES = ("days", "conditions", "reasons", "order", "last_day", "wish", "sold_out", "refund", "exchange")
"""The opening clauses of a document, in their order; `Policy.reading` holds one wording number for each."""

READING = (*CLAUSES, *TOPICS)
"""All that `Policy.reading` holds a wording number for: clauses, then the headings of topics."""


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
        "fault_rules": rf"({_ID}(?: or {_ID})*)",
        "order": _IDS,
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
    """Wordings of clauses and, under the names of their topics, of headings."""
    return {
        key + entry["key"]: tuple((wording, _pattern(wording)) for wording in entry["wordings"])
        for key, entries in (("", "clause"), (_HEADING, "heading"))
        for entry in _data()[entries]
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

    >>> from ecomrlve.grammars.policy.rules import Window
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


def _references(policy: Policy) -> dict[str, str]:
    """The lists of rule ids that a document's sentences name."""
    return {
        "order": ", ".join(map(policy.name, policy.precedence)),
        "fault_rules": " or ".join(policy.name(at) for at, rule in enumerate(policy.rules) if isinstance(rule, Fault)),
    }


def render_rule(policy: Policy, at: int, currency: Currency) -> str:
    """The sentence of one rule, without its number.

    >>> from ecomrlve.grammars.policy.rules import Window
    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> render_rule(Policy((Window(30, ("toys", "pets")),), (0,)), 0, CURRENCIES["USD"])
    'Toys and pet supplies may be returned within 30 days of delivery.'
    """
    rule = policy.rules[at]
    wordings = _form_of(rule).wordings
    fault_rules = _references(policy)["fault_rules"]
    return _fill(wordings[rule.wording % len(wordings)], lambda slot: _say(slot, rule, currency, fault_rules))


def render_policy(policy: Policy, currency: Currency) -> str:
    """The document: opening clauses, each a line, then a line per rule that begins with its id, maybe under headings.

    >>> from ecomrlve.grammars.policy.rules import Window
    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> print(render_policy(Policy((Window(30),), (0,)), CURRENCIES["USD"]).splitlines()[-1])
    R1. Goods for which no other rule gives a window may be returned within 30 days of delivery.
    """
    lines = [f"- {clause}" for clause in _render_opening(policy)]
    topic = ""
    for at, rule in enumerate(policy.rules):
        if policy.by_topic and topic != (topic := topic_of(rule)):
            lines.append(_wording(policy, READING.index(topic), _HEADING + topic) + ":")
        lines.append(f"{policy.name(at)}. {render_rule(policy, at, currency)}")
    return "\n".join(lines)


def _render_opening(policy: Policy) -> list[str]:
    references = _references(policy)
    clauses = ((place, _clause_key(key, policy)) for place, key in enumerate(CLAUSES))
    return [_fill(_wording(policy, place, key), references.__getitem__) for place, key in clauses if key]


def _wording(policy: Policy, place: int, key: str) -> str:
    wordings = _clauses()[key]
    number = policy.reading[place] if place < len(policy.reading) else 0
    return wordings[number % len(wordings)][0]


def _clause_key(key: str, policy: Policy) -> str:
    """Under which key a document has a clause; empty where it has none, as no rule speaks of that."""
    if key == "conditions":
        return key if any(getattr(rule, "conditions", ()) for rule in policy.rules) else ""
    if key == "reasons":
        return key if any(isinstance(rule, Postage) and rule.reasons for rule in policy.rules) else ""
    if key != "order":
        return key
    if policy.by_topic:
        return "order_topics"
    return "order_top" if list(policy.precedence) == sorted(policy.precedence) else "order_listed"


def clause_wordings(policy: Policy) -> tuple[int, ...]:
    """How many wordings each of `READING` has in the document of a policy; 1 where it does not have it.

    >>> from ecomrlve.grammars.policy.rules import Window
    >>> len(clause_wordings(Policy((Window(30),), (0,)))) == len(READING)
    True
    """
    topics = {topic_of(rule) for rule in policy.rules} if policy.by_topic else set()
    keys = [
        *(_clause_key(key, policy) for key in CLAUSES),
        *(_HEADING + one if one in topics else "" for one in TOPICS),
    ]
    return tuple(len(_clauses()[key]) if key else 1 for key in keys)


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

    >>> from ecomrlve.grammars.policy.rules import Window
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

    >>> from ecomrlve.grammars.policy.rules import Window
    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> policy = Policy((Window(30),), (0,), (0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0))
    >>> parse_policy(render_policy(policy, CURRENCIES["USD"])) == policy
    True
    """
    lines = text.strip().splitlines()
    opening = [line.removeprefix("- ") for line in lines if line.startswith("- ")]
    numbered = [match.groups() for line in lines if (match := _LINE.fullmatch(line))]
    headings = [line[:-1] for line in lines if line.endswith(":")]
    if len(opening) + len(numbered) + len(headings) != len(lines):
        raise InvalidArgument("policy", text, "must have only clauses, headings and rules")
    names, rules = [name for name, _ in numbered], []
    for name, sentence in numbered:
        readings = rule_readings(sentence)
        if len(readings) != 1:
            raise InvalidArgument("policy", sentence, f"must be rule {name} with one reading, found {len(readings)}")
        rules.append(readings[0])
    reading, said = _read_opening(opening, headings)
    order = _read_order(names, rules, said.get("order"))
    plain = names == [f"R{at + 1}" for at in range(len(names))]
    policy = Policy(tuple(rules), order, reading, () if plain else tuple(names), bool(headings))
    faults = _references(policy)["fault_rules"]
    named = [" or ".join(found) for _, sentence in numbered if (found := _RULE_ID.findall(sentence))]
    if _render_opening(policy) != opening or any(ids != faults for ids in named):
        raise InvalidArgument("policy", said, "must have each clause once, and name the rules that there are")
    if render_headings(policy) != headings or len(set(names)) != len(names):
        raise InvalidArgument("policy", headings, "each topic must have its heading, and each rule its id")
    check_policy(policy)
    return policy


def render_headings(policy: Policy) -> list[str]:
    """The headings of a document, in their order; none where its rules are not grouped.

    >>> from ecomrlve.grammars.policy.rules import Window
    >>> render_headings(Policy((Window(30),), (0,), by_topic=True))
    ['Return windows (after faults and exceptions; the first that fits applies)']
    """
    topics = dict.fromkeys(topic_of(rule) for rule in policy.rules) if policy.by_topic else {}
    return [_wording(policy, READING.index(topic), _HEADING + topic) for topic in topics]


def _read_order(names: Sequence[str], rules: Sequence[Rule], order: str | None) -> tuple[int, ...]:
    """The order of precedence: as listed, or as the headings have it."""
    if order is not None:
        places = {name: at for at, name in enumerate(names)}
        missing = [name for name in order.split(", ") if name not in places]
        if missing:
            raise InvalidArgument("policy", missing[0], "is no rule of the document")
        return tuple(places[name] for name in order.split(", "))
    ranks = list(TOPICS)
    deciding = [at for at, rule in enumerate(rules) if rule.decides]
    return tuple(sorted(deciding, key=lambda at: (ranks.index(topic_of(rules[at])), at)))


def _read_opening(lines: Sequence[str], headings: Sequence[str]) -> tuple[tuple[int, ...], dict[str, str]]:
    """The wording of each clause and heading, and the ids they name."""
    said: dict[str, str] = {}
    reading = dict.fromkeys(READING, 0)
    for line, keys in (
        *((line, [key for key in _clauses() if not key.startswith(_HEADING)]) for line in lines),
        *((line, [_HEADING + topic for topic in TOPICS]) for line in headings),
    ):
        found = [
            (key, number, dict(zip(_SLOT.findall(wording), match.groups(), strict=True)))
            for key in keys
            for number, (wording, pattern) in enumerate(_clauses()[key])
            if (match := pattern.fullmatch(line))
        ]
        if len(found) != 1:
            raise InvalidArgument("policy", line, f"must be a clause or heading with one reading, found {len(found)}")
        key, number, ids = found[0]
        reading["order" if key.startswith("order_") else key.removeprefix(_HEADING)] = number
        said.update(ids)
    return tuple(reading.values()), said
