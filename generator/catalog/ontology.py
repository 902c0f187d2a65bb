"""The shipped ontology: departments, categories, product types and their attributes, read from data files.

Run as a program it checks every data file and lists the faults:
``python -m ecomrlve.generator.catalog.ontology``.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from ecomrlve.grammars.conditions.attributes import Attribute
from ecomrlve.grammars.conditions.units import UNITS
from ecomrlve.grammars.engine.tables import load_table

RETURN_CLASSES = [
    "clothing",
    "footwear",
    "electronics",
    "media",
    "furniture",
    "home",
    "beauty",
    "grocery",
    "toys",
    "outdoors",
    "jewelry",
    "baby",
    "automotive",
    "pets",
    "garden",
    "tools",
    "office",
    "hygiene",
]
SHIPPING_CLASSES = ("letter", "parcel", "bulky")
RESERVED_KEYS = {"brand", "condition", "price", "rating", "reviews", "stock", "title", "type", "id", "delivery"}


@dataclass(frozen=True, slots=True)
class AttributeDraw:
    """How one type draws one attribute: codes to choose from with weights, or a range of codes with a step."""

    key: str
    codes: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    low: int = 0
    high: int = 0
    step: int = 1


@dataclass(frozen=True, slots=True)
class ProductType:
    """A product type of the ontology (price median in cents; shares are relative numbers of products)."""

    key: str
    singular: str
    plural: str
    department: str
    category: str
    return_class: str
    shipping_class: str
    attributes: tuple[str, ...]
    variant_axes: tuple[str, ...]
    draws: tuple[AttributeDraw, ...] = ()
    share: float = 1.0
    price_median: int = 0
    price_sd: float = 0.5
    series: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed edge between product types; ``fits`` edges name the attributes that must agree."""

    kind: Literal["substitutes", "complements", "fits"]
    source: str
    target: str
    attribute: str = ""
    target_attribute: str = ""


@dataclass(frozen=True, slots=True)
class Ontology:
    """Departments and categories (key to name), types, attributes by key, and edges between types."""

    departments: dict[str, str]
    categories: dict[str, tuple[str, str]]
    types: tuple[ProductType, ...]
    attributes: dict[str, Attribute]
    edges: tuple[Edge, ...]


def _decimals(entry: dict[str, Any]) -> int:
    numbers = entry["values"] if "values" in entry else [entry["min"], entry["max"], entry["step"]]
    return max(0, *(-int(Decimal(str(number)).normalize().as_tuple().exponent) for number in numbers))


def _scaled(number: float, decimals: int) -> int:
    return int((Decimal(str(number)) * 10**decimals).to_integral_value())


def _department_files() -> list[tuple[str, dict[str, Any]]]:
    folder = files("ecomrlve.generator.catalog") / "data" / "ontology"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return [(name, load_table(f"generator.catalog/ontology/{name.removesuffix('.toml')}")) for name in names]


def _merge_attributes(documents: list[tuple[str, dict[str, Any]]]) -> dict[str, Attribute]:
    """One attribute per key: choices are the union in order of first appearance, decimals the largest."""
    merged: dict[str, dict[str, Any]] = {}
    for _, document in documents:
        for product_type in document["type"]:
            for entry in product_type["attribute"]:
                known = merged.setdefault(entry["key"], {"entry": entry, "values": [], "phrases": None, "decimals": 0})
                if entry["kind"] == "number":
                    known["decimals"] = max(known["decimals"], _decimals(entry))
                elif entry["kind"] == "choice":
                    known["values"].extend(value for value in entry["values"] if value not in known["values"])
                    phrases = entry.get("phrases", [])
                    old = known["phrases"]
                    # A phrase is kept only where every type with the key reads well with it.
                    known["phrases"] = phrases if old is None else [phrase for phrase in old if phrase in phrases]
    return {
        key: Attribute(
            key,
            known["entry"]["label"],
            known["entry"]["kind"],
            tuple(known["values"]),
            tuple(known["phrases"] or ()),
            known["entry"].get("yes", ""),
            known["entry"].get("no", ""),
            known["entry"].get("unit", ""),
            known["decimals"],
            known["entry"].get("better", ""),
        )
        for key, known in sorted(merged.items())
    }


def _draw(entry: dict[str, Any], attribute: Attribute) -> AttributeDraw:
    if attribute.kind == "boolean":
        yes = round(entry["share_yes"] * 1000)
        return AttributeDraw(attribute.key, (0, 1), (1000 - yes, yes))
    if attribute.kind == "choice":
        codes = tuple(attribute.values.index(value) for value in entry["values"])
        return AttributeDraw(attribute.key, codes, tuple(entry.get("weights", [1] * len(codes))))
    places = attribute.decimals
    if "values" in entry:
        codes = tuple(_scaled(value, places) for value in entry["values"])
        return AttributeDraw(attribute.key, codes, tuple(entry.get("weights", [1] * len(codes))))
    low, high, step = (_scaled(entry[name], places) for name in ("min", "max", "step"))
    return AttributeDraw(attribute.key, low=low, high=high, step=step)


@lru_cache(maxsize=1)
def load_ontology() -> Ontology:
    """The shipped ontology.

    >>> ontology = load_ontology()
    >>> len(ontology.types) >= 150
    True
    """
    documents = _department_files()
    attributes = _merge_attributes(documents)
    departments: dict[str, str] = {}
    categories: dict[str, tuple[str, str]] = {}
    types: list[ProductType] = []
    edges: list[Edge] = []
    for _, document in documents:
        department = document["department"]
        departments[department["key"]] = department["name"]
        for category in document["category"]:
            categories[f"{department['key']}/{category['key']}"] = (category["name"], department["key"])
        for entry in document["type"]:
            types.append(
                ProductType(
                    entry["key"],
                    entry["singular"],
                    entry["plural"],
                    department["key"],
                    f"{department['key']}/{entry['category']}",
                    entry["return_class"],
                    entry["shipping_class"],
                    tuple(item["key"] for item in entry["attribute"]),
                    tuple(entry.get("variant_axes", [])),
                    tuple(_draw(item, attributes[item["key"]]) for item in entry["attribute"]),
                    entry["share"],
                    round(entry["price_median"] * 100),
                    entry["price_sd"],
                    tuple(entry["series"]),
                    tuple(department["brands"]),
                )
            )
            for kind in ("substitutes", "complements"):
                edges.extend(Edge(kind, entry["key"], target) for target in entry.get(kind, []))
        edges.extend(
            Edge("fits", entry["type"], entry["with_type"], entry["attribute"], entry["with_attribute"])
            for entry in document.get("fits", [])
        )
    return Ontology(departments, categories, tuple(types), attributes, tuple(edges))


_BAD_LABEL = re.compile(r"[^a-z \-A-Z&']")
_BAD_VALUE = re.compile(r"[,;:/|()\"']|\b(or|and|not|with|either|neither|nor)\b|^[\d.,]+$")
_VAGUE = {"yes", "no", "none", "other", "any"}


def _entry_faults(entry: dict[str, Any]) -> list[str]:
    faults = []
    key, label, kind = entry.get("key", "?"), entry.get("label", ""), entry.get("kind")
    if key in RESERVED_KEYS or label in RESERVED_KEYS:
        faults.append(f"{key}: reserved key or label")
    if not label or _BAD_LABEL.search(label) or re.search(r"\b(and|or|of|with|in)\b", label):
        faults.append(f"{key}: label {label!r} has a digit, punctuation or a joining word")
    if kind == "choice":
        values = entry.get("values", [])
        for value in values:
            if (
                not isinstance(value, str)
                or _BAD_VALUE.search(value)
                or value.lower() in _VAGUE
                or value != value.strip()
            ):
                faults.append(f"{key}: value {value!r}")
            elif any(other != value and other.lower().startswith(value.lower() + " ") for other in values):
                faults.append(f"{key}: value {value!r} is the start of another")
        if not 2 <= len(set(values)) <= 12 or len({str(value).lower() for value in values}) != len(values):
            faults.append(f"{key}: 2 to 12 different values")
        if len(entry.get("weights", values)) != len(values):
            faults.append(f"{key}: as many weights as values")
        for phrase in entry.get("phrases", []):
            if not re.fullmatch(r"[a-z][a-zA-Z \-]*\{value\}", phrase):
                faults.append(f"{key}: phrase {phrase!r} must end with {{value}}")
    elif kind == "number":
        if entry.get("unit", "?") not in UNITS:
            faults.append(f"{key}: unit {entry.get('unit')!r}")
        if "values" not in entry and not {"min", "max", "step"} <= set(entry):
            faults.append(f"{key}: values, or min, max and step")
        elif _decimals(entry) > 2:
            faults.append(f"{key}: at most 2 decimals")
    elif kind == "boolean":
        if not 0 < entry.get("share_yes", 0) < 1:
            faults.append(f"{key}: share_yes between 0 and 1")
        for name in ("yes", "no"):
            if not re.fullmatch(r"(with|without|that|which|for)\b[^,;:|]*", entry.get(name, "")):
                faults.append(f"{key}: {name}={entry.get(name)!r} must start with with/without/that/which/for")
        if entry.get("yes") == entry.get("no"):
            faults.append(f"{key}: yes and no are the same words")
    else:
        faults.append(f"{key}: kind {kind!r}")
    return faults


def _type_faults(entry: dict[str, Any], categories: set[str]) -> list[str]:
    faults = [fault for item in entry["attribute"] for fault in _entry_faults(item)]
    keys = [item["key"] for item in entry["attribute"]]
    labels = [item["label"].lower() for item in entry["attribute"]]
    if len(set(keys)) != len(keys) or len(set(labels)) != len(labels):
        faults.append("two attributes with one key or label")
    if any(a != b and (b + " ").startswith(a + " ") for a in labels for b in labels):
        faults.append("one label is the start of another")
    if entry["category"] not in categories:
        faults.append(f"category {entry['category']!r} is not declared")
    if entry["return_class"] not in RETURN_CLASSES or entry["shipping_class"] not in SHIPPING_CLASSES:
        faults.append("unknown return_class or shipping_class")
    by_key = {item["key"]: item for item in entry["attribute"]}
    for axis in entry.get("variant_axes", []):
        if axis not in by_key or by_key[axis]["kind"] == "boolean" or "values" not in by_key[axis]:
            faults.append(f"variant axis {axis!r} must be an attribute with values")
    choices: dict[str, str] = {}
    phrases: dict[str, str] = {}
    for item in entry["attribute"]:
        if item["kind"] == "choice":
            for value in item["values"]:
                if choices.setdefault(str(value).lower(), item["key"]) != item["key"]:
                    faults.append(f"value {value!r} belongs to {choices[str(value).lower()]!r} and {item['key']!r}")
                if str(value).lower() in {word.lower() for word in entry["series"]}:
                    faults.append(f"series word {value!r} is a value of {item['key']!r}")
            for phrase in item.get("phrases", []):
                if phrases.setdefault(phrase, item["key"]) != item["key"]:
                    faults.append(f"phrase {phrase!r} belongs to two attributes")
    return faults


def faults() -> list[str]:
    """Every breach of the data rules in the shipped files, one line each; empty when all is well."""
    documents = _department_files()
    found: list[str] = []
    first: dict[str, tuple[str, dict[str, Any]]] = {}
    for name, document in documents:
        categories = {category["key"] for category in document["category"]}
        own = {entry["key"] for entry in document["type"]}
        for entry in document["type"]:
            found.extend(f"{name} {entry['key']}: {fault}" for fault in _type_faults(entry, categories))
            for kind in ("substitutes", "complements"):
                found.extend(
                    f"{name} {entry['key']}: {kind} {target!r} is no type of this department"
                    for target in entry.get(kind, [])
                    if target not in own or target == entry["key"]
                )
            for item in entry["attribute"]:
                place, other = first.setdefault(item["key"], (f"{name} {entry['key']}", item))
                same = ("label", "kind", "unit", "yes", "no")
                if any(item.get(field) != other.get(field) for field in same):
                    found.append(f"{name} {entry['key']}: {item['key']} differs from the one in {place}")
        for fit in document.get("fits", []):
            sides = [(fit["type"], fit["attribute"]), (fit["with_type"], fit["with_attribute"])]
            lists = [
                item.get("values")
                for key, attribute in sides
                for entry in document["type"]
                if entry["key"] == key
                for item in entry["attribute"]
                if item["key"] == attribute
            ]
            if len(lists) != 2 or sorted(map(str, lists[0])) != sorted(map(str, lists[1])):
                found.append(f"{name} fits {fit}: both attributes need the same values")
    names: dict[str, str] = {}
    for name, document in documents:
        for entry in document["type"]:
            for text in sorted({entry["singular"], entry["plural"]}):
                if names.setdefault(text.lower(), entry["key"]) != entry["key"]:
                    found.append(f"{name} {entry['key']}: {text!r} also names {names[text.lower()]}")
    return found


if __name__ == "__main__":
    for line in faults():
        print(line)
    shown = load_ontology()
    print(
        f"{len(shown.departments)} departments, {len(shown.types)} types, "
        f"{len(shown.attributes)} attributes, {len(shown.edges)} edges"
    )
