"""What the customer of a return wants, and how it is first said: versions for exchange and changes of mind."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.environments.returns.index import OnSale, ReturnShop
from ecomrlve.generator.orders.references import Target, can_say, takes_plural
from ecomrlve.generator.randomness import Draws
from ecomrlve.grammars.conditions.attributes import MISSING
from ecomrlve.grammars.dialogue.references import stems
from ecomrlve.grammars.dialogue.returns.request import ReturnCorrection, ReturnRequest
from ecomrlve.grammars.engine.grammar import words
from ecomrlve.grammars.engine.tables import load_table
from ecomrlve.grammars.policy.rules import FAULTS

_SEEN_FIRST = {"unopened": ("opened",), "opened": ("unopened",), "used": ("unopened", "opened")}


class Version(NamedTuple):
    """A version of a product: its variant row, the options in which it differs from the one bought, price and stock."""

    variant: int
    differs: tuple[str, ...]
    axes: tuple[str, ...]
    price: int
    stock: int


def wanted_versions(bought: str, options: Sequence[str], wanted: frozenset[tuple[str, ...]]) -> list[int]:
    """Places of the versions that a wish can mean: each option is one that was named, or as it was on the one bought.

    Args:
        bought: the options of the one bought, as shown.
        options: those of every version on sale.
        wanted: the words of each option named.

    >>> wanted_versions("navy / M", ["navy / L", "red / L", "navy / M"], frozenset({("l",)}))
    [0]
    """
    own = bought.split(" / ")
    found = []
    for place, text in enumerate(options):
        parts = text.split(" / ")
        named = {words(part) for part in parts} & wanted
        if len(parts) == len(own) and named == wanted:
            kept = [part == old for part, old in zip(parts, own, strict=True) if words(part) not in wanted]
            if all(kept):
                found.append(place)
    return found


def versions_of(shop: ReturnShop, target: Target) -> list[Version]:
    """The versions of a product that a customer can ask for by naming what is to be different, the one bought first."""
    catalog = shop.catalog
    keys, sale = catalog.types[target.kind].variant_axes, shop.on_sale(target.row)
    end = sale.first + len(sale.ids)
    options = catalog.options[sale.first : end, : len(keys)].tolist()
    bought = target.variant - sale.first
    own = options[bought]
    found = []
    for place, codes in enumerate(options):
        axes = [axis for axis, code in enumerate(codes) if code != own[axis]]
        if any(MISSING in (codes[axis], own[axis]) for axis in axes):
            continue
        differs = tuple(catalog.attributes[keys[axis]].text(codes[axis]) for axis in axes)
        if all(map(can_say, differs)) and (sale.clear or _means_just(sale, bought, differs, place)):
            found.append(
                Version(
                    sale.first + place,
                    differs,
                    tuple(keys[axis] for axis in axes),
                    sale.prices[place],
                    sale.stocks[place],
                )
            )
    return sorted(found, key=lambda version: version.variant != target.variant)


def _means_just(sale: OnSale, bought: int, differs: Sequence[str], place: int) -> bool:
    return wanted_versions(sale.options[bought], sale.options, frozenset(map(words, differs))) == [place]


def choose_version(
    catalog: Catalog, versions: Sequence[Version], target: Target, reason: str, in_stock: bool | None, draws: Draws
) -> Version | None:
    """A version that a customer with this reason would ask for, in stock or not (None: either)."""
    able = [one for one in versions if in_stock is None or (one.stock >= target.count) == in_stock]
    same = [one for one in able if one.variant == target.variant]
    others = [one for one in able if one.variant != target.variant]
    if reason in FAULTS:
        return draws.choice(same) if same and (not others or draws.chance(500)) else draws.choice(others or [None])
    if reason == "does_not_fit":
        sized = [one for one in others if all(_is_measure(catalog, key) for key in one.axes)]
        others = sized or others
    near = [one for one in others if len(one.axes) == 1]
    return draws.choice(near or others or [None])


def _is_measure(catalog: Catalog, key: str) -> bool:
    words_of = catalog.attributes[key].label.lower().split()
    return not set(words_of).isdisjoint(load_table("generator.orders/references")["fit_options"])


def with_changes_of_mind(
    catalog: Catalog,
    target: Target,
    final: ReturnRequest,
    versions: Sequence[Version],
    changes: int,
    draws: Draws,
) -> tuple[ReturnRequest, list[ReturnCorrection]]:
    """The request as first said, and up to ``changes`` corrections that lead to the final one."""
    request, found = final, list[ReturnCorrection]()
    for kind in draws.sample(("count", "wish", "look", "condition"), 4):
        if len(found) == changes:
            break
        earlier = _earlier(catalog, target, request, versions, kind, draws)
        if earlier is not None:
            request, correction = earlier
            found.insert(0, correction)
    return request, found


def _earlier(
    catalog: Catalog, target: Target, request: ReturnRequest, versions: Sequence[Version], kind: str, draws: Draws
) -> tuple[ReturnRequest, ReturnCorrection] | None:
    """A request that was said before the customer changed their mind to this one, and the change."""
    if kind == "count" and request.bought > 1 and request.count is not None:
        first = draws.choice([count for count in range(1, request.bought + 1) if count != request.count])
        earlier = replace(request, count=first, many=takes_plural(catalog, target, first))
        return earlier, ReturnCorrection("count", request)
    if kind == "condition":
        # On a second look a thing has rather been opened or used than not.
        before = draws.choice(_SEEN_FIRST[request.condition or "unopened"])
        return replace(request, condition=before), ReturnCorrection("condition", request)
    if kind == "wish":
        if request.wish == "exchange":
            return replace(request, wish="money", version=()), ReturnCorrection("wish", request)
        # What is wanted instead is never what the thing is said to be.
        others = [one for one in versions if one.differs and not set(one.differs) & set(request.looks)]
        if not others:
            return None
        other = draws.choice(others)
        return replace(request, wish="exchange", version=other.differs), ReturnCorrection("wish", request)
    if kind == "look" and request.looks:
        new = draws.choice(request.looks)
        rest = stems(" ".join([request.item, request.maker, *request.looks, *request.version]))
        olds = sorted({text for text in _other_values(catalog, target, new) if can_say(text)})
        olds = [text for text in olds if not stems(text) & rest]
        if olds:
            old = draws.choice(olds)
            looks = tuple(old if look == new else look for look in request.looks)
            return replace(request, looks=looks), ReturnCorrection("look", request, old, new)
    return None


def _other_values(catalog: Catalog, target: Target, text: str) -> set[str]:
    """What else a product's versions have where one of them has this value."""
    kind = catalog.types[target.kind]
    first, end = catalog.variant_start[target.row : target.row + 2].tolist()
    found: set[str] = set()
    for axis, key in enumerate(kind.variant_axes):
        codes = {code for code in catalog.options[first:end, axis].tolist() if code != MISSING}
        texts = {catalog.attributes[key].text(code) for code in codes}
        if text in texts:
            found |= texts - {text}
    return found
