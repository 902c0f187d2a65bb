"""The manifest of a run: what was asked, what was written, and how much of it repeats. It holds no time and no path."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import ecomrlve
from ecomrlve.errors import ShardError
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.schema import SCHEMA_VERSION
from ecomrlve.outputs.shards import cells
from ecomrlve.outputs.statistics import KINDS, Repeats, Totals, hash_file, merge_hashes, quantile

MANIFEST = "manifest.json"

# Packages that a shard's bytes can depend on.
_PACKAGES = ("faker", "networkx", "numpy", "polars", "pyarrow")

_SHARD_FACTS = {"path": str, "split": str, "rows": int, "bytes": int, "sha256": str, "content_sha256": str}

_PARTS = {
    "versions": dict,
    "configuration": dict,
    "worlds": dict,
    "splits": dict,
    "shards": list,
    "environments": dict,
    "repeats": dict,
}

_DIGEST = "sha256"

_MEDIAN, _NEARLY_ALL = (1, 2), (99, 100)


def versions() -> dict[str, str]:
    """The versions that a run's bytes depend on.

    >>> versions()["ecomrlve"] == ecomrlve.__version__
    True
    """
    found = {"ecomrlve": ecomrlve.__version__}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def build_manifest(
    configuration: Configuration,
    reports: Iterable[Mapping[str, Any]],
    hashes: Path,
    joined: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """The manifest of a finished run.

    Args:
        configuration: of the run.
        reports: what each shard's job reported, in the order of the shards; read once, one at a time.
        hashes: the folder that holds the shards' hash files.
        joined: what is said of the files that the shards were joined to, for a target of one file.
    """
    totals = Totals()
    shards: list[dict[str, Any]] = []
    worlds: dict[str, Any] = {}
    rows_by_split: Counter[str] = Counter()
    for report in reports:
        totals.add(report["statistics"])
        shards.append({name: report[name] for name in _SHARD_FACTS})
        worlds.setdefault(report["split"], report["world"])
        rows_by_split[report["split"]] += report["rows"]
    stems = [Path(shard["path"]).stem for shard in shards]
    repeats = {
        kind: merge_hashes([hashes / hash_file(stem, kind) for stem in stems], cells(configuration)) for kind in KINDS
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "versions": versions(),
        "configuration": configuration.to_json(),
        "worlds": worlds,
        "splits": dict(rows_by_split),
        "shards": shards if joined is None else joined,
        "environments": _environments(totals, repeats),
        "repeats": {kind: repeats[kind].totals() for kind in KINDS},
    }


def _environments(totals: Totals, repeats: Mapping[str, Repeats]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for (env, level), counts in sorted(totals.counts.items()):
        rows = sum(counts["rows"].values())
        found.setdefault(env, {})[str(level)] = {
            "rows": rows,
            "rows_by_split": dict(sorted(counts["rows"].items())),
            "impossible": counts["impossible"],
            "mean_chance": round(counts["chance"] / rows, 6),
            "attempts": _quantiles(counts["attempts"]),
            "prompt_chars": _quantiles(counts["prompt_chars"]),
            **{kind: repeats[kind].of(env, level) for kind in KINDS},
        }
    return found


def _quantiles(histogram: Mapping[int, int]) -> dict[str, int]:
    return {"p50": quantile(histogram, _MEDIAN), "p99": quantile(histogram, _NEARLY_ALL)}


def dump(manifest: Mapping[str, Any]) -> str:
    """The text of ``manifest.json``: a last key holds the hash of the text without it."""
    text = _text(manifest)
    return _text({**manifest, _DIGEST: hashlib.sha256(text.encode()).hexdigest()})


def _text(manifest: Mapping[str, Any]) -> str:
    return json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def is_as_written(out: Path) -> bool:
    """Whether the text of a run's manifest is what its own hash says.

    Raises:
        ShardError: where it cannot be read.
    """
    manifest = load_manifest(out)
    manifest.pop(_DIGEST, None)
    return (out / MANIFEST).read_bytes() == dump(manifest).encode()


def load_manifest(out: Path) -> dict[str, Any]:
    """Read the manifest of a run.

    Raises:
        ShardError: where there is none, or it is not one of ours.
    """
    path = out / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ShardError(f"{out} holds no {MANIFEST}: it is not a finished run of `ecomrlve generate`") from None
    except (ValueError, OSError, RecursionError) as error:
        raise ShardError(f"{path} cannot be read: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("schema_version") != SCHEMA_VERSION:
        raise ShardError(f"{path} is not a manifest of schema version {SCHEMA_VERSION}")
    whole = all(isinstance(manifest.get(name), kind) for name, kind in _PARTS.items())
    splits = manifest["configuration"].get("splits") if whole else None
    if not isinstance(splits, dict) or not all(
        isinstance(shard, dict)
        and all(isinstance(shard.get(name), kind) for name, kind in _SHARD_FACTS.items())
        and shard["split"] in splits
        for shard in manifest["shards"]
    ):
        raise ShardError(f"{path} lacks parts that every manifest has")
    if not all(isinstance(rows, int) for rows in manifest["splits"].values()):
        raise ShardError(f"{path} has splits whose rows are no whole numbers")
    return manifest
