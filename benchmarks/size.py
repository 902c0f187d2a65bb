"""What row order, dictionaries, compression and row groups buy in bytes per task, and the bytes per task by level.

python benchmarks/size.py shards
"""

import argparse
import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from ecomrlve.outputs.reader import shard_files

_USUAL: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 3,
    "store_schema": False,
    "write_page_index": True,
}


def _size(rows: pyarrow.Table, path: Path, **options: Any) -> tuple[int, float]:
    began = time.process_time()
    pyarrow.parquet.write_table(rows, path, **{**_USUAL, "row_group_size": len(rows), **options})
    return path.stat().st_size, time.process_time() - began


def main() -> None:
    """Print two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", help="a folder of shards")
    rows = pyarrow.parquet.read_table(shard_files(parser.parse_args().run)[0])
    by_env = rows.sort_by([("env", "ascending"), ("level", "ascending"), ("index", "ascending")])
    few = ["env", "mode", "split", "language", "data_source", "ability", "env_class"]
    variants: list[tuple[str, pyarrow.Table, dict[str, Any]]] = [
        ("as written: zstd 3, one group", rows, {}),
        ("sorted by environment and level", by_env, {}),
        ("row groups of 1,000", rows, {"row_group_size": 1_000}),
        ("row groups of 250", rows, {"row_group_size": 250}),
        ("dictionaries on columns of few values only", rows, {"use_dictionary": few}),
        ("no dictionaries", rows, {"use_dictionary": False}),
        ("pages of 8 MB", rows, {"data_page_size": 8 << 20}),
        ("zstd 1", rows, {"compression_level": 1}),
        ("zstd 9", rows, {"compression_level": 9}),
        ("zstd 15", rows, {"compression_level": 15}),
        ("snappy", rows, {"compression": "snappy", "compression_level": None}),
    ]
    print("| variant | bytes a task | processor s for 100,000 |\n|---|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.parquet"
        for name, table, options in variants:
            size, seconds = _size(table, path, **options)
            print(f"| {name} | {size / len(rows):,.0f} | {100_000 * seconds / len(rows):.0f} |", flush=True)
        print("\n| level | tasks | bytes a task, compressed | characters of a prompt, mean |\n|---:|---:|---:|---:|")
        counts: dict[int, list[int]] = defaultdict(list)
        for at, level in enumerate(rows["level"].to_pylist()):
            counts[level].append(at)
        for level in sorted(counts):
            some = rows.take(counts[level])
            size, _ = _size(some, path)
            chars = sum(some["prompt_chars"].to_pylist()) / len(some)
            print(f"| {level} | {len(some):,} | {size / len(some):,.0f} | {chars:,.0f} |")
    print(json.dumps({"rows": len(rows)}))


if __name__ == "__main__":
    main()
