"""Strategies for vocabularies, conditions, requests and carts, over the shipped ontology and over awkward shops."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from ecomrlve.generator.catalog.ontology import ProductType, load_ontology
from ecomrlve.grammars.conditions.attributes import CURRENCIES, Attribute, Currency, built_in
from ecomrlve.grammars.conditions.constraints import (
    AllOf,
    AnyOf,
    AtLeast,
    Between,
    Bound,
    Criterion,
    Has,
    Is,
    Node,
    Not,
    Related,
)
from ecomrlve.grammars.conditions.trees import keys_of, simple
from ecomrlve.grammars.conditions.units import SPOKEN, UNITS
from ecomrlve.grammars.conditions.wording import Vocabulary, can_say, can_say_criterion
from ecomrlve.grammars.dialogue.requests import CartCorrection, CartItem, Correction, ShoppingRequest

STYLES = ("plain", "chatty", "polite", "terse", "an unknown style")

# What imported tables hold: labels within labels, labels that are words of the grammar, marks of all kinds.
LABELS = (
    "cable", "cable length", "length", "Length of cable", "weight", "Item weight", "color", "Color Name", "size",
    "hat size", "Material", "RAM", "Inches", "height in cm", "made of", "top or bottom", "price range", "Is waterproof",
    "water-proof", "pockets", "number of pockets", "maximum load", "yes", "no", "brand name", "width", "OS", "lid",
    "a lid", "the lid", "stars", "reviews score", "same", "one", "reviewed", "Größe", "5G", "USB-C ports", "with stand",
    "not included", "dimmable", "time: total", "Screen (in)", "weight & balance", "better",
)  # fmt: skip
VALUES = (
    "M", "S", "XL", "2 pack", "two", "3-in-1", "v-neck", "V neck", "USB-C", "USB", "C", "15.6", "15",
    "Intel Core i5 7200U",
    "cotton", "cotton, linen", "cotton and linen", "cotton or linen", "steel", "stainless steel", "steel cable",
    "cable",
    "black", "black & white", "dark", "dark black", "not specified", "none", "any", "on sale", "the one", "a lid",
    "lid", "$5 off", "50%", "8GB", "1.37kg", "No OS", "36-38", "36–38", "EU 42", "L/XL", '15" wide', "O'Neill", "men's",
    "by hand", "cheapest", "best rated", "at least 4", "4 or more", "under $40", "half a pound", "items", "gift",
    "Dr. Oetker", "red.", "Ärmel", "color", "in black", "exactly", "USB-C lid", "large", "size", "in size", "with",
)  # fmt: skip
BRANDS = (
    "Orvane",
    "Tallow & Finch",
    "By Design",
    "From Us",
    "The North",
    "Dr. Martens",
    "USB",
    "cotton",
    "3M",
    "Not",
    "No Name",
)
NOUNS = (
    ("bottle", "bottles"), ("steel bottle", "steel bottles"), ("T-shirt", "T-shirts"),
    ("pair of socks", "pairs of socks"),
    ("lid", "lids"), ("USB microphone", "USB microphones"),
    ("Bookcases & shelving units", "Bookcases & shelving units"),
    ("item", "items"), ("sofa, two seats", "sofas, two seats"), ("one piece", "one pieces"),
)  # fmt: skip
REFERENCES = {
    "R1": "the headphones I ordered on 3 March",
    "R2": "the headphones I ordered on 3 March last year",
    "R3": "my old lamp from Orvane in black",
}
CURRENCY_CHOICES = tuple(CURRENCIES[code] for code in ("USD", "EUR", "GBP", "JPY", "SAR", "CAD", "KWD", "MXN", "TRY"))


def _with_built_in(
    attributes: dict[str, Attribute], brands: tuple[str, ...], currency: Currency
) -> dict[str, Attribute]:
    brand = Attribute("brand", "brand", "choice", values=brands)
    return {**attributes, **built_in(currency), "brand": brand}


@st.composite
def awkward_vocabularies(draw: st.DrawFn) -> Vocabulary:
    """A shop whose labels and values come from anywhere."""
    attributes: dict[str, Attribute] = {}
    for place, label in enumerate(draw(st.lists(st.sampled_from(LABELS), min_size=3, max_size=7, unique=True))):
        key = f"k{place}"
        kind = draw(st.sampled_from(("choice", "choice", "number", "boolean")))
        if kind == "choice":
            values = tuple(draw(st.lists(st.sampled_from(VALUES), min_size=2, max_size=6, unique=True)))
            phrases = draw(st.sampled_from(((), (), ("in {value}",), ("made of {value}",), ("with a {value}",))))
            attributes[key] = Attribute(key, label, "choice", values=values, phrases=phrases)
        elif kind == "number":
            unit = draw(st.sampled_from(("", "", "g", "kg", "cm", "in", "%", "h", "GB", "°C", "fl oz", "MB/s", "m²")))
            attributes[key] = Attribute(key, label, "number", unit=unit, decimals=2)
        else:
            yes = draw(st.sampled_from(("", f"with a {label}", f"with {label}", f"that is {label}", "that needs it")))
            attributes[key] = Attribute(key, label, "boolean", yes=yes)
    brands = tuple(draw(st.lists(st.sampled_from(BRANDS), min_size=2, max_size=6, unique=True)))
    nouns = {f"t{at}": pair for at, pair in enumerate(draw(st.lists(st.sampled_from(NOUNS), max_size=4, unique=True)))}
    currency = draw(st.sampled_from(CURRENCY_CHOICES))
    return Vocabulary(_with_built_in(attributes, brands, currency), nouns, REFERENCES, currency)


def type_vocabulary(types: tuple[ProductType, ...], currency: Currency) -> Vocabulary:
    """The words of some types of the shipped ontology."""
    ontology = load_ontology()
    attributes = {key: ontology.attributes[key] for kind in types for key in kind.attributes}
    nouns = {kind.key: (kind.singular, kind.plural) for kind in types}
    return Vocabulary(_with_built_in(attributes, types[0].brands, currency), nouns, REFERENCES, currency)


@st.composite
def shipped_vocabularies(draw: st.DrawFn, most: int = 4) -> Vocabulary:
    """One type, or a few types of one department."""
    ontology = load_ontology()
    first = draw(st.sampled_from(ontology.types))
    siblings = [kind for kind in ontology.types if kind.department == first.department and kind.key != first.key]
    others = draw(st.lists(st.sampled_from(siblings), max_size=most - 1, unique_by=lambda kind: kind.key))
    return type_vocabulary((first, *others), draw(st.sampled_from(CURRENCY_CHOICES)))


vocabularies = st.one_of(shipped_vocabularies(), awkward_vocabularies())
amounts = st.sampled_from(
    [Fraction(text) for text in ("0.5", "1", "1.5", "2", "2.25", "4", "12", "40", "250", "15000")]
)


def details(vocabulary: Vocabulary, key: str) -> st.SearchStrategy[Node]:
    """Conditions on one detail, or their negations."""
    attribute = vocabulary.attributes[key]
    related = ["same"] if attribute.kind in ("choice", "boolean") else ["same", "less", "more"]
    relations: st.SearchStrategy[Node] = st.builds(
        Related,
        st.just(key),
        st.sampled_from(related),
        st.sampled_from(sorted(vocabulary.references) or ["R0"]),
    )
    node: st.SearchStrategy[Node]
    if attribute.kind == "choice":
        chosen = st.lists(st.sampled_from(attribute.values), min_size=1, max_size=3, unique=True).map(tuple)
        node = st.builds(Is, st.just(key), chosen)
    elif attribute.kind == "boolean":
        node = st.builds(Has, st.just(key), st.booleans())
        relations = node
    else:
        units = [""] if attribute.kind == "money" else [attribute.unit, *SPOKEN.get(attribute.unit, ())]
        units = [unit for unit in units if unit in UNITS]
        amount = amounts.map(lambda value: value * 100) if attribute.kind == "money" else amounts
        unit = st.sampled_from(units)
        operator = st.sampled_from(("<=", ">=", "<", ">", "="))
        bound = st.builds(Bound, st.just(key), operator, amount, unit)
        node = st.one_of(bound, st.builds(lambda low, unit: Between(key, low, low * 2, unit), amount, unit))
    plain = st.one_of(node, node, node, relations)
    return st.one_of(plain, plain, plain.map(Not))


@st.composite
def sayable_details(draw: st.DrawFn, vocabulary: Vocabulary, keys: list[str], count: int) -> list[Node]:
    """Up to ``count`` conditions on different details, their keys taken from the list."""
    found: list[Node] = []
    while keys and len(found) < count:
        node = draw(details(vocabulary, keys.pop()))
        if can_say(node, vocabulary):
            found.append(node)
    return found


@st.composite
def trees(draw: st.DrawFn, vocabulary: Vocabulary) -> Node | None:
    """A tree that can be said, or None where the draws gave none."""
    keys = draw(st.permutations(sorted(vocabulary.attributes)))
    shape = draw(st.sampled_from(("one", "one", "any", "none", "some", "all", "else", "not all")))
    parts = tuple(draw(sayable_details(vocabulary, list(keys), 1 if shape == "one" else draw(st.integers(2, 4)))))
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    shapes: dict[str, Node] = {
        "any": AnyOf(parts),
        "none": Not(AnyOf(parts)),
        "some": AtLeast(min(2, len(parts)), parts),
        "all": AllOf(parts),
        "else": AnyOf((AllOf(parts[:2]), *parts[2:])) if len(parts) > 2 else AnyOf(parts),
        "not all": Not(AllOf(parts)),
    }
    node = shapes.get(shape, parts[0])
    return node if can_say(node, vocabulary) else None


@st.composite
def criteria(draw: st.DrawFn, vocabulary: Vocabulary) -> Criterion:
    """One or two numbers to rank by."""
    numbers = [key for key, attribute in sorted(vocabulary.attributes.items()) if attribute.kind in ("money", "number")]
    keys = draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=2, unique=True))
    criterion = Criterion(tuple((key, draw(st.sampled_from(("more", "less")))) for key in keys))
    return criterion if can_say_criterion(criterion, vocabulary) else Criterion((("price", "less"),))


SCOPES = (
    ("collection", "Desk Audio"), ("page", "storage clearance"), ("list", "Weekend Plans"), ("list", "gifts, ideas"),
    ("collection", "Home & Garden"), ("page", "Under $40"), ("page", "Audio"), ("list", "With Love From Us"),
)  # fmt: skip


@st.composite
def requests(draw: st.DrawFn, vocabulary: Vocabulary) -> tuple[ShoppingRequest, list[Correction]]:
    """A request and changes of mind about it."""
    keys = list(draw(st.permutations(sorted(vocabulary.attributes))))
    conditions: list[Node] = []
    for _ in range(draw(st.integers(1, 4))):
        size = draw(st.sampled_from((1, 1, 1, 2, 3)))
        parts = tuple(draw(sayable_details(vocabulary, keys, size)))
        if len(parts) == 1:
            conditions.append(parts[0])
        elif parts:
            shapes: tuple[Node, ...] = (AnyOf(parts), Not(AnyOf(parts)), AtLeast(2, parts))
            shape = draw(st.sampled_from(shapes))
            conditions.extend([shape] if can_say(shape, vocabulary) else parts)
    nouns = [noun for noun in sorted(vocabulary.nouns) if vocabulary.noun_is_clear(noun)]
    kind, scope = draw(st.sampled_from(SCOPES))
    request = ShoppingRequest(
        draw(st.sampled_from([*nouns, ""])),
        draw(st.sampled_from((1, 1, 2, 3))),
        scope,
        kind,
        tuple(conditions),
        draw(criteria(vocabulary)),
    )
    return request, draw(changes_of_mind(vocabulary, conditions))


@st.composite
def changes_of_mind(draw: st.DrawFn, vocabulary: Vocabulary, conditions: list[Node]) -> list[Correction]:
    """Corrections of conditions of their own, of the count and of the criterion."""
    found: list[Correction] = []
    alone = [node for node in conditions if simple(node) is not None]
    if draw(st.booleans()) and alone:
        (key,) = keys_of(draw(st.sampled_from(alone)))
        node = draw(details(vocabulary, key)) if draw(st.booleans()) else None
        if (node is None or can_say(node, vocabulary)) and vocabulary.label_is_clear(key):
            found.append(Correction("condition", key, node))
    if draw(st.integers(0, 3)) == 0:
        found.append(Correction("count", count=draw(st.integers(1, 6))))
    if draw(st.integers(0, 3)) == 0:
        found.append(Correction("criterion", criterion=draw(criteria(vocabulary))))
    return found


@st.composite
def carts(draw: st.DrawFn, vocabulary: Vocabulary) -> tuple[list[CartItem], list[CartCorrection]]:
    """Items for a cart and changes of mind about them; empty where no noun is clear."""
    nouns = [noun for noun in sorted(vocabulary.nouns) if vocabulary.noun_is_clear(noun)]
    items: list[CartItem] = []
    for _ in range(draw(st.integers(1, 5)) if nouns else 0):
        keys = list(draw(st.permutations(sorted(vocabulary.attributes))))
        quantity = draw(st.sampled_from((1, 1, 2, 3, 12)))
        before = items[-1] if items else None
        if before and before.conditions and not before.same_as_previous and draw(st.integers(0, 3)) == 0:
            (key,) = keys_of(draw(st.sampled_from(before.conditions)))
            other = draw(details(vocabulary, key))
            if can_say(other, vocabulary):
                items.append(CartItem(quantity, "", (other,), same_as_previous=True))
                continue
        conditions = draw(sayable_details(vocabulary, keys, draw(st.integers(0, 3))))
        items.append(CartItem(quantity, draw(st.sampled_from(nouns)), tuple(conditions)))
    return items, draw(cart_changes(vocabulary, items))


@st.composite
def cart_changes(draw: st.DrawFn, vocabulary: Vocabulary, items: list[CartItem]) -> list[CartCorrection]:
    """At most one change of mind for each item."""
    found: list[CartCorrection] = []
    for place, item in enumerate(items):
        target = draw(st.sampled_from(("", "", "quantity", "drop", "option")))
        tied = any(other.same_as_previous for other in items[place : place + 2])
        if target == "quantity":
            found.append(CartCorrection("quantity", place, quantity=draw(st.integers(1, 9))))
        elif target == "drop" and not tied and len(items) > 1 and not any(one.target == "drop" for one in found):
            found.append(CartCorrection("drop", place))
        elif target == "option" and item.conditions and not tied:
            (key,) = keys_of(item.conditions[0])
            node = draw(details(vocabulary, key))
            if can_say(node, vocabulary):
                found.append(CartCorrection("option", place, node=node))
    return found


def page_only(vocabulary: Vocabulary, keys: set[str], values: dict[str, set[str]]) -> Vocabulary:
    """What a page gives away: no phrases, fewer values, and only what is on it."""
    attributes = {}
    for key, attribute in vocabulary.attributes.items():
        if key in keys or key in ("price", "rating", "reviews"):
            shown = tuple(value for value in attribute.values if value in values.get(key, set()))
            attributes[key] = replace(attribute, values=shown, phrases=(), yes="", no="")
    return Vocabulary(attributes, vocabulary.nouns, vocabulary.references, vocabulary.currency)
