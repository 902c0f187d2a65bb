"""Which part of the shop a task looks at, and the words that its products give meaning to."""

from bisect import bisect_right
from operator import neg

from ecomrlve.errors import CannotPose
from ecomrlve.generator.catalog.columns import Catalog, Page
from ecomrlve.generator.randomness import Draws
from ecomrlve.generator.world import World
from ecomrlve.grammars.conditions.vocabulary import Vocabulary

# How many combinations of product types keep their words.
_KEPT = 4096


MANY = 1_000
"""More options than any product comes in."""


def pick_page(
    world: World, candidates: int, draws: Draws, env: str, options: int = MANY, related: bool = False
) -> Page:
    """A shelf to choose a scope of ``candidates`` products from, which come in at most ``options`` options.

    With ``related``, products of other types that the graph ties to the shelf's own stand beside them.

    Raises:
        CannotPose: where no shelf holds so many.
    """
    _, sizes = world.shelves_by_size
    usable = bisect_right(sizes, -candidates, key=neg)
    if usable == 0:
        raise CannotPose(
            f"{env}: {candidates} products are wanted on one page and the shop's largest shelf holds {sizes[0]}."
        )
    if not world.buyable:
        raise CannotPose(f"{env}: every product of the shop is sold out, so nothing can be bought.")
    shelf = draws.below(usable) if options == MANY else draws.choice(world.plain_shelves(usable, options))
    return world.page_with_related(shelf) if related else world.page(shelf)


def pick_pages(world: World, candidates: int, shelves: int, draws: Draws, env: str, options: int = MANY) -> list[Page]:
    """Up to ``shelves`` shelves of one department, of different types, to choose a scope from.

    Their products come in at most ``options`` options.

    Raises:
        CannotPose: where the shop is too small.
    """
    # What fits a wish may not fill the page, so a shelf that just holds a page is often too small.
    roomy = candidates + candidates // 3
    room = roomy if world.shelves_by_size[1][0] >= roomy else candidates
    pages = [pick_page(world, room, draws, env, options)]
    if len(world.catalog.types[int(pages[0].types[0])].variant_axes) > options:
        # There are too few plain shelves to choose from.
        options = MANY
    kinds = {int(pages[0].types[0])}
    group = world.shelves_of_department(int(pages[0].rows[0])) if shelves > 1 else ()
    for shelf in draws.shuffle(group):
        rows = world.shelves_by_size[0][shelf]
        kind = world.catalog.type_of(int(rows[0]))
        if kind in kinds or len(world.catalog.types[kind].variant_axes) > options:
            continue
        if world.catalog.type_of(int(rows[-1])) == kind:
            kinds.add(kind)
            pages.append(world.page(shelf))
            if len(pages) == shelves:
                break
    return pages


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
