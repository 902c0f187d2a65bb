"""PD, product discovery: the best k products of a page that meet all conditions, in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import perm
from typing import Any, ClassVar

import numpy as np

from ecomrlve.difficulty.axes import Axes
from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.columns import Page
from ecomrlve.generator.environments.base import Environment, Posed
from ecomrlve.generator.environments.pd.solve import Reading, read_products, solve_products
from ecomrlve.generator.environments.posing import best_of, changes_of_mind, unsaid
from ecomrlve.generator.goals.composition import Classification, ScopeMakeup, classify, compose, makeup, offer, share_of
from ecomrlve.generator.goals.conditions import Condition, GoalDrawer, mentioned_values
from ecomrlve.generator.goals.shelves import page_vocabulary, pick_page
from ecomrlve.generator.goals.telling import TYPE, draw_purchases, omit
from ecomrlve.generator.pages.products import (
    listings,
    render_page,
)
from ecomrlve.generator.pages.prompt import (
    ANYTHING,
    Message,
    bought_on,
    customer_turns,
    opening,
    render_history,
    render_notes,
    texts,
)
from ecomrlve.generator.pages.scopes import draw_scope, render_introduction
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.conditions.constraints import (
    AllOf,
    Criterion,
    Is,
    Node,
    Not,
    Related,
    resolve,
    to_json,
)
from ecomrlve.grammars.conditions.wording import can_say, can_say_criterion, plain, render_condition
from ecomrlve.grammars.dialogue.requests import Correction, ShoppingRequest
from ecomrlve.grammars.dialogue.shopping import render_shopping
from ecomrlve.grammars.engine.tables import load_table

_ATTEMPTS = 64
# After so many attempts the page nearest to the wanted share of decoys is taken.
_PATIENCE = 4
# From this many conditions on, one may rest on something bought before.
_RELATED_FROM = 2
_REFERENCE = "bought before"
# On a page of several types, the type is asked for where so many products have it.
_TYPED_FROM = 3
_TYPE = (TYPE,)


@dataclass(frozen=True, slots=True)
class _Goal:
    """What is asked, as drawn: conditions as said (relations unresolved) and as they are checked."""

    page: Page
    said: list[Condition]
    checked: list[Node]
    bought: list[tuple[date, str, dict[str, str]]]
    references: dict[str, str]
    barred: frozenset[int]
    drawer: GoalDrawer
    wrong: dict[int, Node]


class ProductDiscovery(Environment[Reading]):
    """The customer wants products that meet all conditions, the best k by a stated criterion."""

    name: ClassVar[str] = "PD"
    slip: ClassVar[int] = 15_000
    summary: ClassVar[str] = "products that meet all conditions, best k by a stated criterion"
    order_matters: ClassVar[bool] = True
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
        """Compose a page around a target, state the goal, and rank what qualifies."""

        def attempt(number: int) -> tuple[int, tuple[_Goal, Classification, list[int]]] | None:
            goal = self._draw_goal(world, axes, draws)
            if goal is None:
                return None
            found = classify(goal.page, goal.checked)
            wanted = self._wanted(axes, draws, impossible)
            scope = compose(goal.page, found, wanted, _mentioned(goal), goal.barred, draws)
            if scope is None:
                return None
            near = int(((found.decoy >= 0) | found.sold_out)[scope].sum())
            # With one condition nothing is a near miss, and the share of decoys has no meaning.
            off = abs(wanted.decoys + wanted.sold_out - near) if axes.constraints > 1 else 0
            return off, (goal, found, scope)

        best, attempts = best_of(attempt, near=axes.candidates // 12, patience=_PATIENCE, most=_ATTEMPTS, settle=True)
        if best is None:
            raise CannotPose(
                f"PD: no page of {axes.candidates} products was found that "
                f"{axes.constraints} {'condition tells' if axes.constraints == 1 else 'conditions tell'} apart."
            )
        return self._posed(world, axes, draws, *best, attempts)

    # --- drawing -------------------------------------------------------------------------------------------------

    def _draw_goal(self, world: World, axes: Axes, draws: Draws) -> _Goal | None:
        page = pick_page(world, axes.candidates, draws, self.name)
        if len(page.buyable) == 0:
            return None
        vocabulary = page_vocabulary(world.catalog, page.kinds, {})
        drawer = GoalDrawer(page, int(page.buyable[draws.below(len(page.buyable))]), draws, vocabulary)
        share = share_of(axes.constraints)
        related = None
        if axes.constraints >= _RELATED_FROM and draws.chance(220):
            related = self._relation(drawer)
        typed: list[Condition] = []
        if len(page.kinds) > 1 and axes.constraints > 1:
            kind = world.catalog.types[drawer.kind]
            # A type that only a few products have would say it all.
            if int((page.types == drawer.kind).sum()) >= _TYPED_FROM and vocabulary.noun_is_clear(kind.key):
                typed = [Condition(Is(TYPE, (kind.singular,)), _TYPE, ((TYPE, kind.singular),))]
        count = axes.constraints - (related is not None) - len(typed)
        used = set(related[0].keys) if related else set()
        conditions = drawer.conditions(count, share, used)
        if conditions is None:
            return None
        conditions = draws.shuffle([*typed, *conditions, *([related[0]] if related else [])])
        nodes = [condition.node for condition in conditions]
        references: dict[str, str] = {}
        bought: list[tuple[date, str, dict[str, str]]] = []
        barred = frozenset[int]()
        if related:
            _, place, facts = related
            row = int(page.rows[place])
            bought, phrase = draw_purchases(world, row, facts, draws)
            references, barred = {_REFERENCE: phrase}, frozenset({place})
            if not can_say(related[0].node, vocabulary.with_references(references)):
                return None
            minor = 10**world.catalog.currency.decimals
            nodes = [resolve(node, {_REFERENCE: facts}, world.catalog.attributes, minor) for node in nodes]
        wrong = self._wrong(axes, conditions, drawer, draws)
        return _Goal(page, conditions, nodes, bought, references, barred, drawer, wrong)

    def _relation(self, drawer: GoalDrawer) -> tuple[Condition, int, dict[str, str]] | None:
        """A condition that rests on something bought before: (condition, its place on the shelf, its facts)."""
        page, draws, catalog = drawer.page, drawer.draws, drawer.page.catalog
        own = int(page.products[drawer.target])
        kind = int(page.types[own])
        place = draws.below(len(page.rows))
        if place == own or int(page.types[place]) != kind:
            return None
        variant = int(page.variants[page.starts[place]])
        facts = catalog.facts(int(page.rows[place]), variant)
        numbers = [
            key
            for key in catalog.types[kind].attributes
            if catalog.attributes[key].kind == "number" and catalog.attributes[key].unit and key in facts
        ]
        key = draws.choice(["brand", "brand", "price", *numbers])
        code = int(page.codes(key)[drawer.target])
        other = int(page.codes(key)[page.starts[place]])
        if MISSING in (code, other) or (key != "brand" and code == other):
            return None
        if key == "brand":
            same = Related("brand", "same", _REFERENCE)
            node: Node = same if code == other else Not(same)
        else:
            node = Related(key, "less" if code < other else "more", _REFERENCE)
        shown = (("brand", facts["brand"]),) if key == "brand" else ()
        return Condition(node, (key,), shown), place, facts

    def _wrong(self, axes: Axes, conditions: list[Condition], drawer: GoalDrawer, draws: Draws) -> dict[int, Node]:
        """Conditions that the customer first gets wrong: index to the first version."""
        changes = changes_of_mind(axes, draws)
        wrong: dict[int, Node] = {}
        for index in draws.sample(range(len(conditions)), len(conditions)):
            if len(wrong) == changes:
                break
            first = drawer.wrong(conditions[index].node)
            if first is not None and conditions[index].keys != _TYPE:
                wrong[index] = first
        return wrong

    def _wanted(self, axes: Axes, draws: Draws, impossible: bool) -> ScopeMakeup:
        total, answers = axes.candidates, min(axes.answers, axes.candidates)
        # Now and then fewer fit than are asked for: then all that fit are right.
        right = draws.between(1, answers) if draws.chance(80) else answers + draws.below(3)
        return makeup(total, right, axes, draws, impossible)

    # --- putting it in words -------------------------------------------------------------------------------------

    def _posed(
        self,
        world: World,
        axes: Axes,
        draws: Draws,
        goal: _Goal,
        found: Classification,
        scope: list[int],
        attempts: int,
    ) -> Posed:
        catalog, page = world.catalog, goal.page
        rows = page.rows[scope].tolist()
        kinds = sorted(set(page.types[scope].tolist()))
        vocabulary = page_vocabulary(catalog, page.kinds, goal.references)
        criterion = self._criterion(page, goal, scope, draws)
        shown = listings(catalog, rows, False, len(kinds) > 1)
        ids = [entry.product_id for entry in shown]
        right = np.flatnonzero(found.right[scope]).tolist()
        ranked = sorted(right, key=lambda number: (*self._rank(page, found, scope[number], criterion), ids[number]))
        answers = min(axes.answers, axes.candidates)
        ranking = [ids[number] for number in ranked[:answers]]

        omitted = omit(unsaid(axes, len(goal.said), draws), goal.said, goal.wrong, draws)
        stated = [index for index in range(len(goal.said)) if index not in omitted]
        place = draw_scope(catalog, catalog.types[kinds[0]], draws)
        customer = draws.choice(world.customers)
        # The type is said as the noun.
        said = [goal.wrong.get(index, goal.said[index].node) for index in stated if goal.said[index].keys != _TYPE]
        corrections = [
            Correction("condition", key=goal.said[index].keys[0], node=goal.said[index].node)
            for index in sorted(goal.wrong)
            if index in stated
        ]
        typed = next((condition.node for condition in goal.said if condition.keys == _TYPE), None)
        kind = catalog.types[kinds[0] if typed is None else goal.drawer.kind]
        named = vocabulary.noun_is_clear(kind.key) and (typed is not None or len(kinds) == 1)
        noun = kind.key if named else ""
        request = ShoppingRequest(noun, answers, place.name, place.kind, tuple(said), criterion)
        turns = render_shopping(request, corrections, vocabulary, draws, customer.style, world.has_held_out_wording)
        plural = kind.plural if noun else ANYTHING
        notes = [(plural, render_condition(goal.said[index].node, vocabulary, draws, many=True)) for index in omitted]
        nouns = [(catalog.types[kind].singular, catalog.types[kind].plural) for kind in kinds]
        words = texts()
        system = [
            *opening(world, customer),
            *render_notes(notes),
            *render_history(goal.bought),
            render_introduction(place, len(rows), nouns),
            render_page(shown, False),
            *words["rules"].values(),
            load_table("generator.environments.pd/page")["reply"],
        ]
        # Who reads the page knows the words of everything bought, and must undo the typing errors among them.
        known = {str(number): bought_on(facts["type"], day) for number, (day, _, facts) in enumerate(goal.bought)}
        reader = vocabulary.with_references(known) if axes.noise and len(known) > 1 else vocabulary
        sold_out = np.flatnonzero(found.sold_out[scope]).tolist()
        broken = [plain(condition.node, vocabulary) for condition in goal.said]
        lacking = zip(ids, found.decoy[scope].tolist(), strict=True)
        fails = [(one, broken[condition]) for one, condition in lacking if condition >= 0]
        decoys = len(fails)
        fails += [(ids[number], "it is sold out") for number in sold_out]
        # That nothing fits is one guess more than there are products.
        chance = 1 / perm(len(rows), len(ranking)) if ranking else 1 / (len(rows) + 1)
        checked = to_json(AllOf(tuple(goal.checked)))
        used: dict[str, float] = {}
        # With one condition there is no near miss: what breaks it meets nothing that was asked.
        near = decoys + len(sold_out) if axes.constraints > 1 else 0
        if axes.constraints > 1 and abs(near * 1000 - axes.decoys * len(rows)) > 1000:
            used["decoys"] = near / len(rows)
        return Posed(
            prompt=[
                {"role": "system", "content": "\n".join(system)},
                *customer_turns(turns, axes.noise, reader, draws),
            ],
            truth={"env": self.name, "version": 1, "ranking": ranking, "shown": ids},
            oracle={"products": ranking},
            oracle_text=_say_answer(ranking, [catalog.title(rows[number]) for number in ranked[:answers]]),
            goal={
                "conditions": checked,
                "count": answers,
                "criterion": list(criterion.keys),
                "shown": sorted(ids),
            },
            notes=tuple(fails),
            attempts=attempts,
            chance=chance,
            used=used,
            measured={
                "constraints": len(goal.said),
                "answers": len(ranking),
                "candidates": len(rows),
                "decoys": near / len(rows),
                "out_of_stock": len(sold_out) / max(1, len(sold_out) + len(right)),
                "omission": len(omitted) / len(goal.said),
                "switching": len(corrections),
            },
            evidence={"rows": rows, "conditions": checked[1:]},
        )

    def _criterion(self, page: Page, goal: _Goal, scope: list[int], draws: Draws) -> Criterion:
        catalog = page.catalog
        kinds = sorted(set(page.types[scope].tolist()))
        rated = bool((catalog.rating[page.rows] != MISSING).any())
        options: list[Criterion] = [Criterion((("price", "less"),))] * 2
        if rated:
            options += [Criterion((("rating", "more"), ("price", "less")))] * 2
            options.append(Criterion((("reviews", "more"),)))
        if len(kinds) == 1:
            kind = catalog.types[kinds[0]]
            for key in kind.attributes:
                attribute = catalog.attributes[key]
                if attribute.better and key not in kind.variant_axes:
                    direction = "more" if attribute.better == "more" else "less"
                    keys = ((key, direction),) if draws.chance(400) else ((key, direction), ("price", "less"))
                    chosen = Criterion(keys)  # type: ignore[arg-type]
                    if can_say_criterion(chosen, goal.drawer.vocabulary):
                        options.append(chosen)
        chosen = draws.choice(options)
        # A detail that no product on the page gives is a word that a reader of the page does not know.
        unknown = page.lacking(
            scope, [(key, None) for key, _ in chosen.keys if key in catalog.types[goal.drawer.kind].attributes]
        )
        return options[0] if unknown else chosen

    def _rank(self, page: Page, found: Classification, place: int, criterion: Criterion) -> tuple[int, ...]:
        """Sort key of a right product: smaller is better, a missing detail last."""
        best = offer(page, found, place)
        key: list[int] = []
        for name, direction in criterion.keys:
            code = int(page.codes(name)[best])
            key += [1, 0] if code == MISSING else [0, -code if direction == "more" else code]
        return tuple(key)

    # --- answering from the text ---------------------------------------------------------------------------------

    def read(self, prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
        """Every way to understand the page, the notes and the request."""
        return read_products(prompt, perception)

    def solve(self, reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
        """Check every product, and rank what fits."""
        return solve_products(reading, perception)


def _mentioned(goal: _Goal) -> list[tuple[str, str | None]]:
    """What the page must hold: every value that is said, rightly or at first wrongly, and every detail."""
    found: list[tuple[str, str | None]] = [pair for condition in goal.said for pair in condition.mentioned]
    found += [pair for node in goal.wrong.values() for pair in mentioned_values(node)]
    return found + [(key, None) for condition in goal.said for key in condition.keys]


def _say_answer(ranking: list[str], titles: list[str]) -> str:
    if not ranking:
        return "I checked every product on the page, and none of them meets all of your conditions."
    if len(ranking) == 1:
        return f"The {titles[0]} is the best match for what you asked."
    return "These match what you asked for, best first: " + "; ".join(titles) + "."


ENVIRONMENT = ProductDiscovery()
