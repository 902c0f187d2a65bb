"""BUNDLE: every offer on the page held against every part, and every way to agree and to choose the parts tried."""

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from ecomrlve.generator.proofs.base import Answer, Edits, EnvironmentProof, buyable, operators, shown
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.constraints import from_json, holds, parse_quantity

Offers = dict[tuple[str | None, ...], int]
"""The least price for each way in which a product agrees with others."""

_SAME = ("least", "budget", "goal", "rated")


def solve_bundle(world: World, task: Task) -> dict[str, Any]:
    """What may fill each slot, by the text of every listing; and the optimum, by trying every way to agree."""
    catalog, goal = world.catalog, json.loads(task.goal)
    minor = 10**catalog.currency.decimals
    slots = []
    for slot, (noun, *conditions) in enumerate(goal["parts"]):
        nodes = [from_json(condition) for condition in conditions]
        own = [next((key for at, key in link if at == slot), None) for link in goal["links"]]
        found: dict[str, tuple[int, Offers]] = {}
        for row, _, facts in buyable(catalog, task.evidence["rows"]):
            if facts["type"] == noun and all(holds(node, facts, minor) is True for node in nodes):
                stars = int(parse_quantity(facts["rating"])[0] * 10) if "rating" in facts else 0
                _, offers = found.setdefault(catalog.product_id(row), (stars, {}))
                values = tuple(None if key is None else facts.get(key) for key in own)
                price = int(Fraction(parse_quantity(facts["price"].replace(catalog.currency.symbol, ""))[0] * minor))
                offers[values] = min(price, offers.get(values, price))
        slots.append([[name, stars, _listed(offers)] for name, (stars, offers) in sorted(found.items())])
    links = [sorted(at for at, _ in link) for link in goal["links"]]
    whole = {"slots": slots, "links": [[at for at, _ in link] for link in goal["links"]]}
    whole |= {name: goal[name] for name in _SAME}
    return {**whole, "optimum": _optimum(slots, links, goal)}


def _listed(offers: Offers) -> list[list[Any]]:
    ways = sorted(offers.items(), key=lambda way: (way[1], [text or "" for text in way[0]]))
    return [[price, *values] for values, price in ways]


def _optimum(slots: Sequence[Any], links: Sequence[Sequence[int]], goal: Mapping[str, Any]) -> int | None:
    """Over every choice of slots and every detail for each link: parts are then free of each other."""
    best: int | None = None
    for count in range(goal["least"], len(slots) + 1):
        for chosen in combinations(range(len(slots)), count):
            # A link binds where two or more of its parts are taken.
            bound = [link for link, members in enumerate(links) if len(set(members) & set(chosen)) > 1]
            known = [
                sorted({offer[1 + link] for slot in chosen if slot in links[link] for part in slots[slot]
                        for offer in part[2] if offer[1 + link] is not None})
                for link in bound
            ]  # fmt: skip
            for details in product(*known):
                agreed = dict(zip(bound, details, strict=True))
                reached = _best_free([_ways(slots[slot], slot, links, agreed) for slot in chosen], chosen, goal)
                if reached is not None and (best is None or _better(reached, best, goal["goal"])):
                    best = reached
    return best


def _better(one: int, other: int, goal: str) -> bool:
    return one < other if goal == "price" else one > other


def _ways(
    parts: Sequence[Any], slot: int, links: Sequence[Sequence[int]], agreed: Mapping[int, str]
) -> list[tuple[int, int]]:
    """(price, rating) of the parts of a slot that agree."""
    own = [(link, text) for link, text in agreed.items() if slot in links[link]]
    return [
        (offer[0], rating)
        for _, rating, offers in parts
        for offer in offers
        if all(offer[1 + link] == text for link, text in own)
    ]


def _best_free(ways: Sequence[Sequence[tuple[int, int]]], chosen: Sequence[int], goal: Mapping[str, Any]) -> int | None:
    """What the best choice of one way for each slot reaches within the budget: all prices up to it, slot by slot."""
    reach: dict[int, int] = {0: 0}
    for slot, options in zip(chosen, ways, strict=True):
        counts = slot in goal["rated"]
        further: dict[int, int] = {}
        for price, rating in reach.items():
            for cost, stars in options:
                total, sum_ = price + cost, rating + (stars if counts else 0)
                if total <= goal["budget"] and sum_ > further.get(total, -1):
                    further[total] = sum_
        reach = _undominated(further)
    if not reach:
        return None
    if goal["goal"] == "any":
        return 0
    return min(reach) if goal["goal"] == "price" else max(reach.values())


def _undominated(reach: Mapping[int, int]) -> dict[int, int]:
    """Of prices with the best rating at each, those that no lower price beats."""
    kept: dict[int, int] = {}
    best = -1
    for price, rating in sorted(reach.items()):
        if rating > best:
            kept[price] = best = rating
    return kept


def _right(found: Answer, given: Answer) -> bool:
    """Whether the products named are a set that reaches the optimum, checked offer by offer."""
    products = given["products"]
    if not products or found["optimum"] is None:
        return not products and found["optimum"] is None
    where = {part[0]: (slot, part) for slot, parts in enumerate(found["slots"]) for part in parts}
    if len(set(products)) < len(products) or any(name not in where for name in products):
        return False
    chosen = [where[name] for name in products]
    if len({slot for slot, _ in chosen}) < len(chosen) or len(chosen) < found["least"]:
        return False
    prices = []
    for offers in product(*(part[2] for _, part in chosen)):
        for link, members in enumerate(found["links"]):
            texts = [offer[1 + link] for (slot, _), offer in zip(chosen, offers, strict=True) if slot in members]
            if len(texts) > 1 and (None in texts or len(set(texts)) > 1):
                break
        else:
            prices.append(sum(offer[0] for offer in offers))
    if not prices or min(prices) > found["budget"]:
        return False
    reached = {
        "any": 0,
        "price": min(prices),
        "rating": sum(part[1] for slot, part in chosen if slot in found["rated"]),
    }
    return bool(reached[found["goal"]] == found["optimum"])


def _types(task: Task) -> dict[str, list[str]]:
    """The products on the page by the type that their line names, in the order asked for and in the order shown."""
    goal = json.loads(task.goal)
    of: dict[str, list[str]] = {noun: [] for noun, *_ in goal["parts"]}
    for line in task.prompt[0]["content"].split("\n"):
        name, _, rest = line.partition(" | ")
        for noun, held in of.items():
            if f" | type: {noun};" in f"{rest};" and name in task.ground_truth:
                held.append(name)
    return of


def _guesses(task: Task, draws: Draws) -> Iterator[Answer]:
    """One product of the right type for as many things as are needed."""
    held, least = list(_types(task).values()), json.loads(task.goal)["least"]
    yield {"products": [names[0] for names in held[:least]]}
    while True:
        yield {"products": [draws.choice(names) for names in draws.sample(held, least)]}


def _edits(world: World, task: Task, answer: Answer) -> Edits:
    products, held = answer["products"], list(_types(task).values())
    decoys = {name for name, _ in task.notes}
    for place, name in enumerate(products):
        kin = next(names for names in held if name in names)
        for other in [other for other in kin if other in decoys and other != name][:4]:
            yield "decoy in its place", {"products": [*products[:place], other, *products[place + 1 :]]}
        for other in [other for other in kin if other not in decoys and other != name][:4]:
            yield "another of its type", {"products": [*products[:place], other, *products[place + 1 :]]}
        for other in [other for other in kin if other != name][:1]:
            yield "two of its type", {"products": [*products, other]}
    if not products:
        yield "a set over the budget", {"products": [names[0] for names in held]}


def _places(task: Task, answer: Answer) -> Iterator[tuple[int, int]]:
    names = shown(task)
    for name in answer["products"]:
        yield names.index(name), len(names)


PROOF = EnvironmentProof(
    env="BUNDLE",
    solve=solve_bundle,
    right=_right,
    nothing={"products": []},
    template='{"products": ["id"]}',
    guesses=_guesses,
    everything=lambda task: {"products": shown(task)},
    edits=_edits,
    # A set has no order, so swapping neighbours spoils nothing.
    operators=operators(
        "products",
        *("products neighbour", "products another"),
        *("decoy in its place", "another of its type", "two of its type", "a set over the budget"),
        without=("neighbours swapped",),
    ),
    places=_places,
)
