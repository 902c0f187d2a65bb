"""Imports of large tables: a million rows as CSV, gzipped CSV, JSON lines and Parquet, with time and memory.

    python benchmarks/imports.py                       # a million rows; at most 60 s and 1.5 GB each are allowed
    python benchmarks/imports.py --rows 100000         # quick

Each import is a process of its own, and its peak is what the operating system counted for it (resident set). The time
is of the CPU; a table of ten columns is made anew in a folder that is removed.
"""

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ecomrlve.generator.catalog.importers import import_catalog
from ecomrlve.outputs.tables import Column, show

COLUMNS = ("id", "title", "brand", "category", "price", "color", "size", "weight", "description", "stock")
FORMS = ("csv", "csv.gz", "jsonl", "parquet")
SECONDS, GIGABYTES = 60, 1.5


def rows(count: int) -> Iterator[tuple[str, ...]]:
    """Rows of a shop in which ids, titles and texts all differ."""
    for at in range(count):
        yield (
            f"P{at:07d}",
            f"Product number {at} of the shop",
            f"Brand {at % 400}",
            f"Home > Room {at % 20} > Kind {at % 200}",
            f"{at * 37 % 9000 / 100 + 1:.2f}",
            ("red", "blue", "green", "black")[at % 4],
            ("S", "M", "L")[at % 3],
            f"{(at % 50 + 1) / 10} kg",
            f"A short text about product {at}, with a comma",
            str(at % 30),
        )


def write(path: Path, form: str, count: int) -> None:
    """Write the table in one of the forms."""
    if form == "parquet":
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.table(
            {name: list(cells) for name, cells in zip(COLUMNS, zip(*rows(count), strict=True), strict=True)}
        )
        pyarrow.parquet.write_table(table, path)
        return
    with gzip.open(path, "wt", compresslevel=1) if form == "csv.gz" else path.open("w") as file:
        if form != "jsonl":
            file.write(",".join(COLUMNS) + "\n")
        for row in rows(count):
            if form == "jsonl":
                file.write(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n")
            else:
                file.write(",".join(f'"{cell}"' if "," in cell else cell for cell in row) + "\n")


def measure(source: Path, out: Path) -> str:
    """Import once; CPU seconds, wall seconds, peak in MB (10⁶ bytes), products."""
    clock, cpu = time.perf_counter(), time.process_time()
    report = import_catalog(source, out)
    # Linux counts in KiB.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return f"{time.process_time() - cpu:.1f} {time.perf_counter() - clock:.1f} {peak:.0f} {report.products}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS))
    parser.add_argument("--source", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.source is not None:
        print(measure(given.source, given.source.with_name(f"{given.source.name}.shop")))
        return
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for form in given.forms:
            source = Path(folder) / f"table.{form}"
            write(source, form, given.rows)
            words = [sys.executable, __file__, "--source", str(source)]
            done = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
            inside = float(done[0]) <= SECONDS and float(done[2]) <= GIGABYTES * 1000
            size = f"{source.stat().st_size / 1e6:.0f}"
            lines.append([form, size, done[3], done[0], done[1], done[2], "yes" if inside else "no"])
            source.unlink()
    titles = ["form", "MB", "products", "CPU s", "wall s", "peak MB", f"within {SECONDS} s and {GIGABYTES} GB"]
    show(f"{given.rows:,} rows", [Column(title) for title in titles], lines)


if __name__ == "__main__":
    main()
