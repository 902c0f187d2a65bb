"""A second way to answer a question about a shop's rules, written from the document alone.

It shares no code with the grammar of terms: sentences are sorted by their key words, and conditions known by the words
that they cannot do without.
"""

import re
from dataclasses import dataclass
from typing import Any

# The words by which a section's title is known, and what its rules count.
COUNTED = {
    "Delivery charges": ("shipping", "weight"),
    "Delivery times": ("promise", "waited"),
    "Price match": ("price_match", "difference"),
    "Warranty": ("warranty", "months"),
    "Gift cards": ("gift_cards", "card"),
    "Loyalty points": ("points", "spend"),
    "Cancelling an order": ("cancellation", "hours"),
    "Restricted goods": ("restricted", "age"),
    "Deposits": ("deposits", "count"),
    "Loyalty levels": ("loyalty", "yearly"),
}
# What a condition is about where it says so by a name: the fact, and the names it can have.
NAMED = {
    "zone": ("the mainland", "the islands", "the highlands", "the neighboring countries", "other continents"),
    "tier": ("Standard", "Plus", "Gold"),
    "speed": tuple(f"the {name} service" for name in ("saver", "standard", "tracked", "courier", "evening")),
    "seller": ("a local shop", "another online shop", "a marketplace seller", "an outlet store", "a branch of yours"),
    "appliance": ("a kitchen appliance", "a piece of furniture", "a power tool", "a suitcase", "a watch"),
    "channel": ("the app", "the website", "the hotline", "a shop", "a partner"),
    "range": ("flowers", "fresh food", "fashion", "electronics", "home textiles"),
    "restricted": ("lithium batteries", "spray cans", "kitchen knives", "spirits", "solvents"),
    "container": ("glass bottles", "plastic crates", "steel drums", "gas cylinders", "wooden pallets"),
    "account": tuple(f"a {name} account" for name in ("private", "student", "family", "business", "staff")),
}
# What a condition with a number is about.
NUMBERED = {
    "weighs": "weight",
    "weight": "weight",
    "cost": "subtotal",
    "goods total": "subtotal",
    "since the purchase": "bought_days",
    "days old": "bought_days",
    "years old": "age",
    "age of": "age",
    "units": "units",
    "containers": "count",
    "orders": "orders",
}
# What any other condition is about.
SO = {
    "bulky": "bulky",
    "express": "express",
    "gift wrap": "gift_wrap",
    "weekend": "weekend",
    "personalised": "personalised",
    "preorder": "preorder",
    "before their release": "preorder",
    "remote": "remote",
    "clearance": "clearance",
    "advert": "advert",
    "box": "opened_box",
    "sealed": "opened_box",
    "registered": "registered",
    "commercially": "commercial",
    "serves a business": "commercial",
    "refurbished": "refurbished",
    "serviced": "serviced",
    "company": "corporate",
    "printed": "printed",
    "first card": "first_card",
    "never had a card": "first_card",
    "holiday": "holiday",
    "sale items": "sale_items",
    "subscription": "subscription",
    "birthday": "birthday",
    "made to order": "made_to_order",
    "invoice": "invoice",
    "group order": "shared_cart",
    "several customers": "shared_cart",
    "packed": "packed",
    "packing": "packed",
    "licence": "licence",
    "flight": "by_air",
    "by air": "by_air",
    "neighbor": "neighbor",
    "dent": "dented",
    "standing order": "standing",
    "collect": "collected",
    "newsletter": "newsletter",
    "reviews": "reviews",
    "pause": "paused",
}


@dataclass
class Line:
    """One rule as its words were understood: what it does, with which sums, when and unless."""

    name: str
    does: str
    sums: list[int]
    percent: int
    words: str
    lifts: str
    when: list[str]
    unless: str


def _digits(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def read_sections(text: str) -> tuple[dict[str, list[Line]], bool]:
    """The rules by topic, and whether the last that fits decides."""
    sections: dict[str, list[Line]] = {}
    latest = "the last that fits" in text
    topic = ""
    for line in text.splitlines():
        if line.startswith("- "):
            continue
        if line.endswith(":"):
            topic = COUNTED[line[:-1]][0]
            sections[topic] = []
            continue
        name, _, sentence = line.partition(". ")
        sections[topic].append(_understand(name, sentence.removesuffix(".")))
    return sections, latest


def _understand(name: str, sentence: str) -> Line:
    rest, _, unless = sentence.partition(", unless ")
    opened = re.match(r"(?:When|If) (.*), (.*)", rest)
    if opened:
        when, effect = opened[1], opened[2]
    else:
        effect, _, when = re.sub(r" (?:when|if) ", " @ ", rest, count=1).partition(" @ ")
    percent = re.search(r"(\d+)%", effect)
    said = re.search(r"\"(.*)\"", effect)
    lifted = re.search(r"[Rr]ule (\S+) (?:does not apply|is set aside)", effect)
    plain = re.sub(r"\d+%", "", effect)
    sums = [_digits(found) for found in re.findall(r"\d[\d,]*(?:\.\d+)?", plain)] if not lifted and not said else []
    does = "lift" if lifted else "say" if said else _sort(effect.lower(), bool(percent))
    return Line(
        name,
        does,
        sums,
        int(percent[1]) if percent else 0,
        said[1] if said else "",
        lifted[1] if lifted else "",
        when.split(" and "),
        unless,
    )


def _sort(effect: str, percent: bool) -> str:
    """What an effect does, by its words."""
    tests = (
        ("points", "full" in effect),
        ("deposit", "each container" in effect),
        ("share", "of the difference" in effect or "of the amount on the card" in effect),
        ("per", "plus" in effect),
        ("limit", "at most" in effect or "no more than" in effect),
        ("down", bool(re.search("taken off|fall|faster|shorter|less|fewer", effect))),
        ("up", bool(re.search("added|rise|longer|more|on top", effect))),
        ("time", bool(re.search("takes|arrive|warranty|cancel", effect))),
    )
    found = next(name for name, holds in tests if holds)
    return f"{found} by share" if percent and found in ("up", "down") else found


def is_so(condition: str, facts: dict[str, Any]) -> bool:
    """Whether a condition holds of the facts."""
    number = re.search(r"(?:more than|above) (\D{0,4}?\d[\d,]*(?:\.\d+)?)", condition)
    if number:
        fact = next(key for words, key in NUMBERED.items() if words in condition)
        return int(facts.get(fact, 0)) > _digits(number[1])
    for fact, names in NAMED.items():
        held = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", condition)]
        if held:
            return facts.get(fact) in held
    return facts.get(next(key for words, key in SO.items() if words in condition)) is True


def settle(text: str, topic: str, ask: str, facts: dict[str, Any], minor: int) -> tuple[Any, str | None]:
    """The answer to a question, and the rule that decides; None and None where no rule speaks."""
    sections, latest = read_sections(text)
    counted = int(facts.get(next(fact for name, fact in COUNTED.values() if name == topic), 0))
    there = [
        line
        for line in sections.get(topic, [])
        if all(is_so(one, facts) for one in line.when) and not (line.unless and is_so(line.unless, facts))
    ]
    gone = {line.lifts for line in there if line.does == "lift"}
    there = [line for line in there if line.name not in gone and line.does != "lift"]
    speaking = [line for line in there if line.does in ("say", "points", "deposit", "share", "per", "time")]
    if not speaking:
        return None, None
    decides = speaking[-1] if latest else speaking[0]
    if decides.does == "say":
        return decides.words, decides.name
    value = {
        "points": lambda: min(decides.sums) * (counted // minor),
        "deposit": lambda: decides.sums[0] * counted,
        "share": lambda: counted * decides.percent // 100,
        "per": lambda: decides.sums[0] + decides.sums[1] * counted,
        "time": lambda: decides.sums[0],
    }[decides.does]()
    for line in there:
        value = _step(line, value)
    if ask == "left":
        value -= counted
    if ask == "within":
        return counted <= value, decides.name
    return (counted >= value if ask == "due" else value), decides.name


def _step(line: Line, value: int) -> int:
    """What a rule that changes an answer makes of it."""
    if line.does == "limit":
        return min(line.sums[0], value)
    if line.does == "up":
        return value + line.sums[0]
    if line.does == "down":
        return value - line.sums[0]
    part = value * line.percent // 100
    return value + part if line.does == "up by share" else value - part if line.does == "down by share" else value
