"""schema.org products in JSON-LD: a document, lines of them, or the pages of a shop that hold them in scripts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ecomrlve.errors import CatalogError
from ecomrlve.generator.catalog.importers import table
from ecomrlve.generator.catalog.importers.mapping import Hints
from ecomrlve.generator.catalog.importers.neutral import plain_text
from ecomrlve.generator.catalog.importers.offers import Offer, offers_of, type_names
from ecomrlve.generator.catalog.importers.raw import RawShop
from ecomrlve.generator.catalog.importers.roles import Roles
from ecomrlve.generator.catalog.importers.sources import Record, Source
from ecomrlve.generator.catalog.importers.tables import format_words, plain

NAME = "jsonld"
_DEEPEST = 24
_LOOKED_AT = 50
_IDS = ("sku", "productID", "gtin", "gtin13", "mpn", "@id")
_COLUMNS = ("id", "group", "title", "description", "brand", "rating", "reviews", "stock", "price", "type")


def fits(source: Source) -> bool:
    """Whether a source is JSON-LD: an object with a context, a type or a graph.

    >>> from pathlib import Path
    >>> fits(Source(Path("a.json"), "json", document={"@context": "https://schema.org", "@type": "Product"}))
    True
    """
    heads = [source.document] if source.kind == "json" else [record for _, record in source.rows[:_LOOKED_AT]]
    return any(isinstance(head, dict) and not {"@type", "@graph"}.isdisjoint(head) for head in heads)


@dataclass(slots=True)
class _Page:
    """One document: its products, and the path of its breadcrumbs, which say what its one product is."""

    products: list[Mapping[str, Any]] = field(default_factory=list)
    crumbs: str = ""


@dataclass(slots=True)
class _Graph:
    """All documents of a source: nodes by their ``@id``, and the rows that their products make."""

    nodes: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    rows: list[tuple[int, Record]] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def follow(self, value: Any) -> Any:
        """A node, where only its ``@id`` is given."""
        if isinstance(value, dict) and set(value) <= {"@id", "@type"} and value.get("@id") in self.nodes:
            return self.nodes[value["@id"]]
        return value

    def add(self, record: Record) -> None:
        self.rows.append((len(self.rows) + 1, record))


def read(source: Source, hints: Hints) -> RawShop:
    """Read all products, as a table whose rows are variants; a group's own row describes them and is merged."""
    if not fits(source):
        raise CatalogError(f"{source.path} has no @type and no @graph, so it is no JSON-LD. Import it as a table.")
    documents = [source.document] if source.kind == "json" else [record for _, record in source.rows]
    graph = _Graph()
    for document in documents:
        _index(document, graph, 0)
    for document in documents:
        page = _Page()
        _collect(document, page, graph, 0)
        # Groups first: a variant may stand beside its group, or before it.
        for product in sorted(page.products, key=lambda node: "hasVariant" not in node):
            _add_product(product, page.crumbs if len(page.products) == 1 else "", graph)
    if not graph.rows:
        raise CatalogError(f"{source.path} is JSON-LD without any product in it.")
    details = dict.fromkeys(name for _, record in graph.rows for name in record if name not in _COLUMNS)
    roles = Roles(
        one={name: name for name in _COLUMNS if name not in ("price", "type")},
        prices=["price"],
        path=["type"],
        details=list(details),
    )
    rows = Source(source.path, "records", [*_COLUMNS, *details], graph.rows, rejects=source.rejects)
    return table.read_as(rows, roles)


def _index(value: Any, graph: _Graph, depth: int) -> None:
    """Keep every node that says more than its ``@id``."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        own_id = value.get("@id")
        if isinstance(own_id, str) and not set(value) <= {"@id", "@type"}:
            graph.nodes.setdefault(own_id, value)
        for inner in value.values():
            _index(inner, graph, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _index(inner, graph, depth + 1)


def _collect(value: Any, page: _Page, graph: _Graph, depth: int) -> None:
    """Find the products of a document; those within another one are its variants and come with it."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for inner in value:
            _collect(inner, page, graph, depth + 1)
    elif isinstance(value, dict):
        names = type_names(value)
        if "breadcrumblist" in names:
            page.crumbs = page.crumbs or " > ".join(_crumbs(value, graph))
        elif not names.isdisjoint(format_words()[NAME]["words"]["products"]):
            if not set(value) <= {"@id", "@type"}:
                page.products.append(value)
        else:
            for inner in value.values():
                _collect(inner, page, graph, depth + 1)


def _crumbs(node: Mapping[str, Any], graph: _Graph) -> Iterator[str]:
    """The names of a page's breadcrumbs but the first, which is the shop, and the last, which is the page."""
    items = [item for item in _listed(node.get("itemListElement")) if isinstance(item, dict)]
    names = [_name(item.get("name") or graph.follow(item.get("item"))) for item in items]
    yield from (name for name in names[1:-1] if name)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _name(value: Any) -> str:
    """The text of a thing, which may be its name alone."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        value = value.get("name") or value.get("value") or ""
    return plain_text(value).strip()


def _add_product(node: Mapping[str, Any], crumbs: str, graph: _Graph) -> None:
    """Add the rows of one product: its own, and those of its variants or offers."""
    if id(node) in graph.seen:
        return
    graph.seen.add(id(node))
    variants = [variant for one in _listed(node.get("hasVariant")) if isinstance(variant := graph.follow(one), dict)]
    own = _record(node, crumbs, graph)
    if variants:
        group = _name(node.get("productGroupID")) or own["id"] or f"group {len(graph.rows) + 1}"
        graph.add({**own, "id": group})
        for variant in variants:
            graph.seen.add(id(variant))
            _add_offers({**_record(variant, crumbs, graph), "group": group}, variant, graph)
        return
    family = graph.follow(node.get("isVariantOf"))
    if isinstance(family, dict):
        own["group"] = _name(family.get("productGroupID")) or _name(family.get("@id"))
    own["group"] = own.get("group") or _name(node.get("inProductGroupWithID"))
    _add_offers(own, node, graph)


def _add_offers(record: Record, node: Mapping[str, Any], graph: _Graph) -> None:
    """Add a row for what is offered: one, or one for each offer where their names or goods tell them apart."""
    found = offers_of([graph.follow(offer) for offer in _listed(node.get("offers"))])
    first = found[0] if found else Offer()
    record["id"] = record["id"] or first.sku or f"product {len(graph.rows) + 1}"
    if len({(offer.price, offer.available) for offer in found}) <= 1:
        graph.add({**record, "price": first.price, "stock": first.available})
        return
    for offer in found:
        graph.add(
            {
                **record,
                "group": record["group"] or record["id"],
                "id": offer.sku,
                "price": offer.price,
                "stock": offer.available,
                **({"version": offer.name} if offer.name and offer.name != record["title"] else {}),
                **offer.picked,
            }
        )


def _record(node: Mapping[str, Any], crumbs: str, graph: _Graph) -> Record:
    """What a node says of itself, by our names; prices come from its offers."""
    rating = graph.follow(node.get("aggregateRating"))
    rating = rating if isinstance(rating, dict) else {}
    category = node.get("category")
    found: Record = {
        "id": next((text for key in _IDS if (text := _name(node.get(key)))), ""),
        "group": "",
        "title": _name(node.get("name")),
        "description": _name(node.get("description")),
        "brand": _name(graph.follow(node.get("brand") or node.get("manufacturer"))),
        "rating": _name(rating.get("ratingValue")),
        "reviews": _name(rating.get("reviewCount") or rating.get("ratingCount")),
        "type": _name(category) or crumbs,
    }
    for key in format_words()[NAME]["words"]["details"]:
        text = _measure(node.get(key))
        if text:
            found[plain(key)] = text
    for one in _listed(node.get("additionalProperty")):
        if isinstance(one, dict):
            name, text = _name(one.get("name") or one.get("propertyID")), _measure(one)
            if name and text and name not in _COLUMNS:
                found.setdefault(name, text)
    return found


def _measure(value: Any) -> str:
    """A detail in words: a number of a unit has its unit behind it."""
    if isinstance(value, list):
        return ", ".join(text for one in value[:20] if (text := _measure(one)))
    if not isinstance(value, dict):
        return plain_text(value).strip()
    number = value.get("value", value.get("name"))
    if isinstance(number, dict | list):
        return ""
    code = plain_text(value.get("unitText") or value.get("unitCode")).strip()
    return f"{plain_text(number)} {format_words()[NAME]['units'].get(code.upper(), code)}".strip()
