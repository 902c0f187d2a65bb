"""A run's hold on its folder: one process at a time, what is done kept, and nothing resumed that would differ.

While a run is on its way, ``OUT/.unfinished/`` holds a lock, ``begun.json`` (what was asked for, and the versions
that the bytes depend on) and a report per finished shard. The manifest is written last; then that folder goes.
"""

import errno
import fcntl
import json
import os
import platform
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from ecomrlve.errors import InvalidArgument, ShardError
from ecomrlve.outputs.card import CARD
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.examine import differences
from ecomrlve.outputs.files import file_hash, sync_folder
from ecomrlve.outputs.manifest import MANIFEST, load_manifest, versions
from ecomrlve.outputs.plan import Plan
from ecomrlve.outputs.prompts import tokenizer_file
from ecomrlve.outputs.schema import SCHEMA_VERSION
from ecomrlve.outputs.shards import report_name
from ecomrlve.outputs.stores import DATA, UNFINISHED, FolderStore

_LOCK = "lock"
BEGUN = f"{UNFINISHED}/begun.json"

TAKEN = "exists and is not an empty folder; name another"
STOPPED = "holds a run that was stopped on the way; finish it with --resume, remove it, or name another folder"
_FULL = (errno.ENOSPC, errno.EDQUOT)


def begun(configuration: Configuration) -> dict[str, Any]:
    """All that the bytes of a run depend on, as JSON; a run resumes only where none of it has changed."""
    inputs = {}
    if configuration.tokenizer is not None:
        inputs["tokenizer"] = file_hash(tokenizer_file(configuration.tokenizer))
    if isinstance(configuration.shop, str) and (card := Path(configuration.shop) / "catalog.json").is_file():
        # The card of an imported shop holds the hashes of its tables.
        inputs["catalog"] = file_hash(card)
    whole = {
        "schema_version": SCHEMA_VERSION,
        "versions": versions(),
        "configuration": configuration.to_json(),
        "inputs": inputs,
    }
    found: dict[str, Any] = json.loads(json.dumps(whole))
    return found


def refuse_other(out: Path | str, there: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to go on with a run where the request or a version is another.

    Args:
        out: where the run is.
        there: what it was begun with, or some parts of that.
        now: what is asked for.

    Raises:
        InvalidArgument: with the differences.
    """
    here = {name: now[name] for name in there}
    found = [f"{path[1:]} was {was}, now {is_now}" for path, was, is_now in differences(there, here)]
    if found:
        rule = f"the run in {out} was begun otherwise ({'; '.join(found)}); ask as then, or name another folder"
        raise InvalidArgument("resume", True, rule)


def what_is_kept(kept: int, shards: int) -> str:
    """What is said at the early end of a run.

    >>> what_is_kept(0, 9)
    'Nothing was kept.'
    """
    if not kept:
        return "Nothing was kept."
    return f"{kept:,} of {shards:,} shards are kept; the same command with --resume goes on."


class Claim:
    """The folder of a run while it is written.

    Where the run ends early, its finished shards are kept for ``resume``; where none is finished, nothing is kept.

    Args:
        out: the folder: absent, empty, or, to resume, one that holds a run with the same request.
        configuration: the request.
        resume: go on with a run that was stopped.

    Attributes:
        store: where the run's files go.
        manifest: of the run, where it turns out to be finished already.

    Raises:
        InvalidArgument: where the folder holds something else, another request, or a run that is under way.
        ShardError: where it cannot be made or written.
    """

    def __init__(self, out: Path, configuration: Configuration, *, resume: bool = False) -> None:
        self.store = FolderStore(out)
        self.manifest: dict[str, Any] | None = None
        self._out = out
        self._plan = Plan(configuration)
        self._begun = begun(configuration)
        self._resume = resume
        self._made: list[Path] = []
        self._lock: int | None = None

    def __enter__(self) -> "Claim":
        taken = False
        try:
            self._take()
            taken = True
        except OSError as error:
            raise ShardError(f"cannot write to {self._out}: {error.strerror or error}") from error
        finally:
            if not taken:
                self._leave_nothing()
        return self

    def _take(self) -> None:
        there = self._there()
        if MANIFEST in there and self._resume:
            self.manifest = load_manifest(self._out)
            known = {name: self.manifest[name] for name in ("schema_version", "versions", "configuration")}
            refuse_other(self._out, known, self._begun)
            shutil.rmtree(self._out / UNFINISHED, ignore_errors=True)
            return
        if there and (MANIFEST in there or UNFINISHED not in there):
            raise InvalidArgument("OUT", str(self._out), TAKEN)
        self._refuse_inside_another()
        for folder in reversed([folder for folder in (self._out, *self._out.parents) if not folder.exists()]):
            folder.mkdir(exist_ok=True)
            self._made.append(folder)
        (self._out / UNFINISHED).mkdir(exist_ok=True)
        self._hold()
        self._begin()

    def _there(self) -> set[str]:
        """The names in the folder."""
        if self._out.exists() and not self._out.is_dir():
            raise InvalidArgument("OUT", str(self._out), TAKEN)
        if self._out.is_symlink() and not self._out.exists():
            raise InvalidArgument("OUT", str(self._out), "is a link to nothing; name a folder")
        return set(os.listdir(self._out)) if self._out.exists() else set()

    def _refuse_inside_another(self) -> None:
        """A run inside another run's folder would be taken for a part of it."""
        for parent in self._out.parents:
            if (parent / BEGUN).exists() or ((parent / MANIFEST).exists() and (parent / DATA).is_dir()):
                raise InvalidArgument("OUT", str(self._out), f"lies inside the run in {parent}; name another folder")

    def _hold(self) -> None:
        """Lock the folder. The lock ends with this process, however that ends."""
        path = self._out / UNFINISHED / _LOCK
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Between open and lock, the run that had it may have ended and removed it.
            if not path.exists() or not os.path.samestat(os.fstat(lock), path.stat()):
                raise BlockingIOError
        except BlockingIOError as error:
            holder = os.pread(lock, 200, 0).decode("utf-8", "replace").strip() or "another process"
            os.close(lock)
            raise InvalidArgument(
                "OUT", str(self._out), f"is being written by {holder}; wait for it, or name another folder"
            ) from error
        self._lock = lock
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"process {os.getpid()} on {platform.node() or 'this machine'}".encode(), 0)

    def _begin(self) -> None:
        """Begin a run in the folder that is now ours alone, or go on with the one that is there."""
        there = self._there()
        text = self.store.read(BEGUN)
        if text is None:
            # Nothing was begun: a run killed at once left no more than these.
            if there - {UNFINISHED, DATA} or (DATA in there and any((self._out / DATA).iterdir())):
                raise InvalidArgument("OUT", str(self._out), TAKEN)
        elif MANIFEST in there or not self._resume:
            raise InvalidArgument("OUT", str(self._out), STOPPED)
        else:
            refuse_other(self._out, json.loads(text), self._begun)
            self._made.clear()
        self.store.clear_attempts()
        if text is None:
            self.store.write(BEGUN, json.dumps(self._begun))
        (self._out / DATA).mkdir(exist_ok=True)
        sync_folder(self._out)

    def finished(self) -> int:
        """How many shards are finished."""
        return sum((self._out / report_name(shard)).exists() for shard in self._plan.shards)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._lock is None:
            return
        full = isinstance(error, OSError) and error.errno in _FULL
        try:
            if error is None:
                shutil.rmtree(self._out / UNFINISHED, ignore_errors=True)
                return
            self.store.clear_attempts()
            kept = self.finished()
            if not kept:
                self._remove()
        finally:
            self._let_go()
        note = what_is_kept(kept, len(self._plan.shards))
        if full:
            raise ShardError(f"the disk that holds {self._out} is full. {note}") from error
        error.add_note(note)

    def _leave_nothing(self) -> None:
        """Where the run could not even begin: remove the lock and the empty folders, if they were made just now."""
        if self._lock is not None and self.store.read(BEGUN) is None:
            (self._out / UNFINISHED / _LOCK).unlink(missing_ok=True)
            self._made += [self._out / DATA, self._out / UNFINISHED]
        self._let_go()
        self._remove_made()

    def _let_go(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _remove(self) -> None:
        """Remove what the run wrote."""
        for name in (CARD, MANIFEST):
            for path in (self._out / name, self._out / f".{name}.part"):
                path.unlink(missing_ok=True)
        for name in (DATA, UNFINISHED):
            shutil.rmtree(self._out / name, ignore_errors=True)
        self._remove_made()

    def _remove_made(self) -> None:
        for folder in reversed(self._made):
            # A folder that somebody else has put something in stays.
            with suppress(OSError):
                folder.rmdir()
