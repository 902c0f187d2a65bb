"""Files that are whole or absent, whatever ends the process or the machine, and their hashes."""

import hashlib
import os
from pathlib import Path


def file_hash(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def settle(part: Path, final: Path) -> None:
    """Give a finished file its name, once its bytes are on the disk; the name is on the disk too when this returns."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(final)
    sync_folder(final.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk: a rename alone does not outlast a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Write a whole text file or none."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        settle(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
