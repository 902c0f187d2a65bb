"""A customer's voice: picks, for each condition and ranking, a form that has one reading and suits the words in it."""

from dataclasses import dataclass
from fractions import Fraction

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.conditions.attributes import Attribute
from ecomrlve.grammars.conditions.constraints import (
    Between,
    Bound,
    Has,
    Is,
    Node,
    Operator,
    Related,
)
from ecomrlve.grammars.conditions.forms import (
    AFFIRMED,
    COUNT,
    ENDING,
    IN,
    LOOSE,
    MEASURE,
    NO_FLAGS,
    PLAIN_PRICE,
    RATING,
    SIZE,
    Options,
    be,
    is_single,
    label_flags,
    number_flags,
    number_forms,
    own_prefix,
    takes_verb,
)
from ecomrlve.grammars.conditions.parser import OPERATORS
from ecomrlve.grammars.conditions.scales import comparative_of
from ecomrlve.grammars.conditions.trees import Atom, simple
from ecomrlve.grammars.conditions.units import UNITS, decimal_text
from ecomrlve.grammars.conditions.vocabulary import (
    WORDS,
    Vocabulary,
    is_count,
    is_number,
    is_plural,
    quoted,
    unit_words,
)
from ecomrlve.grammars.engine.grammar import Chance, Grammar, article, words

ONE, MANY = frozenset({"one"}), frozenset({"many"})
_LIMITS: dict[Operator, str] = {operator: name for name, operator in OPERATORS.items()}


_IN_SIZE, _IN_LABEL = "in size", "in label"


@dataclass(slots=True)
class DetailRealizer:
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
        *rest, text = map(quoted, values)
        inner = "other_values" if symbol == "values" else symbol
        for place, value in enumerate(reversed(rest), start=1):
            meaning = "more values" if place == 1 else "longer values"
            text = self.say(symbol if place == len(rest) else inner, meaning, value=value, rest=text)
        return text

    def _brand(self, values: tuple[str, ...], negated: bool) -> str:
        if not negated:
            return self.say("modifier", "brand is", values=self.value_list("values", values))
        if len(values) == 1:
            return self.say("modifier", "brand is not", value=quoted(values[0]))
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
            if not prefix and words(attribute.label)[-1] == "size" and "size" not in words(value):
                options.append((_IN_SIZE, 12))
            elif not prefix and own_prefix(attribute) == "in":
                options.append((_IN_LABEL, 8))
        meaning = self.pick(options)
        label, said = quoted(attribute.label), quoted(value)
        if meaning in (_IN_SIZE, _IN_LABEL):
            return self.say("modifier", "choice in", SIZE if meaning == _IN_SIZE else IN, label=label, value=said)
        if meaning == "choice alone":
            return self.say("modifier", meaning, prefix=prefix, values=said)
        if meaning == "choice of":
            return self.say("modifier", meaning, label=label, be=be(attribute), values=said)
        return self.say("modifier", meaning, label_flags(attribute), value=said, label=label)

    def _choices(self, values: tuple[str, ...], attribute: Attribute) -> str:
        prefix = self.vocabulary.phrase_for(attribute.key, values)
        listed = self.value_list("values", values)
        if prefix and (self.draws.below(4) or not self.vocabulary.label_is_clear(attribute.key)):
            return self.say("modifier", "choice alone", prefix=prefix, values=listed)
        return self.say("modifier", "choice of", label=quoted(attribute.label), be=be(attribute), values=listed)

    def _names_its_label(self, value: str, attribute: Attribute) -> bool:
        """Whether a value such as "round base" for the label "base" says what it is about."""
        own, said = words(attribute.label), words(value)
        return (
            len(said) > 1
            and said[-1] == own[-1]
            and quoted(value) == value
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
        label = quoted(attribute.label)
        if len(values) > 1:
            if self.draws.below(2):
                listed = self.value_list("nor_values", values)
                return self.say("modifier", "choice none of", label=label, be=be(attribute), nor_values=listed)
            return self.say("modifier", "choice none of", label=label, and_values=self.value_list("and_values", values))
        value, prefix = quoted(values[0]), self.vocabulary.phrase_for(attribute.key, values)
        options: Options = [("alone", 3)] if prefix and not prefix.startswith("with") else []
        if self.vocabulary.label_is_clear(attribute.key):
            options.append(("label", 2))
        form = self.pick(options)
        if form == "alone":
            return self.say("modifier", "choice not alone", prefix=prefix, value=value)
        if prefix != "in" and not is_number(words(value)[0]) and self.draws.below(3) == 0:
            return self.say("modifier", "choice not", label=label, be=be(attribute), value=value)
        flags = NO_FLAGS if is_number(words(value)[0]) else label_flags(attribute, prefix)
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

    def _ends(self, node: Between, attribute: Attribute) -> dict[str, str]:
        """Both ends of a range, the unit said once: "between 4 and 14 hours"."""
        low = decimal_text(node.low) if node.unit else self.amount(attribute, node.low, node.unit, False)
        return {"low": low, "high": self.amount(attribute, node.high, node.unit, False)}

    def limit(
        self,
        node: Bound | Between,
        attribute: Attribute,
        strict: bool = False,
        ending: bool = True,
        rated: bool = False,
    ) -> str:
        """A number's limit, such as "at least 2 kg".

        Args:
            node: the limit.
            attribute: what it limits.
            strict: leave out forms with an "or".
            ending: whether nothing follows it in its phrase.
            rated: whether it follows "rated", as in "rated 4 or better".
        """
        if isinstance(node, Between):
            return self.say("limit", "between", **self._ends(node, attribute))
        flags = COUNT if is_count(attribute) or node.key == "reviews" else MEASURE
        if not strict:
            flags |= LOOSE
        if not self.denied:
            flags |= AFFIRMED
        if ending:
            flags |= ENDING
        if rated:
            flags |= RATING
        return self.say("limit", _LIMITS[node.operator], flags, amount=self.amount(attribute, node.amount, node.unit))

    def _number(self, node: Bound | Between, attribute: Attribute, strict: bool) -> str:
        form = self.pick(number_forms(node, attribute))
        exact = isinstance(node, Bound) and node.operator == "=" and form in ("number", "amount of")
        if exact and isinstance(node, Bound) and not takes_verb(attribute) and self.draws.below(4):
            amount = self.amount(attribute, node.amount, node.unit)
            flags = label_flags(attribute)
            return self.say("modifier", "number exactly", flags, label=quoted(attribute.label), amount=amount)
        limit = self.limit(node, attribute, strict, form in ("number", "weight"), form == "rating")
        if form == "price":
            plain = limit.split(" ", 1)[0] in WORDS["plain_price"]
            return self.say("modifier", "price", PLAIN_PRICE if plain else NO_FLAGS, limit=limit)
        if form in ("rating", "stars", "reviews"):
            return self.say("modifier", form, number_flags(node), limit=limit)
        if form == "weight":
            return self.say("modifier", form, limit=limit)
        if form == "size":
            return self.say("modifier", form, limit=limit, adjective=WORDS["adjectives"][attribute.label.casefold()])
        if form == "number":
            return self._labelled("number", attribute, limit=limit)
        one = self.vocabulary.single(node.key) if form == "count" and is_single(node) else ""
        if one:
            return self.say("modifier", "count", limit=limit, label_one=one)
        return self.say("modifier", form, limit=limit, label=quoted(attribute.label))

    def _labelled(self, meaning: str, attribute: Attribute, **slots: str) -> str:
        """A form with the label, with or without its verb."""
        label = quoted(attribute.label)
        if takes_verb(attribute) or self.draws.below(3) == 0:
            return self.say("modifier", meaning, label=label, be=be(attribute), **slots)
        return self.say("modifier", meaning, label_flags(attribute), label=label, **slots)

    def _number_not(self, node: Atom, attribute: Attribute) -> str:
        if isinstance(node, Between):
            ends = self._ends(node, attribute)
            if node.key == "price":
                return self.say("modifier", "price outside", **ends)
            label = quoted(attribute.label)
            return self.say("modifier", "number outside", label=label, be=be(attribute), **ends)
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
        if node.relation == "same" and (is_count(attribute) or node.key == "reviews"):
            meaning = "not the same count" if negated else "same count"
            return self.say("modifier", meaning, label=quoted(attribute.label), reference=reference)
        if node.relation == "same":
            meaning = "not the same" if negated else "same"
            flags = label_flags(attribute, own_prefix(attribute))
            short = self.grammar.can_say("modifier", meaning, ("label", "reference"), when=self.flags | flags)
            if short and self.draws.below(4):
                return self.say("modifier", meaning, flags, label=quoted(attribute.label), reference=reference)
            slots = {"label": quoted(attribute.label), "be": be(attribute), "reference": reference}
            return self.say("modifier", meaning, label_flags(attribute), **slots)
        if attribute.label.casefold() == "weight" and self.draws.below(4):
            return self.say(
                "modifier", ("lighter" if node.relation == "less" else "heavier") + ending, reference=reference
            )
        comparative = comparative_of(attribute, node.relation)
        slots = {"label": quoted(attribute.label), "comparative": comparative, "reference": reference}
        if is_count(attribute) or node.key == "reviews":
            return self.say("modifier", f"compared count{ending}", **slots)
        flags = label_flags(attribute)
        if negated or takes_verb(attribute) or self.draws.below(3) == 0:
            return self.say("modifier", f"compared{ending}", flags, be=be(attribute), **slots)
        return self.say("modifier", "compared", flags, **slots)
