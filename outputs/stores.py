"""Where a run's files go. Each appears under its name whole and for good, or not at all."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from ecomrlve.outputs.files import file_hash, settle, write_text

DATA = "data"
# What only a run on its way needs; a hidden folder, which readers of a data set pass over.
UNFINISHED = ".unfinished"

# Each attempt at a shard has a folder of its own, so that a process left over from a killed run spoils nothing.
_ATTEMPT = "attempt-"


class Store(Protocol):
    """Where a job leaves its files, and finds those that are there."""

    def scratch(self) -> AbstractContextManager[Path]:
        """A new folder for files on their way."""
        ...

    def keep(self, file: Path, name: str) -> None:
        """Give a finished file its name."""
        ...

    def write(self, name: str, text: str) -> None:
        """Write a text file."""
        ...

    def read(self, name: str) -> str | None:
        """The text of a file, or None where it is absent."""
        ...

    def digest(self, name: str) -> str | None:
        """The SHA-256 of a file, or None where it is absent."""
        ...

    def local(self, names: Sequence[str]) -> AbstractContextManager[list[Path]]:
        """Files of some names on this machine, to be read."""
        ...


class FolderStore:
    """A folder of this machine, or of a file system that several machines share.

    Args:
        path: the folder; it exists.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A new folder for files on their way, on the same disk; removed at the end with what is left in it."""
        folder = Path(tempfile.mkdtemp(prefix=_ATTEMPT, dir=self.path / UNFINISHED))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def clear_attempts(self) -> None:
        """Remove what killed attempts left."""
        for folder in (self.path / UNFINISHED).glob(f"{_ATTEMPT}*"):
            shutil.rmtree(folder, ignore_errors=True)

    def keep(self, file: Path, name: str) -> None:
        """Give a finished file its name."""
        settle(file, self.path / name)

    def write(self, name: str, text: str) -> None:
        """Write a text file."""
        write_text(self.path / name, text)

    def read(self, name: str) -> str | None:
        """The text of a file, or None where it is absent or no text."""
        try:
            return (self.path / name).read_text("utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def digest(self, name: str) -> str | None:
        """The SHA-256 of a file, or None where it is absent."""
        try:
            return file_hash(self.path / name)
        except FileNotFoundError:
            return None

    @contextmanager
    def local(self, names: Sequence[str]) -> Iterator[list[Path]]:
        """Files of some names on this machine, to be read."""
        yield [self.path / name for name in names]
