"""What cannot be had, what has to stay as it was, and which of those that would do is best: drawn, not yet in words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.catalog.related import targets_of
from ecomrlve.generator.goals.amounts import nice
from ecomrlve.generator.goals.composition import share_of
from ecomrlve.generator.goals.conditions import Condition, GoalDrawer
from ecomrlve.generator.goals.shelves import page_vocabulary, pick_page
from ecomrlve.generator.goals.telling import TYPE, Purchase, draw_purchases
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.attributes import MISSING, Attribute
from ecomrlve.grammars.conditions.constraints import Is, Node, Related, resolve
from ecomrlve.grammars.conditions.vocabulary import Vocabulary, is_count
from ecomrlve.grammars.conditions.wording import can_say
from ecomrlve.grammars.dialogue.requests import Preference, Tolerance
from ecomrlve.grammars.dialogue.substitutes import can_name, pronouns

# In how many thousandths of the tasks what was wanted was bought before and is not on the page.
_BOUGHT = 350
# How often (thousandths) there is a limit on the price; the wanted version has to stay; a condition is "the same".
_TOLERANCES, _VERSIONS, _THE_SAME = 350, 450, 250
_PERCENT = (5, 10, 15, 20, 25, 30)
# Of the conditions on an option, so many (thousandths) name it; the others say "the same".
_OWN = 700
# A limit on the price lets at most this share (thousandths) of the page through, and at least so many hundredths of the
# share that one of several conditions should.
_MOST_THROUGH, _LEAST_THROUGH = 930, 50
# Of many conditions, few can be as narrow as "the same" or the version wanted, or too little comes near.
_NARROW = (0, 1, 2, 1)
_FEW, _STILL_NARROW = 4, 400
# What comes first: nearest in a number, nearest in price, cheapest, best rated.
_FIRST = (60, 14, 13, 13)
# A number that so few values tell apart is nothing to be near in.
_LEAST_VALUES = 3
_DRAWS = 4
# On a shelf of many small types something of one of so many of the largest is wanted.
_LARGEST = 3


@dataclass(frozen=True, slots=True)
class Draft:
    """A request for a substitute, as drawn.

    Attributes:
        page: a shelf, and products of related types.
        target: place on the page of the variant that was wanted.
        product: place of its product.
        kind: its type, as a place in the catalog's types.
        bought: earlier purchases; empty where what was wanted is on the page.
        phrase: what was bought, in the customer's words.
        title: what is on the page, by its title.
        version: the options that were wanted.
        pronoun: reference to what was wanted.
        vocabulary: with the references in it.
        drawer: draws conditions that what was wanted meets.
        conditions: what has to stay.
        tolerance: of the price, or None.
        preference: which of those that would do.
    """

    page: Page
    target: int
    product: int
    kind: int
    bought: list[Purchase]
    phrase: str
    title: str
    version: tuple[Node, ...]
    pronoun: str
    vocabulary: Vocabulary
    drawer: GoalDrawer
    conditions: list[Condition]
    tolerance: Tolerance | None
    preference: Preference

    @property
    def price(self) -> int:
        """What the wanted variant costs, in minor units."""
        return int(self.page.codes("price")[self.target])

    @property
    def types(self) -> tuple[str, ...]:
        """The singular nouns of all types that can stand in for the wanted one, itself first."""
        catalog = self.page.catalog
        kinds = (self.kind, *targets_of(catalog, self.kind, "substitutes"))
        return tuple(dict.fromkeys(catalog.types[kind].singular for kind in kinds))

    def checked(self) -> list[Node]:
        """All that a substitute must meet: that its type can stand in, the conditions, the price; no relations left."""
        catalog = self.page.catalog
        facts = catalog.facts(int(self.page.rows[self.product]), int(self.page.variants[self.target]))
        minor = 10**catalog.currency.decimals
        known = {self.pronoun: facts}
        nodes: list[Node] = [resolve(one.node, known, catalog.attributes, minor) for one in self.conditions]
        if len(self.page.kinds) > 1:
            nodes.insert(0, Is(TYPE, self.types))
        if self.tolerance is not None:
            nodes.append(self.tolerance.around(self.price))
        return nodes


def draw_draft(world: World, axes: Axes, draws: Draws) -> Draft | None:
    """A request over some shelf; None where what was drawn is nothing to ask for."""
    page = pick_page(world, axes.candidates, draws, "SUB", related=True)
    wanted = _draw_wanted(world, page, draws)
    if wanted is None:
        return None
    target, bought = wanted.target, bool(wanted.purchases)
    product = int(page.products[target])
    names = pronouns()["bought" if bought else "listed"]
    pronoun = draws.choice(list(names))
    references = {pronoun: names[pronoun]} | ({"bought": wanted.phrase} if bought else {})
    drawer = GoalDrawer(page, target, draws, page_vocabulary(page.catalog, page.kinds, {}))
    vocabulary = drawer.vocabulary.with_references(references)
    preference = draw_preference(drawer)
    rest = axes.constraints
    tolerance = draw_tolerance(page, target, axes.constraints, draws) if draws.chance(_TOLERANCES) else None
    if tolerance is not None and not vocabulary.label_is_clear("price"):
        tolerance = None
    rest -= tolerance is not None
    conditions = _conditions(drawer, vocabulary, pronoun, rest, axes, preference, tolerance, draws)
    if conditions is None:
        return None
    return Draft(
        page=page,
        target=target,
        product=product,
        kind=int(page.types[product]),
        bought=wanted.purchases,
        phrase=wanted.phrase,
        title=wanted.title,
        version=wanted.version,
        pronoun=pronoun,
        vocabulary=vocabulary,
        drawer=drawer,
        conditions=conditions,
        tolerance=tolerance,
        preference=preference,
    )


# --- what cannot be had ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A variant that was wanted, and how the customer knows it: as in `Draft`."""

    target: int
    purchases: list[Purchase]
    phrase: str
    title: str
    version: tuple[Node, ...]


def _draw_wanted(world: World, page: Page, draws: Draws) -> _Wanted | None:
    """Something sold out on the page, or where nothing on it is that a customer could name, bought before."""
    catalog = page.catalog
    if not draws.chance(_BOUGHT):
        target = _draw_target(page, ~page.in_stock, draws)
        if target is not None:
            title = catalog.title(int(page.rows[page.products[target]]))
            version = _version(GoalDrawer(page, target, draws, page_vocabulary(catalog, page.kinds, {})))
            if version is not None and can_name(title):
                return _Wanted(target, [], "", title, version)
    target = _draw_target(page, np.ones(len(page), dtype=bool), draws)
    if target is None:
        return None
    row = int(page.rows[page.products[target]])
    purchases, phrase = draw_purchases(world, row, catalog.facts(row, int(page.variants[target])), draws)
    return _Wanted(target, purchases, phrase, "", ())


def _draw_target(page: Page, able: NDArray[np.bool_], draws: Draws) -> int | None:
    """A variant to be wanted: of the type that has most of the page, or of one of the largest on a mixed shelf."""
    places = np.flatnonzero(able)
    counts = np.bincount(page.types)
    if len(page.kinds) > 1:
        largest = counts.argsort(kind="stable")[::-1][:_LARGEST].tolist()
        kind = largest[0] if int(counts[largest[0]]) * 2 >= len(page.types) else draws.choice(largest)
        places = places[page.types[page.products[places]] == kind]
    return int(places[draws.below(len(places))]) if len(places) else None


def _version(drawer: GoalDrawer) -> tuple[Node, ...] | None:
    """The options of what was wanted, each as a condition; None where they cannot be said."""
    page = drawer.page
    found = []
    for key in page.catalog.types[drawer.kind].variant_axes:
        if int(page.codes(key)[drawer.target]) != MISSING:
            node = drawer.exactly(key)
            if node is None:
                return None
            found.append(node)
    return tuple(found)


# --- what has to stay ------------------------------------------------------------------------------------------------


def _conditions(
    drawer: GoalDrawer,
    vocabulary: Vocabulary,
    pronoun: str,
    count: int,
    axes: Axes,
    preference: Preference,
    tolerance: Tolerance | None,
    draws: Draws,
) -> list[Condition] | None:
    """So many conditions that what was wanted meets; some by its version, some the same, the others as drawn."""
    used = {key for key, first in preference if first == "near"} | ({"price"} if tolerance is not None else set())
    share = share_of(axes.constraints)
    narrow = _NARROW[min(axes.constraints, len(_NARROW) - 1)]
    narrow = narrow if axes.constraints <= _FEW or draws.chance(_STILL_NARROW) else 0
    found: list[Condition] = []
    options = drawer.page.catalog.types[drawer.kind].variant_axes
    for key in draws.shuffle(drawer.keys(axes_too=True)):
        if len(found) == count:
            break
        if key in used or not draws.chance(_VERSIONS if key in options else _THE_SAME):
            continue
        pinned = _pinned(drawer, vocabulary, pronoun, key, own=key in options and draws.chance(_OWN))
        if pinned is None:
            continue
        condition, through = pinned
        is_narrow = through * 5 < share * 3
        if narrow or not is_narrow:
            narrow -= is_narrow
            found.append(condition)
            used.add(key)
    rest = drawer.conditions(count - len(found), share, used)
    return None if rest is None else draws.shuffle([*found, *rest])


def _pinned(
    drawer: GoalDrawer, vocabulary: Vocabulary, pronoun: str, key: str, own: bool
) -> tuple[Condition, int] | None:
    """A condition that pins a detail of what was wanted: its value (``own``), or "the same" choice; or None.

    With it, the share that it lets through of the products that give the detail, in thousandths.
    """
    page, target = drawer.page, drawer.target
    attribute, frequencies = page.attribute(key), page.frequencies(key)
    if attribute is None or len(frequencies) < 2:
        return None
    code = int(page.codes(key)[target])
    choice = attribute.kind == "choice"
    shown = ((key, attribute.values[code]),) if choice else ()
    node: Node | None = Related(key, "same", pronoun)
    if own:
        node = drawer.exactly(key)
    elif not choice or _looks_like_numbers(attribute) or not can_say(Related(key, "same", pronoun), vocabulary):
        node = None
    if node is None:
        return None
    return Condition(node, (key,), shown), frequencies[code] * 1000 // len(page.ordered(key))


@lru_cache(maxsize=4096)
def _looks_like_numbers(attribute: Attribute) -> bool:
    """Whether a page could show only such choices as a reader takes for numbers, or for a yes or no."""
    return any(re.match(r"-?[0-9]", value) or value in ("yes", "no") for value in attribute.values)


# --- how far the price may go, and what is best ----------------------------------------------------------------------


def draw_tolerance(page: Page, target: int, conditions: int, draws: Draws) -> Tolerance | None:
    """A limit on the price that tells some of the page from the rest, or None where a few draws find none."""
    prices = page.ordered("price")
    price = int(page.codes("price")[target])
    minor = 10**page.catalog.currency.decimals
    least = share_of(conditions) * _LEAST_THROUGH // 100
    for _ in range(_DRAWS):
        share = draws.choice(_PERCENT)
        unit: Literal["", "%"] = "%" if draws.chance(500) else ""
        amount = Fraction(share) if unit else nice(Fraction(price * share, 100 * minor), True) * minor
        tolerance = Tolerance(amount, unit, draws.chance(650))
        if amount.denominator != 1 or amount < 1:
            continue
        distance = int(price * amount / 100 if unit else amount)
        below = 0 if tolerance.above_only else int(prices.searchsorted(price - distance))
        through = (int(prices.searchsorted(price + distance, side="right")) - below) * 1000
        if least * len(prices) <= through <= _MOST_THROUGH * len(prices):
            return tolerance
    return None


def draw_preference(drawer: GoalDrawer) -> Preference:
    """Which of those that would do is best."""
    draws = drawer.draws
    numbers = _numbers(drawer)
    rated = bool(drawer.page.frequencies("rating"))
    weights = (_FIRST[0] if numbers else 0, _FIRST[1], _FIRST[2], _FIRST[3] if rated else 0)
    match draws.weighted(weights):
        case 0:
            number = draws.choice(numbers)
            ties: Sequence[Preference] = ((("price", "less"),), (("price", "less"),), (("price", "near"),), ())
            return ((number, "near"), *draws.choice(ties))
        case 1:
            return (("price", "near"),)
        case 2:
            return (("price", "less"),)
        case _:
            return (("rating", "more"), ("price", "less"))


def _numbers(drawer: GoalDrawer) -> list[str]:
    """The numbers of what was wanted that something can be near in."""
    page, found = drawer.page, []
    for key in drawer.keys(axes_too=False):
        attribute = page.attribute(key)
        if attribute is None or attribute.kind != "number" or key in ("rating", "reviews") or is_count(attribute):
            continue
        if drawer.vocabulary.label_is_clear(key) and len(page.frequencies(key)) >= _LEAST_VALUES:
            found.append(key)
    return found
