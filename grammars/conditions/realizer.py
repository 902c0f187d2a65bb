"""A customer's voice for several conditions at once, and for what comes first."""

from collections.abc import Sequence

from ecomrlve.errors import InvalidArgument
from ecomrlve.grammars.conditions.constraints import AllOf, AnyOf, AtLeast, Criterion, Node, Not
from ecomrlve.grammars.conditions.details import MANY, ONE, DetailRealizer
from ecomrlve.grammars.conditions.forms import RELATIVES, apart, in_order
from ecomrlve.grammars.conditions.scales import comparative_of, number_text, scale_words, superlative_of
from ecomrlve.grammars.conditions.trees import flatten, lists, negate, simple
from ecomrlve.grammars.conditions.vocabulary import quoted

__all__ = ["MANY", "ONE", "ConditionRealizer"]

_LIGHT_DRAWS = 3
"""How often another form is drawn for a relative clause that would stand among plain phrases."""


class ConditionRealizer(DetailRealizer):
    """A voice that also joins conditions and ranks what fits."""

    __slots__ = ()

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
            if any(lists(part) for part in node.parts):
                return self._listed("some of", 1, node.parts)
            if all(simple(part) is not None for part in node.parts):
                return self.say("compound", "any of", items=self.item_list("or_items", self._items(node.parts)))
            groups = [self._group(part) for part in node.parts]
            return self.say("compound", "any of", items=self.item_list("else_items", groups))
        if isinstance(node, AtLeast):
            return self._listed("some of", node.count, node.parts)
        raise InvalidArgument("node", node, "must join several conditions")

    def _items(self, parts: tuple[Node, ...]) -> list[str]:
        return in_order([self.light(part, strict=True) for part in parts])

    def _listed(self, meaning: str, count: int | None, parts: tuple[Node, ...]) -> str:
        slots = {} if count is None else {"count": number_text(count)}
        items = self.item_list("listed_items", [self._group(part) for part in parts])
        return self.say("compound", meaning, total=number_text(len(parts)), items=items, **slots)

    def light(self, node: Node, strict: bool = False) -> str:
        """A condition as a modifier that is no relative clause, where a few draws find one: "in red"."""
        text = self.modifier(node, strict)
        for _ in range(_LIGHT_DRAWS):
            if not text.startswith(RELATIVES):
                break
            text = self.modifier(node, strict)
        return text

    def alike(self, nodes: Sequence[Node]) -> list[str]:
        """Conditions on single details as phrases of one kind where they can be: not "with a lid and whose color …"."""
        texts = [self.modifier(node) for node in nodes]
        relative = [text.startswith(RELATIVES) for text in texts]
        if all(relative) and len({text.split(" ", 1)[0] for text in texts}) < 2:
            return texts
        return [self.light(node) if long else text for node, text, long in zip(nodes, texts, relative, strict=True)]

    def conditions(self, nodes: tuple[Node, ...]) -> str:
        """Several conditions in a row after the noun; one that joins others comes last."""
        alone = [node for node in nodes if simple(node) is not None]
        joined = [node for node in nodes if simple(node) is None]
        if len(joined) > 1:
            return self._listed("every one of", None, nodes)
        texts = in_order(self.alike(alone)) + [self.compound(node) for node in joined]
        text = texts[-1]
        for earlier in reversed(texts[:-1]):
            text = self.say("conditions", "more conditions", apart(earlier, text), condition=earlier, rest=text)
        return text

    # --- rankings

    def superlative(self, key: str, first: str) -> str:
        """What is at the top by one detail: "the cheapest", "the one with the longest battery life"."""
        attribute = self.vocabulary.attributes[key]
        options = scale_words(attribute, first, "best")
        if options and (key in ("price", "rating") or self.draws.below(3)):
            return self.say("superlative", "best adjective", best=options[self._low(len(options))])
        most = superlative_of(attribute, first)
        return self.say("superlative", "best label", most=most, label=quoted(attribute.label))

    def better(self, key: str, first: str) -> str:
        """Which of two that tie by one detail: "the cheaper one", "the one with the longer battery life"."""
        attribute = self.vocabulary.attributes[key]
        options = scale_words(attribute, first, "better")
        if options:
            return self.say("better", "better adjective", better_word=options[self._low(len(options))])
        comparative = comparative_of(attribute, first)
        return self.say("better", "better label", comparative=comparative, label=quoted(attribute.label))

    def _low(self, bound: int) -> int:
        """A draw that prefers the first, the commonest word."""
        return min(self.draws.below(bound), self.draws.below(bound))

    def ranking(self, criterion: Criterion) -> str:
        """A criterion of one or two keys."""
        (key, first), *rest = criterion.keys
        text = self.superlative(key, first)
        if not rest:
            return self.say("ranking", "one key", superlative=text)
        return self.say("ranking", "two keys", superlative=text, better=self.better(*rest[0]))
