"""What a customer leaves out of a request: saved preferences, and purchases that the request points back to."""

from collections.abc import Container, Mapping, Sequence
from datetime import date, timedelta

import numpy as np

from ecomrlve.generator.goals.conditions import Condition
from ecomrlve.generator.pages.prompt import bought_on
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.constraints import Not, Related

TYPE = "type"
"""The detail that says a product's type."""

Purchase = tuple[date, str, dict[str, str]]
"""Something bought before: the day, the title, facts by label."""

# What others think of a product by now is not written on an old bill.
_NOT_BOUGHT = {"rating", "reviews"}


def omit(count: int, conditions: Sequence[Condition], changed: Container[int], draws: Draws) -> list[int]:
    """The places of the conditions that stand in the customer's profile and are not said.

    Args:
        count: how many should be, where so many can.
        conditions: in the order in which they are said.
        changed: places of those that the customer changes, and so says.
        draws: randomness.
    """
    if not count:
        return []
    free = [place for place, one in enumerate(conditions) if place not in changed and is_saveable(one)]
    return sorted(draws.sample(free, min(count, len(free))))


def is_saveable(condition: Condition) -> bool:
    """Whether a shop would keep the condition as a preference (what is asked for is no preference)."""
    node = condition.node.part if isinstance(condition.node, Not) else condition.node
    return condition.keys != (TYPE,) and not isinstance(node, Related)


def draw_purchases(world: World, row: int, facts: Mapping[str, str], draws: Draws) -> tuple[list[Purchase], str]:
    """Earlier purchases, newest first, with one product among them, and the phrase for that one.

    Args:
        world: the shop.
        row: the product.
        facts: of the variant bought, by attribute key.
        draws: randomness.
    """
    catalog = world.catalog
    kind = catalog.types[catalog.type_of(row)]
    days = sorted(draws.sample(range(20, 300), 1 + draws.below(3)))
    at = draws.below(len(days))
    bought: list[Purchase] = []
    phrase = ""
    for number, ago in enumerate(days):
        day = world.today - timedelta(days=ago)
        if number == at:
            bought_row, shown = row, facts
            phrase = bought_on(kind.singular, day)
        else:
            bought_row = int(np.searchsorted(catalog.sales, draws.below(int(catalog.sales[-1])), side="right"))
            shown = catalog.facts(bought_row, int(catalog.variant_start[bought_row]))
        labels = {catalog.attributes[key].label: text for key, text in shown.items() if key not in _NOT_BOUGHT}
        bought.append((day, catalog.title(bought_row), labels))
    return bought, phrase
