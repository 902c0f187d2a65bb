"""What a task costs as runs grow: processor seconds, bytes, and the largest memory of any process.

python benchmarks/scale.py --counts 1000,10000,100000 --workers 2
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage


def _children(process: int) -> list[int]:
    """A process and all below it."""
    found = [process]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found += [int(child) for child in task.read_text().split()]
    return found


def _peak_kib(process: int) -> int:
    """The most memory that a process has had, in KiB; 0 where it is gone."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith("VmHWM")), 0)


def _measure(count: int, workers: int, out: Path) -> dict[str, float]:
    began, used = time.monotonic(), getrusage(RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "ecomrlve", "generate", str(out), "--count", str(count), "--workers", str(workers)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    driver = worker = 0
    while process.poll() is None:
        driver = max(driver, _peak_kib(process.pid))
        try:
            worker = max([worker, *(_peak_kib(child) for child in _children(process.pid)[1:])])
        except OSError:
            continue
        time.sleep(0.2)
    now = getrusage(RUSAGE_CHILDREN)
    manifest = json.loads((out / "manifest.json").read_text())
    return {
        "seconds": time.monotonic() - began,
        "cpu": now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime,
        "bytes": sum(shard["bytes"] for shard in manifest["shards"]),
        "driver": driver / 1024,
        "worker": worker / 1024,
    }


def main() -> None:
    """Print a row per run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", default="1000,10000,100000")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    print("| tasks | wall s | processor s | processor ms a task | bytes a task | driver peak MB | worker peak MB |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for count in map(int, arguments.counts.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            found = _measure(count, arguments.workers, Path(folder) / "out")
            shutil.rmtree(Path(folder) / "out")
        print(
            f"| {count:,} | {found['seconds']:.0f} | {found['cpu']:.0f} | {1_000 * found['cpu'] / count:.2f} "
            f"| {found['bytes'] / count:,.0f} | {found['driver']:.0f} | {found['worker']:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
