"""A shop's products as numpy columns, sorted by product type, with variants in compressed rows."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ecomrlve.generator.catalog.ontology import Edge, ProductType
from ecomrlve.generator.identifiers import mint, mint_all
from ecomrlve.grammars.conditions.attributes import MISSING, Attribute, Currency, built_in
from ecomrlve.grammars.conditions.vocabulary import Vocabulary

if TYPE_CHECKING:
    import networkx as nx

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

Number = TypeVar("Number", bound=np.generic)

SHELF = 512
"""Most products on one shelf: what a task looks at is bounded, however large the catalog."""

_CACHED = 1 << 17


class Listing(NamedTuple):
    """A product as pages show it: its lines, its identifier, and those of its variants."""

    text: str
    product_id: str
    variant_ids: tuple[str, ...]


class Texts(dict[int, str]):
    """The shown text of each code of an attribute behind a prefix, "" where it is not given: worked out once.

    The memory is bounded.

    >>> Texts(Attribute("lid", "lid", "boolean"), "lid: ")[1]
    'lid: yes'
    """

    __slots__ = ("_attribute", "_prefix")

    def __init__(self, attribute: Attribute, prefix: str = "") -> None:
        super().__init__({MISSING: ""})
        self._attribute = attribute
        self._prefix = prefix

    def __missing__(self, code: int) -> str:
        if len(self) >= _CACHED:
            self.clear()
            self[MISSING] = ""
        text = self[code] = self._prefix + self._attribute.text(code)
        return text


class OptionTexts(dict[tuple[int, ...], str]):
    """The shown text of each combination of options of a product type, empty where nothing is picked."""

    __slots__ = ("_texts",)

    def __init__(self, texts: Sequence[Texts]) -> None:
        self._texts = texts

    def __missing__(self, codes: tuple[int, ...]) -> str:
        if len(self) >= _CACHED:
            self.clear()
        shown = [texts[code] for texts, code in zip(self._texts, codes, strict=False) if code != MISSING]
        text = self[codes] = "; ".join(shown)
        return text


@dataclass(eq=False)
class Catalog:
    """Products, their variants, and the graph of their types.

    Arrays are indexed by product row (n products) or variant row (m variants); product rows are sorted by type.

    Args:
        name: the shop's name.
        currency: of every price.
        departments: key to name.
        categories: key to (name, department key).
        types: product types in the order of the rows.
        attributes: by key, with the built-in ones (`price`, `rating`, `reviews`, `brand`, `type`).
        edges: typed edges between types.
        type_start: shape (types + 1,), first product row of each type.
        brand: shape (n,), index into ``attributes["brand"].values`` or `MISSING`.
        rating: shape (n,), tenths of a star, or `MISSING`.
        reviews: shape (n,), number of reviews, or `MISSING`.
        popularity: shape (n,), relative sales, at least 1.
        values: shape (n, slots), code of the type's k-th attribute, or `MISSING`.
        variant_start: shape (n + 1,), first variant row of each product.
        price: shape (m,), minor units.
        stock: shape (m,), units that can be bought.
        options: shape (m, axes), at least 3 wide: codes of the type's variant axes, or `MISSING`.
        series: shape (n,), index into the type's series words; titles are then rendered on demand.
        titles: titles of imported products, in place of ``series``.
        source_ids: the source's own identifiers of products, where imported.
        split: whose products these are.
        key: the shop's identifier key.
        drawn: what the source lacked and was drawn, in words, for the card.
    """

    name: str
    currency: Currency
    departments: Mapping[str, str]
    categories: Mapping[str, tuple[str, str]]
    types: tuple[ProductType, ...]
    attributes: Mapping[str, Attribute]
    edges: tuple[Edge, ...]
    type_start: Int64
    brand: Int32
    rating: Int32
    reviews: Int32
    popularity: Int64
    values: Int32
    variant_start: Int64
    price: Int64
    stock: Int32
    options: Int32
    series: Int32 | None = None
    titles: Sequence[str] | None = None
    source_ids: Sequence[str] | None = None
    split: str = "train"
    key: int = 0
    first_product: int = 0
    first_variant: int = 0
    drawn: tuple[str, ...] = ()
    vocabularies: dict[tuple[int, ...], Vocabulary] = field(default_factory=dict, init=False, repr=False)
    _listings: dict[int, Listing] = field(default_factory=dict, init=False, repr=False)
    _texts: dict[tuple[str, bool], Texts] = field(default_factory=dict, init=False, repr=False)
    _option_texts: dict[int, OptionTexts] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.brand)

    @property
    def variants(self) -> int:
        """How many variant rows there are."""
        return len(self.price)

    @cached_property
    def graph(self) -> "nx.MultiDiGraph[str]":
        """Departments, categories and types (``is_a`` upward); ``substitutes``, ``complements``, ``fits`` edges."""
        # Imported here: making tasks needs no graph, and the import takes longer than a small shop.
        from networkx import MultiDiGraph

        graph: nx.MultiDiGraph[str] = MultiDiGraph()
        for key, name in self.departments.items():
            graph.add_node(key, kind="department", name=name)
        for key, (name, department) in self.categories.items():
            graph.add_node(key, kind="category", name=name)
            graph.add_edge(key, department, key="is_a")
        for product_type in self.types:
            graph.add_node(product_type.key, kind="type", name=product_type.singular)
            graph.add_edge(product_type.key, product_type.category, key="is_a")
        for edge in self.edges:
            graph.add_edge(
                edge.source,
                edge.target,
                key=edge.kind,
                attribute=edge.attribute,
                target_attribute=edge.target_attribute,
            )
        return graph

    @cached_property
    def type_index(self) -> dict[str, int]:
        """Type key to its place in ``types``."""
        return {product_type.key: place for place, product_type in enumerate(self.types)}

    @cached_property
    def targets(self) -> dict[tuple[str, int], list[int]]:
        """(kind of edge, place in ``types`` of its source) to the places of its targets, in the order of the edges."""
        found: dict[tuple[str, int], list[int]] = {}
        places = self.type_index
        for edge in self.edges:
            if edge.source in places and edge.target in places:
                found.setdefault((edge.kind, places[edge.source]), []).append(places[edge.target])
        return found

    @cached_property
    def types_of_department(self) -> dict[str, list[int]]:
        """Department key to the places in ``types`` of its types."""
        found: dict[str, list[int]] = {}
        for place, kind in enumerate(self.types):
            found.setdefault(kind.department, []).append(place)
        return found

    @cached_property
    def slots(self) -> tuple[dict[str, int], ...]:
        """Per type: attribute key to column of ``values``; variant axes are told apart by `axes`."""
        return tuple({key: slot for slot, key in enumerate(kind.attributes)} for kind in self.types)

    @cached_property
    def axes(self) -> tuple[dict[str, int], ...]:
        """Per type: variant axis key to column of ``options``."""
        return tuple({key: axis for axis, key in enumerate(kind.variant_axes)} for kind in self.types)

    @cached_property
    def _type_start_list(self) -> list[int]:
        starts: list[int] = self.type_start.tolist()
        return starts

    @cached_property
    def sales(self) -> Int64:
        """Running total of popularity, shape (n,): a number below its last entry draws a product by its sales."""
        return np.cumsum(self.popularity, dtype=np.int64)

    def type_of(self, row: int) -> int:
        """The place in ``types`` of a product's type."""
        return bisect_right(self._type_start_list, row) - 1

    def product_of(self, variant: int) -> int:
        """The product row of a variant row."""
        return int(self.variant_start.searchsorted(variant, side="right")) - 1

    def product_id(self, row: int) -> str:
        """The minted identifier of a product."""
        return mint("product", self.first_product + row, self.split, self.key)

    def product_ids(self, rows: Int64) -> list[str]:
        """The minted identifiers of many products."""
        return mint_all("product", self.first_product + rows, self.split, self.key)

    def variant_id(self, variant: int, product: int | None = None) -> str:
        """The minted identifier of a variant; a product without options is its own variant."""
        row = self.product_of(variant) if product is None else product
        if self.variant_start[row + 1] - self.variant_start[row] == 1 and not self.has_options(row):
            return self.product_id(row)
        return mint("variant", self.first_variant + variant, self.split, self.key)

    def variant_ids(self, variants: Int64) -> list[str]:
        """The minted identifiers of many variants of products with options."""
        return mint_all("variant", self.first_variant + variants, self.split, self.key)

    def has_options(self, row: int) -> bool:
        """Whether the buyer of a product picks anything."""
        return bool(self.options[self.variant_start[row], 0] != MISSING)

    def title(self, row: int) -> str:
        """The product's title: imported, or rendered from brand, series and type."""
        if self.titles is not None:
            return self.titles[row]
        kind = self.types[self.type_of(row)]
        brand = self.attributes["brand"].values[self.brand[row]]
        series = kind.series[self.series[row]] if self.series is not None else ""
        return f"{brand} {series} {kind.singular}"

    def titles_of(self, page: "Page") -> list[str]:
        """The titles of a page's products, as `title` gives each."""
        if self.titles is not None or self.series is None:
            return [self.title(row) for row in page.rows.tolist()]
        brands, kinds = self.attributes["brand"].values, [self.types[kind] for kind in page.types.tolist()]
        words = zip(page.of_products(self.brand).tolist(), page.of_products(self.series).tolist(), kinds, strict=True)
        return [f"{brands[brand]} {kind.series[series]} {kind.singular}" for brand, series, kind in words]

    def option_text(self, variant: int, product: int) -> str:
        """The options of a variant as shown, such as ``"charcoal / M"``; empty where there are none."""
        kind = self.types[self.type_of(product)]
        codes = self.options[variant].tolist()
        return " / ".join(
            self.text(key, code) for key, code in zip(kind.variant_axes, codes, strict=False) if code != MISSING
        )

    def details(self, row: int) -> list[tuple[str, str]]:
        """(attribute key, shown text) of what is the same in all variants, in the type's order."""
        kind = self.types[self.type_of(row)]
        codes = self.values[row].tolist()
        return [
            (key, self.text(key, code))
            for key, code in zip(kind.attributes, codes, strict=False)
            if code != MISSING and key not in kind.variant_axes
        ]

    def description(self, row: int) -> str:
        """A sentence or two about a product, rendered from its details."""
        details = "; ".join(f"{self.attributes[key].label}: {text}" for key, text in self.details(row))
        noun = self.types[self.type_of(row)].singular
        return f"{self.title(row)}, {'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}. {details}."

    def facts(self, row: int, variant: int) -> dict[str, str]:
        """One variant as its page shows it: attribute key to text, for `constraints.holds`."""
        kind = self.types[self.type_of(row)]
        shown = dict(self.details(row))
        for key, code in zip(kind.variant_axes, self.options[variant].tolist(), strict=False):
            if code != MISSING:
                shown[key] = self.attributes[key].text(code)
        shown["type"] = kind.singular
        shown["price"] = self.currency.text(int(self.price[variant]))
        for key, code in (("brand", self.brand[row]), ("rating", self.rating[row]), ("reviews", self.reviews[row])):
            if code != MISSING:
                shown[key] = self.attributes[key].text(int(code))
        return shown

    @cached_property
    def shelves(self) -> tuple[Int64, ...]:
        """Bounded collections of products: blocks of one type, and for small types the whole category or shop.

        A shelf is a sorted array of at most `SHELF` product rows. Rows within a type are in no order that means
        anything, so a block of neighbours is as good as a random sample.
        """
        found: list[Int64] = []
        small: list[Int64] = []
        for place in range(len(self.types)):
            rows = np.arange(self.type_start[place], self.type_start[place + 1], dtype=np.int64)
            if len(rows) >= SMALL_TYPE:
                found.extend(np.array_split(rows, -(-len(rows) // SHELF)))
            elif len(rows):
                small.append(rows)
        if small:
            found.extend(self._mixed_shelves(small))
        return tuple(found)

    def _mixed_shelves(self, small: list[Int64]) -> list[Int64]:
        """Types too small for a shelf of their own share one with their category, their department, or all others."""
        groups: dict[str, list[Int64]] = {}
        for rows in small:
            groups.setdefault(self.types[self.type_of(int(rows[0]))].category, []).append(rows)
        merged: list[Int64] = []
        rest: list[Int64] = []
        for _, parts in sorted(groups.items()):
            rows = np.concatenate(parts)
            (merged if len(rows) >= SMALL_TYPE else rest).append(rows)
        if rest:
            merged.append(np.sort(np.concatenate(rest)))
        return [piece for rows in merged for piece in np.array_split(rows, -(-len(rows) // SHELF))]

    def texts(self, key: str, labelled: bool = False) -> Texts:
        """The shown text of each code of an attribute, behind its label where wanted ("color: red")."""
        found = self._texts.get((key, labelled))
        if found is None:
            attribute = self.attributes[key]
            found = self._texts[key, labelled] = Texts(attribute, f"{attribute.label}: " if labelled else "")
        return found

    def option_texts(self, kind: int) -> OptionTexts:
        """The shown texts of the options of a type's products, each behind its label: "color: red; size: M"."""
        found = self._option_texts.get(kind)
        if found is None:
            texts = [self.texts(key, labelled=True) for key in self.types[kind].variant_axes]
            found = self._option_texts[kind] = OptionTexts(texts)
        return found

    def text(self, key: str, code: int) -> str:
        """The shown text of an attribute's code; worked out once per code."""
        return self.texts(key)[code]

    def listings(
        self, rows: Sequence[int], form: int, render: Callable[[list[int]], Iterable[Listing]]
    ) -> list[Listing]:
        """Listings of products on a page; those in memory from another page are not rendered again.

        Args:
            rows: product rows.
            form: a number below 4 for the way they are rendered.
            render: makes the listings of rows.
        """
        known, forms = self._listings, 4
        names = [row * forms + form for row in rows]
        absent = [name for name in names if name not in known]
        if absent:
            if len(known) + len(absent) > _CACHED:
                known.clear()
                absent = names
            known.update(zip(absent, render([name // forms for name in absent]), strict=True))
        return [known[name] for name in names]

    def __getstate__(self) -> dict[str, object]:
        memories = ("vocabularies", "_listings", "_texts", "_option_texts")
        return {**self.__dict__, **{name: {} for name in memories}}


SMALL_TYPE = 24
"""A type with fewer products than this shares its shelf with others."""


def with_built_in(
    attributes: Mapping[str, Attribute], currency: Currency, brands: Sequence[str], nouns: Sequence[str]
) -> dict[str, Attribute]:
    """The attributes of a shop with those that every product has.

    >>> from ecomrlve.grammars.conditions.attributes import CURRENCIES
    >>> sorted(with_built_in({}, CURRENCIES["USD"], ["Orvane"], ["mug"]))
    ['brand', 'price', 'rating', 'reviews', 'type']
    """
    return {
        **attributes,
        **built_in(currency),
        "brand": Attribute("brand", "brand", "choice", tuple(brands), ("by {value}", "from {value}")),
        "type": Attribute("type", "type", "choice", tuple(nouns)),
    }


class Page:
    """Columns of the variants of some products: what `constraints.evaluate` reads.

    Args:
        catalog: the shop.
        rows: product rows, in any order.

    Attributes:
        products: shape (variants on the page,), place in ``rows`` of each variant's product.
        variants: shape (variants on the page,), variant rows.
        counts: shape (len(rows),), how many variants each product has.
        starts: shape (len(rows),), place of each product's first variant.
        types: shape (len(rows),), place in the catalog's types of each product.
    """

    def __init__(self, catalog: Catalog, rows: Int64) -> None:
        self.catalog = catalog
        self.rows = rows
        count = len(rows)
        first = int(rows[0]) if count else 0
        if count and int(rows[-1]) - first == count - 1 and bool((rows[1:] > rows[:-1]).all()):
            # Neighbors in the catalog are read as a slice, which costs a fraction of a gather.
            bounds = catalog.variant_start[first : first + count + 1]
            low, high = int(bounds[0]), int(bounds[-1])
            self.counts = bounds[1:] - bounds[:-1]
            self.starts = bounds[:-1] - low
            self.variants = np.arange(low, high)
            self._at_rows: slice | Int64 = slice(first, first + count)
            self._at_variants: slice | Int64 = slice(low, high)
        else:
            begin = catalog.variant_start[rows]
            self.counts = catalog.variant_start[rows + 1] - begin
            ends = self.counts.cumsum()
            self.starts = ends - self.counts
            self.variants = np.arange(int(ends[-1]) if count else 0) + (begin - self.starts).repeat(self.counts)
            self._at_rows, self._at_variants = rows, self.variants
        self.products = np.arange(count).repeat(self.counts)
        kinds = {catalog.type_of(int(rows[0])), catalog.type_of(int(rows[-1]))} if count else set()
        ordered = isinstance(self._at_rows, slice)
        self._kind = kinds.pop() if ordered and len(kinds) == 1 else None
        self.types = (
            catalog.type_start.searchsorted(rows, side="right") - 1
            if self._kind is None
            else np.full(count, self._kind, dtype=np.int64)
        )
        self._codes: dict[str, Int32] = {}
        self._ordered: dict[str, Int32] = {}
        self._frequencies: dict[str, dict[int, int]] = {}
        self._last: dict[int, tuple[NDArray[np.bool_], NDArray[np.bool_]]] = {}

    def __len__(self) -> int:
        return len(self.variants)

    def of_products(self, column: NDArray[Number]) -> NDArray[Number]:
        """The entries of a column of products."""
        return column[self._at_rows]

    def of_variants(self, column: NDArray[Number]) -> NDArray[Number]:
        """The entries of a column of variants."""
        return column[self._at_variants]

    def attribute(self, key: str) -> Attribute | None:
        """The attribute of a key, or None where the shop has none."""
        return self.catalog.attributes.get(key)

    def codes(self, key: str) -> Int32:
        """Codes per variant, shape (len(self),); computed once per page."""
        found = self._codes.get(key)
        if found is None:
            found = self._codes[key] = self._gather(key)
        return found

    def lacking(self, places: Sequence[int], wanted: Iterable[tuple[str, str | None]]) -> list[tuple[str, str | None]]:
        """Those of some details, a choice or (None) any value, that no product at these places gives."""
        chosen = np.zeros(len(self.rows), dtype=bool)
        chosen[places] = True
        variants = chosen[self.products]
        given: dict[str, set[int]] = {}
        found = []
        for key, value in wanted:
            if key not in given:
                given[key] = set(self.codes(key)[variants].tolist())
            attribute = self.attribute(key)
            if value is None or attribute is None:
                lacks = given[key] <= {MISSING}
            else:
                lacks = attribute.code_of(value) not in given[key]
            if lacks:
                found.append((key, value))
        return found

    def ordered(self, key: str) -> Int32:
        """The codes of the variants that give a detail, in rising order; sorted once per page."""
        found = self._ordered.get(key)
        if found is None:
            codes = np.sort(self.codes(key))
            found = self._ordered[key] = codes[int(codes.searchsorted(MISSING, side="right")) :]
        return found

    def frequencies(self, key: str) -> dict[int, int]:
        """How many variants give each code of a detail, in rising order; counted once per page."""
        found = self._frequencies.get(key)
        if found is None:
            ordered = self.ordered(key)
            starts = [*range(min(1, len(ordered))), *(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1).tolist()]
            counts = np.diff([*starts, len(ordered)]).tolist()
            found = self._frequencies[key] = dict(zip(ordered[starts].tolist(), counts, strict=True))
        return found

    @cached_property
    def in_stock(self) -> NDArray[np.bool_]:
        """Whether each variant can be bought, shape (len(self),)."""
        return self.of_variants(self.catalog.stock) > 0

    def last_of_their_kind(self, axis: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Variants of products in several versions alike but for one option, of which at most one is in stock.

        Args:
            axis: the option's place among the variant axes.

        Returns:
            Two masks of shape (len(self),): the one in stock of its versions; and those of which none is.
        """
        found = self._last.get(axis)
        if found is None:
            groups = self.products.astype(np.int64)
            options = self.of_variants(self.catalog.options).astype(np.int64)
            for other in range(options.shape[1]):
                if other != axis:
                    # A missing option is below all others.
                    column = options[:, other] - options[:, other].min()
                    groups = groups * (int(column.max()) + 1) + column
            _, group = np.unique(groups, return_inverse=True)
            given = options[:, axis] != MISSING
            several = np.bincount(group[given], minlength=len(groups))[group] > 1
            stocked = np.bincount(group[self.in_stock], minlength=len(groups))[group]
            several &= given
            found = self._last[axis] = (several & (stocked == 1) & self.in_stock, several & (stocked == 0))
        return found

    @cached_property
    def buyable(self) -> Int64:
        """Places of the variants that can be bought."""
        return np.flatnonzero(self.in_stock)

    @cached_property
    def sold_lines(self) -> Int64:
        """How many variants of each product are sold out."""
        return np.add.reduceat(~self.in_stock, self.starts, dtype=np.int64)

    @cached_property
    def for_sale(self) -> NDArray[np.bool_]:
        """Whether anything of each product is in stock."""
        return np.logical_or.reduceat(self.in_stock, self.starts)

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """Places in the catalog's types of the types on the page, in order."""
        return tuple(sorted(set(self.types.tolist())))

    def given(self, place: int) -> list[str]:
        """Keys of the details that a variant gives, those of its type first."""
        catalog = self.catalog
        product = int(self.products[place])
        kind, row, variant = int(self.types[product]), int(self.rows[product]), int(self.variants[place])
        values, options = catalog.values[row].tolist(), catalog.options[variant].tolist()
        axes = catalog.axes[kind]
        own = [
            key
            for key, code in zip(catalog.types[kind].attributes, values, strict=False)
            if (options[axes[key]] if key in axes else code) != MISSING
        ]
        columns = (("brand", catalog.brand), ("rating", catalog.rating), ("reviews", catalog.reviews))
        return [*own, "price", *(key for key, column in columns if column[row] != MISSING)]

    def _gather(self, key: str) -> Int32:
        catalog = self.catalog
        if key == "price":
            return self.of_variants(catalog.price).astype(np.int32)
        if key in ("brand", "rating", "reviews"):
            column: Int32 = getattr(catalog, key)
            return self.of_products(column)[self.products]
        if key == "type":
            return self.types.astype(np.int32)[self.products]
        if self._kind is not None:
            return self._of_type(self._kind, key)
        codes = np.full(len(self), MISSING, dtype=np.int32)
        kinds = self.types[self.products]
        for kind in sorted(set(self.types.tolist())):
            of_kind = kinds == kind
            codes[of_kind] = self._of_type(kind, key)[of_kind]
        return codes

    def _of_type(self, kind: int, key: str) -> Int32:
        catalog = self.catalog
        axis = catalog.axes[kind].get(key)
        if axis is not None:
            return self.of_variants(catalog.options)[:, axis]
        slot = catalog.slots[kind].get(key)
        if slot is None:
            return np.full(len(self), MISSING, dtype=np.int32)
        return self.of_products(catalog.values)[:, slot][self.products]


def variants_of(catalog: Catalog, rows: Int64) -> Int64:
    """The variant rows of some products, in their order.

    >>> from ecomrlve.generator.catalog.synthesis import synthesize
    >>> shop = synthesize(500)
    >>> len(variants_of(shop, np.arange(500))) == shop.variants
    True
    """
    return Page(catalog, rows).variants


def select(catalog: Catalog, rows: Int64) -> Catalog:
    """A catalog of some of the products only (sorted rows); identifiers are minted anew.

    Used to part an imported shop into splits.
    """
    rows = np.sort(rows)
    page = Page(catalog, rows)
    kinds = np.searchsorted(catalog.type_start, rows, side="right") - 1
    return replace(
        catalog,
        type_start=np.searchsorted(kinds, np.arange(len(catalog.types) + 1)).astype(np.int64),
        brand=catalog.brand[rows],
        rating=catalog.rating[rows],
        reviews=catalog.reviews[rows],
        popularity=catalog.popularity[rows],
        values=catalog.values[rows],
        variant_start=np.concatenate([[0], np.cumsum(page.counts)]).astype(np.int64),
        price=catalog.price[page.variants],
        stock=catalog.stock[page.variants],
        options=catalog.options[page.variants],
        series=None if catalog.series is None else catalog.series[rows],
        titles=None if catalog.titles is None else [catalog.titles[row] for row in rows.tolist()],
        source_ids=None if catalog.source_ids is None else [catalog.source_ids[row] for row in rows.tolist()],
    )
