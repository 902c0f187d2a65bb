"""The faces of a condition tree agree: columns, one product's page, JSON, and the canonical form."""

import json
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecomrlve.generator.catalog.columns import Page
from ecomrlve.grammars.conditions.attributes import MISSING, Attribute
from ecomrlve.grammars.conditions.constraints import (
    AllOf,
    AnyOf,
    AtLeast,
    Between,
    Bound,
    Has,
    Is,
    Node,
    Not,
    Operator,
    Related,
    canonical,
    evaluate,
    from_json,
    holds,
    resolve,
    to_json,
)
from ecomrlve.grammars.conditions.units import SPOKEN, UNITS
from tests.shops import SHOPS, shop

AMOUNTS = st.builds(Fraction, st.integers(0, 3_000), st.sampled_from((1, 2, 3, 4, 8, 10, 100)))
OPERATORS: st.SearchStrategy[Operator] = st.sampled_from(("<=", ">=", "<", ">", "="))


@st.composite
def pages(draw: st.DrawFn) -> Page:
    """A shelf, or any products of the shop."""
    catalog = shop(*draw(st.sampled_from(SHOPS))).catalog
    if draw(st.booleans()):
        shelf = draw(st.sampled_from(catalog.shelves))
        rows = shelf[: draw(st.integers(1, 40))]
    else:
        rows = np.array(draw(st.lists(st.integers(0, len(catalog) - 1), min_size=1, max_size=12, unique=True)))
    return Page(catalog, rows)


@st.composite
def atoms(draw: st.DrawFn, page: Page) -> Node:
    """A condition on one detail of the page, its amounts on, between and beside the values there are."""
    kinds = {page.catalog.types[int(place)] for place in page.types}
    keys = sorted({key for kind in kinds for key in kind.attributes} | {"price", "rating", "reviews", "brand", "type"})
    attribute: Attribute = page.catalog.attributes[draw(st.sampled_from(keys))]
    key, codes = attribute.key, page.codes(attribute.key)
    known = sorted(set(codes[codes != MISSING].tolist()))
    if attribute.kind == "boolean":
        return Has(key, draw(st.booleans()))
    if attribute.kind == "choice":
        here = [attribute.values[code] for code in known] or list(attribute.values)
        values = draw(
            st.lists(st.sampled_from(here[:20] + list(attribute.values[:5])), min_size=1, max_size=3, unique=True)
        )
        return Is(key, tuple(value.upper() if draw(st.booleans()) else value for value in values))
    exact = [Fraction(code) if attribute.kind == "money" else attribute.quantity(code) for code in known]
    unit = attribute.unit
    amount = draw(st.one_of(st.sampled_from(exact), AMOUNTS) if exact else AMOUNTS)
    if attribute.kind == "number" and draw(st.booleans()):
        unit = draw(st.sampled_from([unit, *SPOKEN.get(unit, ())]))
        amount = amount * UNITS[attribute.unit].factor / UNITS[unit].factor
    if draw(st.integers(0, 3)) == 0:
        return Between(key, amount, amount + draw(AMOUNTS), unit)
    return Bound(key, draw(OPERATORS), amount, unit)


def trees_of(leaves: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Trees of any shape over leaves."""

    def grow(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        parts = st.lists(inner, min_size=1, max_size=4).map(tuple)
        some = parts.flatmap(lambda held: st.builds(AtLeast, st.integers(1, len(held)), st.just(held)))
        return st.one_of(st.builds(Not, inner), st.builds(AllOf, parts), st.builds(AnyOf, parts), some)

    return st.recursive(leaves, grow, max_leaves=8)


@given(data=st.data(), page=pages())
def test_columns_and_pages_agree(data: st.DataObject, page: Page) -> None:
    """True, false and unknown alike, for every variant of a page."""
    node = data.draw(trees_of(atoms(page)))
    true, false = evaluate(node, page)
    minor = 10**page.catalog.currency.decimals
    assert not (true & false).any()
    for place, (product, variant) in enumerate(zip(page.products.tolist(), page.variants.tolist(), strict=True)):
        facts = page.catalog.facts(int(page.rows[product]), variant)
        expected = True if true[place] else False if false[place] else None
        assert holds(node, facts, minor) is expected, facts


@given(data=st.data(), page=pages())
def test_json_keeps_a_tree(data: st.DataObject, page: Page) -> None:
    leaves = st.one_of(
        atoms(page), st.builds(Related, st.just("price"), st.sampled_from(("same", "less")), st.just("R"))
    )
    node = data.draw(trees_of(leaves))
    assert from_json(json.loads(json.dumps(to_json(node)))) == node


def rearranged(node: Node, draw: st.DrawFn) -> Node:
    """The same said in another way: shuffled, nested, twice negated, by De Morgan."""
    match node:
        case AllOf(parts) | AnyOf(parts):
            kind = type(node)
            inner = [rearranged(part, draw) for part in draw(st.permutations(parts))]
            if len(inner) > 2 and draw(st.booleans()):
                inner = [kind(tuple(inner[:2])), *inner[2:]]
            if draw(st.booleans()):
                inner.append(inner[0])
            other = AnyOf if kind is AllOf else AllOf
            if draw(st.booleans()):
                return Not(other(tuple(Not(part) for part in inner)))
            return kind(tuple(inner))
        case AtLeast(count, parts):
            inner = [rearranged(part, draw) for part in draw(st.permutations(parts))]
            if draw(st.booleans()):
                return Not(AtLeast(len(parts) - count + 1, tuple(Not(part) for part in inner)))
            return AtLeast(count, tuple(inner))
        case Not(part):
            return Not(rearranged(part, draw))
        case Is(key, values):
            if len(values) > 1 and draw(st.booleans()):
                return AnyOf(tuple(Is(key, (value.swapcase(),)) for value in values))
            return Not(Not(Is(key, values[::-1])))
        case Between(key, low, high, unit):
            return AllOf((Bound(key, ">=", low, unit), Bound(key, "<=", high, unit)))
        case _:
            return Not(Not(node)) if draw(st.booleans()) else node


@given(data=st.data(), page=pages())
def test_what_says_the_same_has_one_form_and_one_meaning(data: st.DataObject, page: Page) -> None:
    node = data.draw(trees_of(atoms(page)))
    other = data.draw(st.composite(lambda draw: rearranged(node, draw))())
    assert canonical(other) == canonical(node), other
    assert all((one == two).all() for one, two in zip(evaluate(other, page), evaluate(node, page), strict=True))


@given(data=st.data(), page=pages())
def test_one_form_means_one_meaning(data: st.DataObject, page: Page) -> None:
    """Two small trees over few details: where the forms are equal, so is what they pick."""
    leaves = st.sampled_from(data.draw(st.lists(atoms(page), min_size=1, max_size=3)))
    first, second = data.draw(trees_of(leaves)), data.draw(trees_of(leaves))
    if canonical(first) == canonical(second):
        assert all((one == two).all() for one, two in zip(evaluate(first, page), evaluate(second, page), strict=True))


@given(data=st.data(), page=pages())
def test_a_relation_is_a_comparison_with_what_the_other_shows(data: st.DataObject, page: Page) -> None:
    catalog = page.catalog
    row, variant = int(page.rows[0]), int(page.variants[0])
    other = catalog.facts(row, variant)
    key = data.draw(st.sampled_from(sorted(other)))
    kind = catalog.attributes[key].kind
    relations: tuple[Literal["same", "less", "more"], ...] = ("same", "less", "more")
    relation = data.draw(st.sampled_from(relations if kind in ("number", "money") else relations[:1]))
    node = resolve(Related(key, relation, "R"), {"R": other}, catalog.attributes, 10**catalog.currency.decimals)
    true, _ = evaluate(node, page)
    codes = page.codes(key)
    own = int(codes[0])
    expected = {"same": codes == own, "less": codes < own, "more": codes > own}[relation] & (codes != MISSING)
    if kind == "choice":
        texts = [None if code == MISSING else catalog.attributes[key].text(int(code)).casefold() for code in codes]
        expected = np.array([text == other[key].casefold() for text in texts])
    assert (true == expected).all()


def test_a_relation_must_be_resolved() -> None:
    page = Page(shop(*SHOPS[-1]).catalog, np.arange(3))
    with pytest.raises(TypeError, match="resolve"):
        evaluate(Related("price", "less", "R"), page)
    with pytest.raises(TypeError, match="resolve"):
        holds(Related("price", "less", "R"), {"price": "$1.00"})


def test_json_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown kind"):
        from_json(["maybe", "price"])
