"""A whole run: a folder of shards, its card, and the manifest last. It can be stopped at any moment and resumed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ecomrlve.errors import InvalidArgument, ShardError
from ecomrlve.outputs import ray_workers
from ecomrlve.outputs import workers as workers_here
from ecomrlve.outputs.card import CARD, card
from ecomrlve.outputs.claim import Claim
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.joining import JoinJob
from ecomrlve.outputs.manifest import MANIFEST, build_manifest, dump
from ecomrlve.outputs.objects import ObjectClaim
from ecomrlve.outputs.plan import Plan
from ecomrlve.outputs.shards import ShardJob, hash_names, report_name
from ecomrlve.outputs.stores import Store
from ecomrlve.outputs.workers import Tick, nothing

# The ways to run numbered jobs. Equal jobs give equal files on each.
ENGINES = {"local": workers_here.run_jobs, "ray": ray_workers.run_jobs}


def generate(
    configuration: Configuration,
    out: str | Path,
    *,
    workers: int = 1,
    resume: bool = False,
    engine: str = "local",
    progress: Tick = nothing,
) -> dict[str, Any]:
    """Write a run's shards, card and manifest; the manifest is returned.

    The bytes do not depend on ``workers``, nor on how often the run was stopped and resumed.

    Args:
        configuration: what to write.
        out: a folder that does not exist or is empty, or a URL of an object store, such as ``s3://bucket/run``.
        workers: processes to use.
        resume: go on with the run that was stopped in ``out``, if there is one.
        engine: a key of `ENGINES`: where the workers are.
        progress: told how many more rows are done.

    Raises:
        InvalidArgument: where ``out`` holds something else or is in use, or an environment refuses a level or an axis.
        ShardError: where the disk is full, a worker is killed, or ``out`` cannot be written.
    """
    if workers < 1:
        raise InvalidArgument("workers", workers, "must be at least 1")
    if engine not in ENGINES:
        raise InvalidArgument("engine", engine, f"must be one of {', '.join(ENGINES)}")
    run_jobs = ENGINES[engine]
    with _claim(out, configuration, resume) as claim:
        if claim.manifest is not None:
            progress(configuration.count)
            return claim.manifest
        plan = Plan(configuration)
        for _ in run_jobs(ShardJob(configuration, claim.store), range(len(plan.shards)), workers, progress):
            pass
        joined = None
        if plan.files is not plan.shards:
            joined = list(run_jobs(JoinJob(configuration, claim.store), range(len(plan.files)), workers))
        with claim.store.local(hash_names(plan)) as hashes:
            manifest = build_manifest(configuration, _reports(plan, claim.store), hashes[0].parent, joined)
        claim.store.write(CARD, card(manifest))
        claim.store.write(MANIFEST, dump(manifest))
    return manifest


def _claim(out: str | Path, configuration: Configuration, resume: bool) -> Claim | ObjectClaim:
    """The claim on a folder or, where a URL names it, on a place in an object store."""
    place = str(out)
    if place.startswith("file://"):
        place = urlsplit(place).path
    if "://" in place:
        return ObjectClaim(place, configuration, resume=resume)
    return Claim(Path(place).absolute(), configuration, resume=resume)


def _reports(plan: Plan, store: Store) -> Iterator[dict[str, Any]]:
    """What each shard's job reported, one at a time."""
    for shard in plan.shards:
        text = store.read(report_name(shard))
        if text is None:
            raise ShardError(
                f"{report_name(shard)} was removed while the run was on its way; run it again with --resume"
            )
        yield json.loads(text)
