"""What every format is read into, before types and attributes are inferred."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ecomrlve.generator.catalog.importers.neutral import cell_text

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
"""Of a variant where there is nothing to pick; most have that, so they share it."""


@dataclass(slots=True)
class RawVariant:
    """One thing that can be bought, as the source writes it.

    Args:
        row: number of its row in the source, from 1.
        source_id: the source's identifier.
        price: the cell.
        options: name to value of what the buyer picks.
        stock: the cell: a number of units, a word, or ``""``.
    """

    row: int
    source_id: str
    price: str
    options: Mapping[str, str] = field(default_factory=lambda: NO_OPTIONS)
    stock: str = ""


@dataclass(slots=True)
class RawProduct:
    """One product of the source, with its variants.

    Args:
        row: number of its first row in the source, from 1.
        source_id: the source's identifier, ``""`` where it has none.
        title: as the source writes it.
        path: categories, widest first; the last is the type.
        variants: at least one.
        brand, rating, reviews: the cells.
        details: name to cell of everything else.
        text: description.
        also: other paths under which the source lists it.
        companions: source ids of products bought together with it.
    """

    row: int
    source_id: str
    title: str
    path: tuple[str, ...]
    variants: list[RawVariant]
    brand: str = ""
    rating: str = ""
    reviews: str = ""
    details: dict[str, str] = field(default_factory=dict)
    text: str = ""
    also: tuple[tuple[str, ...], ...] = ()
    companions: tuple[str, ...] = ()
    _taken: set[tuple[tuple[str, str], ...]] | None = None

    def add(self, variant: RawVariant) -> bool:
        """Add a variant, unless an earlier one has the same options; then False.

        >>> mug = RawProduct(1, "m", "Mug", (), [])
        >>> mug.add(RawVariant(1, "m1", "5", {"color": "red"})), mug.add(RawVariant(2, "m2", "6", {"color": "red"}))
        (True, False)
        """
        key = tuple(variant.options.items())
        if self._taken is None:
            self._taken = {tuple(own.options.items()) for own in self.variants}
        if key in self._taken:
            return False
        self._taken.add(key)
        self.variants.append(variant)
        return True


@dataclass(frozen=True, slots=True)
class RawOrder:
    """One order of the source: (variant's source id, quantity, price cell) of each line."""

    row: int
    source_id: str
    customer: str
    lines: tuple[tuple[str, int, str], ...]
    state: str


@dataclass(frozen=True, slots=True)
class Reject:
    """A row that was dropped, and why."""

    row: int
    reason: str
    raw: Any
    kind: str = "product"

    def record(self) -> dict[str, Any]:
        """As a line of ``rejects.jsonl``; what the row held is made harmless.

        >>> Reject(3, "no price", {"name": "Mug {x}", "price": ""}).record()["raw"]
        {'name': 'Mug (x)', 'price': ''}
        """
        return {"kind": self.kind, "row": self.row, "reason": cell_text(self.reason, 300), "raw": _harmless(self.raw)}


def _harmless(value: Any, depth: int = 0) -> Any:
    if isinstance(value, Mapping) and depth < 4:
        return {cell_text(key, 80): _harmless(item, depth + 1) for key, item in list(value.items())[:100]}
    if isinstance(value, list | tuple) and depth < 4:
        return [_harmless(item, depth + 1) for item in value[:50]]
    return value if isinstance(value, int) else cell_text(value, 200)


@dataclass(slots=True)
class RawShop:
    """All that a format found in a source.

    Args:
        products: in the source's order.
        rejects: rows that could not be read.
        read: rows read; each is in ``products``' variants, in ``merged`` or in ``rejects``.
        merged: rows folded into another one.
        orders: where the source has any, else None.
        people: customers whose names and addresses an export of orders holds; none of them are kept.
        price_names: names of price columns, which may tell the currency.
        price_hints: cells of other price columns, which may tell it too.
        thing: what the shop sells, where the source says so (``"laptop"`` from ``laptop_ID``).
        key_column: by which rows were told apart, where it is one column.
        notes: (column, what became of it, why).
    """

    products: list[RawProduct] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    read: int = 0
    merged: int = 0
    orders: list[RawOrder] | None = None
    people: int = 0
    price_names: tuple[str, ...] = ()
    price_hints: list[str] = field(default_factory=list)
    thing: str = ""
    key_column: str = ""
    notes: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """What an import did.

    Args:
        format: how the source was read.
        read: rows of the source.
        kept: rows that are variants of the shop now.
        merged: rows folded into another one (the same product in a second category, a row with a picture only).
        rejected: rows dropped; ``rejects.jsonl`` names each.
        products, variants, types: of the shop.
        currency: of its prices.
        reasons: how many rows were dropped for each reason.
        columns: (column, what became of it, why).
        drawn: what the source lacks and was drawn.
        orders: (read, kept, rejected), where the source has orders.
        warning: where much was rejected or has no title, or "".
        attributes: how many of each kind the products have.
    """

    format: str
    read: int
    kept: int
    merged: int
    rejected: int
    products: int
    variants: int
    types: int
    currency: str
    reasons: dict[str, int]
    columns: list[tuple[str, str, str]]
    drawn: tuple[str, ...]
    orders: tuple[int, int, int] | None = None
    warning: str = ""
    attributes: Mapping[str, int] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """The report in plain sentences, for a terminal.

        >>> Report("table", 3, 2, 0, 1, 2, 2, 1, "USD", {"no price": 1}, [], ()).lines()[0]
        '3 rows read as table: 2 kept, 0 merged, 1 rejected.'
        """
        found = [
            f"{self.read:,} rows read as {self.format}: {self.kept:,} kept, {self.merged:,} merged, "
            f"{self.rejected:,} rejected.",
            f"{self.products:,} products, {self.variants:,} variants, {self.types:,} product types; "
            f"prices in {self.currency}.",
        ]
        if self.orders is not None:
            found.append("{:,} orders read: {:,} kept, {:,} rejected.".format(*self.orders))
        found += [f"Rejected, {reason}: {count:,}." for reason, count in sorted(self.reasons.items(), key=_most_first)]
        found += self.column_lines()
        found += [f"Drawn, not in the source: {what}." for what in self.drawn]
        return found

    def column_lines(self) -> list[str]:
        """What became of each column, a sentence each."""
        return [f"{column}: {became}{f' ({why})' if why else ''}." for column, became, why in self.columns]

    def table(self) -> list[tuple[str, str]]:
        """What came in, in short: (what, how many), several lines where there are several reasons or kinds.

        >>> report = Report("table", 3, 2, 0, 1, 2, 2, 1, "USD", {"no price": 1}, [], ("stock",))
        >>> dict(report.table())
        {'rows read': '3', 'products': '2', 'variants': '2', 'rejected': '1', '  no price': '1', 'drawn': 'stock'}
        """
        found = [("rows read", f"{self.read:,}")]
        if self.merged:
            found.append(("rows merged", f"{self.merged:,}"))
        found += [("products", f"{self.products:,}"), ("variants", f"{self.variants:,}")]
        found += [(_KINDS[kind], f"{count:,}") for kind, count in self.attributes.items() if count]
        if self.orders is not None:
            found += [("orders read", f"{self.orders[0]:,}"), ("orders kept", f"{self.orders[1]:,}")]
        found.append(("rejected", f"{self.rejected + (self.orders[2] if self.orders else 0):,}"))
        found += [(f"  {reason}", f"{count:,}") for reason, count in sorted(self.reasons.items(), key=_most_first)]
        found += [("drawn" if place == 0 else "", what) for place, what in enumerate(self.drawn or ("nothing",))]
        return found


_KINDS = {"choice": "choices", "number": "numbers", "boolean": "yes or no"}
"""What attributes of a kind are called."""


def _most_first(entry: tuple[str, int]) -> tuple[int, str]:
    return -entry[1], entry[0]


def reasons_of(rejects: Iterable[Reject]) -> dict[str, int]:
    """How many rows were dropped for each kind of reason; what a reason quotes is left out.

    >>> reasons_of(
    ...     [Reject(1, "price 'x' is not one plain amount", {}), Reject(2, "price 'y' is not one plain amount", {})]
    ... )
    {'price … is not one plain amount': 2}
    """
    counted: Counter[str] = Counter()
    for reject in rejects:
        head, _, rest = reject.reason.partition(" '")
        tail = rest.rpartition("'")[2] if rest else ""
        counted[f"{head} …{tail}" if rest else head] += 1
    return dict(sorted(counted.items()))
