"""A shop's shipping rules as a document that a prompt shows, and how a solver reads them back."""

import re
from datetime import date
from functools import lru_cache
from typing import Any

from ecomrlve.generator.orders.calendar import WEEKDAYS, weekday
from ecomrlve.generator.orders.promises import Service, ShippingRules
from ecomrlve.generator.pages.shipments import counted_days
from ecomrlve.grammars.engine.dates import parse_day, render_day
from ecomrlve.grammars.engine.tables import load_table

_GENERAL = ("today", "counting", "place", "status", "services", "promise", "arrives")


def _texts() -> dict[str, Any]:
    return load_table("generator.pages/shipments")


def render_shipping_rules(rules: ShippingRules, today: date) -> str:
    """The rules, a line each.

    Args:
        rules: the shop's.
        today: its day of the week is said.
    """
    texts = _texts()
    first, second = (WEEKDAYS[number] for number in rules.weekdays)
    names = texts["service"]
    slots = {
        "weekday": weekday(today),
        "closed": ", ".join(f"{render_day(day)} ({name})" for day, name in rules.closed),
        "services": ", ".join(f"{names[name]} {days.packing} and {days.travel}" for name, days in rules.services),
        "hour": rules.cutoff // 60,
        "notices": texts["notices"]["add" if rules.notices_add else "last"],
        "first": first,
        "second": second,
    }
    days = {key: counted_days(getattr(rules, key)) for key in ("wrapping", "back_order", "remote")}
    days["lost"] = counted_days(rules.lost_after)
    sentences = {key: text.format(**slots, days=days.get(key, "")) for key, text in texts["rules"].items()}
    numbered = [key for key in sentences if key not in _GENERAL]
    return "\n".join(
        [
            *(f"- {sentences[key]}" for key in _GENERAL),
            *(f"S{number + 1}. {sentences[key]}" for number, key in enumerate(numbered)),
        ]
    )


@lru_cache(maxsize=64)
def _pattern(key: str) -> re.Pattern[str]:
    """What a sentence of the rules looks like, its slots as groups."""
    pieces = re.split(r"\{(\w+)\}", _texts()["rules"][key])
    return re.compile("".join(f"(?P<{piece}>.+?)" if at % 2 else re.escape(piece) for at, piece in enumerate(pieces)))


def rules_text(system: str) -> str:
    """The document in a prompt: from its heading to the last numbered rule."""
    lines = system.split("\n")
    heading = _texts()["rules_heading"].split("{")[0]
    start = next(at for at, line in enumerate(lines) if line.startswith(heading))
    end = max(at for at, line in enumerate(lines) if re.match(r"S\d+\. ", line))
    return "\n".join(lines[start + 1 : end + 1])


@lru_cache(maxsize=64)
def parse_shipping_rules(text: str) -> ShippingRules:
    """The rules that a document states.

    Raises:
        ValueError: where it lacks one of them.
    """
    said: dict[str, dict[str, str]] = {}
    lines = [re.sub(r"^(?:- |S\d+\. )", "", line) for line in text.split("\n")]
    for key in _texts()["rules"]:
        found = [match for line in lines if (match := _pattern(key).fullmatch(line))]
        if len(found) != 1:
            raise ValueError(f"the document has {len(found)} rules on {key}")
        said[key] = found[0].groupdict()
    closed = re.findall(r"(\d{1,2} \w+ \d{4}) \(([^)]+)\)", said["today"]["closed"])
    names = {words: name for name, words in _texts()["service"].items()}
    services = re.findall(r"([a-z ]+) (\d+) and (\d+)", said["services"]["services"])
    return ShippingRules(
        closed=tuple((parse_day(day), name) for day, name in closed),
        services=tuple((names[words.strip()], Service(int(pack), int(travel))) for words, pack, travel in services),
        cutoff=60 * int(said["cutoff"]["hour"]),
        wrapping=_number(said["wrapping"]),
        back_order=_number(said["back_order"]),
        remote=_number(said["remote"]),
        lost_after=_number(said["lost"]),
        notices_add=said["delay"]["notices"] == _texts()["notices"]["add"],
        weekdays=(WEEKDAYS.index(said["weekdays"]["first"]), WEEKDAYS.index(said["weekdays"]["second"])),
    )


def _number(slots: dict[str, str]) -> int:
    return int(slots["days"].split(" ")[0])
