"""Memory: a shop of 2,000,000 products, and generation as the number of tasks grows.

    python benchmarks/memory.py                                # 2,000,000 products; 1,000, 5,000 and 20,000 tasks
    python benchmarks/memory.py --products 200000 --tasks 500 1000

Each measurement is a process of its own, and its peak is what the operating system counted for it (resident set).
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ecomrlve.generator.world import World
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.tables import Column, show

_MEBI = 1 << 20


def _peak() -> int:
    """Peak resident memory of this process and of its finished children, the larger, in bytes."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    # Linux counts in KiB.
    return max(own, children) * 1024


def _make_shop(products: int) -> str:
    start = time.process_time()
    world = World.synthetic(products=products)
    made = time.process_time()
    digest = world.digest
    return f"{made - start:.1f} {time.process_time() - made:.1f} {_peak() // _MEBI} {digest[:8]}"


def _make_tasks(count: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        generate(Configuration(count=count, levels=(0, 1, 2, 3, 4), shop=20_000, shard_rows=500), Path(folder) / "out")
        return f"{time.process_time() - start:.1f} {_peak() // _MEBI}"


def _apart(*words: str) -> list[str]:
    """What this script prints when run in a process of its own."""
    done = subprocess.run([sys.executable, __file__, *words], check=True, capture_output=True, text=True)
    return done.stdout.split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", type=int, default=2_000_000)
    parser.add_argument("--tasks", type=int, nargs="+", default=[1_000, 5_000, 20_000])
    parser.add_argument("--shop", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--run", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.shop is not None:
        print(_make_shop(given.shop))
        return
    if given.run is not None:
        print(_make_tasks(given.run))
        return
    seconds, digest, peak, _ = _apart("--shop", str(given.products))
    show(
        "A synthetic shop",
        [Column("products"), Column("CPU s to make"), Column("CPU s for its digest"), Column("peak MiB")],
        [[f"{given.products:,}", seconds, digest, peak]],
    )
    rows = [[f"{count:,}", *_apart("--run", str(count))] for count in given.tasks]
    show("Generation, 20,000 products, shards of 500", [Column("tasks"), Column("CPU s"), Column("peak MiB")], rows)


if __name__ == "__main__":
    main()
