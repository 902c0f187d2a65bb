"""Product feeds in XML, read into records. A document type is refused, so no entity can grow or point elsewhere."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from ecomrlve.errors import CatalogError

ITEMS = frozenset({"item", "entry", "product", "offer", "article"})
"""Elements that hold one product each: of RSS, of Atom, and of feeds that shops make up."""
DEEPEST = 32
"""Most elements within each other that a feed of products may have."""


class _Refused(Exception):
    """Why a document is not read; raised within the parser's calls."""


@dataclass(slots=True)
class _Element:
    """An element that is open: what is in it so far, and by which full name each child came."""

    name: str
    attributes: dict[str, str]
    children: dict[str, Any] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    @property
    def value(self) -> Any:
        """Its children, or its text with the currency that an attribute may name."""
        text = "".join(self.texts).strip()
        return self.children or f"{text} {self.attributes.get('currency', '')}".strip()

    def add(self, name: str, value: Any) -> None:
        """Take a child in; a name that comes again makes a list, and one with a prefix replaces the same without."""
        local = _local(name)
        before = self.names.setdefault(local, name)
        if local not in self.children or (before != name and ":" in name):
            self.children[local] = value
            self.names[local] = name
        elif before == name:
            held = self.children[local]
            self.children[local] = [*held, value] if isinstance(held, list) else [held, value]


class _Feed:
    """What the parser builds: the records, and the elements that are open within the current one."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.depth = 0
        self.open: list[_Element] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _Refused(f"nests more than {DEEPEST} elements within each other")
        if self.open or _local(name) in ITEMS:
            self.open.append(_Element(name, attributes))

    def text(self, text: str) -> None:
        if self.open:
            self.open[-1].texts.append(text)

    def end(self, name: str) -> None:
        self.depth -= 1
        if not self.open:
            return
        done = self.open.pop()
        if self.open:
            self.open[-1].add(name, done.value)
        else:
            attributes = {_local(key): value for key, value in done.attributes.items()}
            self.records.append({**attributes, **done.children})


_PAGE = re.compile(
    r"\s*(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body|script)\b", re.IGNORECASE | re.DOTALL
)
_SCRIPT = re.compile(
    r"<script\b[^>]{0,400}application/ld\+json[^>]{0,400}>(.*?)</script\s*>", re.IGNORECASE | re.DOTALL
)


def linked_data(text: str) -> list[str] | None:
    """The scripts of JSON-LD in an HTML page, or None where a text is no such page.

    >>> linked_data('<html><script type="application/ld+json">{"a": 1}</script></html>'), linked_data("<rss/>")
    (['{"a": 1}'], None)
    """
    return _SCRIPT.findall(text) if _PAGE.match(text) else None


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _refuse_types(*_: object) -> None:
    raise _Refused("declares a document type, which a feed of products needs not")


def records_of(path: Path, data: bytes | str) -> list[dict[str, Any]]:
    """The products of an XML feed, each with its elements by their local names.

    Raises:
        CatalogError: where it is no well-formed XML, declares a document type, or nests too deep.

    >>> records_of(Path("feed.xml"), b"<rss><channel><item><g:id>7</g:id></item></channel></rss>")
    [{'id': '7'}]
    """
    feed = _Feed()
    parser = expat.ParserCreate("utf-8" if isinstance(data, str) else None)
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_types
    parser.StartElementHandler = feed.start
    parser.EndElementHandler = feed.end
    parser.CharacterDataHandler = feed.text
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise CatalogError(f"{path} is damaged XML: {expat.ErrorString(error.code)}, line {error.lineno}.") from error
    except _Refused as error:
        raise CatalogError(f"{path} {error}.") from error
    except LookupError as error:
        raise CatalogError(f"{path} names an encoding that is unknown. Save it as UTF-8.") from error
    return feed.records
