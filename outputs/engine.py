"""A whole run on one machine: a folder of shards, its card, and the manifest last; or, where it fails, nothing."""

import errno
import json
import shutil
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from ecomrlve.errors import InvalidArgument, ShardError
from ecomrlve.outputs.card import CARD, card
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.manifest import MANIFEST, build_manifest, dump
from ecomrlve.outputs.plan import Plan
from ecomrlve.outputs.shards import DATA, UNFINISHED, ShardJob, report_file, write_text
from ecomrlve.outputs.workers import Tick, nothing, run_jobs

_TAKEN = "exists and is not an empty folder; name another"
_UNDER_WAY = "is not an empty folder: it holds a run that is under way or was killed; name another, or remove it"


class OutputFolder:
    """The folder of a run while it is written. Where the run fails, what it wrote is removed again.

    Args:
        out: a folder that does not exist or is empty.

    Raises:
        InvalidArgument: where it holds something.
        ShardError: where it cannot be made.
    """

    def __init__(self, out: Path) -> None:
        self._out = out
        self._made: list[Path] = []
        self._empty = False

    def __enter__(self) -> "OutputFolder":
        try:
            if self._out.exists() and (not self._out.is_dir() or any(self._out.iterdir())):
                unfinished = (self._out / UNFINISHED).is_dir()
                raise InvalidArgument("OUT", str(self._out), _UNDER_WAY if unfinished else _TAKEN)
            absent = [folder for folder in (self._out, *self._out.parents) if not folder.exists()]
            for folder in reversed(absent):
                folder.mkdir()
                self._made.append(folder)
            (self._out / UNFINISHED).mkdir()
            # From here on the folder is this run's: of two that begin at once, one fails in the line above.
            self._empty = True
            (self._out / DATA).mkdir()
        except FileExistsError as error:
            self._remove()
            raise InvalidArgument("OUT", str(self._out), _UNDER_WAY) from error
        except OSError as error:
            self._remove()
            raise ShardError(f"cannot write to {self._out}: {error.strerror or error}") from error
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is None:
            return
        self._remove()
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ShardError(f"the disk that holds {self._out} is full; nothing was kept") from error

    def _remove(self) -> None:
        """Remove what the run wrote; no file where the folder was not empty to begin with."""
        if self._empty:
            for name in (DATA, UNFINISHED):
                shutil.rmtree(self._out / name, ignore_errors=True)
            for name in (CARD, MANIFEST):
                for path in (self._out / name, self._out / f".{name}.part"):
                    with suppress(OSError):
                        path.unlink()
        for folder in reversed(self._made):
            # A folder that somebody else has put something in stays.
            with suppress(OSError):
                folder.rmdir()


def generate(
    configuration: Configuration, out: str | Path, *, workers: int = 1, progress: Tick = nothing
) -> dict[str, Any]:
    """Write a run's shards, card and manifest; the manifest is returned.

    The bytes do not depend on ``workers``.

    Args:
        configuration: what to write.
        out: a folder that does not exist or is empty.
        workers: processes to use.
        progress: told how many more rows are done.

    Raises:
        InvalidArgument: where ``out`` holds something, or an environment refuses a level or an axis.
        ShardError: where the disk is full, a worker is killed, or ``out`` cannot be written.
    """
    if workers < 1:
        raise InvalidArgument("workers", workers, "must be at least 1")
    folder = Path(out).absolute()
    with OutputFolder(folder):
        shards = Plan(configuration).shards
        for _ in run_jobs(ShardJob(configuration, folder), range(len(shards)), workers, progress):
            pass
        reports = (json.loads((folder / UNFINISHED / report_file(shard)).read_text("utf-8")) for shard in shards)
        manifest = build_manifest(configuration, reports, folder / UNFINISHED)
        write_text(folder / CARD, card(manifest))
        shutil.rmtree(folder / UNFINISHED)
        write_text(folder / MANIFEST, dump(manifest))
    return manifest
