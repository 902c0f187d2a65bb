"""What a curriculum's decision costs: draws and observations a second, for 8 environments of 30 levels.

python benchmarks/curriculum.py
"""

import argparse
import time

from ecomrlve.difficulty import make_scheduler
from ecomrlve.difficulty.schedulers import schedulers
from ecomrlve.outputs.tables import Column, show

_ENVIRONMENTS = tuple(f"environment_{at}" for at in range(8))
_AXES = dict.fromkeys(_ENVIRONMENTS, ("constraints", "candidates", "decoys", "omission", "noise"))
_TOP = 29
_GROUP = 8


def decisions(name: str, batch: int, count: int) -> float:
    """Draws and their observations, a second of CPU time."""
    scheduler = make_scheduler(name, environments=_ENVIRONMENTS, max_level=_TOP, axes=_AXES)
    begin = time.process_time()
    for at in range(count // batch):
        for draw in scheduler.sample(batch):
            # A learner whose success falls with the level, so that the scheduler moves as it would.
            correct = max(0, min(_GROUP, _GROUP - draw.level // 2 + at % 3 - 1))
            scheduler.observe(draw=draw, successes=correct, trials=_GROUP, task_id=f"task-{at}")
    return count // batch * batch / (time.process_time() - begin)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=64_000, help="draws of each measurement")
    count = parser.parse_args().count
    columns = [Column("scheduler", number=False), Column("64 at a time, /s"), Column("one by one, /s")]
    rows = [[name, f"{decisions(name, 64, count):,.0f}", f"{decisions(name, 1, count):,.0f}"] for name in schedulers()]
    show(f"sample + observe, {len(_ENVIRONMENTS)} environments x {_TOP + 1} levels", columns, rows)


if __name__ == "__main__":
    main()
