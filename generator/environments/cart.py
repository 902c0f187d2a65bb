"""CART: a cart of described items, each one exact variant in stock, with quantities."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ecomrlve.difficulty.axes import Axes
from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.composition import Sorted, holders, sort_products
from ecomrlve.generator.environments.base import CannotPose, Environment, Message, Posed
from ecomrlve.generator.environments.product_page import (
    facts_for,
    listings,
    page_text,
    read_currency,
    read_page,
    shown_vocabulary,
)
from ecomrlve.generator.environments.prompting import customer_turns, notes_section, opening, read_notes, texts
from ecomrlve.generator.environments.shelves import department_vocabulary, pick_shelves
from ecomrlve.generator.goals import Condition, GoalDrawer, mentioned_values
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.scopes import draw_scope, introduce, read_introduction
from ecomrlve.generator.world import World
from ecomrlve.grammars.attributes import MISSING
from ecomrlve.grammars.constraints import AllOf, Is, Node, holds, to_json
from ecomrlve.grammars.requests import CartCorrection, CartItem
from ecomrlve.grammars.utterances import read_cart, say_cart
from ecomrlve.grammars.vocabulary import Vocabulary
from ecomrlve.grammars.wording import parse_condition, plain, render_condition

_ATTEMPTS = 64
# Weights of the quantities 1, 2, … that are asked for of one thing.
_QUANTITIES = (5, 3, 1, 1)
# How much of a shelf one condition of a description should let through, in thousandths: descriptions are tight.
_SHARE = 300
# How often one wish is drawn anew before the whole pose starts again.
_TRIES = 8


Spot = tuple[int, int]
"""A product of the pool: (shelf, place on it)."""


@dataclass(frozen=True, slots=True)
class _Wish:
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


@dataclass(frozen=True, slots=True)
class _Said:
    """The words of a cart: items as first said, corrections, and notes as (kind, condition)."""

    items: list[CartItem]
    corrections: list[CartCorrection]
    notes: list[tuple[int, Node]]
    measured: Mapping[str, float]


class Cart(Environment):
    """The customer wants a cart of described items: variants and quantities."""

    name: ClassVar[str] = "CART"
    summary: ClassVar[str] = "a cart of described items: variants and quantities"
    order_matters: ClassVar[bool] = False
    axes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "context": (
            "constraints",
            "answers",
            "candidates",
            "decoys",
            "out_of_stock",
            "omission",
            "noise",
            "switching",
        )
    }

    def pose(self, world: World, axes: Axes, draws: Draws, impossible: bool) -> Posed:
        """Choose exact variants, describe each so that nothing else in stock fits, and build the page around them."""
        best: tuple[int, list[Page], list[_Wish], list[Spot], int] | None = None
        attempts = 0
        while attempts < _ATTEMPTS:
            attempts += 1
            shelves = pick_shelves(world, axes.candidates, min(3, axes.answers), draws, self.name)
            pages = [Page(world.catalog, rows) for rows in shelves]
            unmet = draws.below(axes.answers) if impossible else -1
            wishes = self._wishes(pages, axes, draws, unmet, self._vocabulary(pages))
            if wishes is None:
                continue
            scope = self._scope(pages, wishes, axes, draws)
            if scope is None:
                continue
            short = max(0, (axes.candidates * axes.decoys + 500) // 1000 - len(self._near(scope, wishes)))
            if best is None or short < best[0]:
                best = (short, pages, wishes, scope, unmet)
            if short * 8 <= axes.candidates or attempts >= 4:
                break
        if best is None:
            raise CannotPose(
                f"CART: no page of {axes.candidates} products was found that tells {axes.answers} items apart."
            )
        _, pages, wishes, scope, unmet = best
        return self._posed(world, axes, draws, pages, wishes, scope, unmet, attempts)

    # --- drawing -------------------------------------------------------------------------------------------------

    def _wishes(
        self, pages: list[Page], axes: Axes, draws: Draws, unmet: int, vocabulary: Vocabulary
    ) -> list[_Wish] | None:
        """As many wishes as things to return; ``unmet`` is the number of the one that cannot be met, or -1."""
        count = axes.answers
        wishes: list[_Wish] = []
        for number in range(count):
            # The conditions are spread over the wishes, the first ones getting what is left over.
            share = max(1, (axes.constraints + count - 1 - number) // count)
            wish = None
            for _ in range(_TRIES):
                if wishes and number != unmet and draws.chance(250):
                    wish = self._sibling(pages, wishes[-1], draws, vocabulary)
                if wish is None:
                    wish = self._wish(pages, share, number == unmet, draws, vocabulary)
                if wish is not None and self._apart(pages, [*wishes, wish]):
                    break
                wish = None
            if wish is None:
                return None
            wishes.append(wish)
        return wishes

    def _apart(self, pages: list[Page], wishes: list[_Wish]) -> bool:
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

    def _wish(self, pages: list[Page], share: int, unmet: bool, draws: Draws, vocabulary: Vocabulary) -> _Wish | None:
        """A description of one variant; the options that the buyer picks come first, then other details."""
        shelf = draws.below(len(pages))
        page = pages[shelf]
        stock = page.catalog.stock[page.variants]
        # The quantity is drawn before the variant, so that it is no sign of whether the wish can be met.
        quantity = 1 + draws.weighted(_QUANTITIES)
        too_many = unmet and quantity > 1 and draws.chance(500)
        wanted = (stock > 0) & (stock < quantity) if too_many else stock == 0 if unmet else stock >= quantity
        places = np.flatnonzero(wanted)
        if len(places) == 0:
            return None
        target = int(places[draws.below(len(places))])
        kind = int(page.types[page.products[target]])
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
        return self._sort(page, shelf, target, draws.shuffle(conditions), quantity, False, unmet and not too_many)

    def _sort(
        self, page: Page, shelf: int, target: int, conditions: list[Condition], quantity: int, same: bool, gone: bool
    ) -> _Wish | None:
        """The wish with its shelf sorted, or None where it does not mean exactly one variant of its product."""
        kind = int(page.types[page.products[target]])
        noun = Is("type", (page.catalog.types[kind].singular,))
        nodes = (noun, *(condition.node for condition in conditions))
        found = sort_products(page, nodes)
        meant = found.met.all(axis=0) & (page.products == page.products[target])
        in_stock = int((meant & (page.catalog.stock[page.variants] > 0)).sum())
        if in_stock != (0 if gone else 1):
            return None
        return _Wish(shelf, target, kind, tuple(conditions), quantity, same, nodes, found)

    def _sibling(self, pages: list[Page], before: _Wish, draws: Draws, vocabulary: Vocabulary) -> _Wish | None:
        """The same product in another option: said as the one before, but for what differs."""
        page = pages[before.shelf]
        catalog = page.catalog
        stock = catalog.stock[page.variants]
        if before.same or stock[before.target] == 0:
            return None
        axes = catalog.types[before.kind].variant_axes
        own = catalog.options[page.variants[before.target]].tolist()
        quantity = 1 + draws.weighted(_QUANTITIES)
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
        return self._sort(page, before.shelf, place, [*kept, new], quantity, True, False)

    def _scope(self, pages: list[Page], wishes: list[_Wish], axes: Axes, draws: Draws) -> list[Spot] | None:
        """(shelf, place) of the products to show: the wishes' own, near misses, sold-out ones, and others."""
        total = axes.candidates
        scope: list[Spot] = list(
            dict.fromkeys((wish.shelf, int(pages[wish.shelf].products[wish.target])) for wish in wishes)
        )
        if len(scope) > total:
            return None
        taken = set(scope)
        free: dict[Spot, bool] = {}
        for shelf, page in enumerate(pages):
            fits = np.zeros(len(page.rows), dtype=bool)
            for wish in wishes:
                if wish.shelf == shelf:
                    # Nothing else on the page may be what a wish means.
                    fits |= wish.sorted.right
            buyable = np.logical_or.reduceat(page.catalog.stock[page.variants] > 0, page.starts)
            for place in np.flatnonzero(~fits).tolist():
                if (shelf, place) not in taken:
                    free[shelf, place] = bool(buyable[place])
        gone: dict[Spot, None] = {}
        near: dict[Spot, None] = {}
        for wish in wishes:
            sold = np.flatnonzero(wish.sorted.sold_out).tolist()
            gone.update(((wish.shelf, place), None) for place in sold if (wish.shelf, place) in free)
            # Whatever else there is of the type breaks a single condition: only two or more have near misses.
            if len(wish.conditions) > 1:
                missed = np.flatnonzero(wish.sorted.decoy >= 0).tolist()
                near.update(((wish.shelf, place), None) for place in missed if (wish.shelf, place) in free)
        want_gone = (len(scope) * axes.out_of_stock * 2 // (1000 - axes.out_of_stock) + 1) // 2
        # As many products without stock whether or not the wishes can be met.
        sold_lines = len(scope) + want_gone + draws.between(total // 12, total // 5)
        sold_out = draws.sample(list(gone), min(want_gone, total - len(scope)))
        scope += sold_out
        want_near = max(0, (total * axes.decoys + 500) // 1000 - len(sold_out))
        scope += draws.sample([spot for spot in near if spot not in gone], min(want_near, total - len(scope)))
        sold_lines -= sum(not free[spot] for spot in scope if spot in free)
        others = [spot for spot in free if spot not in gone and spot not in near]
        dead = draws.sample([spot for spot in others if not free[spot]], min(max(0, sold_lines), total - len(scope)))
        live = draws.sample([spot for spot in others if free[spot]], total - len(scope) - len(dead))
        scope += dead + live
        if len(scope) < total:
            used = set(scope)
            rest = [spot for spot in (*others, *near) if spot not in used]
            scope += draws.sample(rest, total - len(scope))
        if len(scope) < total or not self._all_shown(pages, wishes, set(scope)):
            return None
        return draws.shuffle(scope)

    def _all_shown(self, pages: list[Page], wishes: list[_Wish], scope: set[Spot]) -> bool:
        """Whether every value that a wish mentions is on the page."""
        for wish in wishes:
            for condition in wish.conditions:
                wanted = [*condition.mentioned, *((key, None) for key in condition.keys)]
                if not all(_shown(pages[wish.shelf], wish.shelf, pair, scope) for pair in wanted):
                    return False
        return True

    def _near(self, scope: list[Spot], wishes: list[_Wish]) -> dict[Spot, tuple[_Wish, int]]:
        """Spot to (wish, index of the one condition it breaks; -1 for stock) of every decoy in the scope."""
        found: dict[Spot, tuple[_Wish, int]] = {}
        for spot in scope:
            for wish in wishes:
                if wish.shelf != spot[0]:
                    continue
                if wish.sorted.decoy[spot[1]] >= 0 and len(wish.conditions) > 1:
                    found.setdefault(spot, (wish, int(wish.sorted.decoy[spot[1]])))
                elif wish.sorted.sold_out[spot[1]]:
                    found.setdefault(spot, (wish, -1))
        return found

    # --- putting it in words -------------------------------------------------------------------------------------

    def _say(self, pages: list[Page], wishes: list[_Wish], axes: Axes, shown: set[Spot], draws: Draws) -> _Said:
        catalog = pages[0].catalog
        nodes = [[condition.node for condition in wish.conditions] for wish in wishes]
        quantities = [wish.quantity for wish in wishes]
        corrections: list[CartCorrection] = []
        changes = int(draws.chance(axes.switching)) + int(draws.chance(axes.switching // 2))
        # A wish that another one builds on ("the same, but in blue") is said as it is meant.
        free = [
            number
            for number, wish in enumerate(wishes)
            if not wish.same and not (number + 1 < len(wishes) and wishes[number + 1].same)
        ]
        for number in draws.sample(free, min(changes, len(free))):
            wish = wishes[number]
            swap = (
                self._other_option(pages[wish.shelf], wish, shown, draws, self._vocabulary(pages))
                if draws.chance(500)
                else None
            )
            if swap is not None:
                index, first = swap
                corrections.append(CartCorrection("option", number, node=nodes[number][index]))
                nodes[number][index] = first
            else:
                first_quantity = draws.choice(
                    [count for count in range(1, len(_QUANTITIES) + 1) if count != quantities[number]]
                )
                corrections.append(CartCorrection("quantity", number, quantity=quantities[number]))
                quantities[number] = first_quantity
        notes: list[tuple[int, Node]] = []
        total = sum(len(wish.conditions) for wish in wishes)
        left = (axes.omission * total + draws.below(1000)) // 1000
        kinds = [wish.kind for wish in wishes]
        corrected = {correction.position for correction in corrections}
        for number, wish in enumerate(wishes):
            # A saved preference holds for every item of its type, so the type must be asked for once.
            if kinds.count(wish.kind) > 1 or number in corrected:
                continue
            while left > 0 and nodes[number]:
                notes.append((wish.kind, nodes[number].pop()))
                left -= 1
        items = [
            CartItem(
                quantities[number],
                catalog.types[wish.kind].key,
                (wish.conditions[-1].node,) if wish.same else tuple(nodes[number]),
                wish.same,
            )
            for number, wish in enumerate(wishes)
        ]
        measured = {"omission": len(notes) / max(1, total), "switching": len(corrections), "constraints": total}
        return _Said(items, corrections, notes, measured)

    def _other_option(
        self, page: Page, wish: _Wish, shown: set[Spot], draws: Draws, vocabulary: Vocabulary
    ) -> tuple[int, Node] | None:
        """An option to be said first by mistake: (index of its condition, the wrong version), its value on the page."""
        drawer = GoalDrawer(page, wish.target, draws, vocabulary)
        axes = page.catalog.types[wish.kind].variant_axes
        for index, condition in enumerate(wish.conditions):
            if condition.keys[0] in axes and isinstance(condition.node, Is):
                first = drawer.wrong(condition.node)
                if first is not None and all(_shown(page, wish.shelf, pair, shown) for pair in mentioned_values(first)):
                    return index, first
        return None

    def _posed(
        self,
        world: World,
        axes: Axes,
        draws: Draws,
        pages: list[Page],
        wishes: list[_Wish],
        scope: list[Spot],
        unmet: int,
        attempts: int,
    ) -> Posed:
        catalog = world.catalog
        rows = [int(pages[shelf].rows[place]) for shelf, place in scope]
        kinds = sorted({int(pages[shelf].types[place]) for shelf, place in scope})
        vocabulary = self._vocabulary(pages)
        customer = draws.choice(world.customers)
        place = draw_scope(catalog, catalog.types[wishes[0].kind], draws)
        said = self._say(pages, wishes, axes, set(scope), draws)
        turns = say_cart(
            tuple(said.items),
            said.corrections,
            place.name,
            place.kind,
            vocabulary,
            draws,
            customer.style,
            world.split == "test_wording",
        )
        notes = [
            (catalog.types[kind].plural, render_condition(node, vocabulary, draws, many=True))
            for kind, node in said.notes
        ]
        shown = listings(catalog, rows, True, len(kinds) > 1)
        nouns = [(catalog.types[kind].singular, catalog.types[kind].plural) for kind in kinds]
        words = texts()
        system = [
            *opening(world, customer),
            *notes_section(notes),
            introduce(place, len(rows), nouns),
            page_text(shown, True),
            words["rules"]["details"],
            words["reply"]["CART"],
        ]
        items = [] if unmet >= 0 else [(self._variant_id(pages, wish), wish.quantity) for wish in wishes]
        shown_ids = [variant for entry in shown for variant in entry.variant_ids]
        decoys = self._near(scope, wishes)
        # What one wish means may be a near miss of another; it is no wrong answer.
        meant = {(wish.shelf, int(pages[wish.shelf].products[wish.target])) for wish in wishes if items}
        missed = abs(len(decoys) * 1000 - axes.decoys * len(rows)) > 1000
        return Posed(
            prompt=[
                {"role": "system", "content": "\n".join(system)},
                *customer_turns(turns, axes.noise, vocabulary, draws),
            ],
            truth={
                "env": self.name,
                "version": 1,
                "items": [{"variants": [variant], "quantity": quantity} for variant, quantity in items],
                "shown": shown_ids,
            },
            oracle={"items": [{"variant": variant, "quantity": quantity} for variant, quantity in items]},
            oracle_text=_say_answer(len(items)),
            goal={
                "items": [[wish.quantity, *(to_json(node) for node in wish.nodes)] for wish in wishes],
                "shown": sorted(entry.product_id for entry in shown),
            },
            notes=tuple(
                (
                    catalog.product_id(int(pages[shelf].rows[at])),
                    "it is sold out" if broken < 0 else plain(wish.nodes[broken], vocabulary),
                )
                for (shelf, at), (wish, broken) in sorted(decoys.items())
                if (shelf, at) not in meant
            ),
            attempts=attempts,
            chance=1 / (1 + len(shown_ids)) if not items else 1 / len(shown_ids) ** len(items),
            used={"decoys": len(decoys) / len(rows)} if missed else {},
            measured={
                **said.measured,
                "answers": len(wishes),
                "candidates": len(rows),
                "decoys": len(decoys) / len(rows),
                "out_of_stock": sum(broken < 0 for _, broken in decoys.values()) / len(rows),
            },
            evidence={
                "rows": rows,
                "wishes": [[wish.quantity, [to_json(node) for node in wish.nodes]] for wish in wishes],
            },
        )

    def _vocabulary(self, pages: list[Page]) -> Vocabulary:
        """The words of the whole department: it knows more than the page will, and so is the more careful."""
        return department_vocabulary(pages[0].catalog, {kind for page in pages for kind in page.types.tolist()})

    def _variant_id(self, pages: list[Page], wish: _Wish) -> str:
        page = pages[wish.shelf]
        return page.catalog.variant_id(int(page.variants[wish.target]), int(page.rows[page.products[wish.target]]))

    # --- answering from the text ---------------------------------------------------------------------------------

    def answer(self, prompt: Sequence[Message]) -> str:
        """Read the page, the notes and the wishes; find the one variant in stock that each wish means."""
        system = prompt[0]["content"]
        currency = read_currency(system)
        products = read_page(system, currency)
        _, nouns = read_introduction(system)
        vocabulary = shown_vocabulary(products, currency, nouns, {})
        turns = [message["content"] for message in prompt if message["role"] == "user"]
        items = _spelled_out(read_cart(turns, vocabulary)[0])
        saved: dict[str, list[Node]] = {}
        for singular, text in read_notes(system, nouns):
            saved.setdefault(singular, []).append(parse_condition(text, vocabulary)[0])
        minor = 10**currency.decimals
        answer = []
        for item in items:
            tree = AllOf((*item.conditions, *saved.get(item.noun, ())))
            meant = [
                variant
                for product in products
                if len(nouns) == 1 or product.facts.get("type") == item.noun
                for variant, facts in product.offers()
                if variant.stock >= item.quantity and holds(tree, facts_for(facts), minor)
            ]
            if len(meant) != 1:
                return json.dumps({"items": []})
            answer.append({"variant": meant[0].id, "quantity": item.quantity})
        return json.dumps({"items": answer})


def _shown(page: Page, shelf: int, pair: tuple[str, str | None], scope: set[Spot]) -> bool:
    """Whether a product in the scope gives a detail (or, where it is named, a choice)."""
    return any((shelf, place) in scope for place in np.flatnonzero(holders(page, *pair)).tolist())


def _spelled_out(items: Sequence[CartItem]) -> list[CartItem]:
    """Items with "the same, but …" replaced by what it means."""
    found: list[CartItem] = []
    for item in items:
        if item.same_as_previous:
            before = found[-1]
            changed = {node.key for node in item.conditions if isinstance(node, Is)}
            kept = [node for node in before.conditions if not (isinstance(node, Is) and node.key in changed)]
            item = replace(before, quantity=item.quantity, conditions=(*kept, *item.conditions))
        found.append(item)
    return found


def _say_answer(count: int) -> str:
    if count == 0:
        return (
            "I can't fill this cart as asked: not everything is in stock the way you describe it, so I added nothing."
        )
    return "I've put it in your cart." if count == 1 else f"I've put all {count} items in your cart."


ENVIRONMENT = Cart()
