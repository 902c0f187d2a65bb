"""A customer's voice: picks, for each condition and ranking, a form that has one reading and suits the words in it."""

from dataclasses import dataclass
from fractions import Fraction

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.attributes import Attribute
from ecomrlve.grammars.constraints import (
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
    Operator,
    Related,
)
from ecomrlve.grammars.engine import Chance, Grammar, article, words
from ecomrlve.grammars.reader import OPERATORS
from ecomrlve.grammars.units import UNITS, decimal_text
from ecomrlve.grammars.vocabulary import (
    WORDS,
    Vocabulary,
    is_count,
    is_number,
    is_plural,
    spoken,
    unit_words,
)

Atom = Is | Has | Bound | Between | Related
Options = list[tuple[str, int]]

ONE, MANY = frozenset({"one"}), frozenset({"many"})
_LIMITS: dict[Operator, str] = {operator: name for name, operator in OPERATORS.items()}
_OPPOSITE: dict[Operator, Operator] = {"<=": ">", ">=": "<", "<": ">=", ">": "<="}


def simple(node: Node) -> tuple[Atom, bool] | None:
    """A condition on one detail with whether it is negated, or None for what joins several.

    >>> simple(Not(Has("lid", True)))
    (Has(key='lid', wanted=False), False)
    """
    negated = False
    while isinstance(node, Not):
        node, negated = node.part, not negated
    if isinstance(node, AllOf | AnyOf | AtLeast):
        return None
    if negated and isinstance(node, Has):
        return Has(node.key, not node.wanted), False
    if negated and isinstance(node, Bound) and node.operator != "=":
        return Bound(node.key, _OPPOSITE[node.operator], node.amount, node.unit), False
    return node, negated


def negate(node: Node) -> Node:
    """The opposite of a tree, with the negation moved down to the details.

    >>> negate(AnyOf((Has("lid", True), Is("color", ("red",)))))
    AllOf(parts=(Has(key='lid', wanted=False), Not(part=Is(key='color', values=('red',)))))
    """
    if isinstance(node, Not):
        return node.part
    if isinstance(node, AllOf):
        return AnyOf(tuple(map(negate, node.parts)))
    if isinstance(node, AnyOf):
        return AllOf(tuple(map(negate, node.parts)))
    if isinstance(node, AtLeast):
        return AtLeast(len(node.parts) - node.count + 1, tuple(map(negate, node.parts)))
    if isinstance(node, Has):
        return Has(node.key, not node.wanted)
    if isinstance(node, Bound) and node.operator != "=":
        return Bound(node.key, _OPPOSITE[node.operator], node.amount, node.unit)
    return Not(node)


def flatten(node: Node) -> tuple[Node, ...]:
    """The conditions that must all hold, nests opened.

    >>> len(flatten(AllOf((Has("lid", True), AllOf((Has("cap", True), Has("bag", True)))))))
    3
    """
    if isinstance(node, Not) and isinstance(node.part, Not):
        return flatten(node.part.part)
    if isinstance(node, AtLeast) and node.count == len(node.parts):
        return flatten(AllOf(node.parts))
    if isinstance(node, AllOf):
        return tuple(part for inner in node.parts for part in flatten(inner))
    if isinstance(node, Not) and isinstance(node.part, AnyOf) and not all(map(_can_be_denied, node.part.parts)):
        return flatten(negate(node.part))
    return (node,)


def _can_be_denied(node: Node) -> bool:
    """Whether "neither" can stand before a condition: it denies nothing itself, and holds no list."""
    parts = simple(node)
    if parts is None or parts[1] or _lists(node):
        return False
    atom = parts[0]
    return not (isinstance(atom, Has) and not atom.wanted)


def keys_of(node: Node) -> set[str]:
    """The details that a tree speaks of.

    >>> keys_of(Not(Has("lid", True)))
    {'lid'}
    """
    if isinstance(node, Not):
        return keys_of(node.part)
    if isinstance(node, AllOf | AnyOf | AtLeast):
        return {key for part in node.parts for key in keys_of(part)}
    return {node.key}


@dataclass(slots=True)
class Voice:
    """One customer speaking: what the forms are drawn with.

    Args:
        vocabulary: the names in reach.
        grammar: must hold the productions of ``conditions.toml``.
        draws: the source of chance.
        style: the customer's writing style.
        held_out: use held-out wording.
        flags: ``ONE`` or ``MANY``, by the number of products asked for.
        denied: whether what is said stands under a "neither" or "nothing", which bears no second "no".
    """

    vocabulary: Vocabulary
    grammar: Grammar
    draws: Chance
    style: str = ""
    held_out: bool = False
    flags: frozenset[str] = ONE
    denied: bool = False

    def say(self, symbol: str, meaning: str, more_flags: frozenset[str] = frozenset(), /, **slots: str) -> str:
        """A production's wording under this voice's style and flags."""
        flags = self.flags | more_flags if more_flags else self.flags
        return self.grammar.say(
            symbol, meaning, slots, self.draws, style=self.style, held_out=self.held_out, when=flags
        )

    def pick(self, options: Options) -> str:
        """One of the options, in proportion to its weight."""
        at = self.draws.below(sum(weight for _, weight in options))
        for name, weight in options:
            at -= weight
            if at < 0:
                return name
        raise AssertionError("weights are positive")

    # --- one condition

    def modifier(self, node: Node, strict: bool = False) -> str:
        """A condition on one detail, fit to follow the noun.

        Args:
            node: a detail's condition or its negation.
            strict: whether other conditions follow an "or" beside it, so that it may hold no "or" of its own.
        """
        parts = simple(node)
        if parts is None:
            raise InvalidArgument("node", node, "must be a condition on one detail")
        atom, negated = parts
        attribute = self.vocabulary.attributes[atom.key]
        if isinstance(atom, Is):
            values = tuple(dict.fromkeys(atom.values))
            if atom.key == "brand":
                return self._brand(values, negated)
            if negated:
                return self._choice_not(values, attribute)
            return self._choice(values[0], attribute) if len(values) == 1 else self._choices(values, attribute)
        if isinstance(atom, Has):
            return self._has(attribute, atom.wanted)
        if isinstance(atom, Related):
            return self._related(atom, attribute, negated)
        return self._number_not(atom, attribute) if negated else self._number(atom, attribute, strict)

    def value_list(self, symbol: str, values: tuple[str, ...]) -> str:
        """Several values as a list of the grammar: ``"values"`` (or), ``"nor_values"`` or ``"and_values"``."""
        *rest, text = map(spoken, values)
        inner = "other_values" if symbol == "values" else symbol
        for place, value in enumerate(reversed(rest), start=1):
            meaning = "more values" if place == 1 else "longer values"
            text = self.say(symbol if place == len(rest) else inner, meaning, value=value, rest=text)
        return text

    def _brand(self, values: tuple[str, ...], negated: bool) -> str:
        if not negated:
            return self.say("modifier", "brand is", values=self.value_list("values", values))
        if len(values) == 1:
            return self.say("modifier", "brand is not", value=spoken(values[0]))
        symbol = ("nor_values", "and_values")[self.draws.below(2)]
        return self.say("modifier", "brand is none of", **{symbol: self.value_list(symbol, values)})

    def _choice(self, value: str, attribute: Attribute) -> str:
        prefix = self.vocabulary.phrase_for(attribute.key, (value,))
        if not prefix and self._names_its_label(value, attribute):
            prefix = f"with {article(value)}"
        options: Options = [("choice alone", 8)] if prefix else []
        if self.vocabulary.label_is_clear(attribute.key):
            options.append(("choice of", 1 if prefix else 2))
            if self._goes_before_label(value, attribute):
                options.append(("choice", 2 if prefix else 5))
        meaning = self.pick(options)
        label, said = spoken(attribute.label), spoken(value)
        if meaning == "choice alone":
            return self.say("modifier", meaning, prefix=prefix, values=said)
        if meaning == "choice of":
            return self.say("modifier", meaning, label=label, be=_be(attribute), values=said)
        return self.say("modifier", meaning, value=said, label=label)

    def _choices(self, values: tuple[str, ...], attribute: Attribute) -> str:
        prefix = self.vocabulary.phrase_for(attribute.key, values)
        listed = self.value_list("values", values)
        if prefix and (self.draws.below(4) or not self.vocabulary.label_is_clear(attribute.key)):
            return self.say("modifier", "choice alone", prefix=prefix, values=listed)
        return self.say("modifier", "choice of", label=spoken(attribute.label), be=_be(attribute), values=listed)

    def _names_its_label(self, value: str, attribute: Attribute) -> bool:
        """Whether a value such as "round base" for the label "base" says what it is about."""
        own, said = words(attribute.label), words(value)
        return (
            len(said) > 1
            and said[-1] == own[-1]
            and spoken(value) == value
            and not is_plural(value)
            and "-" not in value
            and self.vocabulary.stands_alone(attribute.key, value)
            and self.vocabulary.with_readings(said) == 1
        )

    def _goes_before_label(self, value: str, attribute: Attribute) -> bool:
        own, said = words(attribute.label), words(value)
        return (
            attribute.label.casefold() not in WORDS["bare_labels"]
            and not is_plural(attribute.label)
            and not is_plural(value)
            and not set(own) & set(said)
            and self.vocabulary.with_readings(said + own) == 1
        )

    def _choice_not(self, values: tuple[str, ...], attribute: Attribute) -> str:
        label = spoken(attribute.label)
        if len(values) > 1:
            if self.draws.below(2):
                listed = self.value_list("nor_values", values)
                return self.say("modifier", "choice none of", label=label, be=_be(attribute), nor_values=listed)
            return self.say("modifier", "choice none of", label=label, and_values=self.value_list("and_values", values))
        value, prefix = spoken(values[0]), self.vocabulary.phrase_for(attribute.key, values)
        options: Options = [("alone", 3)] if prefix and not prefix.startswith("with") else []
        if self.vocabulary.label_is_clear(attribute.key):
            options.append(("label", 2))
        form = self.pick(options)
        if form == "alone":
            return self.say("modifier", "choice not alone", prefix=prefix, value=value)
        if prefix != "in" and not is_number(words(value)[0]) and self.draws.below(3) == 0:
            return self.say("modifier", "choice not", label=label, be=_be(attribute), value=value)
        flags = _NO_FLAGS if is_number(words(value)[0]) else label_flags(attribute, prefix)
        return self.say("modifier", "choice not", flags, label=label, value=value)

    def _has(self, attribute: Attribute, wanted: bool) -> str:
        form, text = self.vocabulary.feature(attribute.key)
        ending = "" if wanted else " not"
        if form == "with":
            return self.say("modifier", f"has{ending}", feature=text)
        return self.say("modifier", f"{form}{ending}", label=text)

    # --- numbers

    def amount(self, attribute: Attribute, amount: Fraction, unit: str, words_too: bool = True) -> str:
        """An amount as this customer would say it, in its own unit; a small number perhaps in words."""
        if attribute.kind == "money":
            currency = self.vocabulary.currency
            named = WORDS["currency_words"].get(currency.code)
            if named and amount % 10**currency.decimals == 0 and amount > 10**currency.decimals:
                whole = amount / 10**currency.decimals
                if self.draws.below(8) == 0:
                    return f"{decimal_text(whole)} {named}"
            return currency.short(int(amount))
        if not unit:
            if (
                words_too
                and is_count(attribute)
                and amount.denominator == 1
                and amount <= 12
                and not self.draws.below(3)
            ):
                return str(WORDS["numbers"][int(amount)])
            return f"{int(amount):,}" if amount >= 10_000 and amount.denominator == 1 else decimal_text(amount)
        if unit == "%":
            return f"{decimal_text(amount)}%" if self.draws.below(3) else f"{decimal_text(amount)} percent"
        if amount == Fraction(1, 2) and unit in WORDS["halved"] and self.draws.below(3):
            singular = UNITS[unit].words[0]
            return f"half {article(singular)} {singular}"
        return f"{decimal_text(amount)} {unit_words(unit, amount, self.draws.below(4) == 0)}"

    def limit(self, node: Bound | Between, attribute: Attribute, strict: bool = False) -> str:
        """A number's limit, such as "at least 2 kg"; ``strict`` leaves out forms with an "or"."""
        if isinstance(node, Between):
            low = self.amount(attribute, node.low, node.unit, False)
            return self.say("limit", "between", low=low, high=self.amount(attribute, node.high, node.unit, False))
        flags = _COUNT if is_count(attribute) or node.key == "reviews" else _MEASURE
        if not strict:
            flags |= _LOOSE
        if not self.denied:
            flags |= _AFFIRMED
        if node.key == "rating":
            flags |= _RATING
        return self.say("limit", _LIMITS[node.operator], flags, amount=self.amount(attribute, node.amount, node.unit))

    def _number(self, node: Bound | Between, attribute: Attribute, strict: bool) -> str:
        limit = self.limit(node, attribute, strict)
        if node.key == "price":
            plain = not limit[0].isdigit() and not limit.startswith(self.vocabulary.currency.symbol.strip())
            return self.say("modifier", "price", _PLAIN_PRICE if plain else _NO_FLAGS, limit=limit)
        if node.key in ("rating", "reviews"):
            return self.say("modifier", node.key, limit=limit)
        if is_count(attribute):
            return self.say("modifier", "count", limit=limit, label=spoken(attribute.label))
        label = attribute.label.casefold()
        options: Options = [("number", 3)]
        if label == "weight":
            options = [("number", 1), ("weight", 5)]
        elif label in WORDS["adjectives"] and attribute.unit and UNITS[attribute.unit].dimension == "length":
            options.append(("size", 5))
        elif label.split()[-1] in WORDS["amount_of"] and node.unit and " " + label not in _MEASURED:
            options.append(("amount of", 3))
        form = self.pick(options)
        if form == "weight":
            return self.say("modifier", form, limit=limit)
        if form == "size":
            return self.say("modifier", form, limit=limit, adjective=WORDS["adjectives"][label])
        if form == "amount of":
            return self.say("modifier", form, limit=limit, label=spoken(attribute.label))
        return self._labelled("number", attribute, limit=limit)

    def _labelled(self, meaning: str, attribute: Attribute, **slots: str) -> str:
        """A form with the label, with or without its verb."""
        label = spoken(attribute.label)
        if is_plural(attribute.label) or self.draws.below(3) == 0:
            return self.say("modifier", meaning, label=label, be=_be(attribute), **slots)
        return self.say("modifier", meaning, _SINGULAR, label=label, **slots)

    def _number_not(self, node: Atom, attribute: Attribute) -> str:
        if isinstance(node, Between):
            low = self.amount(attribute, node.low, node.unit, False)
            high = self.amount(attribute, node.high, node.unit, False)
            if node.key == "price":
                return self.say("modifier", "price outside", low=low, high=high)
            label = spoken(attribute.label)
            return self.say("modifier", "number outside", label=label, be=_be(attribute), low=low, high=high)
        if not isinstance(node, Bound):
            raise InvalidArgument("node", node, "must be a condition on a number")
        amount = self.amount(attribute, node.amount, node.unit)
        if node.key == "price":
            return self.say("modifier", "price not", amount=amount)
        return self._labelled("number not", attribute, amount=amount)

    # --- relations

    def _related(self, node: Related, attribute: Attribute, negated: bool) -> str:
        reference = self.vocabulary.references[node.reference]
        ending = " not" if negated else ""
        if node.key == "brand":
            return self.say("modifier", "other brand" if negated else "same brand", reference=reference)
        if node.key == "price":
            if node.relation == "same":
                return self.say("modifier", "other price" if negated else "same price", reference=reference)
            name = "cheaper" if node.relation == "less" else "dearer"
            return self.say("modifier", name + ending, reference=reference)
        if node.relation == "same":
            meaning = "not the same" if negated else "same"
            flags = label_flags(attribute, _own_prefix(attribute))
            short = self.grammar.can_say("modifier", meaning, ("label", "reference"), when=self.flags | flags)
            if short and self.draws.below(4):
                return self.say("modifier", meaning, flags, label=spoken(attribute.label), reference=reference)
            slots = {"label": spoken(attribute.label), "be": _be(attribute), "reference": reference}
            return self.say("modifier", meaning, **slots)
        if attribute.label.casefold() == "weight" and self.draws.below(4):
            return self.say(
                "modifier", ("lighter" if node.relation == "less" else "heavier") + ending, reference=reference
            )
        comparative = comparative_of(attribute, node.relation)
        slots = {"label": spoken(attribute.label), "comparative": comparative, "reference": reference}
        if is_count(attribute) or node.key == "reviews":
            return self.say("modifier", f"compared count{ending}", **slots)
        if negated or is_plural(attribute.label) or self.draws.below(3) == 0:
            return self.say("modifier", f"compared{ending}", be=_be(attribute), **slots)
        return self.say("modifier", "compared", _SINGULAR, **slots)

    # --- several conditions

    def item_list(self, symbol: str, items: list[str]) -> str:
        """Several phrases as a list of the grammar, such as ``"or_items"`` or ``"listed_items"``."""
        *rest, text = items
        for place, item in enumerate(reversed(rest), start=1):
            text = self.say(symbol, "more items" if place == 1 else "longer items", item=item, rest=text)
        return text

    def _group(self, node: Node) -> str:
        if simple(node) is not None:
            return self.modifier(node, strict=True)
        parts = flatten(node)
        return self.say(
            "group", "all of", items=self.item_list("both_items", [self.modifier(part, True) for part in parts])
        )

    def compound(self, node: Node) -> str:
        """A condition that joins several, worded so that what it joins is plain."""
        if isinstance(node, Not) and isinstance(node.part, AnyOf):
            parts = node.part.parts
            self.denied = True
            items = self._items(parts)
            self.denied = False
            return self.say("compound", "none of", items=self.item_list("nor_items", items))
        if isinstance(node, Not):
            return self.compound(negate(node.part))
        if isinstance(node, AllOf):
            return self._listed("every one of", None, node.parts)
        if isinstance(node, AnyOf):
            if any(_lists(part) for part in node.parts):
                return self._listed("some of", 1, node.parts)
            if all(simple(part) is not None for part in node.parts):
                return self.say("compound", "any of", items=self.item_list("or_items", self._items(node.parts)))
            groups = [self._group(part) for part in node.parts]
            return self.say("compound", "any of", items=self.item_list("else_items", groups))
        if isinstance(node, AtLeast):
            return self._listed("some of", node.count, node.parts)
        raise InvalidArgument("node", node, "must join several conditions")

    def _items(self, parts: tuple[Node, ...]) -> list[str]:
        return [self.modifier(part, strict=True) for part in parts]

    def _listed(self, meaning: str, count: int | None, parts: tuple[Node, ...]) -> str:
        slots = {} if count is None else {"count": number_text(count)}
        items = self.item_list("listed_items", [self._group(part) for part in parts])
        return self.say("compound", meaning, total=number_text(len(parts)), items=items, **slots)

    def conditions(self, nodes: tuple[Node, ...]) -> str:
        """Several conditions in a row after the noun; one that joins others comes last."""
        alone = [node for node in nodes if simple(node) is not None]
        joined = [node for node in nodes if simple(node) is None]
        if len(joined) > 1:
            return self._listed("every one of", None, nodes)
        texts = [self.modifier(node) for node in alone] + [self.compound(node) for node in joined]
        text = texts[-1]
        for earlier in reversed(texts[:-1]):
            text = self.say("conditions", "more conditions", condition=earlier, rest=text)
        return text

    # --- rankings

    def superlative(self, key: str, first: str) -> str:
        """What is at the top by one detail: "the cheapest", "the one with the longest battery life"."""
        attribute = self.vocabulary.attributes[key]
        options = scale_words(attribute, first, "best")
        if options and (key in ("price", "rating") or self.draws.below(3)):
            return self.say("superlative", "best adjective", best=options[self._low(len(options))])
        most = superlative_of(attribute, first)
        return self.say("superlative", "best label", most=most, label=spoken(attribute.label))

    def _better(self, key: str, first: str) -> str:
        attribute = self.vocabulary.attributes[key]
        options = scale_words(attribute, first, "better")
        if options:
            return self.say("better", "better adjective", better_word=options[self._low(len(options))])
        comparative = comparative_of(attribute, first)
        return self.say("better", "better label", comparative=comparative, label=spoken(attribute.label))

    def _low(self, bound: int) -> int:
        """A draw that prefers the first, the commonest word."""
        return min(self.draws.below(bound), self.draws.below(bound))

    def ranking(self, criterion: Criterion) -> str:
        """A criterion of one or two keys."""
        (key, first), *rest = criterion.keys
        text = self.superlative(key, first)
        if not rest:
            return self.say("ranking", "one key", superlative=text)
        return self.say("ranking", "two keys", superlative=text, better=self._better(*rest[0]))


_NO_FLAGS: frozenset[str] = frozenset()
_SINGULAR, _IN = frozenset({"singular label"}), frozenset({"in label"})
_COUNT, _MEASURE, _LOOSE = frozenset({"count"}), frozenset({"measure"}), frozenset({"loose"})
_AFFIRMED = frozenset({"affirmed"})
_RATING, _PLAIN_PRICE = frozenset({"rating"}), frozenset({"plain price"})
_MEASURED = frozenset(f" {word}" for word in WORDS["measure_words"])


def _be(attribute: Attribute) -> str:
    return "are" if is_plural(attribute.label) else "is"


def label_flags(attribute: Attribute, prefix: str = "") -> frozenset[str]:
    """The flags of forms that suit a label."""
    flags = _NO_FLAGS if is_plural(attribute.label) else _SINGULAR
    return flags | _IN if prefix == "in" else flags


def _own_prefix(attribute: Attribute) -> str:
    phrases = attribute.phrases or (WORDS["default_phrases"].get(attribute.label.casefold(), ""),)
    return "in" if "in {value}" in phrases else ""


def _lists(node: Node) -> bool:
    """Whether a detail's condition holds a list of its own, which would run into a list around it."""
    parts = simple(node)
    return parts is not None and isinstance(parts[0], Is) and len(parts[0].values) > 1


def number_text(number: int) -> str:
    """A small number in words, others in digits.

    >>> number_text(2), number_text(40)
    ('two', '40')
    """
    return str(WORDS["numbers"][number]) if number < len(WORDS["numbers"]) else str(number)


def _scale(attribute: Attribute) -> tuple[str, str, str, str]:
    if is_count(attribute) or attribute.key == "reviews":
        return ("most", "fewest", "more", "fewer")
    last = words(attribute.label)[-1] if words(attribute.label) else ""
    most, least, more, less = WORDS["scales"].get(last, ("highest", "lowest", "higher", "lower"))
    return (most, least, more, less)


def superlative_of(attribute: Attribute, first: str) -> str:
    """The superlative for the label of a number.

    >>> superlative_of(Attribute("life", "battery life", "number", unit="h"), "more")
    'longest'
    """
    return _scale(attribute)[0 if first == "more" else 1]


def comparative_of(attribute: Attribute, first: str) -> str:
    """The comparative for the label of a number.

    >>> comparative_of(Attribute("shelves", "shelves", "number"), "less")
    'fewer'
    """
    return _scale(attribute)[2 if first == "more" else 3]


def scale_words(attribute: Attribute, first: str, name: str) -> list[str]:
    """The words of their own that a detail has for an end of its scale, such as "cheapest"; often none."""
    for scale in WORDS["scale_words"]:
        mine = scale.get("key") == attribute.key or scale.get("label") == attribute.label.casefold()
        if mine and scale["first"] == first:
            found: list[str] = scale[name]
            return found
    return []
