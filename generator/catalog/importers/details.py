"""Details and options of all products: each column inferred, each type given its attributes, all turned into codes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ecomrlve.generator.catalog.columns import Int32
from ecomrlve.generator.catalog.importers.kinds import Kind, slug
from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.measures import Column, column_named, unit_in_texts
from ecomrlve.generator.catalog.importers.neutral import neutral
from ecomrlve.generator.catalog.importers.raw import RawProduct, Reject
from ecomrlve.generator.catalog.importers.tables import missing_words, plain, words
from ecomrlve.generator.catalog.inference import Cells, Codes, Inferred, infer
from ecomrlve.grammars.conditions.attributes import MISSING, Attribute
from ecomrlve.grammars.conditions.units import UNITS

MOST_DETAILS = 12
"""Most attributes of one type, besides what buyers pick; the rarest are left to the description."""
_CELL = 60


@dataclass(slots=True)
class Details:
    """What the products' details came to.

    Args:
        attributes: by key.
        attributes_of: keys of each type, options first.
        axes_of: keys of what buyers of each type pick.
        values: shape (products, slots).
        options: shape (variants, axes), at least three wide.
        rejects: variants that nothing tells apart from another one of their product.
        notes: (column, what became of it, why).
    """

    attributes: dict[str, Attribute]
    attributes_of: list[tuple[str, ...]]
    axes_of: list[tuple[str, ...]]
    values: Int32
    options: Int32
    rejects: list[Reject] = field(default_factory=list)
    notes: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Gathered:
    """Cells by label, and where each stands: ``places[label][cell]`` is a product, or a variant where picked."""

    columns: dict[str, Column] = field(default_factory=dict)
    cells: dict[str, Cells] = field(default_factory=dict)
    places: dict[str, list[int]] = field(default_factory=dict)

    def add(self, column: Column, kind: int, text: str, place: int, picked: bool) -> None:
        label = column.label
        if label not in self.cells:
            self.columns[label], self.cells[label], self.places[label] = column, Cells(), []
        self.cells[label].add(kind, text, picked)
        self.places[label].append(place)


def gather_details(
    products: Sequence[RawProduct], kind_of: Sequence[int], kinds: Sequence[Kind], hints: Hints
) -> Details:
    """Infer all attributes of a shop.

    Variants that end up with the same options as an earlier one of their product are taken out of it and rejected.

    Args:
        products: sorted by type.
        kind_of: place of each product's type.
        kinds: the types.
        hints: the mapping file.
    """
    gathered = _gather(products, kind_of, hints)
    notes: list[tuple[str, str, str]] = []
    attributes: dict[str, Attribute] = {}
    kept: list[tuple[Inferred, str]] = []
    nouns = [kind.one.removeprefix("pair of ").removeprefix("piece of ") for kind in kinds]
    for label, cells in gathered.cells.items():
        column = gathered.columns[label]
        finding = infer(column, cells, nouns)
        cells.texts.clear()
        for inferred in finding.found:
            inferred.codes = Codes(inferred.codes)
            _register(inferred, column, attributes)
            kept.append((inferred, label))
        became = ", ".join(_in_words(inferred.attribute) for inferred in finding.found) or "text only"
        notes.append((column.name, became, "; ".join(dict.fromkeys(finding.notes))))
    axes_of, details_of = _slots(kept, gathered, len(kinds), notes)
    found = Details(
        attributes,
        [
            (*axes, *(key for key in details if key not in axes))
            for axes, details in zip(axes_of, details_of, strict=True)
        ],
        axes_of,
        np.zeros(0, dtype=np.int32),
        np.zeros(0, dtype=np.int32),
        notes=notes,
    )
    _encode(found, kept, gathered, products, kind_of)
    used = {key for keys in found.attributes_of for key in keys}
    found.attributes = {key: attribute for key, attribute in attributes.items() if key in used}
    return found


def _gather(products: Sequence[RawProduct], kind_of: Sequence[int], hints: Hints) -> _Gathered:
    ignored = set(words()["ignored"]["names"]) | hints.ignored
    known = replace(hints, units={**_units_in_texts(products, hints), **hints.units})
    names: dict[str, Column] = {}
    gathered = _Gathered()

    def column(name: str) -> Column:
        if name not in names:
            names[name] = column_named(name, known)
        return names[name]

    variant_row = 0
    for row, (product, kind) in enumerate(zip(products, kind_of, strict=True)):
        own: set[str] = set()
        for variant in product.variants:
            for name, value in variant.options.items():
                option = column(name)
                text = neutral(value, _CELL)
                if text:
                    own.add(option.label)
                    gathered.add(option, kind, text, variant_row, True)
            variant_row += 1
        for name, value in product.details.items():
            detail = column(name)
            if detail.label in own or (plain(name) in ignored and plain(name) not in hints.labels):
                continue
            text = neutral(value, _CELL)
            if text and text.lower() not in missing_words():
                own.add(detail.label)
                gathered.add(detail, kind, text, row, False)
    return gathered


def _units_in_texts(products: Sequence[RawProduct], hints: Hints) -> dict[str, str]:
    """Units of bare lengths, where descriptions repeat them with their unit."""
    names = Counter(name for product in products[:5000] for name in product.details)
    lengths = [
        name
        for name in names
        if column_named(name, hints).known.dimension == "length" and plain(name) not in hints.units
    ]
    unit = unit_in_texts(
        (tuple(product.details[name] for name in lengths if name in product.details), neutral(product.text, 200))
        for product in products[:5000]
        if lengths and product.text
    )
    return {plain(name): unit for name in lengths} if unit else {}


def _register(inferred: Inferred, column: Column, attributes: dict[str, Attribute]) -> None:
    """Give an attribute a key and a label that no other one of the shop has."""
    taken = {attribute.label.lower() for attribute in attributes.values()} | set(words()["reserved"])
    label = inferred.attribute.label
    for candidate in (label, column.label, *(f"{label} {letter}" for letter in "BCDEFGHIJKLMNOP")):
        if candidate.lower() not in taken:
            label = candidate
            break
    key = slug(label)
    while key in attributes:
        key += "_2"
    attribute = inferred.attribute
    inferred.attribute = attributes[key] = Attribute(
        key,
        label,
        attribute.kind,
        attribute.values,
        attribute.phrases,
        attribute.yes.replace(attribute.label, label),
        attribute.no.replace(attribute.label, label),
        attribute.unit,
        attribute.decimals,
        attribute.better,
    )


def _in_words(attribute: Attribute) -> str:
    if attribute.kind == "number":
        unit = f" in {UNITS[attribute.unit].words[1]}" if attribute.unit else ""
        return f"{attribute.label!r}, a number{unit}"
    if attribute.kind == "boolean":
        return f"{attribute.label!r}, yes or no"
    return f"{attribute.label!r}, a choice of {len(attribute.values)}"


def _slots(
    kept: Sequence[tuple[Inferred, str]], gathered: _Gathered, kinds: int, notes: list[tuple[str, str, str]]
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """For each type the keys that buyers pick, in the source's order, and the most given details."""
    axes: list[list[str]] = [[] for _ in range(kinds)]
    counts: list[Counter[str]] = [Counter() for _ in range(kinds)]
    for inferred, label in kept:
        cells = gathered.cells[label]
        key = inferred.attribute.key
        for cell in inferred.codes:
            kind = cells.kinds[cell]
            if cells.picked[cell]:
                if key not in axes[kind]:
                    axes[kind].append(key)
            else:
                counts[kind][key] += 1
    rank = {inferred.attribute.key: place for place, (inferred, _) in enumerate(kept)}
    details = []
    for own in counts:
        chosen = sorted(own, key=lambda key: (-own[key], rank[key]))[:MOST_DETAILS]
        details.append(tuple(sorted(chosen, key=rank.__getitem__)))
    crowded = sum(len(own) > MOST_DETAILS for own in counts)
    if crowded:
        notes.append(("details", f"the {MOST_DETAILS} most given ones of each type", f"{crowded:,} types have more"))
    return [tuple(keys) for keys in axes], details


def _encode(
    found: Details,
    kept: Sequence[tuple[Inferred, str]],
    gathered: _Gathered,
    products: Sequence[RawProduct],
    kind_of: Sequence[int],
) -> None:
    """Write all codes, then take out variants that look like an earlier one of their product."""
    slots = [{key: slot for slot, key in enumerate(keys)} for keys in found.attributes_of]
    axes = [{key: axis for axis, key in enumerate(keys)} for keys in found.axes_of]
    counts = np.array([len(product.variants) for product in products], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)])
    values = np.full((len(products), max(map(len, found.attributes_of), default=0)), MISSING, dtype=np.int32)
    options = np.full((int(starts[-1]), max(3, *map(len, found.axes_of))), MISSING, dtype=np.int32)
    for inferred, label in kept:
        cells, places, key = gathered.cells[label], gathered.places[label], inferred.attribute.key
        for cell, code in inferred.codes.items():
            kind, place = cells.kinds[cell], places[cell]
            axis = axes[kind].get(key)
            if cells.picked[cell]:
                if axis is not None:
                    options[place, axis] = code
            elif axis is not None:
                # What others of its type let buyers pick is fixed for this product.
                options[starts[place] : starts[place + 1], axis] = code
            elif key in slots[kind]:
                values[place, slots[kind][key]] = code
    gone = _alike(found, options, starts, products)
    found.values = values
    found.options = np.delete(options, gone, axis=0) if gone else options


def _alike(found: Details, options: Int32, starts: NDArray[np.int64], products: Sequence[RawProduct]) -> list[int]:
    gone: list[int] = []
    for row, product in enumerate(products):
        if len(product.variants) < 2:
            continue
        seen: set[bytes] = set()
        kept = []
        for place, variant in enumerate(product.variants, int(starts[row])):
            codes = options[place].tobytes()
            if codes in seen:
                gone.append(place)
                raw = {"id": product.source_id, "title": neutral(product.title, 120), **variant.options}
                found.rejects.append(Reject(variant.row, "nothing tells it apart from an earlier variant", raw))
            else:
                seen.add(codes)
                kept.append(variant)
        product.variants = kept
    return gone
