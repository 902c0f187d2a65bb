"""Text of unknown encoding: told with certainty, or refused."""

import re
from pathlib import Path

from ecomrlve.errors import CatalogError

HOW = "A catalog is a CSV, JSON, JSON lines, XML or Parquet file, plain or gzipped"
"""What may be imported, in a sentence."""


def decoded(path: Path, data: bytes) -> str:
    """The text of a file: UTF-8, UTF-16 or UTF-32, or a Western single-byte encoding where that is plausible.

    >>> decoded(Path("x.csv"), "prix;café".encode("cp1252"))
    'prix;café'
    """
    # The longer mark first: that of UTF-32 begins with that of UTF-16.
    marks = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"))
    for mark, encoding in (*marks, (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise CatalogError(
                    f"{path} starts like {encoding.upper()} text but is damaged. Save it as UTF-8."
                ) from error
    nulls = data[:4096].count(0)
    if nulls > len(data[:4096]) // 3:
        for encoding, first in (("utf-16-le", 1), ("utf-16-be", 0)):
            if data[first:4096:2].count(0) > 0.9 * nulls and len(data) % 2 == 0:
                try:
                    return data.decode(encoding)
                except UnicodeDecodeError:
                    continue
    if nulls > max(16, len(data[:4096]) // 50):
        raise CatalogError(f"{path} is not text. {HOW}.")
    data = data.replace(b"\0", b"")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _mostly_utf8(path, data) or _single_byte(path, data)


def _mostly_utf8(path: Path, data: bytes) -> str:
    """The text of a file most of whose lines are UTF-8, each other line in its own encoding; else nothing."""
    texts: list[str] = []
    balance = 0
    for line in data.split(b"\n"):
        try:
            texts.append(line.decode("utf-8"))
            balance += not line.isascii()
        except UnicodeDecodeError:
            balance -= 1
            try:
                texts.append(_single_byte(path, line))
            except CatalogError:
                texts.append(line.decode("utf-8", "replace"))
    return "\n".join(texts) if balance >= 0 else ""


# Beside the accented letters, what a Western text outside ASCII is made of.
_WESTERN = frozenset("ŠšŒœŽžŸ€£¥§°±²³µ½¼¾ºª«»¿¡·©®™–—’‘“”„…•×\u00a0")


# What no Western text has: signs between letters (Polish), runs of accented letters (Russian, Greek), a capital with a
# caron behind a small letter (a Macintosh file). Icelandic letters beside French ones are Turkish.
_ODD = re.compile(
    r"[a-z][£¥§±²³µ½¼¾¿¡¬¯¹º¶][a-z]"
    r"|(?<![^\s\"',;|])[£¥¯¿¡¹³]{1,2}[\xc0-\xff¹³¿]"
    r"|[\xc0-\xff]{4}"
    r"|[a-z][ŠŒŽŸ]"
)
_NORTHERN = re.compile("[þðýÞÐÝ]")
_SOUTHERN = re.compile("[çüÇÜ]")


def _single_byte(path: Path, data: bytes) -> str:
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    sample = text[:200_000]
    controls = sum(1 for character in sample if character < " " and character not in "\t\n\r\f\v") + sum(
        1 for character in sample if "\x7f" <= character <= "\x9f"
    )
    foreign = sum(1 for character in sample if character > "\x7f")
    letters = sum(1 for character in sample if "\xc0" <= character <= "\xff" or character in _WESTERN)
    odd = _ODD.search(sample) or (_NORTHERN.search(sample) and _SOUTHERN.search(sample))
    if controls or odd or foreign > len(sample) // 4 or letters * 10 < foreign * 8:
        raise CatalogError(f"{path} is in an encoding that cannot be told. Save it as UTF-8 and import it again.")
    return text
