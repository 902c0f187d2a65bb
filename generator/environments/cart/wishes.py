"""What a cart's wishes are: exact variants, what is said of each, and the page on which nothing else fits."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.goals.composition import Bools, Classification, classify, sold_out_beside
from ecomrlve.generator.goals.conditions import Condition, GoalDrawer, mentioned_values
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.conditions.constraints import Is, Node
from ecomrlve.grammars.conditions.vocabulary import Vocabulary

# Weights of the quantities 1, 2, … that are asked for of one thing.
QUANTITIES = (5, 3, 1, 1)
# How much of a shelf one condition of a description should let through, in thousandths: descriptions are tight.
_SHARE = 300
# How often one wish is drawn anew before the whole pose starts again.
_TRIES = 8

ShelfPosition = tuple[int, int]
"""A product of the pool: (shelf, place on it)."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One described item.

    Args:
        shelf: which page of the pool its product stands on.
        target: the variant meant, as a place on that page.
        kind: its product type.
        conditions: what is said of it, beside its type.
        quantity: how many.
        same: whether it is said as the one before, but for its last condition.
        sorted: the shelf's products, sorted by type and conditions (condition 0 is the type).
        gone: products of the shelf with a version that is as described, but none in stock.
    """

    shelf: int
    target: int
    kind: int
    conditions: tuple[Condition, ...]
    quantity: int
    same: bool
    nodes: tuple[Node, ...]
    sorted: Classification
    gone: Bools


NearMisses = dict[ShelfPosition, tuple[Wish, int]]
"""What each decoy on the page lacks of a wish: the place of the one condition, or -1 for stock."""


def most_conditions(axes: Axes) -> int:
    """The most conditions that one wish has, by the axes: they are spread over the wishes.

    >>> from ecomrlve.difficulty.axes import axes_at
    >>> most_conditions(axes_at(0)), most_conditions(axes_at(6))
    (1, 2)
    """
    return -(-axes.constraints // axes.answers)


def draw_wishes(pages: list[Page], axes: Axes, draws: Draws, unmet: int, vocabulary: Vocabulary) -> list[Wish] | None:
    """As many wishes as things to return; ``unmet`` is the number of the one that cannot be met, or -1."""
    count = axes.answers
    wishes: list[Wish] = []
    for number in range(count):
        # The conditions are spread over the wishes, the first ones getting what is left over.
        share = max(1, (axes.constraints + count - 1 - number) // count)
        wish = None
        for _ in range(_TRIES):
            if wishes and number != unmet and draws.chance(250):
                wish = _sibling(pages, wishes[-1], draws, vocabulary)
            if wish is None:
                loose = draws.chance(axes.out_of_stock)
                wish = _wish(pages, share, number == unmet, loose, draws, vocabulary)
            if wish is not None and _apart(pages, [*wishes, wish]):
                break
            wish = None
        if wish is None:
            return None
        wishes.append(wish)
    return wishes


def _apart(pages: list[Page], wishes: list[Wish]) -> bool:
    """Whether the newest wish means no variant that another wish means or fits, and the other way round."""
    new = wishes[-1]
    own = int(pages[new.shelf].products[new.target])
    for other in wishes[:-1]:
        if other.shelf != new.shelf:
            continue
        if other.target == new.target:
            return False
        place = int(pages[other.shelf].products[other.target])
        if place == own:
            # Two variants of one product: each description must leave the other variant out.
            if new.sorted.met[:, other.target].all() or other.sorted.met[:, new.target].all():
                return False
        elif new.sorted.right[place] or other.sorted.right[own]:
            return False
    return True


def _wish(pages: list[Page], share: int, unmet: bool, loose: bool, draws: Draws, vocabulary: Vocabulary) -> Wish | None:
    """A description of one variant; the options that the buyer picks come first, then other details.

    A loose one leaves an option open: of several versions that fit it, all but the one meant are sold out.
    """
    shelf = draws.below(len(pages))
    page = pages[shelf]
    stock = page.of_variants(page.catalog.stock)
    # The quantity is drawn before the variant, so that it is no sign of whether the wish can be met.
    quantity = 1 + draws.weighted(QUANTITIES)
    too_many = unmet and quantity > 1 and draws.chance(500)
    wanted = (stock > 0) & (stock < quantity) if too_many else stock == 0 if unmet else stock >= quantity
    axes = page.catalog.types[int(page.types[0])].variant_axes
    left_open = draws.below(len(axes)) if loose and axes else -1
    if left_open >= 0:
        one, none = page.last_of_their_kind(left_open)
        last = wanted & (none if unmet and not too_many else one)
        wanted, left_open = (last, left_open) if last.any() else (wanted, -1)
    places = np.flatnonzero(wanted)
    if len(places) == 0:
        return None
    target = int(places[draws.below(len(places))])
    kind = int(page.types[page.products[target]])
    if not vocabulary.noun_is_clear(page.catalog.types[kind].key):
        return None
    options = [
        key
        for place, key in enumerate(page.catalog.types[kind].variant_axes)
        if page.codes(key)[target] != MISSING and (place != left_open or page.types[0] != kind)
    ]
    drawer = GoalDrawer(page, target, draws, vocabulary)
    nodes = [drawer.exactly(key) for key in options]
    if None in nodes:
        return None
    others = (key for key in draws.shuffle(drawer.keys(axes_too=False)) if key not in ("price", "reviews"))
    used = [*options]
    for key in others:
        if len(nodes) >= share:
            break
        node = drawer.true(key, _SHARE)
        if node is not None:
            nodes.append(node)
            used.append(key)
    conditions = [
        Condition(node, (key,), mentioned_values(node))
        for node, key in zip(nodes, used, strict=True)
        if node is not None
    ]
    return _sort(page, shelf, target, draws.shuffle(conditions), quantity, False, unmet and not too_many)


def _sort(
    page: Page, shelf: int, target: int, conditions: list[Condition], quantity: int, same: bool, gone: bool
) -> Wish | None:
    """The wish with its shelf sorted, or None where it does not mean exactly one variant of its product."""
    kind = int(page.types[page.products[target]])
    noun = Is("type", (page.catalog.types[kind].singular,))
    nodes = (noun, *(condition.node for condition in conditions))
    found = classify(page, nodes)
    fitting = np.logical_and.reduce(found.met, axis=0)
    meant = fitting & (page.products == page.products[target])
    in_stock = np.count_nonzero(meant & page.in_stock)
    if in_stock != (0 if gone else 1):
        return None
    of_products = np.logical_or.reduceat(fitting, page.starts) > found.right
    return Wish(shelf, target, kind, tuple(conditions), quantity, same, nodes, found, of_products)


def _sibling(pages: list[Page], before: Wish, draws: Draws, vocabulary: Vocabulary) -> Wish | None:
    """The same product in another option: said as the one before, but for what differs."""
    page = pages[before.shelf]
    catalog = page.catalog
    stock = page.of_variants(catalog.stock)
    if before.same or stock[before.target] == 0:
        return None
    axes = catalog.types[before.kind].variant_axes
    own = catalog.options[page.variants[before.target]].tolist()
    quantity = 1 + draws.weighted(QUANTITIES)
    options = []
    drawer = GoalDrawer(page, before.target, draws, vocabulary)
    for place in np.flatnonzero((page.products == page.products[before.target]) & (stock >= quantity)).tolist():
        codes = catalog.options[page.variants[place]].tolist()
        differing = [axis for axis in range(len(axes)) if codes[axis] != own[axis]]
        if len(differing) == 1 and catalog.attributes[axes[differing[0]]].kind == "choice":
            options.append((place, axes[differing[0]], codes[differing[0]]))
    if not options:
        return None
    place, key, code = draws.choice(options)
    node = drawer.said(Is(key, (catalog.attributes[key].values[code],)))
    if node is None:
        return None
    kept = [condition for condition in before.conditions if condition.keys != (key,)]
    new = Condition(node, (key,), mentioned_values(node))
    return _sort(page, before.shelf, place, [*kept, new], quantity, True, False)


class _Pool:
    """The products that a cart's page can be filled up with.

    Attributes:
        live: those that break several conditions, with something in stock.
        dead: those that break several conditions, with nothing in stock.
        near: those that break exactly one condition of a wish.
        gone: those that would be meant, were they in stock.
    """

    def __init__(self, pages: list[Page], wishes: list[Wish], taken: list[ShelfPosition]) -> None:
        self._pages = pages
        self.live: list[ShelfPosition] = []
        self.dead: list[ShelfPosition] = []
        self.near: list[ShelfPosition] = []
        self.gone: list[ShelfPosition] = []
        for shelf, page in enumerate(pages):
            sorts = np.where(page.for_sale, 0, 1)
            own = [wish for wish in wishes if wish.shelf == shelf]
            for wish in own:
                # Whatever else there is of the type breaks a single condition: only two or more have near misses.
                if len(wish.conditions) > 1:
                    sorts[wish.sorted.decoy >= 0] = 2
            for wish in own:
                sorts[wish.gone] = 3
            for wish in own:
                # Nothing else on the page may be what a wish means.
                sorts[wish.sorted.right] = 4
            sorts[[place for on, place in taken if on == shelf]] = 4
            for sort, spots in enumerate((self.live, self.dead, self.near, self.gone)):
                spots += zip(repeat(shelf), np.flatnonzero(sorts == sort).tolist(), strict=False)

    def buyable(self, spot: ShelfPosition) -> bool:
        """Whether anything of a product is in stock."""
        return bool(self._pages[spot[0]].for_sale[spot[1]])

    def unbuyable(self, spots: Sequence[ShelfPosition]) -> int:
        """Of how many products nothing is in stock."""
        return sum(not self.buyable(spot) for spot in spots)

    def one_line_fewer(self, chosen: list[ShelfPosition]) -> None:
        """Swap one of the products chosen for one that has one sold-out line less, where there is such a pair."""
        known = set(chosen)
        unused = [spot for spot in self.live if spot not in known]
        lines = [self._pages[shelf].sold_lines[place] for shelf, place in unused]
        for at, (shelf, place) in enumerate(chosen):
            wanted = self._pages[shelf].sold_lines[place] - 1
            if wanted in lines:
                chosen[at] = unused[lines.index(wanted)]
                return


def compose_cart(pages: list[Page], wishes: list[Wish], axes: Axes, draws: Draws) -> list[ShelfPosition] | None:
    """(shelf, place) of the products to show: the wishes' own, near misses, sold-out ones, and others."""
    total = axes.candidates
    scope: list[ShelfPosition] = list(
        dict.fromkeys((wish.shelf, int(pages[wish.shelf].products[wish.target])) for wish in wishes)
    )
    if len(scope) > total:
        return None
    pool = _Pool(pages, wishes, scope)
    want_gone = sold_out_beside(len(scope), axes.out_of_stock)
    # As many products without stock whether or not the wishes can be met.
    sold_lines = len(scope) + want_gone + draws.between(total // 12, total // 5)
    sold_out = draws.sample(pool.gone, min(want_gone, total - len(scope)))
    want_near = max(0, (total * axes.decoys + 500) // 1000 - len(sold_out))
    scope += sold_out
    scope += draws.sample(pool.near, min(want_near, total - len(scope)))
    sold_lines -= pool.unbuyable(scope)
    scope += draws.sample(pool.dead, min(max(0, sold_lines), total - len(scope)))
    live = draws.sample(pool.live, total - len(scope))
    for wish in wishes:
        page = pages[wish.shelf]
        own = int(page.products[wish.target])
        if not page.in_stock[wish.target] and page.for_sale[own]:
            # The option that is sold out would be one sold-out line more than where the wish can be met.
            pool.one_line_fewer(live)
    scope += live
    if len(scope) < total:
        used = set(scope)
        rest = [spot for spot in (*pool.live, *pool.dead, *pool.near) if spot not in used]
        scope += draws.sample(rest, total - len(scope))
    if len(scope) < total or not _all_shown(pages, wishes, set(scope)):
        return None
    return draws.shuffle(scope)


def _all_shown(pages: list[Page], wishes: list[Wish], scope: set[ShelfPosition]) -> bool:
    """Whether every value that a wish mentions is on the page."""
    for shelf, page in enumerate(pages):
        said = [condition for wish in wishes if wish.shelf == shelf for condition in wish.conditions]
        mentioned = [pair for condition in said for pair in condition.mentioned]
        given = [(key, None) for condition in said for key in condition.keys]
        if not are_shown(page, shelf, [*mentioned, *given], scope):
            return False
    return True


def sold_out_share(pages: list[Page], wishes: list[Wish], scope: Collection[ShelfPosition]) -> float:
    """Of the versions on the page that are as described, the share that is sold out."""
    fitting = sold_out = 0
    for wish in wishes:
        page = pages[wish.shelf]
        shown = np.isin(page.products, [place for on, place in scope if on == wish.shelf])
        meant = np.logical_and.reduce(wish.sorted.met, axis=0) & shown
        fitting += int(np.count_nonzero(meant))
        sold_out += int(np.count_nonzero(meant & ~page.in_stock))
    return sold_out / max(1, fitting)


def near_misses(scope: list[ShelfPosition], wishes: list[Wish]) -> NearMisses:
    """Spot to (wish, index of the one condition it breaks; -1 for stock) of every decoy in the scope."""
    found: NearMisses = {}
    for wish in wishes:
        spots = [spot for spot in scope if spot[0] == wish.shelf]
        places = [place for _, place in spots]
        sorts = zip(spots, wish.sorted.decoy[places].tolist(), wish.gone[places].tolist(), strict=True)
        for spot, condition, sold_out in sorts:
            if condition >= 0 and len(wish.conditions) > 1:
                found.setdefault(spot, (wish, condition))
            elif sold_out:
                found.setdefault(spot, (wish, -1))
    return found


def are_shown(
    page: Page, shelf: int, wanted: Sequence[tuple[str, str | None]], scope: Collection[ShelfPosition]
) -> bool:
    """Whether the products in the scope give some details: where it is named, a choice."""
    return not wanted or not page.lacking([place for on, place in scope if on == shelf], wanted)
