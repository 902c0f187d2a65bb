"""What a cart's wishes are: exact variants, what is said of each, and the page on which nothing else fits."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.composition import Bools, Sorted, sort_products
from ecomrlve.generator.goals import Condition, GoalDrawer, mentioned_values
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.attributes import MISSING
from ecomrlve.grammars.constraints import Is, Node
from ecomrlve.grammars.vocabulary import Vocabulary

# Weights of the quantities 1, 2, … that are asked for of one thing.
QUANTITIES = (5, 3, 1, 1)
# How much of a shelf one condition of a description should let through, in thousandths: descriptions are tight.
_SHARE = 300
# How often one wish is drawn anew before the whole pose starts again.
_TRIES = 8

Spot = tuple[int, int]
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
    """

    shelf: int
    target: int
    kind: int
    conditions: tuple[Condition, ...]
    quantity: int
    same: bool
    nodes: tuple[Node, ...]
    sorted: Sorted


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
                wish = _wish(pages, share, number == unmet, draws, vocabulary)
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


def _wish(pages: list[Page], share: int, unmet: bool, draws: Draws, vocabulary: Vocabulary) -> Wish | None:
    """A description of one variant; the options that the buyer picks come first, then other details."""
    shelf = draws.below(len(pages))
    page = pages[shelf]
    stock = page.of_variants(page.catalog.stock)
    # The quantity is drawn before the variant, so that it is no sign of whether the wish can be met.
    quantity = 1 + draws.weighted(QUANTITIES)
    too_many = unmet and quantity > 1 and draws.chance(500)
    wanted = (stock > 0) & (stock < quantity) if too_many else stock == 0 if unmet else stock >= quantity
    places = np.flatnonzero(wanted)
    if len(places) == 0:
        return None
    target = int(places[draws.below(len(places))])
    kind = int(page.types[page.products[target]])
    if not vocabulary.noun_is_clear(page.catalog.types[kind].key):
        return None
    options = [key for key in page.catalog.types[kind].variant_axes if page.codes(key)[target] != MISSING]
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
    found = sort_products(page, nodes)
    meant = found.met.all(axis=0) & (page.products == page.products[target])
    in_stock = int((meant & (page.of_variants(page.catalog.stock) > 0)).sum())
    if in_stock != (0 if gone else 1):
        return None
    return Wish(shelf, target, kind, tuple(conditions), quantity, same, nodes, found)


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
        free: products that no wish means.
        gone: those that would be meant, were they in stock.
        near: those that break exactly one condition of a wish.
        others: the rest of the free ones.
        buyable: whether anything of a product is in stock.
        sold_lines: how many options of a product are sold out.
    """

    def __init__(self, pages: list[Page], wishes: list[Wish], taken: set[Spot]) -> None:
        self.free: dict[Spot, None] = {}
        self.buyable: dict[Spot, bool] = {}
        self.sold_lines: dict[Spot, int] = {}
        for shelf, page in enumerate(pages):
            fits = np.zeros(len(page.rows), dtype=bool)
            for wish in wishes:
                if wish.shelf == shelf:
                    # Nothing else on the page may be what a wish means.
                    fits |= wish.sorted.right
            sold = np.add.reduceat(page.of_variants(page.catalog.stock) == 0, page.starts, dtype=np.int64)
            for place, (lines, count) in enumerate(zip(sold.tolist(), page.counts.tolist(), strict=True)):
                self.buyable[shelf, place] = lines < count
                self.sold_lines[shelf, place] = lines
            self.free.update(
                ((shelf, place), None) for place in np.flatnonzero(~fits).tolist() if (shelf, place) not in taken
            )
        self.gone: dict[Spot, None] = {}
        self.near: dict[Spot, None] = {}
        for wish in wishes:
            self.gone.update(self._spots(wish.shelf, wish.sorted.sold_out))
            # Whatever else there is of the type breaks a single condition: only two or more have near misses.
            if len(wish.conditions) > 1:
                self.near.update(self._spots(wish.shelf, wish.sorted.decoy >= 0))
        self.others = [spot for spot in self.free if spot not in self.gone and spot not in self.near]

    def _spots(self, shelf: int, mask: Bools) -> dict[Spot, None]:
        spots = ((shelf, place) for place in np.flatnonzero(mask).tolist())
        return dict.fromkeys(spot for spot in spots if spot in self.free)

    def one_line_fewer(self, chosen: list[Spot]) -> None:
        """Swap one of the products chosen for one that has one sold-out line less, where there is such a pair."""
        known = set(chosen)
        unused = [spot for spot in self.others if self.buyable[spot] and spot not in known]
        for at, spot in enumerate(chosen):
            for other in unused:
                if self.sold_lines[other] == self.sold_lines[spot] - 1:
                    chosen[at] = other
                    return


def compose_cart(pages: list[Page], wishes: list[Wish], axes: Axes, draws: Draws) -> list[Spot] | None:
    """(shelf, place) of the products to show: the wishes' own, near misses, sold-out ones, and others."""
    total = axes.candidates
    scope: list[Spot] = list(
        dict.fromkeys((wish.shelf, int(pages[wish.shelf].products[wish.target])) for wish in wishes)
    )
    if len(scope) > total:
        return None
    pool = _Pool(pages, wishes, set(scope))
    want_gone = (len(scope) * axes.out_of_stock * 2 // (1000 - axes.out_of_stock) + 1) // 2
    # As many products without stock whether or not the wishes can be met.
    sold_lines = len(scope) + want_gone + draws.between(total // 12, total // 5)
    sold_lines -= sum(not pool.buyable[spot] for spot in scope)
    sold_out = draws.sample(list(pool.gone), min(want_gone, total - len(scope)))
    scope += sold_out
    want_near = max(0, (total * axes.decoys + 500) // 1000 - len(sold_out))
    scope += draws.sample([spot for spot in pool.near if spot not in pool.gone], min(want_near, total - len(scope)))
    sold_lines -= sum(not pool.buyable[spot] for spot in scope if spot in pool.free)
    dead = [spot for spot in pool.others if not pool.buyable[spot]]
    scope += draws.sample(dead, min(max(0, sold_lines), total - len(scope)))
    live = draws.sample([spot for spot in pool.others if pool.buyable[spot]], total - len(scope))
    for wish in wishes:
        page = pages[wish.shelf]
        own = (wish.shelf, int(page.products[wish.target]))
        if page.catalog.stock[page.variants[wish.target]] == 0 and pool.buyable[own]:
            # The option that is sold out would be one sold-out line more than where the wish can be met.
            pool.one_line_fewer(live)
    scope += live
    if len(scope) < total:
        used = set(scope)
        rest = [spot for spot in (*pool.others, *pool.near) if spot not in used]
        scope += draws.sample(rest, total - len(scope))
    if len(scope) < total or not _all_shown(pages, wishes, set(scope)):
        return None
    return draws.shuffle(scope)


def _all_shown(pages: list[Page], wishes: list[Wish], scope: set[Spot]) -> bool:
    """Whether every value that a wish mentions is on the page."""
    for shelf, page in enumerate(pages):
        said = [condition for wish in wishes if wish.shelf == shelf for condition in wish.conditions]
        mentioned = [pair for condition in said for pair in condition.mentioned]
        given = [(key, None) for condition in said for key in condition.keys]
        if not are_shown(page, shelf, [*mentioned, *given], scope):
            return False
    return True


def near_misses(scope: list[Spot], wishes: list[Wish]) -> dict[Spot, tuple[Wish, int]]:
    """Spot to (wish, index of the one condition it breaks; -1 for stock) of every decoy in the scope."""
    found: dict[Spot, tuple[Wish, int]] = {}
    for spot in scope:
        for wish in wishes:
            if wish.shelf != spot[0]:
                continue
            if wish.sorted.decoy[spot[1]] >= 0 and len(wish.conditions) > 1:
                found.setdefault(spot, (wish, int(wish.sorted.decoy[spot[1]])))
            elif wish.sorted.sold_out[spot[1]]:
                found.setdefault(spot, (wish, -1))
    return found


def are_shown(page: Page, shelf: int, wanted: Sequence[tuple[str, str | None]], scope: Collection[Spot]) -> bool:
    """Whether the products in the scope give some details: where it is named, a choice."""
    return not wanted or not page.lacking([place for on, place in scope if on == shelf], wanted)
