"""What a RETURN prompt shows beside the orders (versions on sale, the return form, the rules), and how it is read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ecomrlve.grammars.engine.tables import load_table
from ecomrlve.grammars.policy.json import RULE_ID
from ecomrlve.grammars.policy.text import reason_name, reason_of

_SOLD_OUT = "sold out"
_NO_OPTIONS = "no options"
_VERSION = re.compile(r"  - (?P<id>[A-Z0-9]{6}) \| (?P<options>[^|]*) \| (?P<price>[^|]*\d[^|]*) \| (?P<stock>[^|]+)")
_RULE = re.compile(rf"{RULE_ID.pattern}\. ")


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """A version of a product on sale today."""

    id: str
    options: str
    price: int
    stock: int


def render_product(
    title: str, ids: Sequence[str], options: Sequence[str], prices: Sequence[str], stocks: Sequence[int]
) -> str:
    """A product on sale: its title, then a line per version.

    >>> print(render_product("Fjell bottle", ["K7QX3M"], ["500 ml"], ["$14.99"], [0]))
    Fjell bottle
      - K7QX3M | 500 ml | $14.99 | sold out
    """
    lines = [title]
    for name, text, price, stock in zip(ids, options, prices, stocks, strict=True):
        lines.append(f"  - {name} | {text or _NO_OPTIONS} | {price} | {f'{stock} in stock' if stock else _SOLD_OUT}")
    return "\n".join(lines)


def versions_heading() -> str:
    """The line above the products on sale."""
    texts = load_table("generator.environments.returns/page")
    return f"{texts['versions']} ({texts['version_columns']}):"


def parse_versions(system: str) -> list[tuple[str, tuple[ShownVersion, ...]]]:
    """(title, versions) of each product on sale that a prompt shows."""
    texts = load_table("generator.environments.returns/page")
    lines = system.split("\n")
    found: list[tuple[str, tuple[ShownVersion, ...]]] = []
    for line in lines[lines.index(versions_heading()) + 1 :]:
        shown = _VERSION.fullmatch(line)
        if shown is None:
            if line == texts["form"] or line.startswith(texts["policy"].split("{")[0]):
                break
            found.append((line, ()))
            continue
        title, versions = found[-1]
        version = ShownVersion(
            shown["id"],
            "" if shown["options"] == _NO_OPTIONS else shown["options"],
            # A shop always writes all decimals of its currency, so the digits say the amount.
            int(re.sub(r"\D", "", shown["price"])),
            0 if shown["stock"] == _SOLD_OUT else int(shown["stock"].split(" ")[0]),
        )
        found[-1] = (title, (*versions, version))
    return found


def render_form(form: Mapping[str, str | int]) -> list[str]:
    """The return form with the facts that the customer put there; empty where there are none."""
    texts = load_table("generator.environments.returns/page")
    shown = {**form, "reason": reason_name(str(form["reason"]))} if "reason" in form else form
    return [texts["form"], *(f"- {texts['labels'][key]}: {value}" for key, value in shown.items())] if form else []


def parse_form(system: str) -> dict[str, str]:
    """The facts of the return form in a prompt, by their keys."""
    texts = load_table("generator.environments.returns/page")
    lines = system.split("\n")
    if texts["form"] not in lines:
        return {}
    keys = {label: key for key, label in texts["labels"].items()}
    found = {}
    for line in lines[lines.index(texts["form"]) + 1 :]:
        if not line.startswith("- "):
            break
        label, value = line[2:].split(": ", 1)
        found[keys[label]] = value
    return {**found, "reason": reason_of(found["reason"])} if "reason" in found else found


def parse_rules(system: str) -> str:
    """The policy document in a prompt: from its heading to the last numbered rule."""
    lines = system.split("\n")
    heading = load_table("generator.environments.returns/page")["policy"].split("{")[0]
    start = next(at for at, line in enumerate(lines) if line.startswith(heading))
    end = max(at for at, line in enumerate(lines) if _RULE.match(line))
    return "\n".join(lines[start + 1 : end + 1])
