"""The fourth face of a condition: words. Said by `render_condition`, read by `parse_condition`, told by `plain`.

Every rendered text has exactly one reading over its vocabulary (up to `constraints.canonical`), as long as `can_say`
holds. A request mixes no "and" with an "or" at one level: alternatives come as "either … or …", "neither … nor …",
"either both … and …, or else …" and "at least two of these three: …; …; …".
"""

from fractions import Fraction

from ecomrlve.grammars.conditions.constraints import (
    AllOf,
    AnyOf,
    AtLeast,
    Between,
    Bound,
    Canonical,
    Criterion,
    Has,
    Is,
    Node,
    Not,
    Operator,
    Related,
    canonical,
)
from ecomrlve.grammars.conditions.parser import ConditionParser
from ecomrlve.grammars.conditions.realizer import MANY, ONE, ConditionRealizer
from ecomrlve.grammars.conditions.trees import flatten, negate, simple
from ecomrlve.grammars.conditions.units import decimal_text
from ecomrlve.grammars.conditions.vocabulary import Vocabulary, sayable
from ecomrlve.grammars.engine.grammar import Chance, Grammar, load_grammar, tokenize

__all__ = [
    "Vocabulary",
    "can_say",
    "can_say_criterion",
    "parse_condition",
    "parse_ranking",
    "plain",
    "render_condition",
    "superlative",
]


def _grammar() -> Grammar:
    return load_grammar("grammars.conditions/conditions")


def render_condition(
    node: Node,
    vocabulary: Vocabulary,
    draws: Chance,
    held_out: bool = False,
    *,
    style: str = "",
    many: bool = False,
) -> str:
    """A condition as a phrase that follows the noun: "with a carry case", "either in red or under $40".

    Args:
        node: the condition; `can_say` must hold.
        vocabulary: the names in reach.
        draws: the source of chance.
        held_out: use held-out wording.
        style: the customer's writing style.
        many: whether the noun is plural.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES, Attribute
    >>> lid = Attribute("lid", "lid", "boolean", yes="with a lid", no="without a lid")
    >>> class First:
    ...     def below(self, bound):
    ...         return 0
    >>> render_condition(Has("lid", True), Vocabulary({"lid": lid}, {}, {}, CURRENCIES["USD"]), First())
    'with a lid'
    """
    realizer = ConditionRealizer(vocabulary, _grammar(), draws, style, held_out, MANY if many else ONE)
    return realizer.conditions(flatten(node))


def parse_condition(text: str, vocabulary: Vocabulary) -> list[Node]:
    """All readings of a phrase of `render_condition`, distinct under `canonical`; empty where it is none.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES, Attribute
    >>> lid = Attribute("lid", "lid", "boolean", yes="with a lid", no="without a lid")
    >>> parse_condition("without a lid", Vocabulary({"lid": lid}, {}, {}, CURRENCIES["USD"]))
    [Has(key='lid', wanted=False)]
    """
    reader = ConditionParser(vocabulary)
    readings: dict[Canonical, Node] = {}
    for parts in _grammar().read("conditions", tokenize(text), reader.terminals, reader.meanings):
        node: Node = parts[0] if len(parts) == 1 else AllOf(parts)
        readings.setdefault(canonical(node), node)
    return list(readings.values())


def superlative(
    criterion: Criterion,
    vocabulary: Vocabulary,
    draws: Chance,
    held_out: bool = False,
    *,
    style: str = "",
    many: bool = False,
) -> str:
    """A criterion of one or two keys: "the cheapest", "the best rated; if it's a tie, the cheaper one".

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES, built_in
    >>> class First:
    ...     def below(self, bound):
    ...         return 0
    >>> vocabulary = Vocabulary(built_in(CURRENCIES["USD"]), {}, {}, CURRENCIES["USD"])
    >>> superlative(Criterion((("price", "less"),)), vocabulary, First())
    'the cheapest'
    """
    return ConditionRealizer(vocabulary, _grammar(), draws, style, held_out, MANY if many else ONE).ranking(criterion)


def parse_ranking(text: str, vocabulary: Vocabulary) -> list[Criterion]:
    """All readings of a phrase of `superlative`.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES, built_in
    >>> parse_ranking("the cheapest", Vocabulary(built_in(CURRENCIES["USD"]), {}, {}, CURRENCIES["USD"]))
    [Criterion(keys=(('price', 'less'),))]
    """
    reader = ConditionParser(vocabulary)
    found = _grammar().read("ranking", tokenize(text), reader.terminals, reader.meanings)
    return [Criterion(keys) for keys in dict.fromkeys(found)]


def can_say(node: Node, vocabulary: Vocabulary) -> bool:
    """Whether a condition can be worded with exactly one reading: its names are there and clear, its joins not deep.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES, Attribute
    >>> lid = Attribute("lid", "lid", "boolean", yes="with a lid", no="without a lid")
    >>> can_say(Has("lamp", True), Vocabulary({"lid": lid}, {}, {}, CURRENCIES["USD"]))
    False
    """
    return all(_can_say_part(part, vocabulary) for part in flatten(node))


def _can_say_part(node: Node, vocabulary: Vocabulary) -> bool:
    parts = simple(node)
    if parts is not None:
        return _can_say_atom(parts[0], vocabulary)
    if isinstance(node, Not):
        return _can_say_part(negate(node.part), vocabulary)
    inner = node.parts if isinstance(node, AllOf | AnyOf | AtLeast) else ()
    if len(inner) < 2 or (isinstance(node, AtLeast) and not 1 <= node.count <= len(inner)):
        return False
    atoms = [simple(atom) for part in inner for atom in flatten(part)]
    return all(atom is not None and _can_say_atom(atom[0], vocabulary) for atom in atoms)


def _can_say_atom(node: Is | Has | Bound | Between | Related, vocabulary: Vocabulary) -> bool:
    key = node.key
    attribute = vocabulary.attributes.get(key)
    if attribute is None or not (key == "brand" or vocabulary.label_is_clear(key)):
        return False
    if isinstance(node, Is):
        if attribute.kind != "choice" or not node.values:
            return False
        return all(vocabulary.value_is_clear(key, value) for value in node.values)
    if isinstance(node, Has):
        return attribute.kind == "boolean"
    if isinstance(node, Related):
        numeric = attribute.kind in ("number", "money")
        return vocabulary.reference_is_clear(node.reference) and (node.relation == "same" or numeric)
    if attribute.kind == "money":
        amounts = (node.amount,) if isinstance(node, Bound) else (node.low, node.high)
        return all(amount.denominator == 1 for amount in amounts)
    return attribute.kind == "number"


def can_say_criterion(criterion: Criterion, vocabulary: Vocabulary) -> bool:
    """Whether a criterion can be worded: one or two numbers, each with a clear label."""
    if not 1 <= len(criterion.keys) <= 2:
        return False
    kinds = [vocabulary.attributes[key].kind if key in vocabulary.attributes else "" for key, _ in criterion.keys]
    return all(kind in ("number", "money") for kind in kinds) and all(
        vocabulary.label_is_clear(key) and sayable(vocabulary.attributes[key].label) for key, _ in criterion.keys
    )


# --- told plainly, for people who check a task -----------------------------------------------------------------------

_SIGNS: dict[Operator, str] = {"<=": "at most", ">=": "at least", "<": "below", ">": "above", "=": "exactly"}


def plain(node: Node, vocabulary: Vocabulary) -> str:
    """A condition in short fixed English.

    >>> from fractions import Fraction
    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES, built_in
    >>> vocabulary = Vocabulary(built_in(CURRENCIES["USD"]), {}, {}, CURRENCIES["USD"])
    >>> plain(Not(Bound("price", "<=", Fraction(4000), "")), vocabulary)
    'not (price at most $40)'
    """
    match node:
        case Not(part):
            return f"not ({plain(part, vocabulary)})"
        case AllOf(parts):
            return " and ".join(_bracketed(part, vocabulary) for part in parts)
        case AnyOf(parts):
            return " or ".join(_bracketed(part, vocabulary) for part in parts)
        case AtLeast(count, parts):
            return f"at least {count} of [{'; '.join(plain(part, vocabulary) for part in parts)}]"
    label = vocabulary.attributes[node.key].label if node.key in vocabulary.attributes else node.key
    match node:
        case Is(_, values):
            return f"{label} is {' or '.join(values)}"
        case Has(_, wanted):
            return f"{label}: {'yes' if wanted else 'no'}"
        case Related(_, relation, reference):
            what = {"same": "the same as", "less": "less than", "more": "more than"}[relation]
            return f"{label} {what} that of {vocabulary.references.get(reference, reference)}"
        case Between(key, low, high, unit):
            shown = [_amount(key, amount, unit, vocabulary) for amount in (low, high)]
            return f"{label} from {shown[0]} to {shown[1]}"
        case Bound(key, operator, amount, unit):
            return f"{label} {_SIGNS[operator]} {_amount(key, amount, unit, vocabulary)}"


def _bracketed(node: Node, vocabulary: Vocabulary) -> str:
    text = plain(node, vocabulary)
    return f"({text})" if isinstance(node, AllOf | AnyOf) else text


def _amount(key: str, amount: Fraction, unit: str, vocabulary: Vocabulary) -> str:
    attribute = vocabulary.attributes.get(key)
    if attribute is not None and attribute.kind == "money":
        return vocabulary.currency.short(int(amount))
    number = decimal_text(amount)
    return f"{number}%" if unit == "%" else f"{number} {unit}".strip()
