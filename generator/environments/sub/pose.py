"""SUB, substitutes: one product in place of what was wanted and cannot be had."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ecomrlve.difficulty.axes import Axes
from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.related import targets_of
from ecomrlve.generator.environments.base import Environment, Posed
from ecomrlve.generator.environments.posing import best_of, changes_of_mind, unsaid
from ecomrlve.generator.environments.sub.choice import Choice, choose
from ecomrlve.generator.environments.sub.draft import Draft, draw_draft, draw_preference, draw_tolerance
from ecomrlve.generator.environments.sub.solve import Reading, read_substitutes, solve_substitutes
from ecomrlve.generator.goals.conditions import mentioned_values
from ecomrlve.generator.goals.telling import omit
from ecomrlve.generator.pages.products import listings, render_page
from ecomrlve.generator.pages.prompt import (
    ANYTHING,
    Message,
    bought_on,
    customer_turns,
    opening,
    render_history,
    render_notes,
    render_substitutes,
    texts,
)
from ecomrlve.generator.pages.scopes import draw_scope, render_introduction
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.constraints import Node, to_json
from ecomrlve.grammars.conditions.vocabulary import Vocabulary
from ecomrlve.grammars.conditions.wording import plain, render_condition
from ecomrlve.grammars.dialogue.requests import Preference, SubstituteCorrection, SubstituteRequest, Tolerance
from ecomrlve.grammars.dialogue.substitutes import pronouns, render_substitute, substitute_lexicon
from ecomrlve.grammars.engine.lexicon import Lexicon
from ecomrlve.grammars.engine.tables import load_table

_ATTEMPTS = 64
# After so many attempts the page nearest to the wanted share of decoys is taken.
_PATIENCE = 4


@dataclass(frozen=True, slots=True)
class _First:
    """What the customer says at first and changes later: conditions by their place, the tolerance, the preference."""

    conditions: dict[int, Node] = field(default_factory=dict)
    tolerance: Tolerance | None = None
    preference: Preference = ()

    @property
    def changes(self) -> int:
        """How many things change."""
        return len(self.conditions) + (self.tolerance is not None) + bool(self.preference)


@dataclass(frozen=True, slots=True)
class _Heard:
    """The words that whoever reads a page and its history knows."""

    lexicon: Lexicon


class Substitutes(Environment[Reading]):
    """The customer cannot have what they wanted, and takes the best that stands in for it."""

    name: ClassVar[str] = "SUB"
    slip: ClassVar[int] = 28_000
    summary: ClassVar[str] = "a substitute for something that cannot be had"
    order_matters: ClassVar[bool] = False
    axes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "context": ("constraints", "candidates", "decoys", "out_of_stock", "omission", "noise", "switching")
    }

    def pose(self, world: World, axes: Axes, draws: Draws, impossible: bool) -> Posed:
        """Draw what was wanted and what has to stay, and compose a page around the best substitutes."""
        if not _has_stand_ins(world.catalog):
            raise CannotPose(
                "SUB: the shop lacks products that can stand in for each other: no type has two, and no edge of its "
                "graph ties two types."
            )

        def attempt(number: int) -> tuple[int, tuple[Choice, Draft, _First]] | None:
            draft = draw_draft(world, axes, draws)
            if draft is None:
                return None
            first = _first_versions(draft, axes, draws)
            choice = choose(draft, axes, draws, impossible, _must_show(draft, first))
            return None if choice is None else (choice.off, (choice, draft, first))

        best, attempts = best_of(attempt, near=axes.candidates // 12, patience=_PATIENCE, most=_ATTEMPTS, settle=True)
        if best is None:
            raise CannotPose(
                f"SUB: no page of {axes.candidates} products was found on which something was wanted that "
                f"{axes.constraints} {'condition keeps' if axes.constraints == 1 else 'conditions keep'} to."
            )
        return self._posed(world, axes, draws, *best, attempts)

    # --- putting it in words -------------------------------------------------------------------------------------

    def _posed(
        self, world: World, axes: Axes, draws: Draws, choice: Choice, draft: Draft, first: _First, attempts: int
    ) -> Posed:
        catalog, page = world.catalog, draft.page
        rows = page.rows[choice.scope].tolist()
        kinds = sorted(set(page.types[choice.scope].tolist()))
        shown = listings(catalog, rows, False, kinds != [draft.kind])
        ids = [entry.product_id for entry in shown]
        id_of = dict(zip(choice.scope, ids, strict=True))
        accepted = sorted(id_of[place] for place in choice.best)
        omitted = omit(unsaid(axes, len(draft.conditions), draws), draft.conditions, first.conditions, draws)
        place = draw_scope(catalog, catalog.types[draft.kind], draws)
        customer = draws.choice(world.customers)
        wanted = "bought" if draft.bought else id_of[draft.product]
        request, corrections = _told(draft, first, omitted, wanted, place.name, place.kind)
        turns = render_substitute(
            request,
            corrections,
            draft.title,
            draft.vocabulary,
            draws,
            customer.style,
            world.has_held_out_wording,
        )
        kept = [draft.conditions[at].node for at in omitted]
        notes = [(ANYTHING, render_condition(node, draft.vocabulary, draws, many=True)) for node in kept]
        words = texts()
        nouns = [(catalog.types[kind].singular, catalog.types[kind].plural) for kind in kinds]
        system = [
            *opening(world, customer),
            *render_notes(notes),
            *render_history(draft.bought),
            render_introduction(place, len(rows), nouns),
            render_page(shown, False),
            *(words["rules"][rule] for rule in ("details", "ranges", "options", "stock")),
            *render_substitutes(_stand_ins(draft, kinds)),
            load_table("generator.environments.sub/page")["reply"],
        ]
        others = [one for one in choice.scope if one != draft.product]
        near, used = _near_misses(axes, choice, others)
        sold_out = int(choice.found.sold_out[others].sum())
        asked = len(draft.conditions) + (draft.tolerance is not None)
        return Posed(
            prompt=[
                {"role": "system", "content": "\n".join(system)},
                *customer_turns(turns, axes.noise, _heard(draft) if axes.noise else draft.vocabulary, draws),
            ],
            truth={"env": self.name, "version": 1, "accepted": accepted, "shown": ids},
            oracle={"products": accepted[:1]},
            oracle_text=_say_answer([catalog.title(int(page.rows[one])) for one in choice.best]),
            goal={
                "conditions": [to_json(node) for node in choice.nodes],
                "preference": [list(key) for key in draft.preference],
                "wanted": [catalog.product_id(int(page.rows[draft.product])), int(page.variants[draft.target])],
                "shown": sorted(ids),
            },
            notes=tuple(_fails(choice, draft, id_of)),
            attempts=attempts,
            # That nothing comes near enough is one guess more than there are products.
            chance=len(accepted) / len(rows) if accepted else 1 / (len(rows) + 1),
            used=used,
            measured={
                "constraints": asked,
                "candidates": len(rows),
                "decoys": near / len(rows),
                "out_of_stock": sold_out / max(1, sold_out + choice.right),
                "omission": len(omitted) / asked,
                "switching": len(corrections),
            },
            evidence=_evidence(draft, rows),
        )

    # --- answering from the text ---------------------------------------------------------------------------------

    def read(self, prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
        """Every way to understand the page, the notes and the request."""
        return read_substitutes(prompt, perception)

    def solve(self, reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
        """Check every product against what has to stay, and take the best."""
        return solve_substitutes(reading, perception)


def _has_stand_ins(catalog: Catalog) -> bool:
    """Whether any product of a shop can stand in for another."""
    counts = np.diff(catalog.type_start)
    if bool((counts > 1).any()):
        return True
    return any(
        counts[kind] and counts[targets_of(catalog, kind, "substitutes")].any() for kind in range(len(catalog.types))
    )


def _near_misses(axes: Axes, choice: Choice, others: list[int]) -> tuple[int, dict[str, float]]:
    """How many products break one condition, and the share as an axis where it is not the one wanted."""
    if axes.constraints == 1:
        return 0, {}
    near = int(((choice.found.decoy >= 0) | choice.found.sold_out)[others].sum())
    total = len(choice.scope)
    missed = abs(near * 1000 - axes.decoys * total) > 1000
    return near, {"decoys": near / total} if missed else {}


def _first_versions(draft: Draft, axes: Axes, draws: Draws) -> _First:
    """What the customer first gets wrong."""
    changes = changes_of_mind(axes, draws)
    first = _First()
    if not changes:
        return first
    # The preference and the tolerance stand behind the conditions.
    places = draws.sample(range(len(draft.conditions) + 2), len(draft.conditions) + 2)
    for place in places:
        if first.changes == changes:
            break
        if place < len(draft.conditions):
            node = draft.drawer.wrong(draft.conditions[place].node)
            if node is not None:
                first.conditions[place] = node
        elif place == len(draft.conditions):
            preference = draw_preference(draft.drawer)
            # Nobody changes their mind about ties alone.
            if preference[0] != draft.preference[0]:
                first = replace(first, preference=preference)
        elif draft.tolerance is not None:
            tolerance = draw_tolerance(draft.page, draft.target, axes.constraints, draws)
            if tolerance is not None and tolerance != draft.tolerance:
                first = replace(first, tolerance=tolerance)
    return first


def _must_show(draft: Draft, first: _First) -> list[tuple[str, str | None]]:
    """What is spoken of and so must stand on the page."""
    found: list[tuple[str, str | None]] = [pair for condition in draft.conditions for pair in condition.mentioned]
    found += [pair for node in first.conditions.values() for pair in mentioned_values(node)]
    found += [(key, None) for condition in draft.conditions for key in condition.keys]
    found += [(key, None) for key, _ in (*draft.preference, *first.preference)]
    return found


def _told(
    draft: Draft, first: _First, omitted: Sequence[int], wanted: str, scope: str, scope_kind: str
) -> tuple[SubstituteRequest, list[SubstituteCorrection]]:
    """The request as first said, and what changes."""
    said = [place for place in range(len(draft.conditions)) if place not in omitted]
    request = SubstituteRequest(
        wanted,
        draft.version,
        scope,
        scope_kind,
        tuple(first.conditions.get(place, draft.conditions[place].node) for place in said),
        first.tolerance or draft.tolerance,
        first.preference or draft.preference,
    )
    corrections = [
        SubstituteCorrection("condition", draft.conditions[place].keys[0], draft.conditions[place].node)
        for place in sorted(first.conditions)
    ]
    if first.tolerance is not None:
        corrections.append(SubstituteCorrection("tolerance", tolerance=draft.tolerance))
    if first.preference:
        corrections.append(SubstituteCorrection("preference", preference=draft.preference))
    return request, corrections


def _stand_ins(draft: Draft, kinds: Sequence[int]) -> list[tuple[str, list[str]]]:
    """Which types, of those on the page and what was wanted, can stand in for which that are on it."""
    catalog = draft.page.catalog
    found = []
    for kind in sorted({draft.kind, *kinds}):
        others = [other for other in targets_of(catalog, kind, "substitutes") if other in kinds]
        if others:
            found.append((catalog.types[kind].singular, [catalog.types[other].singular for other in others]))
    return found


def _heard(draft: Draft) -> _Heard:
    """Who reads the page knows the words of everything bought, and must undo the typing errors among them."""
    names = {name: phrase for one in pronouns().values() for name, phrase in one.items()}
    bought = {f"bought {number}": bought_on(facts["type"], day) for number, (day, _, facts) in enumerate(draft.bought)}
    vocabulary: Vocabulary = draft.vocabulary.with_references({**names, **bought})
    return _Heard(substitute_lexicon(vocabulary))


def _fails(choice: Choice, draft: Draft, id_of: Mapping[int, str]) -> list[tuple[str, str]]:
    """Why each near miss is none of the best, and that what was wanted is no substitute for itself."""
    found = choice.found
    lacks = [plain(node, draft.vocabulary) for node in choice.nodes]
    fails = []
    for place, name in id_of.items():
        if place == draft.product:
            fails.append((name, "it is what was wanted"))
        elif found.decoy[place] >= 0:
            fails.append((name, lacks[int(found.decoy[place])]))
        elif found.sold_out[place]:
            fails.append((name, "it is sold out"))
    return fails


def _evidence(draft: Draft, rows: list[int]) -> dict[str, Any]:
    """What was drawn, for a second solver."""
    tolerance = draft.tolerance
    return {
        "rows": rows,
        "row": int(draft.page.rows[draft.product]),
        "variant": int(draft.page.variants[draft.target]),
        "keep": [to_json(condition.node) for condition in draft.conditions],
        "tolerance": None if tolerance is None else [str(tolerance.amount), tolerance.unit, tolerance.above_only],
    }


def _say_answer(titles: Sequence[str]) -> str:
    if not titles:
        return "I checked every product on the page, and nothing comes near enough to what you wanted."
    return f"The {titles[0]} comes closest to what you wanted."


ENVIRONMENT = Substitutes()
"""Not registered before its laws hold."""
