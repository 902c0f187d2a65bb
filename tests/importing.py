"""What the tests of importers share: bringing a file in, and what holds for every import."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from ecomrlve.generator.catalog import store
from ecomrlve.generator.catalog.columns import Catalog
from ecomrlve.generator.catalog.importers import Report, import_catalog

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT.parent / "shared" / "catalogs"


def bring_in(
    tmp_path: Path, name: str, data: bytes | str, mapping: str = "", **options: Any
) -> tuple[Report, Catalog, Path]:
    """Import a file of these bytes."""
    source = tmp_path / name
    source.write_bytes(data if isinstance(data, bytes) else data.encode())
    map_path = None
    if mapping:
        map_path = tmp_path / "map.toml"
        map_path.write_text(mapping, encoding="utf-8")
    out = tmp_path / "out"
    report = import_catalog(source, out, mapping=map_path, **options)
    catalog = store.load(out)
    check(report, catalog, out)
    return report, catalog, out


def check(report: Report, catalog: Catalog, out: Path) -> None:
    """What holds for every import."""
    assert report.read == report.kept + report.merged + report.rejected
    assert report.kept == report.variants == catalog.variants
    assert report.products == len(catalog)
    rejects = [json.loads(line) for line in (out / "rejects.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sum(reject["kind"] == "product" for reject in rejects) == report.rejected
    assert all(reject["reason"] and reject["row"] > 0 for reject in rejects)
    assert (catalog.price > 0).all() and (catalog.stock >= 0).all()
    assert (np.diff(catalog.variant_start) > 0).all() and (np.diff(catalog.type_start) >= 0).all()
    labels = [attribute.label.lower() for attribute in catalog.attributes.values()]
    assert len(set(labels)) == len(labels)
    nouns = [kind.singular.lower() for kind in catalog.types]
    assert len(set(nouns)) == len(nouns)
    for row in range(0, len(catalog), max(1, len(catalog) // 200)):
        start, end = int(catalog.variant_start[row]), int(catalog.variant_start[row + 1])
        shown = [tuple(catalog.facts(row, variant).items()) for variant in range(start, end)]
        options = {tuple(codes) for codes in catalog.options[start:end].tolist()}
        assert len(options) == end - start, "two variants of one product look the same"
        for facts in shown:
            for key, text in facts:
                assert text and text.lower() not in ("nan", "none", "null"), (key, text)
                assert not re.search(r"[{}<>|\n;]", text), (key, text)
    for attribute in catalog.attributes.values():
        if attribute.kind == "choice" and attribute.key not in ("brand", "type"):
            for value in attribute.values:
                assert not re.search(r"[,;:/|()\"']|\b(or|and|not|with|either|neither|nor)\b|^[\d.,]+$", value), value
