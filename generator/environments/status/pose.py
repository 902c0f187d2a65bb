"""STATUS: where an order, or one line of it, is, and when it arrives by the shop's shipping rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from ecomrlve.difficulty.axes import AXES, Axes
from ecomrlve.errors import CannotPose
from ecomrlve.generator.environments.base import Environment, Posed
from ecomrlve.generator.environments.status.draft import Draft, draw_status
from ecomrlve.generator.environments.status.index import StatusShop, status_shop
from ecomrlve.generator.environments.status.solve import NOT_FOUND, Reading, page_words, read_status, solve_status
from ecomrlve.generator.environments.status.wishes import Asked, ask
from ecomrlve.generator.orders.tracking import Mark
from ecomrlve.generator.pages.prompt import Message, customer_turns, opening
from ecomrlve.generator.pages.shipments import render_shipments
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.attributes import Currency
from ecomrlve.grammars.dialogue.noise import Utterance
from ecomrlve.grammars.dialogue.references import render_month, render_recent_day
from ecomrlve.grammars.dialogue.status.parse import status_lexicon
from ecomrlve.grammars.dialogue.status.render import render_status
from ecomrlve.grammars.engine.dates import MONTHS, render_day
from ecomrlve.grammars.engine.grammar import words
from ecomrlve.grammars.engine.lexicon import Lexicon
from ecomrlve.grammars.engine.tables import load_table

_ATTEMPTS = 40
# After so many attempts a case on which fewer or more rules bear is taken as it is.
_PATIENCE = 3
# How many states a guess is among.
_STATES = 10


class Status(Environment[Reading]):
    """The customer wants to know where an order, or one line of it, is, and when it arrives."""

    name: ClassVar[str] = "STATUS"
    slip: ClassVar[int] = 65_000
    summary: ClassVar[str] = "to know where an order (or a line of it) is, and when it arrives"
    order_matters: ClassVar[bool] = False
    axes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "context": ("constraints", "decoys", "omission", "noise", "switching", "orders", "branches")
    }

    def pose(self, world: World, axes: Axes, draws: Draws, impossible: bool) -> Posed:
        """Draw orders on their way, one of them or a line of one to ask about, and what is said of it."""
        shop = status_shop(world)
        if not shop.is_enough:
            raise CannotPose("STATUS: the shop's customers live in too few places for their orders to differ.")
        if (most := AXES["orders"].high) < axes.orders:
            raise CannotPose(f"STATUS: the level asks for {axes.orders:,} orders, and a customer has at most {most}.")
        best: _Page | None = None
        attempts = 0
        while attempts < _ATTEMPTS:
            attempts += 1
            draft = draw_status(world, shop, axes, draws, impossible)
            page = None if draft is None else _page(world, shop, axes, draft, draws)
            if page is None:
                continue
            best = page
            if 1 + len(page.draft.rules) == axes.branches or attempts >= _PATIENCE or not page.draft.has_room:
                break
        if best is None:
            raise CannotPose(
                f"STATUS: the shop has nothing that can be told apart in {axes.orders} orders by {axes.constraints} "
                "details; lower the level, or set the axes orders and constraints by hand."
            )
        return _posed(world, shop, axes, draws, best, attempts)

    def read(self, prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
        """Every way to understand the page, the form, the rules and the request."""
        return read_status(prompt, perception)

    def solve(self, reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
        """Find what is meant, and settle where it is."""
        return solve_status(reading, perception)


@dataclass(frozen=True, slots=True)
class _Page:
    """A question in words.

    Args:
        draft: as drawn.
        asked: the request as first said, its corrections, and the form.
        turns: the customer's.
        lexicon: of all who read them.
    """

    draft: Draft
    asked: Asked
    turns: tuple[Utterance, ...]
    lexicon: Lexicon


def _page(world: World, shop: StatusShop, axes: Axes, draft: Draft, draws: Draws) -> _Page | None:
    """The request in words; None where, among typing errors, names that the page does not have would be misheard."""
    asked = ask(shop, axes, draft, draws)
    held_out = world.split == "test_wording"
    currency, style = world.catalog.currency, draft.customer.style
    turns = render_status(
        asked.request, asked.corrections, currency, world.today, draws, style, held_out, on_form=bool(asked.form)
    )
    lexicon = status_lexicon(page_words(draft.shipments))
    said = {word for turn in turns for word in words(turn.text)}
    if sum(lexicon.correct(word) != word for word in said) > bool(axes.noise):
        return None
    return _Page(draft, asked, turns, lexicon)


def _form(form: Sequence[Mark], currency: Currency) -> list[str]:
    """The contact form with what the customer put there; empty where that is nothing."""
    texts = load_table("generator.environments.status/page")
    rows = []
    for kind, value in form:
        key, text = kind, value
        if kind == "price":
            text = currency.text(value)
        elif kind == "order":
            key, *rest = value
            text = rest[0]
            if key == "total":
                text = currency.text(rest[0])
            elif key == "placed":
                text = render_day(rest[0])
            elif key == "month":
                text = f"{MONTHS[rest[1] - 1]} {rest[0]}"
        rows.append(f"- {texts['labels'][key]}: {text}")
    return [texts["form"], *rows] if rows else []


def _posed(world: World, shop: StatusShop, axes: Axes, draws: Draws, page: _Page, attempts: int) -> Posed:
    catalog, draft = world.catalog, page.draft
    texts = load_table("generator.environments.status/page")
    rules = load_table("generator.pages/shipments")["rules_heading"].format(shop=catalog.name)
    system = [
        *opening(world, draft.customer),
        texts["orders"],
        render_shipments(draft.shipments[::-1], catalog.currency),
        *_form(page.asked.form, catalog.currency),
        rules,
        shop.rules,
        texts["reply"].format(),
    ]
    answer = _answer(draft)
    accepted = {"order": None, "line": None, "status": "", "arrives": None} | answer
    shown = [shipment.order_id for shipment in draft.shipments]
    shown += [line.line_id for shipment in draft.shipments for line in shipment.lines]
    used, measured = _accounts(axes, page)
    return Posed(
        prompt=[
            {"role": "system", "content": "\n".join(system)},
            *customer_turns(page.turns, axes.noise, page, draws),
        ],
        truth={"env": "STATUS", "version": 1, "accepted": [accepted], "shown": shown},
        oracle=answer,
        oracle_text=_say_answer(draft),
        goal=_goal(draft),
        notes=tuple((name, _say_lack(mark, world)) for name, mark in draft.near.items()),
        attempts=attempts,
        chance=_chance(draft),
        used=used,
        measured=measured,
        evidence={"draft": draft, "rules": shop.rules, "today": world.today},
    )


def _answer(draft: Draft) -> dict[str, Any]:
    if draft.is_amiss:
        return dict(NOT_FOUND)
    arrives = draft.settled.arrives
    return {
        "order": draft.meant.shipment.order_id,
        "line": draft.meant.line.line_id if draft.plan.about == "line" else None,
        "status": draft.settled.status,
        "arrives": None if arrives is None else date.fromordinal(arrives).isoformat(),
    }


def _goal(draft: Draft) -> dict[str, Any]:
    """What is asked: the request as it stands in the end, and the lines and orders among which it is to be found."""
    return {
        "about": draft.plan.about,
        "said": sorted(f"{kind}: {value}" for kind, value in draft.marks),
        "denied": draft.denied,
        "orders": sorted(shipment.order_id for shipment in draft.shipments),
    }


def _accounts(axes: Axes, page: _Page) -> tuple[dict[str, float], dict[str, float]]:
    """The axes whose value is another than the one asked for, and what each changed."""
    draft = page.draft
    near = len(draft.near) / draft.scope
    bearing = 1 + len(draft.rules)
    used: dict[str, float] = {}
    if len(draft.marks) != axes.constraints:
        used["constraints"] = len(draft.marks)
    if near * 1000 < axes.decoys:
        used["decoys"] = near
    if bearing != axes.branches:
        used["branches"] = bearing
    measured: dict[str, float] = {
        "constraints": len(draft.marks),
        "decoys": near,
        "omission": len(page.asked.form) / len(draft.marks),
        "switching": len(page.asked.corrections),
        "orders": len(draft.shipments),
        "branches": bearing,
    }
    return used, measured


def _chance(draft: Draft) -> float:
    """A guess by one who knows the form and the rules: an order or a line, and a state."""
    lines = sum(len(shipment.lines) for shipment in draft.shipments)
    things = lines + len(draft.shipments)
    if draft.is_amiss:
        return 1 / (things + 1)
    # Days that have gone by all move to tomorrow, so to name a day as well is hardly a harder guess.
    return 1 / (things * _STATES)


def _say_lack(mark: Mark, world: World) -> str:
    """What a near miss lacks, for those who check a task by eye."""
    kind, value = mark
    money = world.catalog.currency.text
    if kind == "look":
        return f"its options are not {value}"
    if kind == "maker":
        return f"it is not by {value}"
    if kind == "price":
        return f"it did not cost {money(value)}"
    which, *rest = value
    if which == "destination":
        return f"it does not go to {rest[0]}"
    if which == "gift":
        return f"it is no gift for {rest[0]}"
    if which == "total":
        return f"the order did not come to {money(rest[0])}"
    if which == "month":
        return f"it was not ordered in {render_month(rest[0], rest[1], world.today)}"
    if which == "placed":
        return f"it was not ordered on {render_recent_day(rest[0], world.today)}"
    return f"its order is not the {which} one"


def _say_answer(draft: Draft) -> str:
    """The sentence that a model would put before the oracle's object."""
    if draft.is_amiss:
        return "I went through all of your orders, and none of them is what you describe."
    state, arrives = draft.settled
    thing = f"Your order {draft.meant.shipment.order_id}"
    if draft.plan.about == "line":
        thing = f"The {draft.meant.line.title} from your order {draft.meant.shipment.order_id}"
    words = load_table("generator.environments.status/page")["said"]
    day = "" if arrives is None else render_day(date.fromordinal(arrives))
    return f"{thing} {words[state].format(day=day)}"


ENVIRONMENT = Status()
