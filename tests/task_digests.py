"""Prints a digest of some tasks of every environment; run in processes whose surroundings differ.

Usage: task_digests.py SEED [--clock SECONDS] [--recipes FILE] [--backwards]
"""

import argparse
import hashlib
import json
import time


def digest(task: object) -> str:
    """A hash of everything that is public of a task."""
    fields = ("task_id", "prompt", "ground_truth", "oracle", "recipe", "goal", "axes", "notes", "attempts", "chance")
    text = json.dumps([getattr(task, name) for name in fields], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    """Print digests by name, as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    parser.add_argument("--clock", type=float)
    parser.add_argument("--recipes")
    parser.add_argument("--backwards", action="store_true")
    chosen = parser.parse_args()
    if chosen.clock is not None:
        # Another day for whoever asks in Python; `tests/test_structure.py` sees to it that nobody asks otherwise.
        when = time.gmtime(chosen.clock)
        time.time = lambda: chosen.clock
        time.localtime = time.gmtime = lambda *seconds: when
    from ecomrlve import Task, World, environments, make_task

    found: dict[str, str] = {}
    if chosen.recipes:
        with open(chosen.recipes, encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                found[str(number)] = digest(Task.from_recipe(line))
    else:
        world = World.synthetic(products=3_000, seed=1)
        names = [(env, level) for env in environments() for level in (0, 5, 12)]
        for env, level in reversed(names) if chosen.backwards else names:
            for index in (3, 2, 1) if chosen.backwards else (1, 2, 3):
                task = make_task(world, env, level=level, seed=chosen.seed, index=index)
                found[f"{env} {level} {index}"] = digest(task)
        found["world"] = world.digest
    print(json.dumps(found, sort_keys=True))


if __name__ == "__main__":
    main()
