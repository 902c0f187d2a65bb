"""RETURN: something bought goes back; the shop's rules decide refund, exchange or refusal, and the amount."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, ClassVar

from ecomrlve.difficulty.axes import AXES, Axes
from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.environments.base import Environment, Posed
from ecomrlve.generator.environments.posing import best_of, changes_of_mind, unsaid
from ecomrlve.generator.environments.returns.draft import Draft, draw_decision, draw_return
from ecomrlve.generator.environments.returns.index import ReturnShop, return_shop
from ecomrlve.generator.environments.returns.page import render_form, versions_heading
from ecomrlve.generator.environments.returns.solve import NO_LINE, Reading, read_returns, solve_return
from ecomrlve.generator.environments.returns.wishes import with_changes_of_mind
from ecomrlve.generator.orders.references import Descriptor, is_worn, takes_plural
from ecomrlve.generator.pages.orders import render_orders
from ecomrlve.generator.pages.prompt import Message, customer_turns, opening
from ecomrlve.generator.perception import FAITHFUL, Perception
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.dialogue.noise import Utterance
from ecomrlve.grammars.dialogue.references import render_month, render_recent_day
from ecomrlve.grammars.dialogue.returns.parse import return_lexicon
from ecomrlve.grammars.dialogue.returns.render import render_return
from ecomrlve.grammars.dialogue.returns.request import ReturnCorrection, ReturnRequest
from ecomrlve.grammars.engine.grammar import words
from ecomrlve.grammars.engine.lexicon import Lexicon
from ecomrlve.grammars.engine.tables import load_table

_ATTEMPTS = 40
# After so many attempts a case on which fewer or more rules bear is taken as it is.
_PATIENCE = 4
# Products whose versions are shown beside those of the one asked about, and how many versions at most.
_MORE_PRODUCTS = 2
_MOST_VERSIONS = 40


class Returns(Environment[Reading]):
    """The customer wants to return or exchange something bought, all of it or some units."""

    name: ClassVar[str] = "RETURN"
    slip: ClassVar[int] = 50_000
    summary: ClassVar[str] = "to return or exchange something bought, all of it or some units"
    order_matters: ClassVar[bool] = False
    axes: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "context": (
            "constraints",
            "decoys",
            "out_of_stock",
            "omission",
            "noise",
            "switching",
            "orders",
            "branches",
        )
    }

    def pose(self, world: World, axes: Axes, draws: Draws, impossible: bool) -> Posed:
        """Draw a situation of the policy, something bought that is in it, and orders in which it can be told apart."""
        shop = return_shop(world)
        if not shop.goods(None).types or not world.buyable:
            raise CannotPose("RETURN: every product of the shop is sold out, so nothing could be exchanged.")
        rulebook, decision = shop.rulebook(draws, axes.branches), draw_decision(draws)
        if (most := AXES["orders"].high) < axes.orders:
            raise CannotPose(f"RETURN: the level asks for {axes.orders:,} orders, and a customer has at most {most}.")

        def attempt(number: int) -> tuple[int, _Page] | None:
            draft = draw_return(world, shop, rulebook, axes, draws, decision, impossible)
            page = None if draft is None else _page(world, shop, axes, draft, draws)
            # Of pages as far from what was wanted, the last one is kept.
            return None if page is None else (0 if page.draft.good else _ATTEMPTS - number + 1, page)

        best, attempts = best_of(attempt, near=0, patience=_PATIENCE, most=_ATTEMPTS, settle=False)
        if best is None:
            raise CannotPose(
                f"RETURN: the shop has nothing that can be told apart in {axes.orders} orders by {axes.constraints} "
                "details; lower the level, or set the axes orders and constraints by hand."
            )
        return _posed(world, shop, axes, draws, best, attempts)

    def read(self, prompt: Sequence[Message], perception: Perception = FAITHFUL) -> list[Reading]:
        """Every way to understand the page, the form, the rules and the request."""
        return read_returns(prompt, perception)

    def solve(self, reading: Reading, perception: Perception = FAITHFUL) -> dict[str, Any]:
        """Find the line, and settle the case."""
        return solve_return(reading, perception)


@dataclass(frozen=True, slots=True)
class _Page:
    """A return in words.

    Args:
        draft: as drawn.
        rows: products whose versions are shown.
        request: as first said.
        corrections: of it.
        form: facts that stand in the return form.
        facts: how many facts could stand there.
        turns: the customer's.
        lexicon: of all who read them.
    """

    draft: Draft
    rows: list[int]
    request: ReturnRequest
    corrections: list[ReturnCorrection]
    form: dict[str, str | int]
    facts: int
    turns: tuple[Utterance, ...]
    lexicon: Lexicon


def _page(world: World, shop: ReturnShop, axes: Axes, draft: Draft, draws: Draws) -> _Page | None:
    """The request in words; None where, among typing errors, names that the page does not have would be misheard."""
    request, corrections, form, facts = _told(world, shop.on_sale(draft.target.row).prepositions, axes, draft, draws)
    rows = _shown_rows(shop, draft, draws)
    held_out = world.has_held_out_wording
    currency, style = world.catalog.currency, draft.customer.style
    turns = render_return(request, corrections, currency, world.today, draws, style, held_out, on_form=bool(form))
    lexicon = return_lexicon(_words(shop, draft, rows) if axes.noise else frozenset())
    said = {word for turn in turns for word in words(turn.text)} if axes.noise else ()
    if sum(lexicon.correct(word) != word for word in said) > 1:
        return None
    return _Page(draft, rows, request, corrections, form, facts, turns, lexicon)


def _told(
    world: World, prepositions: Mapping[str, str], axes: Axes, draft: Draft, draws: Draws
) -> tuple[ReturnRequest, list[ReturnCorrection], dict[str, str | int], int]:
    """The request as first said, its corrections, what stands in the form instead, and how many facts could."""
    catalog, target, reason = world.catalog, draft.target, draft.scenario.fee_factors.reason
    condition = draft.scenario.situation.condition
    looks = tuple(mark.text for mark in draft.plan if mark.key == "look")
    version = draft.version.differs if draft.version is not None else ()
    worn = is_worn(catalog, target.kind)
    final = ReturnRequest(
        item=draft.plan[0].text,
        looks=looks,
        prepositions=prepositions,
        maker=next((mark.text for mark in draft.plan if mark.key == "maker"), ""),
        order=draft.told.reference,
        price=draft.price,
        bought=target.bought,
        count=target.count if target.bought > 1 else None,
        wish="money" if draft.version is None else "exchange",
        version=version,
        reason=reason,
        condition=condition,
        worn=worn,
        many=takes_plural(catalog, target, target.count),
    )
    changes = changes_of_mind(axes, draws)
    first, corrections = with_changes_of_mind(catalog, target, final, draft.versions, changes, draws)
    facts: dict[str, str | int] = {"condition": condition, "reason": reason}
    if target.bought > 1:
        facts["count"] = target.count
    corrected = {correction.target for correction in corrections}
    free = [name for name in facts if name not in corrected]
    count = unsaid(axes, len(facts), draws)
    form = {name: facts[name] for name in draws.sample(free, count)}
    if form:
        many = "count" in form and takes_plural(catalog, target, target.bought)
        first = _without(first, form, many)
        corrections = [replace(one, request=_without(one.request, form, many)) for one in corrections]
    return first, corrections, form, len(facts)


def _without(request: ReturnRequest, form: Mapping[str, str | int], many: bool) -> ReturnRequest:
    """The request without what the form says."""
    return replace(
        request,
        count=None if "count" in form else request.count,
        many=request.many or many,
        reason=None if "reason" in form else request.reason,
        condition=None if "condition" in form else request.condition,
    )


def _shown_rows(shop: ReturnShop, draft: Draft, draws: Draws) -> list[int]:
    """Products whose versions are shown: the one of the line meant, and others of the orders with other titles."""
    own = draft.line.product_row
    rows, titles, room = [own], {draft.line.title}, _MOST_VERSIONS
    others = {line.product_row: line.title for order in draft.orders for line in order.lines}
    for row, title in draws.sample(list(others.items()), 2 * _MORE_PRODUCTS):
        first, end = shop.catalog.variant_start[row : row + 2].tolist()
        if len(rows) <= _MORE_PRODUCTS and title not in titles and end - first <= room:
            rows.append(row)
            titles.add(title)
            room -= end - first
    return draws.shuffle(rows)


def _words(shop: ReturnShop, draft: Draft, rows: Sequence[int]) -> frozenset[str]:
    """The words of the titles and options that the page shows."""
    texts = {text for order in draft.orders for line in order.lines for text in (line.title, line.options)}
    for row in rows:
        texts.update(shop.on_sale(row).options)
    return frozenset(word for text in texts for word in words(text))


def _posed(world: World, shop: ReturnShop, axes: Axes, draws: Draws, page: _Page, attempts: int) -> Posed:
    catalog, draft = world.catalog, page.draft
    texts = load_table("generator.environments.returns/page")
    system = [
        *opening(world, draft.customer),
        texts["orders"],
        render_orders(draft.orders[::-1], catalog, world.today),
        versions_heading(),
        *(shop.on_sale(row).text for row in page.rows),
        *render_form(page.form),
        texts["policy"].format(shop=catalog.name),
        draft.rulebook.text,
        texts["reply"].format(example=catalog.currency.text(1999)),
    ]
    answer = _answer(catalog, draft)
    versions = [name for row in page.rows for name in shop.on_sale(row).ids]
    shown = [
        *(order.order_id for order in draft.orders),
        *(line.line_id for order in draft.orders for line in order.lines),
        *versions,
        *draft.rulebook.policy.names,
    ]
    used, measured = _accounts(axes, page)
    return Posed(
        prompt=[
            {"role": "system", "content": "\n".join(system)},
            *customer_turns(page.turns, axes.noise, page, draws),
        ],
        truth={"env": "RETURN", "version": 1, "accepted": [answer], "shown": list(dict.fromkeys(shown))},
        oracle=answer,
        oracle_text=_say_answer(world, draft),
        goal=_goal(page),
        notes=tuple((line, _say_lack(mark, draft, world)) for line, mark in draft.told.near.items()),
        attempts=attempts,
        chance=_chance(draft, len(versions)),
        used=used,
        measured=measured,
        evidence={
            "draft": draft,
            "rules": draft.rulebook.text,
            "rows": page.rows,
            "today": world.today,
            "catalog": catalog,
        },
    )


def _answer(catalog: Catalog, draft: Draft) -> dict[str, Any]:
    if draft.outcome is None:
        return dict(NO_LINE)
    exchanged = draft.version if draft.outcome.decision == "exchange" else None
    return {
        "order": draft.order.order_id,
        "line": draft.line.line_id,
        "quantity": draft.target.count,
        "decision": draft.outcome.decision,
        "rule": draft.outcome.rule,
        "refund_cents": draft.outcome.amount,
        "replacement": None if exchanged is None else catalog.variant_id(exchanged.variant, draft.target.row),
    }


def _goal(page: _Page) -> dict[str, Any]:
    """What is asked: the request as it stands in the end, and the lines among which it is to be found."""
    draft = page.draft
    return {
        "said": sorted(mark.text or mark.key for mark in draft.plan),
        "order": str(draft.told.reference),
        "price": draft.price,
        "count": draft.target.count,
        "reason": draft.scenario.fee_factors.reason,
        "condition": draft.scenario.situation.condition,
        "tier": draft.scenario.situation.tier,
        "version": None if draft.version is None else list(draft.version.differs),
        "lines": sorted(line.line_id for order in draft.orders for line in order.lines),
    }


def _accounts(axes: Axes, page: _Page) -> tuple[dict[str, float], dict[str, float]]:
    """The axes whose value is another than the one asked for, and what each changed."""
    draft = page.draft
    near = len(draft.told.near) / draft.lines
    used: dict[str, float] = {}
    if len(draft.plan) != axes.constraints:
        used["constraints"] = len(draft.plan)
    if near * 1000 < axes.decoys:
        used["decoys"] = near
    if draft.outcome is not None and draft.bearing != axes.branches:
        used["branches"] = draft.bearing
    measured: dict[str, float] = {
        "constraints": len(draft.plan),
        "decoys": near,
        "out_of_stock": float(draft.version is not None and draft.version.stock < draft.target.count),
        "omission": len(page.form) / page.facts,
        "switching": len(page.corrections),
        "orders": len(draft.orders),
        "branches": draft.bearing if draft.outcome is not None else draft.scenario.branches,
    }
    return used, measured


def _chance(draft: Draft, versions: int) -> float:
    """A guess by one who knows the shop: a line, units, a decision, one of the rules that come to it, and a version."""
    if draft.outcome is None:
        return 1 / (draft.lines + 1)
    decision = draft.outcome.decision
    ways = draft.lines * draft.line.quantity * 3 * draft.rulebook.situations.rules(decision)
    return 1 / (ways * versions if decision == "exchange" else ways)


def _say_lack(mark: Descriptor, draft: Draft, world: World) -> str:
    """What a near miss lacks, for those who check a task by eye."""
    if mark.key == "look":
        return f"its options are not {mark.text}"
    if mark.key == "maker":
        return f"it is not by {mark.text}"
    if mark.key == "price":
        return f"it did not cost {world.catalog.currency.text(draft.price or 0)}"
    return f"it is not in {_say_reference(draft, world.today)}"


def _say_reference(draft: Draft, today: date) -> str:
    match draft.told.reference:
        case ("last" | "before last" as which,):
            return "the last order" if which == "last" else "the order before last"
        case ("month", year, month):
            return f"an order of {render_month(year, month, today)}"
        case (what, day):
            return f"the order {what} on {render_recent_day(day, today)}"
    return "that order"


def _say_answer(world: World, draft: Draft) -> str:
    """The sentence that a model would put before the oracle's object."""
    outcome, money = draft.outcome, world.catalog.currency.text
    if outcome is None:
        return (
            "I went through all of your orders, and none of them has what you describe, so there is nothing to return."
        )
    thing = f"the {draft.line.title} from your order {draft.order.order_id}"
    if outcome.decision == "refuse":
        return f"I'm sorry: under rule {outcome.rule} we can't take back {thing}."
    amount = outcome.amount or 0
    if outcome.decision == "refund":
        return f"Under rule {outcome.rule} you can return {thing}, and we refund {money(amount)}."
    if not amount:
        return f"Under rule {outcome.rule} you can exchange {thing}; there is no difference to pay."
    if amount < 0:
        return f"Under rule {outcome.rule} you can exchange {thing}; the difference you pay is {money(-amount)}."
    return f"Under rule {outcome.rule} you can exchange {thing}; we pay you the difference of {money(amount)}."


ENVIRONMENT = Returns()
