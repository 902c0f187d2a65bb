"""One shard: its tasks made, written and counted. Its bytes depend on configuration, versions and number alone."""

import gc
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ecomrlve.generator.tasks import Task, make_task
from ecomrlve.generator.world import World
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.files import file_hash
from ecomrlve.outputs.plan import Place, Plan, Shard
from ecomrlve.outputs.prompts import Budget, Messages, arrange, token_counter
from ecomrlve.outputs.schema import values
from ecomrlve.outputs.statistics import KINDS, Cell, ShardStatistics, hash_file
from ecomrlve.outputs.stores import DATA, UNFINISHED, Store
from ecomrlve.outputs.targets import target
from ecomrlve.outputs.workers import Tick
from ecomrlve.outputs.writers import writer

_ROWS_PER_TICK = 50


def open_world(configuration: Configuration, split: str) -> World:
    """The world of one split of a run: two splits share no product, customer or order."""
    if isinstance(configuration.shop, str):
        without = configuration.without_test_types and split != "test_types"
        return World.load(configuration.shop, split=split, seed=configuration.seed, without_test_types=without)
    return World.synthetic(products=configuration.shop, seed=configuration.seed, split=split)


def cells(configuration: Configuration) -> list[Cell]:
    """Every (split, environment, level) of a run, in order."""
    return [
        (split, env, level)
        for split, _ in configuration.splits
        for env, _ in configuration.environments
        for level in configuration.levels_of(split)
    ]


class TaskMaker:
    """Makes the tasks of a run's places, within its prompt budget.

    Args:
        configuration: of the run.
    """

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._axes = dict(configuration.axes)
        self._budget = None
        if configuration.max_prompt_tokens is not None:
            counter = token_counter(configuration.tokenizer) if configuration.tokenizer else None
            self._budget = Budget(configuration.max_prompt_tokens, configuration.system_role, counter)

    def make(self, world: World, place: Place) -> tuple[Task, Messages]:
        """The task of a place and its prompt as it is to be written."""

        def pose(max_prompt_chars: int | None) -> Task:
            return make_task(
                world,
                place.env,
                level=place.level,
                seed=self._configuration.seed,
                index=place.index,
                mode=self._configuration.mode,
                axes={**self._axes, **dict(place.axes)} or None,
                impossible=self._configuration.impossible,
                max_prompt_chars=max_prompt_chars,
            )

        task = pose(None) if self._budget is None else self._budget.fit(pose)
        return task, arrange(task.prompt, self._configuration.system_role)


class ShardJob:
    """Writes shards of a run by number; for `run_jobs`. A shard that is finished already is left as it is.

    It leaves the shard under ``data/``, its hash files and, last, its report under ``.unfinished/``.

    Args:
        configuration: of the run.
        store: where the files go.
    """

    def __init__(self, configuration: Configuration, store: Store) -> None:
        self._configuration = configuration
        self._store = store
        self._open: tuple[str, World] | None = None
        self._tools: tuple[Plan, TaskMaker] | None = None

    def _world(self, split: str) -> World:
        """The split's world; one at a time, since shards come split by split."""
        if self._open is None or self._open[0] != split:
            self._open = None
            self._open = (split, open_world(self._configuration, split))
            # A world is never garbage; spare every later collection the walk through it.
            gc.collect()
            gc.freeze()
        return self._open[1]

    def __call__(self, number: int, tick: Tick) -> None:
        """Write shard ``number``."""
        if self._tools is None:
            # Made here and not before: a plan need not travel to a worker, and a tokenizer cannot.
            self._tools = (Plan(self._configuration), TaskMaker(self._configuration))
        plan, maker = self._tools
        shard = plan.shards[number]
        if self._is_finished(shard):
            tick(shard.rows)
            return
        world = self._world(shard.split)
        with self._store.scratch() as scratch:
            part = scratch / shard.name
            statistics = ShardStatistics(shard.split, cells(self._configuration))
            content = hashlib.sha256()
            with _few_collections(), writer(part, target(self._configuration.target)) as rows:
                for given in _rows(maker, world, plan, shard, statistics, tick):
                    content.update(rows.add(given))
            stem = Path(shard.name).stem
            statistics.save_hashes(scratch, stem)
            files = [*(f"{UNFINISHED}/{hash_file(stem, kind)}" for kind in KINDS), piece_name(plan, shard)]
            digests = {name: file_hash(scratch / Path(name).name) for name in files}
            report = {
                "path": f"{DATA}/{shard.name}",
                "split": shard.split,
                "rows": shard.rows,
                "bytes": part.stat().st_size,
                "sha256": digests[files[-1]],
                "content_sha256": content.hexdigest(),
                "statistics": statistics.report(),
                "world": describe_world(world),
                "files": digests,
            }
            for name in files:
                self._store.keep(scratch / Path(name).name, name)
        self._store.write(report_name(shard), json.dumps(report))

    def _is_finished(self, shard: Shard) -> bool:
        """Whether the shard has its report, and each file is as the report says."""
        text = self._store.read(report_name(shard))
        return text is not None and all(
            self._store.digest(name) == digest for name, digest in json.loads(text)["files"].items()
        )


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for cyclic garbage seldom: tasks leave none, and the search would cost a tenth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def piece_name(plan: Plan, shard: Shard) -> str:
    """The name under which a shard is kept: for good, or until it is joined with the others of its split."""
    return f"{DATA if plan.files is plan.shards else UNFINISHED}/{shard.name}"


def hash_names(plan: Plan) -> list[str]:
    """The names of all hash files of a run."""
    return [f"{UNFINISHED}/{hash_file(Path(shard.name).stem, kind)}" for shard in plan.shards for kind in KINDS]


def report_name(shard: Shard) -> str:
    """The name of a finished shard's report."""
    return f"{UNFINISHED}/{Path(shard.name).stem}.json"


def _rows(
    maker: TaskMaker, world: World, plan: Plan, shard: Shard, statistics: ShardStatistics, tick: Tick
) -> Iterator[dict[str, Any]]:
    """The primary values of each row of a shard, counted on the way."""
    untold = 0
    for place in plan.places(shard):
        task, prompt = maker.make(world, place)
        given = values(task, prompt)
        statistics.add(task, prompt, given["prompt_chars"])
        yield given
        untold += 1
        if untold == _ROWS_PER_TICK:
            tick(untold)
            untold = 0
    tick(untold)


def describe_world(world: World) -> dict[str, Any]:
    """What the manifest says of a world."""
    return {
        "digest": world.digest,
        "shop": "synthetic" if world.recipe["kind"] == "synthetic" else f"imported {world.catalog.key:010x}",
        "recipe": world.recipe,
        "drawn": list(world.card),
        "shares_products": world.shared,
        "departments": world.departments,
    }
