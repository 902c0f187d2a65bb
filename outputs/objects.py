"""A run in an object store, named by a URL that pyarrow opens: ``s3://``, ``gs://``, ``abfs://``, ``hdfs://``.

An object appears whole or not at all when its upload ends, so no half file can be seen. There is no lock: two
processes with one request write the same bytes, and another request is refused by what the first has begun with.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow
import pyarrow.fs

from ecomrlve.errors import InvalidArgument, ShardError
from ecomrlve.outputs.claim import BEGUN, STOPPED, TAKEN, begun, refuse_other, what_is_kept
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.manifest import MANIFEST
from ecomrlve.outputs.plan import Plan
from ecomrlve.outputs.shards import report_name
from ecomrlve.outputs.stores import UNFINISHED

_AT_ONCE = 1 << 20


@lru_cache(maxsize=4)
def opened(url: str) -> tuple[Any, str]:
    """The file system of a URL and the path in it.

    Raises:
        InvalidArgument: where pyarrow knows no such file system.
    """
    try:
        system, path = pyarrow.fs.FileSystem.from_uri(url)
    except (pyarrow.ArrowException, ValueError) as error:
        raise InvalidArgument("OUT", url, f"names no store that pyarrow opens ({error})") from error
    return system, path.rstrip("/")


class ObjectStore:
    """Objects under a URL; the counterpart of `ecomrlve.outputs.stores.FolderStore`.

    Args:
        url: of the run.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    def _place(self, name: str) -> tuple[Any, str]:
        system, path = opened(self.url)
        return system, f"{path}/{name}"

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A new folder of this machine for files on their way."""
        with tempfile.TemporaryDirectory(prefix="ecomrlve-") as folder:
            yield Path(folder)

    def keep(self, file: Path, name: str) -> None:
        """Upload a finished file."""
        system, place = self._place(name)
        with file.open("rb") as source, system.open_output_stream(place) as target:
            shutil.copyfileobj(source, target, _AT_ONCE)

    def write(self, name: str, text: str) -> None:
        """Upload a text."""
        system, place = self._place(name)
        with system.open_output_stream(place) as target:
            target.write(text.encode())

    def read(self, name: str) -> str | None:
        """The text of an object, or None where it is absent."""
        system, place = self._place(name)
        try:
            with system.open_input_stream(place) as source:
                text: str = source.read().decode()
                return text
        except FileNotFoundError:
            return None

    def digest(self, name: str) -> str | None:
        """The SHA-256 of an object, or None where it is absent."""
        system, place = self._place(name)
        found = hashlib.sha256()
        try:
            with system.open_input_stream(place) as source:
                while part := source.read(_AT_ONCE):
                    found.update(part)
        except FileNotFoundError:
            return None
        return found.hexdigest()

    @contextmanager
    def local(self, names: Sequence[str]) -> Iterator[list[Path]]:
        """Copies of objects on this machine, for as long as they are read."""
        with tempfile.TemporaryDirectory(prefix="ecomrlve-") as folder:
            copies = [Path(folder) / Path(name).name for name in names]
            for name, copy in zip(names, copies, strict=True):
                system, place = self._place(name)
                with system.open_input_stream(place) as source, copy.open("wb") as target:
                    shutil.copyfileobj(source, target, _AT_ONCE)
            yield copies

    def names(self) -> set[str]:
        """The names of all objects of the run."""
        system, path = opened(self.url)
        selector = pyarrow.fs.FileSelector(path, recursive=True, allow_not_found=True)
        files = [info.path for info in system.get_file_info(selector) if info.type == pyarrow.fs.FileType.File]
        return {file.removeprefix(path).lstrip("/") for file in files}

    def remove_unfinished(self) -> None:
        """Remove what only a run on its way needs."""
        for name in sorted(name for name in self.names() if name.startswith(f"{UNFINISHED}/")):
            system, place = self._place(name)
            system.delete_file(place)


class ObjectClaim:
    """A run in an object store while it is written; the counterpart of `ecomrlve.outputs.claim.Claim`.

    Args:
        url: where the run goes.
        configuration: the request.
        resume: go on with a run that was stopped.
    """

    def __init__(self, url: str, configuration: Configuration, *, resume: bool = False) -> None:
        self.store = ObjectStore(url)
        self.manifest: dict[str, Any] | None = None
        self._url = url
        self._plan = Plan(configuration)
        self._begun = begun(configuration)
        self._resume = resume

    def __enter__(self) -> "ObjectClaim":
        try:
            self._take()
        except OSError as error:
            raise ShardError(f"cannot write to {self._url}: {error}") from error
        return self

    def _take(self) -> None:
        manifest = self.store.read(MANIFEST)
        there = self.store.read(BEGUN)
        if manifest is not None and self._resume:
            self.manifest = json.loads(manifest)
            known = {name: self.manifest[name] for name in ("schema_version", "versions", "configuration")}
            refuse_other(self._url, known, self._begun)
            self.store.remove_unfinished()
        elif manifest is not None or (there is None and self.store.names()):
            raise InvalidArgument("OUT", self._url, TAKEN)
        elif there is None:
            self.store.write(BEGUN, json.dumps(self._begun))
        elif self._resume:
            refuse_other(self._url, json.loads(there), self._begun)
        else:
            raise InvalidArgument("OUT", self._url, STOPPED)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is None:
            if self.manifest is None:
                self.store.remove_unfinished()
            return
        names = self.store.names()
        kept = sum(report_name(shard) in names for shard in self._plan.shards)
        error.add_note(what_is_kept(kept, len(self._plan.shards)))
