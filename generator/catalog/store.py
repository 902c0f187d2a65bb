"""A shop as a folder: ``catalog.json``, ``products.parquet``, ``variants.parquet``, and what an import adds.

An import adds ``rejects.jsonl``, and ``orders.parquet`` where the source has orders. A shop that has a return policy of
its own brings it as ``policy.json``, in the form of `ecomrlve.grammars.policy.json`.
"""

import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ecomrlve.errors import CatalogError, InvalidArgument
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.imported import ImportedOrder
from ecomrlve.generator.catalog.ontology import AttributeDraw, Edge, ProductType
from ecomrlve.grammars.conditions.attributes import Attribute, Currency
from ecomrlve.grammars.policy.json import policy_from_json
from ecomrlve.grammars.policy.policy import Policy

VERSION = 1
_CARD = "catalog.json"
_PRODUCTS = "products.parquet"
_VARIANTS = "variants.parquet"
_ORDERS = "orders.parquet"
_POLICY = "policy.json"
_REJECTS = "rejects.jsonl"


def save(
    catalog: Catalog,
    out: Path,
    *,
    texts: Sequence[str] | None = None,
    categories: Sequence[Sequence[str]] | None = None,
    variant_ids: Sequence[str] | None = None,
    orders: Sequence[ImportedOrder] | None = None,
    rejects: Sequence[Mapping[str, Any]] | None = None,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write a shop into a new folder, whole or not at all.

    Args:
        catalog: the shop.
        out: a folder that does not exist yet.
        texts: descriptions of products.
        categories: of each product, all those under which the source lists it.
        variant_ids: the source's identifiers of variants.
        orders: of an imported shop.
        rejects: what an import dropped, one object a line.
        about: where the shop comes from, for the card.

    Raises:
        InvalidArgument: where ``out`` exists.
        CatalogError: where it cannot be written.
    """
    if out.exists():
        raise InvalidArgument("out", str(out), "exists already; choose a folder that does not")
    building = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        building.mkdir(parents=True)
        _write_products(catalog, building / _PRODUCTS, texts, categories)
        _write_variants(catalog, building / _VARIANTS, variant_ids)
        if orders is not None:
            _write_orders(orders, building / _ORDERS)
        if rejects is not None:
            lines = [json.dumps(reject, ensure_ascii=False, sort_keys=True) + "\n" for reject in rejects]
            (building / _REJECTS).write_text("".join(lines), encoding="utf-8")
        card = _card(catalog, about)
        card["files"] = {file.name: _hash(file) for file in sorted(building.glob("*.parquet"))}
        card["checksum"] = _checksum(card)
        (building / _CARD).write_text(json.dumps(card, ensure_ascii=False, indent=1), encoding="utf-8")
        building.rename(out)
    except OSError as error:
        raise CatalogError(f"{out} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _card(catalog: Catalog, about: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        "version": VERSION,
        "name": catalog.name,
        "currency": dataclasses.asdict(catalog.currency),
        "departments": dict(catalog.departments),
        "categories": {key: list(value) for key, value in catalog.categories.items()},
        "types": [dataclasses.asdict(kind) for kind in catalog.types],
        "attributes": [_attribute(attribute) for attribute in catalog.attributes.values()],
        "edges": [dataclasses.astuple(edge) for edge in catalog.edges],
        "type_start": catalog.type_start.tolist(),
        "slots": catalog.values.shape[1],
        "axes": catalog.options.shape[1],
        "split": catalog.split,
        "key": catalog.key,
        "first_product": catalog.first_product,
        "first_variant": catalog.first_variant,
        "drawn": list(catalog.drawn),
        "about": dict(about or {}),
    }


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _checksum(card: Mapping[str, Any]) -> str:
    """A hash of what the card says, whatever its layout."""
    said = {name: value for name, value in card.items() if name != "checksum"}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _check_unchanged(card: Mapping[str, Any], folder: Path) -> None:
    """Refuse a folder that is not as it was written: a damaged column may still look like one."""
    if card["checksum"] != _checksum(card):
        raise ValueError(f"{_CARD} was changed")
    for name, digest in card["files"].items():
        if not (folder / name).is_file() or _hash(folder / name) != digest:
            raise ValueError(f"{name} was changed or is missing")


def _attribute(attribute: Attribute) -> dict[str, Any]:
    empty = Attribute(attribute.key, attribute.label, attribute.kind)
    found = dataclasses.asdict(attribute)
    plain = dataclasses.asdict(empty)
    return {name: value for name, value in found.items() if name in ("key", "label", "kind") or value != plain[name]}


def _write_products(
    catalog: Catalog, path: Path, texts: Sequence[str] | None, categories: Sequence[Sequence[str]] | None
) -> None:
    import pyarrow

    columns: dict[str, Any] = {
        "brand": catalog.brand,
        "rating": catalog.rating,
        "reviews": catalog.reviews,
        "popularity": catalog.popularity,
        "variants": np.diff(catalog.variant_start).astype(np.int32),
    }
    columns |= {f"value_{slot}": catalog.values[:, slot] for slot in range(catalog.values.shape[1])}
    if catalog.series is not None:
        columns["series"] = catalog.series
    for name, words in (("title", catalog.titles), ("source_id", catalog.source_ids), ("text", texts)):
        if words is not None:
            columns[name] = pyarrow.array(list(words), pyarrow.string())
    if categories is not None:
        columns["categories"] = pyarrow.array(categories, pyarrow.list_(pyarrow.string()))
    _write(columns, path)


def _write_variants(catalog: Catalog, path: Path, variant_ids: Sequence[str] | None) -> None:
    import pyarrow

    columns: dict[str, Any] = {"price": catalog.price, "stock": catalog.stock}
    columns |= {f"option_{axis}": catalog.options[:, axis] for axis in range(catalog.options.shape[1])}
    if variant_ids is not None:
        columns["source_id"] = pyarrow.array(list(variant_ids), pyarrow.string())
    _write(columns, path)


def _write_orders(orders: Sequence[ImportedOrder], path: Path) -> None:
    import pyarrow

    lines = [
        [{"variant": row, "quantity": count, "price": price} for row, count, price in order.lines] for order in orders
    ]
    line = pyarrow.struct([("variant", pyarrow.int64()), ("quantity", pyarrow.int64()), ("price", pyarrow.int64())])
    _write(
        {
            "source_id": pyarrow.array([order.source_id for order in orders], pyarrow.string()),
            "customer": pyarrow.array([order.customer for order in orders], pyarrow.int64()),
            "state": pyarrow.array([order.state for order in orders], pyarrow.string()),
            "lines": pyarrow.array(lines, pyarrow.list_(line)),
        },
        path,
    )


def _write(columns: Mapping[str, Any], path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table(
        {name: pyarrow.array(column) if isinstance(column, np.ndarray) else column for name, column in columns.items()}
    )
    pyarrow.parquet.write_table(table, path, compression="zstd", compression_level=3)


def _read(path: Path, without: Sequence[str] = ()) -> dict[str, Any]:
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
        names = [name for name in file.schema_arrow.names if name not in without]
        table = file.read(columns=names)
    except (OSError, pyarrow.ArrowException) as error:
        raise CatalogError(f"{path} cannot be read: {str(error).splitlines()[0]}. Import the catalog again.") from error
    return {name: table.column(name) for name in names}


def _read_card(folder: Path) -> dict[str, Any]:
    path = folder / _CARD
    try:
        there = path.is_file()
    except OSError as error:
        raise CatalogError(f"{str(folder)[:200]} cannot be opened: {error.strerror}.") from error
    if not there:
        raise CatalogError(
            f"{folder} holds no {_CARD}, so it is no imported catalog. "
            "Make one with: ecomrlve catalog import SOURCE --out DIR"
        )
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CatalogError(f"{path} is damaged: {error}. Import the catalog again.") from error
    if not isinstance(card, dict) or card.get("version") != VERSION:
        raise CatalogError(f"{path} was written by another version. Import the catalog again.")
    return card


def load(path: Path) -> Catalog:
    """Open a shop that `save` or an import wrote.

    Raises:
        CatalogError: where the folder holds no shop, or a damaged one.
    """
    card = _read_card(path)
    products = _read(path / _PRODUCTS, without=("text", "categories"))
    variants = _read(path / _VARIANTS, without=("source_id",))
    try:
        _check_unchanged(card, path)
        return _catalog(card, products, variants)
    except (KeyError, TypeError, ValueError) as error:
        raise CatalogError(
            f"{path / _CARD} does not fit the tables beside it ({error!r}). Import the catalog again."
        ) from error


def _numbers(columns: Mapping[str, Any], name: str, kind: type[np.signedinteger[Any]]) -> Any:
    return columns[name].to_numpy().astype(kind, copy=False)


def _matrix(columns: Mapping[str, Any], name: str, width: int, rows: int) -> Any:
    found = np.empty((rows, width), dtype=np.int32)
    for place in range(width):
        found[:, place] = columns[f"{name}_{place}"].to_numpy()
    return found


def _catalog(card: Mapping[str, Any], products: Mapping[str, Any], variants: Mapping[str, Any]) -> Catalog:
    counts = _numbers(products, "variants", np.int64)
    attributes = [_attribute_of(entry) for entry in card["attributes"]]
    catalog = Catalog(
        name=card["name"],
        currency=Currency(**card["currency"]),
        departments=card["departments"],
        categories={key: (name, department) for key, (name, department) in card["categories"].items()},
        types=tuple(_type_of(entry) for entry in card["types"]),
        attributes={attribute.key: attribute for attribute in attributes},
        edges=tuple(Edge(*entry) for entry in card["edges"]),
        type_start=np.array(card["type_start"], dtype=np.int64),
        brand=_numbers(products, "brand", np.int32),
        rating=_numbers(products, "rating", np.int32),
        reviews=_numbers(products, "reviews", np.int32),
        popularity=_numbers(products, "popularity", np.int64),
        values=_matrix(products, "value", card["slots"], len(counts)),
        variant_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        price=_numbers(variants, "price", np.int64),
        stock=_numbers(variants, "stock", np.int32),
        options=_matrix(variants, "option", card["axes"], len(variants["price"])),
        series=_numbers(products, "series", np.int32) if "series" in products else None,
        titles=products["title"].to_pylist() if "title" in products else None,
        source_ids=products["source_id"].to_pylist() if "source_id" in products else None,
        split=card["split"],
        key=card["key"],
        first_product=card["first_product"],
        first_variant=card["first_variant"],
        drawn=tuple(card["drawn"]),
    )
    if int(catalog.type_start[-1]) != len(catalog) or int(catalog.variant_start[-1]) != catalog.variants:
        raise ValueError("numbers of rows differ")
    return catalog


def _attribute_of(entry: Mapping[str, Any]) -> Attribute:
    fields = dict(entry)
    for name in ("values", "phrases"):
        if name in fields:
            fields[name] = tuple(fields[name])
    if fields.get("currency") is not None:
        fields["currency"] = Currency(**fields["currency"])
    return Attribute(**fields)


def _type_of(entry: Mapping[str, Any]) -> ProductType:
    fields = dict(entry)
    for name in ("attributes", "variant_axes", "series", "brands"):
        fields[name] = tuple(fields[name])
    fields["draws"] = tuple(
        AttributeDraw(**{**draw, "codes": tuple(draw["codes"]), "weights": tuple(draw["weights"])})
        for draw in fields["draws"]
    )
    return ProductType(**fields)


def load_orders(path: Path) -> list[ImportedOrder] | None:
    """The orders of an imported shop, or None where its source had none."""
    if not (path / _ORDERS).is_file():
        return None
    columns = _read(path / _ORDERS)
    rows = zip(*(columns[name].to_pylist() for name in ("source_id", "customer", "lines", "state")), strict=True)
    return [
        ImportedOrder(
            own_id, customer, tuple((line["variant"], line["quantity"], line["price"]) for line in lines), state
        )
        for own_id, customer, lines, state in rows
    ]


def load_policy(path: Path) -> Policy | None:
    """The return policy of an imported shop, or None where it brings none.

    Raises:
        CatalogError: where it is not JSON.
        InvalidArgument: where it is no policy; the message says which rule to mend.
    """
    if not (path / _POLICY).is_file():
        return None
    try:
        return policy_from_json(json.loads((path / _POLICY).read_text(encoding="utf-8")))
    except ValueError as error:
        if isinstance(error, InvalidArgument):
            raise
        raise CatalogError(f"{path / _POLICY} is not JSON: {error}.") from error


def load_texts(path: Path) -> list[str] | None:
    """The descriptions of an imported shop by product row, or None where there are none."""
    columns = _read(path / _PRODUCTS)
    return columns["text"].to_pylist() if "text" in columns else None


def load_about(path: Path) -> dict[str, Any]:
    """Where an imported shop comes from and what the import reported; empty for a shop that was not imported."""
    about: dict[str, Any] = _read_card(path)["about"]
    return about
