"""Which part of the shop a task looks at, and the words that its products give meaning to."""

from bisect import bisect_right
from operator import neg

from ecomrlve.generator.catalog.columns import Catalog, Int64
from ecomrlve.generator.environments.base import CannotPose
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.vocabulary import Vocabulary

# How much of a shelf is looked at: enough to choose a scope from, whatever the shelf's size.
_LEAST = 96
_PER_CANDIDATE = 4

# How many combinations of product types keep their words.
_KEPT = 4096


def pick_rows(world: World, candidates: int, draws: Draws, env: str) -> Int64:
    """Product rows of one shelf to choose a scope of ``candidates`` products from.

    Raises:
        CannotPose: where no shelf holds so many.
    """
    shelves, sizes = world.shelves_by_size
    usable = bisect_right(sizes, -candidates, key=neg)
    if usable == 0:
        raise CannotPose(
            f"{env}: {candidates} products are wanted on one page and the shop's largest shelf holds {sizes[0]}."
        )
    if not world.buyable:
        raise CannotPose(f"{env}: every product of the shop is sold out, so nothing can be bought.")
    shelf = shelves[draws.below(usable)]
    size = min(len(shelf), max(_LEAST, _PER_CANDIDATE * candidates))
    start = draws.below(len(shelf) - size + 1)
    return shelf[start : start + size]


def pick_shelves(world: World, candidates: int, shelves: int, draws: Draws, env: str) -> list[Int64]:
    """Product rows of up to ``shelves`` shelves of one department, of different types, to choose a scope from.

    Raises:
        CannotPose: where the shop is too small.
    """
    catalog = world.catalog
    first = pick_rows(world, candidates, draws, env)
    group = world.shelves_of_department(int(first[0]))
    size = max(_LEAST // shelves, _PER_CANDIDATE * candidates // shelves)
    parts, kinds = [first], {catalog.type_of(int(first[0]))}
    for place in draws.sample(range(len(group)), len(group)) if shelves > 1 else ():
        shelf = group[place]
        kind = catalog.type_of(int(shelf[0]))
        if kind not in kinds and catalog.type_of(int(shelf[-1])) == kind:
            kinds.add(kind)
            start = draws.below(max(1, len(shelf) - size + 1))
            parts.append(shelf[start : start + size])
            if len(parts) == shelves:
                break
    if sum(len(part) for part in parts[1:]) + size >= candidates:
        parts[0] = first[:size]
    return parts


def page_vocabulary(catalog: Catalog, kinds: tuple[int, ...], references: dict[str, str]) -> Vocabulary:
    """The words of some product types; kept per catalog, since most pages hold one type."""
    known = catalog.vocabularies.get(kinds)
    if known is None:
        keys = dict.fromkeys(key for kind in kinds for key in catalog.types[kind].attributes)
        attributes = {key: catalog.attributes[key] for key in (*keys, "price", "rating", "reviews", "brand")}
        if len(kinds) > 1:
            attributes["type"] = catalog.attributes["type"]
        nouns = {catalog.types[kind].key: (catalog.types[kind].singular, catalog.types[kind].plural) for kind in kinds}
        known = Vocabulary(attributes, nouns, {}, catalog.currency)
        if len(catalog.vocabularies) >= _KEPT:
            catalog.vocabularies.clear()
        catalog.vocabularies[kinds] = known
    return known.with_references(references) if references else known


def department_vocabulary(catalog: Catalog, kinds: set[int]) -> Vocabulary:
    """The words of all product types in the departments of some: few enough to keep them all."""
    departments = {catalog.types[kind].department for kind in kinds}
    places = sorted(place for department in departments for place in catalog.types_of_department[department])
    return page_vocabulary(catalog, tuple(places), {})
