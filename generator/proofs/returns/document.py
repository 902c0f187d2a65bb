"""A second way to settle a return, written from the shop's document alone.

It shares no code with the policy grammar: the sentences are sorted by their key words, and the case is settled by one
procedure that follows the document's opening clauses.
"""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

CLASS_WORDS = {
    "clothing": "clothing",
    "footwear": "footwear",
    "electronics": "electronics",
    "media": "media",
    "furniture": "furniture",
    "homeware": "home",
    "beauty products": "beauty",
    "groceries": "grocery",
    "toys": "toys",
    "outdoor gear": "outdoors",
    "jewelry": "jewelry",
    "baby goods": "baby",
    "car accessories": "automotive",
    "pet supplies": "pets",
    "garden goods": "garden",
    "tools": "tools",
    "office supplies": "office",
    "hygiene goods": "hygiene",
}
REASON_WORDS = {
    "a change of mind": "changed_mind",
    "a wrong fit": "does_not_fit",
    "an order made by mistake": "ordered_by_mistake",
    "late arrival": "arrived_late",
    "a fault": "faulty",
    "damage in transit": "damaged_in_transit",
    "a wrong item sent": "wrong_item",
}
FAULT_WORDS = {"faulty": "faulty", "damaged in transit": "damaged_in_transit", "not the one ordered": "wrong_item"}
CHARGES = frozenset(
    {
        *("discount", "shipping", "method", "exchange postage", "fee waiver", "fee", "postage waiver"),
        *("class postage", "postage"),
    }
)
MONTH_WORDS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass
class Sentence:
    """One numbered sentence, as its words were understood."""

    name: str
    sort: str
    classes: set[str] = field(default_factory=set)
    tiers: set[str] = field(default_factory=set)
    conditions: set[str] = field(default_factory=set)
    reasons: set[str] = field(default_factory=set)
    days: int = 0
    percent: int = 0
    money: int = 0
    dates: list[date] = field(default_factory=list)
    rest: str = ""


@dataclass
class Document:
    """The sentences, and the order in which they are tried."""

    sentences: dict[str, Sentence]
    order: list[str]


# What a heading says of the rules below it: the word to know it by, and how early they are tried.
HEADING_RANKS = {
    "all other rules": 0,
    "every other rule": 0,
    "come first": 0,
    "before the return windows": 1,
    "before any return window": 1,
    "after faults and exceptions": 2,
    "no fault and no exception": 2,
    "never": 3,
}


def read_document(text: str) -> Document:
    """Understand a policy document."""
    sentences = {}
    order: list[str] = []
    ranks: dict[str, int] = {}
    rank = -1
    for line in text.splitlines():
        head = re.match(r"([A-Z]+[0-9]+)\. (.*)", line)
        if head:
            sentences[head[1]] = _understand(head[1], head[2])
            ranks[head[1]] = rank
        elif line.endswith(":"):
            rank = next(place for words, place in HEADING_RANKS.items() if words in line)
        elif not order and len(named := re.findall(r"\b[A-Z]+[0-9]+\b", line)) > 1:
            order = named
    if not order:
        grouped = [name for name, one in sentences.items() if one.sort not in CHARGES]
        order = sorted(grouped, key=lambda name: ranks[name])
    return Document(sentences, order)


def _names(text: str, words: dict[str, str]) -> set[str]:
    return {key for word, key in words.items() if re.search(rf"\b{word}\b", text, re.IGNORECASE)}


def _sort(text: str) -> str:
    low = text.lower()
    tests = (
        ("discount", "line listed" in low),
        ("fault", "faulty" in low or "damaged in transit" in low or "not the one ordered" in low),
        ("shipping", "delivery charge" in low),
        ("method", "store credit" in low),
        ("exchange postage", "return postage" in low and "on an exchange" in low),
        ("fee waiver", "restocking fee" in low and "members" in low),
        ("fee", "restocking fee" in low),
        ("postage waiver", "postage" in low and "members" in low),
        ("class postage", "postage" in low and "in place of any other" in low),
        ("postage", "postage" in low),
        ("late share", "window" in low and "% of the price paid" in low),
        (
            "late exchange",
            "may still be exchanged" in low or ("only an exchange is allowed" in low and "through day" in low),
        ),
        ("exchange only", "can only be exchanged" in low or "only an exchange is allowed" in low),
        ("season", "ordered between" in low or "orders placed from" in low),
        ("final", "final sale" in low),
        (
            "refusal",
            bool(re.search("cannot be returned|not take back|is refused when|never take back|no returns", low)),
        ),
        ("price window", "unit price" in low or "one unit costs" in low),
        ("member window", "member" in low),
        ("general window", "no other" in low),
    )
    return next((name for name, holds in tests if holds), "class window")


def _understand(name: str, text: str) -> Sentence:
    sort = _sort(text)
    found = Sentence(name, sort)
    found.classes = _names(text, CLASS_WORDS)
    found.tiers = {key for key in ("plus", "gold") if re.search(rf"\b{key}\b", text, re.IGNORECASE)}
    if sort in ("refusal", "exchange only", "fee"):
        found.conditions = {key for key in ("opened", "used") if re.search(rf"\b{key}\b", text, re.IGNORECASE)}
    if sort == "fault":
        found.reasons = _names(text, FAULT_WORDS)
    if sort == "postage":
        found.reasons = _names(text, REASON_WORDS)
    days = re.search(r"(\d+) days?\b", text) or re.search(r"\bday (\d+)", text)
    found.days = int(days[1]) if days else 0
    percent = re.search(r"(\d+)%", text)
    found.percent = int(percent[1]) if percent else 0
    if sort in ("fee", "postage", "class postage", "price window") and not percent:
        money = re.search(
            r"(?:above|than|of|is|for|postage:) (?:[^\s\d]{1,4} )?[^\s\d]{0,3}(\d[\d,]*(?:\.\d+)?)(?! days)", text
        )
        if money is None:
            raise ValueError(f"no sum in {text!r}")
        found.money = int(re.sub("[,.]", "", money[1]))
    found.dates = [
        date(int(year), MONTH_WORDS.index(month) + 1, int(day))
        for day, month, year in re.findall(rf"(\d+) ({'|'.join(MONTH_WORDS)}) (\d+)", text)
    ]
    rest = re.search("line listed (first|last)", text)
    found.rest = rest[1] if rest else ""
    return found


def _windows(document: Document, facts: dict[str, Any]) -> list[Sentence]:
    """The window sentences that speak of the item, as the order of precedence lists them."""
    speaking = []
    for name in document.order:
        one = document.sentences[name]
        if one.sort == "price window" and facts["unit_price"] > one.money:
            speaking.append(one)
        of_class = not one.classes or facts["return_class"] in one.classes
        if one.sort == "member window" and facts["tier"] in one.tiers and of_class:
            speaking.append(one)
        if one.sort == "class window" and facts["return_class"] in one.classes:
            speaking.append(one)
    if not speaking:
        speaking = [one for one in document.sentences.values() if one.sort == "general window"]
    return speaking


def settle(document: Document, facts: dict[str, Any]) -> tuple[str, str, int | None]:
    """Decision, rule and amount of a case given as plain facts.

    ``wants`` is the price of the new units, or None; ``missing`` is whether new units are wanted and too few are there.
    """
    age = (facts["today"] - facts["delivered"]).days
    windows = _windows(document, facts)
    overdue = age > windows[0].days
    for name in document.order:
        one = document.sentences[name]
        of_class = not one.classes or facts["return_class"] in one.classes
        of_condition = not one.conditions or facts["condition"] in one.conditions
        if one.sort == "fault":
            if facts["reason"] in one.reasons and age <= one.days:
                return _pay(document, facts, name, free=True)
        elif one.sort == "final":
            if facts["final_sale"]:
                return "refuse", name, None
        elif one.sort == "refusal":
            if of_class and of_condition:
                return "refuse", name, None
        elif one.sort == "season":
            first, last, until = one.dates
            if first <= facts["placed"] <= last and facts["today"] <= until:
                return _pay(document, facts, name)
        elif one.sort == "exchange only":
            if of_class and of_condition:
                if age > one.days or not (facts["missing"] or facts["wants"] is not None):
                    return "refuse", name, None
                return _pay(document, facts, name)
        elif one.sort == "late exchange":
            if overdue and of_class and age <= one.days:
                swapped = facts["missing"] or facts["wants"] is not None
                return _pay(document, facts, name) if swapped else ("refuse", name, None)
        elif one.sort == "late share":
            if overdue and of_class and age <= one.days:
                kept = facts["unit_price"] * facts["quantity"] - _discount(document, facts)
                return "refund", name, kept * one.percent // 100
        elif one in windows:
            return ("refuse", name, None) if age > one.days else _pay(document, facts, name)
    raise ValueError("no rule fits")


def _discount(document: Document, facts: dict[str, Any]) -> int:
    rules = [one for one in document.sentences.values() if one.sort == "discount"]
    if not rules or not facts["discount"]:
        return 0
    whole = sum(facts["totals"])
    shares = [facts["discount"] * total // whole for total in facts["totals"]]
    shares[0 if rules[0].rest == "first" else -1] += facts["discount"] - sum(shares)
    return int(shares[facts["line"]] * facts["quantity"] // facts["bought"])


def _postage(document: Document, facts: dict[str, Any]) -> int:
    rules = list(document.sentences.values())
    if any(one.sort == "postage waiver" and facts["tier"] in one.tiers for one in rules):
        return 0
    for one in rules:
        if one.sort == "class postage" and facts["return_class"] in one.classes:
            return one.money
    return sum(one.money for one in rules if one.sort == "postage" and facts["reason"] in one.reasons)


def _pay(document: Document, facts: dict[str, Any], name: str, free: bool = False) -> tuple[str, str, int]:
    rules = list(document.sentences.values())
    price = facts["unit_price"] * facts["quantity"]
    if facts["wants"] is not None:
        charged = any(one.sort == "exchange postage" for one in rules) and not free
        return "exchange", name, price - facts["wants"] - (_postage(document, facts) if charged else 0)
    kept = price - _discount(document, facts)
    back = 0
    if any(one.sort == "shipping" for one in rules):
        everything = len(facts["totals"]) == 1 and facts["quantity"] == facts["bought"]
        back = facts["shipping"] if free or everything else 0
    if free or facts["missing"]:
        return "refund", name, kept + back
    taken = _postage(document, facts)
    if not any(one.sort == "fee waiver" and facts["tier"] in one.tiers for one in rules):
        for one in rules:
            of_class = not one.classes or facts["return_class"] in one.classes
            if one.sort == "fee" and facts["condition"] in one.conditions and of_class:
                taken += kept * one.percent // 100 if one.percent else one.money * facts["quantity"]
    return "refund", name, max(0, kept - taken + back)
