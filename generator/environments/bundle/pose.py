"""BUNDLE: a set of products for a project, within budget, whose parts fit each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ecomrlve.difficulty.axes import Axes
from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.environments.base import Environment, Posed
from ecomrlve.generator.environments.bundle.draft import Draft, Slot, draw_draft
from ecomrlve.generator.environments.bundle.page import compose_page
from ecomrlve.generator.environments.bundle.projects import project_shop
from ecomrlve.generator.environments.bundle.settle import Posable, chance_of, near_misses, settle
from ecomrlve.generator.environments.bundle.solve import Reading, read_set, solve_set
from ecomrlve.generator.environments.posing import best_of, changes_of_mind, unsaid
from ecomrlve.generator.goals.amounts import nice
from ecomrlve.generator.goals.conditions import GoalDrawer, mentioned_values
from ecomrlve.generator.pages.fits import FitLine, render_fits
from ecomrlve.generator.pages.products import listings, render_page
from ecomrlve.generator.pages.prompt import Message, customer_turns, opening, render_notes, texts
from ecomrlve.generator.pages.scopes import Scope, draw_scope, render_introduction
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.constraints import Node, to_json
from ecomrlve.grammars.conditions.wording import plain, render_condition
from ecomrlve.grammars.dialogue.bundle import (
    SetCorrection,
    SetPart,
    SetRequest,
    Shared,
    bundle_lexicon,
    render_set,
)
from ecomrlve.grammars.engine.lexicon import Lexicon
from ecomrlve.grammars.engine.tables import load_table

_ATTEMPTS = 64
# By how much, in percent, a budget that is taken back was off.
_BUDGETS = (70, 80, 90, 110, 120, 130, 150)


@dataclass(frozen=True, slots=True)
class _Said:
    """The words of a wish: as first said, what changes, and notes as (kind, condition)."""

    request: SetRequest
    corrections: list[SetCorrection]
    notes: list[tuple[int, Node]]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Who reads the customer's turns: the words that they know."""

    lexicon: Lexicon


class Bundle(Environment[Reading]):
    """The customer wants a set for a project: one product for each thing, within budget, parts that fit each other."""

    name: ClassVar[str] = "BUNDLE"
    summary: ClassVar[str] = "a set for a project, within budget, whose parts fit each other"
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
        """Draw a set that can be had, surround it with near misses, and set the budget between two sets' prices."""
        shop = project_shop(world)

        def attempt(number: int) -> tuple[int, Posable] | None:
            draft = draw_draft(world, shop, axes, draws, self.name)
            page = None if draft is None else compose_page(draft, axes, draws)
            if draft is None or page is None:
                return None
            if not all(page.show(slot, _mentioned(one)) for slot, one in enumerate(draft.slots)):
                return None
            linked = axes.constraints > 1 or axes.decoys > 0
            posable = settle(page, linked, impossible, draws)
            return None if posable is None or not _all_shown(posable) else (0, posable)

        best, attempts = best_of(attempt, near=0, patience=1, most=_ATTEMPTS, settle=False)
        if best is None:
            raise CannotPose(
                f"BUNDLE: no page of {axes.candidates} products was found with sets of {axes.answers + 1} things that "
                "go together."
            )
        return self._posed(world, axes, draws, best, attempts)

    # --- putting it in words -------------------------------------------------------------------------------------

    def _say(self, posable: Posable, axes: Axes, place: Scope, draws: Draws) -> _Said:
        draft, budget = posable.page.draft, posable.problem.budget
        catalog = draft.slots[0].page.catalog
        nouns = [catalog.types[slot.kind].key for slot in draft.slots]
        nodes = [[condition.node for condition in slot.conditions] for slot in draft.slots]
        corrections: list[SetCorrection] = []
        corrected: set[tuple[int, int]] = set()
        for _ in range(changes_of_mind(axes, draws)):
            change = self._other_condition(posable, corrected, draws) if draws.chance(600) else None
            if change is not None:
                slot, index, first = change
                corrections.append(SetCorrection(noun=nouns[slot], node=nodes[slot][index]))
                nodes[slot][index] = first
                corrected.add((slot, index))
            elif budget == posable.problem.budget and (other := _other_budget(catalog, budget, draws)) != budget:
                corrections.append(SetCorrection(budget=budget))
                budget = other
        free = [
            (slot, index)
            for slot in range(len(nodes))
            for index in range(len(nodes[slot]))
            if (slot, index) not in corrected
        ]
        left = unsaid(axes, sum(map(len, nodes)), draws)
        omitted = sorted(draws.sample(free, min(left, len(free))))
        notes = [(draft.slots[slot].kind, nodes[slot][index]) for slot, index in omitted]
        parts = tuple(
            SetPart(noun, tuple(node for index, node in enumerate(own) if (slot, index) not in omitted))
            for slot, (noun, own) in enumerate(zip(nouns, nodes, strict=True))
        )
        shared = tuple(
            Shared(link.keys[0], tuple(nouns[slot] for slot in link.slots)) for link in draft.links if not link.fit
        )
        request = SetRequest(
            parts,
            draft.least,
            any(link.fit for link in draft.links),
            shared,
            budget,
            draft.goal,
            nouns[draft.rated[0]] if len(draft.rated) == 1 else "",
            place.name,
            place.kind,
        )
        return _Said(request, corrections, notes)

    def _other_condition(
        self, posable: Posable, corrected: set[tuple[int, int]], draws: Draws
    ) -> tuple[int, int, Node] | None:
        """A condition to be said first by mistake: (slot, index, the wrong version), its values on the page."""
        draft = posable.page.draft
        for slot in draws.shuffle(range(len(draft.slots))):
            one = draft.slots[slot]
            drawer = GoalDrawer(one.page, one.target, draws, draft.vocabulary)
            for index, condition in enumerate(one.conditions):
                first = drawer.wrong(condition.node)
                if first is None or (slot, index) in corrected:
                    continue
                if not one.page.lacking(posable.page.places[slot], mentioned_values(first)):
                    return slot, index, first
        return None

    def _posed(self, world: World, axes: Axes, draws: Draws, posable: Posable, attempts: int) -> Posed:
        catalog, draft, problem = world.catalog, posable.page.draft, posable.problem
        spots = [(slot, at) for slot, places in enumerate(posable.page.places) for at in places]
        rows = [int(draft.slots[slot].page.rows[at]) for slot, at in spots]
        rows = draws.shuffle([*rows, *_others(catalog, draft, axes.candidates - len(rows), draws)])
        kinds = sorted({catalog.type_of(row) for row in rows})
        customer = draws.choice(world.customers)
        place = draw_scope(catalog, catalog.types[draft.slots[0].kind], draws)
        said = self._say(posable, axes, place, draws)
        pairs = [
            (catalog.types[draft.slots[link.slots[0]].kind].key, catalog.types[draft.slots[link.slots[1]].kind].key)
            for link in draft.links
            if link.fit
        ]
        turns = render_set(
            said.request,
            said.corrections,
            draft.project.phrase,
            list(dict.fromkeys(pairs)),
            draft.vocabulary,
            draws,
            customer.style,
            world.has_held_out_wording,
        )
        shown = listings(catalog, rows, False, True)
        ids = [entry.product_id for entry in shown]
        order = draws.shuffle(posable.meant) if posable.right else []
        # With a budget alone nothing is a near miss: what costs more meets nothing that was asked.
        near = {spot: what for spot, what in near_misses(posable).items() if axes.constraints > 1 or what != "budget"}
        id_of = {spot: catalog.product_id(int(draft.slots[spot[0]].page.rows[spot[1]])) for spot in near}
        conditions = sum(len(slot.conditions) for slot in draft.slots)
        short = abs(len(near) * 1000 - axes.decoys * len(rows)) > 1000
        return Posed(
            prompt=[
                {
                    "role": "system",
                    "content": self._system(world, customer, place, rows, kinds, shown, said, draft, draws),
                },
                *customer_turns(turns, axes.noise, _Reader(bundle_lexicon(draft.vocabulary)), draws),
            ],
            truth={
                "env": self.name,
                "version": 1,
                "slots": [
                    [[part.product, part.rating, [[price, *values] for price, values in part.offers]] for part in parts]
                    for parts in problem.slots
                ],
                "links": [list(link) for link in problem.links],
                "least": problem.least,
                "budget": problem.budget,
                "goal": problem.goal,
                "rated": list(problem.rated),
                "optimum": posable.optimum,
                "shown": ids,
            },
            oracle={"products": order},
            oracle_text=_say_answer(catalog.currency.text(posable.price) if posable.right else "", len(order)),
            goal={
                "parts": [
                    [catalog.types[slot.kind].singular, *(to_json(each.node) for each in slot.conditions)]
                    for slot in draft.slots
                ],
                "links": [
                    [[slot, key] for slot, key in zip(link.slots, link.keys, strict=True)] for link in draft.links
                ],
                "least": problem.least,
                "budget": problem.budget,
                "goal": problem.goal,
                "rated": list(problem.rated),
                "shown": sorted(ids),
            },
            notes=tuple((id_of[spot], _lack(draft, spot[0], what)) for spot, what in near.items()),
            attempts=attempts,
            chance=chance_of(posable, len(rows)),
            used={"decoys": len(near) / len(rows)} if short else {},
            measured={
                "constraints": 1 + conditions + sum(not link.fit for link in draft.links),
                "answers": len(draft.slots),
                "candidates": len(rows),
                "decoys": len(near) / len(rows),
                "out_of_stock": _sold_out_share(near, posable),
                "omission": len(said.notes) / max(1, conditions),
                "switching": len(said.corrections),
            },
            evidence={"rows": rows},
        )

    def _system(
        self,
        world: World,
        customer: Any,
        place: Scope,
        rows: Sequence[int],
        kinds: Sequence[int],
        shown: Any,
        said: _Said,
        draft: Draft,
        draws: Draws,
    ) -> str:
        catalog, words = world.catalog, texts()
        notes = [
            (catalog.types[kind].plural, render_condition(node, draft.vocabulary, draws, many=True))
            for kind, node in said.notes
        ]
        nouns = [(catalog.types[kind].singular, catalog.types[kind].plural) for kind in kinds]
        fits = [
            FitLine(
                catalog.types[fit.source].singular,
                catalog.types[fit.target].singular,
                catalog.attributes[fit.attribute].label,
                catalog.attributes[fit.target_attribute].label,
            )
            for fit in project_shop(world).fits_among(tuple(kinds))
        ]
        return "\n".join(
            [
                *opening(world, customer),
                *render_notes(notes),
                render_introduction(place, len(rows), nouns),
                render_page(shown, False),
                *render_fits(fits),
                words["rules"]["details"],
                words["rules"]["ranges"],
                *(words["sets"][name] for name in ("parts", "options", "total")),
                load_table("generator.environments.bundle/page")["reply"],
            ]
        )

    # --- answering from the text ---------------------------------------------------------------------------------

    def read(self, prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
        """Every way to understand the page, the notes and the wish."""
        return read_set(prompt, perception)

    def solve(self, reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
        """Find a set that meets everything, the best where one is asked for."""
        return solve_set(reading, perception)


def _mentioned(slot: Slot) -> list[tuple[str, str | None]]:
    """The details that are asked of a part: each value by name, and any of each (None)."""
    values: list[tuple[str, str | None]] = [pair for condition in slot.conditions for pair in condition.mentioned]
    return [*values, *((key, None) for condition in slot.conditions for key in condition.keys)]


def _all_shown(posable: Posable) -> bool:
    """Whether every value that a condition mentions is still on the page."""
    shown = zip(posable.page.draft.slots, posable.page.places, strict=True)
    return not any(slot.conditions and slot.page.lacking(places, _mentioned(slot)) for slot, places in shown)


def _other_budget(catalog: Catalog, budget: int, draws: Draws) -> int:
    """A budget to be said first by mistake: a round one, or the same where there is none near."""
    minor = 10**catalog.currency.decimals
    percent = draws.choice(_BUDGETS)
    other = nice(Fraction(budget * percent, 100 * minor), percent > 100) * minor
    return int(other) if other.denominator == 1 and other > 0 else budget


def _others(catalog: Catalog, draft: Draft, count: int, draws: Draws) -> list[int]:
    """Products of other types of the same departments, where the shop has too few of those wanted to fill the page."""
    if count <= 0:
        return []
    wanted = {slot.kind for slot in draft.slots}
    departments = sorted({catalog.types[kind].department for kind in wanted})
    kinds = [kind for name in departments for kind in catalog.types_of_department[name] if kind not in wanted]
    rows = [row for kind in kinds for row in range(int(catalog.type_start[kind]), int(catalog.type_start[kind + 1]))]
    return draws.sample(rows, count)


def _lack(draft: Draft, slot: int, what: str) -> str:
    """What a near miss breaks, in words."""
    kind, _, number = what.partition(" ")
    if kind == "stock":
        return "it is sold out"
    if kind == "budget":
        return "the set would cost more than the budget"
    if kind == "condition":
        return plain(draft.slots[slot].conditions[int(number)].node, draft.vocabulary)
    link = draft.links[int(number)]
    label = draft.vocabulary.attributes[link.keys[link.slots.index(slot)]].label
    return f"{label} {'that fits' if link.fit else 'the same'}"


def _sold_out_share(near: Mapping[tuple[int, int], str], posable: Posable) -> float:
    """Of the products that could stand in the set meant, were they in stock, the share that is sold out."""
    gone = sum(what == "stock" for what in near.values())
    return gone / (gone + len(posable.meant))


def _say_answer(price: str, count: int) -> str:
    if not count:
        return "I went through every combination, and no set of products meets everything you asked for."
    return f"These {count} go together and come to {price} in all."


ENVIRONMENT = Bundle()
