"""How something bought is told apart from other lines: what is said of it, lines that lack one thing, which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.orders.book import Order, OrderLine
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import MISSING, Attribute
from ecomrlve.grammars.dialogue.references import PREPOSITIONS, OrderReference, can_name, stems
from ecomrlve.grammars.engine.tables import load_table

Bools = NDArray[np.bool_]

# Products of the same kind among which near misses are looked for, and how many are kept for each thing lacking.
_WINDOW = 400
_KEPT = 24
_TITLE_WORDS = 5
# A price is said where fewer other things can be.
_LEAST_PLAN = 3


def _word_lists() -> dict[str, Any]:
    return load_table("generator.orders/references")


@dataclass(frozen=True, slots=True)
class Target:
    """Something bought: product and variant rows, its type, the units bought and those sent back."""

    row: int
    variant: int
    kind: int
    bought: int
    count: int


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One thing said of a line.

    Args:
        key: ``"name"``, ``"look"``, ``"maker"``, ``"order"`` or ``"price"``.
        text: as it is said; for an order and a price the words are chosen later.
        axis: the variant axis of a look.
        code: the value of a look on its axis.
    """

    key: str
    text: str = ""
    axis: int = -1
    code: int = MISSING


ORDER, PRICE = Descriptor("order"), Descriptor("price")


def comes_in_pairs(catalog: Catalog, target: Target) -> bool:
    """Whether people name one unit of it in the plural.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> shop = synthesize(500)
    >>> comes_in_pairs(shop, Target(0, 0, shop.type_index["running_shoe"], 1, 1))
    True
    """
    kind, lists = catalog.types[target.kind], _word_lists()
    shod = kind.return_class in lists["pair_classes"] and kind.singular not in lists["not_pairs"]
    return shod or kind.singular.endswith(tuple(lists["pairs"]))


def is_mass(catalog: Catalog, kind: int) -> bool:
    """Whether several packs of a product type are still said in the singular.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> shop = synthesize(500)
    >>> [is_mass(shop, shop.type_index[kind]) for kind in ("coffee_blend", "coffee_mug")]
    [True, False]
    """
    return catalog.types[kind].singular.endswith(tuple(_word_lists()["mass"]))


def is_worn(catalog: Catalog, kind: int) -> bool:
    """Whether things of a product type are worn.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> shop = synthesize(500)
    >>> [is_worn(shop, shop.type_index[kind]) for kind in ("running_shoe", "coffee_mug")]
    [True, False]
    """
    return catalog.types[kind].return_class in _word_lists()["worn_classes"]


def takes_plural(catalog: Catalog, target: Target, count: int) -> bool:
    """Whether people speak of so many units of it as "they": several packs of coffee are still "the coffee".

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> shop = synthesize(500)
    >>> [takes_plural(shop, Target(0, 0, shop.type_index[kind], 2, 2), 2) for kind in ("coffee_blend", "coffee_mug")]
    [False, True]
    """
    return (count > 1 and not is_mass(catalog, target.kind)) or comes_in_pairs(catalog, target)


def descriptors_of(catalog: Catalog, target: Target) -> list[Descriptor]:
    """Everything that can be said of a thing itself, its name first; empty where it has no name that can be said."""
    kind = catalog.types[target.kind]
    title = catalog.title(target.row)
    known = stems(title)
    nouns = [kind.singular]
    if takes_plural(catalog, target, target.bought):
        nouns.insert(0, kind.plural)
    name = next((noun for noun in nouns if can_name(noun) and stems(noun) <= known), "") or short_title(title)
    if not name:
        return []
    marks = [Descriptor("name", name)]
    code = int(catalog.brand[target.row])
    brand = catalog.attributes["brand"].values[code] if code != MISSING else ""
    if brand and can_name(brand) and stems(brand) <= known and not stems(brand) & stems(name):
        marks.append(Descriptor("maker", brand))
    for axis, (key, code) in enumerate(zip(kind.variant_axes, catalog.options[target.variant].tolist(), strict=False)):
        if code != MISSING:
            text = catalog.attributes[key].text(code)
            if can_say(text) and not stems(text) <= known:
                marks.append(Descriptor("look", text, axis, code))
    return marks


def can_say(option: str) -> bool:
    """Whether an option can be named without its label: a bare number cannot.

    >>> can_say("500 ml"), can_say("12")
    (True, False)
    """
    return can_name(option) and not option.isdigit()


def preposition_of(attribute: Attribute) -> str:
    """How an option of this kind is said after the noun, by `PREPOSITIONS`."""
    for phrase in attribute.phrases:
        preposition = phrase.removesuffix(" {value}")
        if preposition == "in size":
            return "size"
        if preposition in PREPOSITIONS:
            return preposition
    label = attribute.label.lower().split()[-1]
    return "in" if label in _word_lists()["in_labels"] else "size" if label == "size" else "version"


def short_title(title: str) -> str:
    """The beginning of a long title, as people call a thing; empty where it cannot be said.

    >>> short_title("Acme Laptop 15.6 inch, 8 GB RAM, silver")
    'Acme Laptop 15.6 inch'
    """
    kept: list[str] = []
    for word in title.split():
        clean = word.strip("()[],;:.|/-–\"“”'")
        if clean:
            kept.append(clean)
        if len(kept) == _TITLE_WORDS or (word[-1] in ",;:|" and len(kept) > 1):
            break
    text = " ".join(kept)
    return text if text and can_name(text) and stems(text) <= stems(title) else ""


def plan_descriptors(
    marks: Sequence[Descriptor], count: int, orders: int, alone: bool, draws: Draws
) -> list[Descriptor]:
    """Up to ``count`` things to say: the name first; the order more often than not, where there are several.

    Args:
        marks: what can be said of the thing itself.
        count: how many are wanted.
        orders: how many orders there are.
        alone: whether the thing is alone in its order, so that the order alone would tell it.
        draws: where the numbers come from.
    """
    # Hardly anything else costs just the same, so a price leaves little room for near misses.
    priced = draws.chance(150)
    others = draws.shuffle([*marks[1:], *([PRICE] if priced else [])])
    by_order = orders > 1 and count > 1 and draws.chance(350 if alone else 700)
    chosen = ([ORDER] if by_order else []) + others[: count - 1 - by_order]
    if len(chosen) < count - 1 and not by_order and orders > 1:
        chosen.append(ORDER)
    if len(chosen) < min(count - 1, _LEAST_PLAN) and PRICE not in chosen:
        chosen.append(PRICE)
    return [marks[0], *chosen]


@dataclass(frozen=True, slots=True)
class Near:
    """A variant that lacks one thing said of the target; ``elsewhere``: its order is what it lacks."""

    variant: int
    elsewhere: bool


class NearMisses:
    """Variants like the target but for one thing that is said of it, among a part of its kind.

    Args:
        catalog: where to look.
        target: what is asked about.
        plan: what is said of it.
        draws: where the numbers come from.
    """

    def __init__(self, catalog: Catalog, target: Target, plan: Sequence[Descriptor], draws: Draws) -> None:
        self._catalog, self._target, self._draws = catalog, target, draws
        self._plan = [mark for mark in plan if mark.key != "name"]
        self._found: dict[str, list[int]] = {}
        self._used = {target.variant}
        self._copies = 0

    @cached_property
    def _same(self) -> tuple[int, dict[Descriptor, Bools]]:
        """The first variant row looked at, and for each mark (but the order) which variants from there on have it."""
        catalog, own = self._catalog, self._target
        low, high = catalog.type_start[own.kind : own.kind + 2].tolist()
        start = max(low, min(own.row - _WINDOW // 2, high - _WINDOW))
        end = min(high, start + _WINDOW)
        first, last = catalog.variant_start[[start, end]].tolist()
        have: dict[Descriptor, Bools] = {}
        for mark in self._plan:
            if mark.key == "look":
                have[mark] = catalog.options[first:last, mark.axis] == mark.code
            elif mark.key == "maker":
                counts = np.diff(catalog.variant_start[start : end + 1])
                have[mark] = np.repeat(catalog.brand[start:end] == catalog.brand[own.row], counts)
            elif mark.key == "price":
                have[mark] = catalog.price[first:last] == catalog.price[own.variant]
        # Any look will do where none is said.
        return first, have or {ORDER: np.ones(last - first, dtype=bool)}

    def _lacking(self, mark: Descriptor) -> list[int]:
        """Variants that lack just this mark, in random order."""
        first, have = self._same
        fits = np.logical_and.reduce([~one if other == mark else one for other, one in have.items()])
        places = np.flatnonzero(fits).tolist()
        return [first + place for place in self._draws.sample(places, _KEPT)]

    def several(self, count: int, orders: int) -> list[Near]:
        """Up to ``count`` variants, each lacking one mark of the plan (never the name), the marks in turn.

        Args:
            count: how many are wanted.
            orders: how many orders there are, in each of which the target itself is on one line at most.
        """
        found: list[Near] = []
        if ORDER in self._plan:
            # As many to an order, so that the one that is meant is no larger than the others.
            found = [near for _ in range(count * (orders - 1) // orders) if (near := self.like(ORDER, orders))]
            count = min(count, len(found) + -(-count // orders))
        waiting = self._draws.shuffle(self._plan)
        while waiting and len(found) < count:
            mark = waiting.pop(0)
            near = self.like(mark, orders)
            if near is not None:
                found.append(near)
                waiting.append(mark)
        return found

    def like(self, mark: Descriptor, orders: int) -> Near | None:
        """One more variant that lacks just this mark, or None."""
        key = f"{mark.key} {mark.axis}"
        copies_left = mark.key == "order" and self._copies < orders - 1
        if copies_left and self._draws.chance(500):
            return self._copy()
        if key not in self._found:
            self._found[key] = self._lacking(mark)
        while self._found[key]:
            variant = self._found[key].pop()
            if variant not in self._used:
                self._used.add(variant)
                return Near(variant, mark.key == "order")
        return self._copy() if copies_left else None

    def _copy(self) -> Near:
        self._copies += 1
        return Near(self._target.variant, True)

    def stand_in(self, plan: Sequence[Descriptor], elsewhere: int, orders: int) -> int:
        """What stands where the target would, lacking one of the marks.

        What lacks the name is something else altogether; so is what stands there while the target itself, or one like
        it, is in another order: no line more is shown than where the target is there.
        """
        mark = self._draws.choice(plan)
        found = None if mark.key in ("name", "order") else self.like(mark, orders)
        return elsewhere if found is None else found.variant


def references_to(place: int, orders: Sequence[Order], draws: Draws) -> list[OrderReference]:
    """Ways to say which order is meant that are true of it, in the order in which to try them.

    Args:
        place: of the order among ``orders``, the newest last.
        orders: all there are.
        draws: where the numbers come from.
    """
    order = orders[place]
    ways: list[tuple[OrderReference, int]] = [(("placed", order.placed), 3)]
    # A cancelled order makes it a matter of opinion which one is the last.
    if len(orders) - place <= 2 and all(other.state != "cancelled" for other in orders):
        ways.append(((("last",), ("before last",))[len(orders) - place - 1], 6))
    if order.delivered is not None:
        ways.append((("delivered", order.delivered), 2))
    ways.append((("month", order.placed.year, order.placed.month), 3))
    found = []
    while ways:
        found.append(ways.pop(draws.weighted([weight for _, weight in ways]))[0])
    return found


def is_order(reference: OrderReference, place: int, order: Any, count: int) -> bool:
    """Whether a reference is true of an order, drawn or shown, ``place`` counted from the oldest of ``count``."""
    kind = reference[0]
    if kind in ("last", "before last"):
        return place == count - (1 if kind == "last" else 2)
    if kind == "month":
        return (order.placed.year, order.placed.month) == reference[1:]
    return bool((order.placed if kind == "placed" else order.delivered) == reference[1])


def has_words(wanted: frozenset[str], line: Any) -> bool:
    """Whether every word (by its stem) is in the title or the options of a line, drawn or shown."""
    return wanted <= (stems(line.title) | stems(line.options))


@dataclass(frozen=True, slots=True)
class Disambiguation:
    """What is said, the reference to the order (None where none is said), and the mark that each near miss lacks."""

    plan: list[Descriptor]
    reference: OrderReference | None
    near: dict[str, Descriptor]


def disambiguate(
    plan: Sequence[Descriptor], orders: Sequence[Order], place: int, line: OrderLine | None, price: int, draws: Draws
) -> Disambiguation | None:
    """A reference to the order with which what is said fits one line only, or no line at all.

    Where the plan does not tell the line apart, the order or the price is said too.

    Args:
        plan: what is to be said.
        orders: all there are, the newest last.
        place: of the order that is meant.
        line: the line that must fit; None where none may.
        price: the unit price to say.
        draws: where the numbers come from.
    """
    wanted = [(mark, stems(mark.text)) for mark in plan if mark.text]
    lines = [(number, one) for number, order in enumerate(orders) for one in order.lines]
    lacks = [[mark for mark, said in wanted if not has_words(said, one)] for _, one in lines]
    spare = [mark for mark in (ORDER, PRICE) if mark not in plan and (mark == PRICE or len(orders) > 1)]
    for more in ([], *([mark] for mark in spare), spare):
        said = [*plan, *more]
        ways: list[OrderReference | None] = [None]
        if ORDER in said:
            ways = [*references_to(place, orders, draws)]
        for way in ways:
            off = []
            for (number, one), missing in zip(lines, lacks, strict=True):
                priced = PRICE in said and one.unit_price != price
                ordered = way is not None and not is_order(way, number, orders[number], len(orders))
                off.append([*missing, *([PRICE] if priced else []), *([ORDER] if ordered else [])])
            if [one for (_, one), missing in zip(lines, off, strict=True) if not missing] == ([line] if line else []):
                near = {
                    one.line_id: missing[0]
                    for (_, one), missing in zip(lines, off, strict=True)
                    if len(missing) == 1 and missing[0].key != "name"
                }
                return Disambiguation(said, way, near)
    return None
