"""Kill -9 at random moments, then --resume: the same bytes each time? With --disk, on a disk that fills up, too.

python benchmarks/interruptions.py --times 20
mount -t tmpfs -o size=8m none /mnt/small && python benchmarks/interruptions.py --times 0 --disk /mnt/small
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_OPTIONS = ["--count", "1200", "--products", "2000", "--shard-rows", "50", "--workers", "2"]


def _generate(out: Path, *more: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "ecomrlve", "generate", str(out), *_OPTIONS, *more]
    return subprocess.Popen(
        command, start_new_session=True, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )


def _digest(out: Path) -> str:
    """One hash over every file and its name."""
    whole = hashlib.sha256()
    for file in sorted(path for path in out.rglob("*") if path.is_file()):
        whole.update(f"{file.relative_to(out)}\0".encode() + file.read_bytes())
    return whole.hexdigest()[:12]


def _kills(folder: Path, times: int) -> bool:
    began = time.monotonic()
    _generate(folder / "whole").communicate()
    seconds = time.monotonic() - began
    wanted = _digest(folder / "whole")
    print(
        f"undisturbed: {wanted} in {seconds:.1f} s\n\n| kill after s | shards kept | after --resume |\n|---:|---:|---|"
    )
    same = True
    chance = random.Random(0)
    for moment in [chance.uniform(0.1, seconds) for _ in range(times)]:
        out = folder / "out"
        process = _generate(out)
        time.sleep(moment)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        kept = len(list(out.glob(".unfinished/*-of-*.json")))
        process = _generate(out, "--resume")
        _, told = process.communicate()
        found = _digest(out)
        same &= process.returncode == 0 and found == wanted
        print(f"| {moment:.2f} | {kept} | {found if found == wanted else f'DIFFERS {found} {told}'} |", flush=True)
        shutil.rmtree(out)
    return same


def _full_disk(folder: Path, disk: Path) -> bool:
    _generate(folder / "whole").communicate()
    filler, out = disk / "filler", disk / "out"
    filler.write_bytes(bytes(shutil.disk_usage(disk).free * 3 // 4))
    process = _generate(out)
    _, told = process.communicate()
    halves = [file.name for file in disk.rglob("*") if file.name.endswith(".part") or "attempt-" in str(file)]
    print(f"full disk: exit {process.returncode}: {told.strip()}\nhalf files: {halves}")
    filler.unlink()
    again = _generate(out, "--resume")
    again.communicate()
    same = _digest(out) == _digest(folder / "whole")
    print(f"after room was made, --resume: {'the same bytes' if same else 'DIFFERS'}")
    return process.returncode == 1 and not halves and same


def main() -> None:
    """Print what happened; exit 1 where anything differed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20, help="how often to kill")
    parser.add_argument("--disk", type=Path, help="a small empty disk to fill")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        held = _kills(Path(folder) / "kills", arguments.times) if arguments.times else True
        if arguments.disk:
            held &= _full_disk(Path(folder) / "disk", arguments.disk)
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
