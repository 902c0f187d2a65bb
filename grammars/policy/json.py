"""The JSON face of return policies, and the checks on one that somebody else wrote."""

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from datetime import date
from typing import Any

from ecomrlve.check import is_whole
from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.policy.policy import Policy
from ecomrlve.grammars.policy.rules import (
    CONDITIONS,
    FAULTS,
    REASONS,
    RETURN_CLASSES,
    RULES,
    TIERS,
    TOPICS,
    Discount,
    ExchangePostage,
    Fault,
    Method,
    Postage,
    Refusal,
    Restocking,
    Rule,
    Season,
    ShippingRefund,
    Window,
)

_MOST = 99

RULE_ID = re.compile(r"[A-Z]{1,2}[1-9]\d{0,2}")
"""What the id of a rule looks like; products and orders have longer ones."""
_NAMES = {"classes": RETURN_CLASSES, "tiers": TIERS, "conditions": CONDITIONS}
_NUMBERS = {
    "days": (1, 3650),
    "percent": (1, 100),
    "amount": (1, 10**12),
    "price_over": (1, 10**12),
    "wording": (0, 99),
}


def policy_to_json(policy: Policy) -> dict[str, Any]:
    """A policy as plain JSON values; what a rule leaves at its default is left out.

    >>> policy_to_json(Policy((Window(30),), (0,)))
    {'rules': [{'kind': 'window', 'days': 30}], 'precedence': ['R1'], 'reading': []}
    """
    found: dict[str, Any] = {
        "rules": [_rule_to_json(rule) for rule in policy.rules],
        "precedence": [policy.name(at) for at in policy.precedence],
        "reading": list(policy.reading),
    }
    if policy.ids:
        found["ids"] = list(policy.ids)
    return found | ({"by_topic": True} if policy.by_topic else {})


def _rule_to_json(rule: Rule) -> dict[str, Any]:
    values: dict[str, Any] = {"kind": rule.kind}
    for field in fields(rule):
        value = getattr(rule, field.name)
        if field.default is MISSING or value != field.default:
            plain = list(value) if isinstance(value, tuple) else value
            values[field.name] = plain.isoformat() if isinstance(plain, date) else plain
    return values


def policy_from_json(data: object) -> Policy:
    """A policy from its JSON values.

    Raises:
        InvalidArgument: where a rule is not one we know, or the rules contradict each other; the message says which.

    >>> policy_from_json({"rules": [{"kind": "window", "days": 30}], "precedence": ["R1"]}).rules
    (Window(days=30, classes=(), tiers=(), price_over=None, wording=0),)
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("rules"), list):
        raise InvalidArgument("policy", data, "must be an object with a list of rules")
    names = _ids_from_json(data.get("ids", []), len(data["rules"]))
    rules = tuple(_rule_from_json(name, values) for name, values in zip(names, data["rules"], strict=True))
    ids = {name: at for at, name in enumerate(names)}
    order = data.get("precedence")
    if not isinstance(order, list) or any(name not in ids for name in order):
        raise InvalidArgument("precedence", order, f"must list ids of the rules, out of {', '.join(names)}")
    reading = data.get("reading", [])
    if not isinstance(reading, list) or not all(_whole(number, 0, 99) for number in reading):
        raise InvalidArgument("reading", reading, "must be a list of wording numbers")
    by_topic = data.get("by_topic", False)
    if not isinstance(by_topic, bool):
        raise InvalidArgument("by_topic", by_topic, "must be true or false")
    own = tuple(names) if data.get("ids") else ()
    policy = Policy(rules, tuple(ids[name] for name in order), tuple(reading), own, by_topic)
    check_policy(policy)
    return policy


def _ids_from_json(ids: object, count: int) -> list[str]:
    if ids == []:
        return [f"R{at + 1}" for at in range(count)]
    if (
        not isinstance(ids, list)
        or len(ids) != count
        or len(set(map(str, ids))) != count
        or not all(isinstance(name, str) and RULE_ID.fullmatch(name) for name in ids)
    ):
        raise InvalidArgument("ids", ids, f"must be {count} different names such as R1, a letter or two and a number")
    return ids


def _whole(value: object, low: int, high: int) -> bool:
    return is_whole(value) and low <= value <= high


def _rule_from_json(name: str, values: object) -> Rule:
    if not isinstance(values, Mapping) or values.get("kind") not in RULES:
        raise InvalidArgument(name, values, f"kind must be one of {', '.join(RULES)}")
    kind = RULES[values["kind"]]
    known = {field.name: field for field in fields(kind)}
    unknown = [key for key in values if key not in known and key != "kind"]
    if unknown:
        raise InvalidArgument(name, unknown[0], f"a {kind.kind} rule has only {', '.join(known)}")
    missing = [key for key, field in known.items() if field.default is MISSING and key not in values]
    if missing:
        raise InvalidArgument(name, values, f"a {kind.kind} rule needs {', '.join(missing)}")
    given = {key: _value(f"{name}.{key}", key, value) for key, value in values.items() if key != "kind"}
    empty = [key for key, value in given.items() if value == () and known[key].default is MISSING]
    if empty:
        raise InvalidArgument(f"{name}.{empty[0]}", [], "must name at least one")
    rule: Rule = kind(**given)
    return rule


def _value(name: str, key: str, value: Any) -> Any:
    """One field of a rule, checked by what fields of that name hold in every rule."""
    if key in _NUMBERS:
        low, high = _NUMBERS[key]
        if not _whole(value, low, high):
            raise InvalidArgument(name, value, f"must be a whole number from {low} to {high}")
        return value
    if key in ("start", "end", "until"):
        try:
            return date.fromisoformat(value)
        except (TypeError, ValueError):
            raise InvalidArgument(name, value, "must be a date such as 2026-03-14") from None
    if key == "final_sale" and isinstance(value, bool):
        return value
    if key == "rest" and value in ("first", "last"):
        return value
    names = (*REASONS, *_NAMES.get(key, ())) if key == "reasons" else _NAMES.get(key)
    if names is None:
        raise InvalidArgument(name, value, "must be true or false" if key == "final_sale" else "must be first or last")
    if not isinstance(value, list) or len(set(map(str, value))) != len(value) or any(one not in names for one in value):
        raise InvalidArgument(name, value, f"must be a list of different names out of {', '.join(names)}")
    return tuple(value)


def check_policy(policy: Policy) -> None:
    """Check that the rules of a policy leave every case exactly one outcome.

    Raises:
        InvalidArgument: where they do not; the message says which rule to mend.

    >>> check_policy(Policy((Window(30),), (0,)))
    """
    rules = policy.rules
    if not 1 <= len(rules) <= _MOST:
        raise InvalidArgument("rules", len(rules), f"must be 1 to {_MOST} rules")
    if sorted(policy.precedence) != [at for at, rule in enumerate(rules) if rule.decides]:
        raise InvalidArgument(
            "precedence",
            [policy.name(at) for at in policy.precedence],
            "must list each rule that decides, and only those",
        )
    if sum(isinstance(rule, Window) and rule.general for rule in rules) != 1:
        raise InvalidArgument("rules", len(rules), "exactly one window must be without classes, tiers and price")
    for kind in (Discount, ShippingRefund, ExchangePostage, Method):
        if sum(isinstance(rule, kind) for rule in rules) > 1:
            raise InvalidArgument("rules", kind.kind, "may stand only once")
    if any(isinstance(rule, ShippingRefund) for rule in rules) and not any(isinstance(rule, Fault) for rule in rules):
        raise InvalidArgument("rules", ShippingRefund.kind, "speaks of fault rules, and there is none")
    _check_windows(policy)
    _check_topics(policy)
    for at, rule in enumerate(rules):
        _check_alone(policy.name(at), rule)
    _check_overlap("restocking fees", (_fee_cells(rule) for rule in rules if isinstance(rule, Restocking)))
    _check_overlap("postage by class", (set(rule.classes) for rule in rules if isinstance(rule, Postage)))
    _check_overlap("postage by reason", (set(rule.reasons) for rule in rules if isinstance(rule, Postage)))


def _check_windows(policy: Policy) -> None:
    """A window for members says that it stands in place of the windows by kind of goods, so it must."""
    by_class_seen = False
    for at in policy.precedence:
        rule = policy.rules[at]
        if isinstance(rule, Window):
            if rule.tiers and by_class_seen:
                raise InvalidArgument(policy.name(at), rule.tiers, "a window for members goes before those by class")
            by_class_seen = by_class_seen or (bool(rule.classes) and not rule.tiers)


def _check_topics(policy: Policy) -> None:
    """Headings say what goes before what, so each topic stands together and its rules in their order."""
    if not policy.by_topic:
        return
    topics = [topic_of(rule) for rule in policy.rules]
    if sum(one != other for one, other in itertools.pairwise(topics)) != len(set(topics)) - 1:
        raise InvalidArgument("by_topic", topics, "the rules of each topic must stand together")
    said = sorted(policy.precedence, key=lambda at: (list(TOPICS).index(topics[at]), at))
    if said != list(policy.precedence):
        raise InvalidArgument(
            "precedence",
            [policy.name(at) for at in policy.precedence],
            "by topic, must go from faults to limits to windows, and within each in the order of the document",
        )


def topic_of(rule: Rule) -> str:
    """The topic under whose heading a rule stands.

    >>> topic_of(Window(30))
    'windows'
    """
    return next(topic for topic, kinds in TOPICS.items() if rule.kind in kinds)


def _check_alone(name: str, rule: Rule) -> None:
    """What must hold of one rule whatever the others say."""
    if isinstance(rule, Season) and not rule.start <= rule.end <= rule.until:
        raise InvalidArgument(name, rule.start, "start, end and until must follow each other")
    if isinstance(rule, Restocking) and (rule.percent is None) == (rule.amount is None):
        raise InvalidArgument(name, rule.kind, "needs a percentage or an amount, and not both")
    if isinstance(rule, Postage) and bool(rule.classes) == bool(rule.reasons):
        raise InvalidArgument(name, rule.kind, "needs classes or reasons, and not both")
    if isinstance(rule, Refusal) and not (rule.classes or rule.conditions or rule.final_sale):
        raise InvalidArgument(name, rule.kind, "needs classes, conditions or final_sale: it would refuse everything")
    if isinstance(rule, Fault) and not set(rule.reasons) <= set(FAULTS):
        raise InvalidArgument(name, rule.reasons, f"must be out of {', '.join(FAULTS)}")


def _fee_cells(rule: Restocking) -> set[tuple[str, str]]:
    return {(one, condition) for one in rule.classes or RETURN_CLASSES for condition in rule.conditions}


def _check_overlap(what: str, groups: Iterable[set[Any]]) -> None:
    seen: set[Any] = set()
    for group in groups:
        if seen & group:
            raise InvalidArgument("rules", sorted(seen & group)[0], f"two {what} speak of it")
        seen |= group
