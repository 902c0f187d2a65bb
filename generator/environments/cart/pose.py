"""CART: a cart of described items, each one exact variant in stock, with quantities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ecomrlve.difficulty.axes import Axes
from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.environments.base import Environment, Posed
from ecomrlve.generator.environments.cart.solve import Reading, read_wishes, solve_wishes
from ecomrlve.generator.environments.cart.wishes import (
    QUANTITIES,
    NearMisses,
    ShelfPosition,
    Wish,
    are_shown,
    compose_cart,
    draw_wishes,
    most_conditions,
    near_misses,
    sold_out_share,
)
from ecomrlve.generator.environments.posing import best_of, changes_of_mind, unsaid
from ecomrlve.generator.goals.conditions import GoalDrawer, mentioned_values
from ecomrlve.generator.goals.shelves import department_vocabulary, pick_pages
from ecomrlve.generator.pages.products import (
    listings,
    render_page,
)
from ecomrlve.generator.pages.prompt import Message, customer_turns, opening, render_notes, texts
from ecomrlve.generator.pages.scopes import draw_scope, render_introduction
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.constraints import Is, Node, to_json
from ecomrlve.grammars.conditions.vocabulary import Vocabulary
from ecomrlve.grammars.conditions.wording import plain, render_condition
from ecomrlve.grammars.dialogue.cart import render_cart
from ecomrlve.grammars.dialogue.requests import CartCorrection, CartItem
from ecomrlve.grammars.engine.tables import load_table

_ATTEMPTS = 64
# After so many attempts the page nearest to the wanted share of decoys is taken.
_PATIENCE = 4


@dataclass(frozen=True, slots=True)
class _Said:
    """The words of a cart: items as first said, corrections, and notes as (kind, condition)."""

    items: list[CartItem]
    corrections: list[CartCorrection]
    notes: list[tuple[int, Node]]
    measured: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A cart as drawn: shelves, wishes, the products shown, the near misses, and whether it cannot be filled."""

    pages: list[Page]
    wishes: list[Wish]
    scope: list[ShelfPosition]
    decoys: NearMisses
    unmet: bool


class Cart(Environment[Reading]):
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
        # Most options have to be said, so a level of few conditions takes products that come in few.
        conditions = most_conditions(axes)

        def attempt(number: int) -> tuple[int, _Draft] | None:
            pages = pick_pages(world, axes.candidates, min(3, axes.answers), draws, self.name, conditions)
            unmet = draws.below(axes.answers) if impossible else -1
            wishes = draw_wishes(pages, axes, draws, unmet, self._vocabulary(pages))
            scope = None if wishes is None else compose_cart(pages, wishes, axes, draws)
            if wishes is None or scope is None:
                return None
            decoys = near_misses(scope, wishes)
            short = max(0, (axes.candidates * axes.decoys + 500) // 1000 - len(decoys))
            return short, _Draft(pages, wishes, scope, decoys, unmet >= 0)

        best, attempts = best_of(attempt, near=axes.candidates // 8, patience=_PATIENCE, most=_ATTEMPTS, settle=False)
        if best is None:
            raise CannotPose(
                f"CART: no page of {axes.candidates} products was found that tells "
                f"{axes.answers} {'item' if axes.answers == 1 else 'items'} apart."
            )
        return self._posed(world, axes, draws, best, attempts)

    # --- putting it in words -------------------------------------------------------------------------------------

    def _say(self, pages: list[Page], wishes: list[Wish], axes: Axes, shown: set[ShelfPosition], draws: Draws) -> _Said:
        catalog = pages[0].catalog
        nodes = [[condition.node for condition in wish.conditions] for wish in wishes]
        quantities = [wish.quantity for wish in wishes]
        corrections: list[CartCorrection] = []
        changes = changes_of_mind(axes, draws)
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
                    [count for count in range(1, len(QUANTITIES) + 1) if count != quantities[number]]
                )
                corrections.append(CartCorrection("quantity", number, quantity=quantities[number]))
                quantities[number] = first_quantity
        notes: list[tuple[int, Node]] = []
        total = sum(len(wish.conditions) for wish in wishes)
        left = unsaid(axes, total, draws)
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
        self, page: Page, wish: Wish, shown: set[ShelfPosition], draws: Draws, vocabulary: Vocabulary
    ) -> tuple[int, Node] | None:
        """An option to be said first by mistake: (index of its condition, the wrong version), its value on the page."""
        drawer = GoalDrawer(page, wish.target, draws, vocabulary)
        axes = page.catalog.types[wish.kind].variant_axes
        for index, condition in enumerate(wish.conditions):
            if condition.keys[0] in axes and isinstance(condition.node, Is):
                first = drawer.wrong(condition.node)
                if first is not None and are_shown(page, wish.shelf, mentioned_values(first), shown):
                    return index, first
        return None

    def _posed(
        self,
        world: World,
        axes: Axes,
        draws: Draws,
        draft: _Draft,
        attempts: int,
    ) -> Posed:
        catalog = world.catalog
        pages, wishes, scope, decoys = draft.pages, draft.wishes, draft.scope, draft.decoys
        rows = [int(pages[shelf].rows[place]) for shelf, place in scope]
        kinds = sorted({catalog.type_of(row) for row in rows})
        vocabulary = self._vocabulary(pages)
        customer = draws.choice(world.customers)
        place = draw_scope(catalog, catalog.types[wishes[0].kind], draws)
        said = self._say(pages, wishes, axes, set(scope), draws)
        turns = render_cart(
            tuple(said.items),
            said.corrections,
            place.name,
            place.kind,
            vocabulary,
            draws,
            customer.style,
            world.has_held_out_wording,
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
            *render_notes(notes),
            render_introduction(place, len(rows), nouns),
            render_page(shown, True),
            words["rules"]["details"],
            words["rules"]["ranges"],
            load_table("generator.environments.cart/page")["reply"],
        ]
        items = [] if draft.unmet else [(self._variant_id(pages, wish), wish.quantity) for wish in wishes]
        shown_ids = [variant for entry in shown for variant in entry.variant_ids]
        id_of = dict(zip(scope, (entry.product_id for entry in shown), strict=True))
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
                (id_of[spot], "it is sold out" if broken < 0 else plain(wish.nodes[broken], vocabulary))
                for spot, (wish, broken) in decoys.items()
                if spot not in meant
            ),
            attempts=attempts,
            chance=1 / (1 + len(shown_ids)) if not items else 1 / len(shown_ids) ** len(items),
            used={"decoys": len(decoys) / len(rows)} if missed else {},
            measured={
                **said.measured,
                "answers": len(wishes),
                "candidates": len(rows),
                "decoys": len(decoys) / len(rows),
                "out_of_stock": sold_out_share(pages, wishes, scope),
            },
            evidence={
                "rows": rows,
                "wishes": [[wish.quantity, [to_json(node) for node in wish.nodes]] for wish in wishes],
            },
        )

    def _vocabulary(self, pages: list[Page]) -> Vocabulary:
        """The words of the whole department: it knows more than the page will, and so is the more careful."""
        return department_vocabulary(pages[0].catalog, {kind for page in pages for kind in page.kinds})

    def _variant_id(self, pages: list[Page], wish: Wish) -> str:
        page = pages[wish.shelf]
        return page.catalog.variant_id(int(page.variants[wish.target]), int(page.rows[page.products[wish.target]]))

    # --- answering from the text ---------------------------------------------------------------------------------

    def read(self, prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
        """Every way to understand the page, the notes and the wishes."""
        return read_wishes(prompt, perception)

    def solve(self, reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
        """Find the one variant in stock that each wish means."""
        return solve_wishes(reading, perception)


def _say_answer(count: int) -> str:
    if count == 0:
        return (
            "I can't fill this cart as asked: not everything is in stock the way you describe it, so I added nothing."
        )
    return "I've put it in your cart." if count == 1 else f"I've put all {count} items in your cart."


ENVIRONMENT = Cart()
