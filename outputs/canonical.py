"""The canonical text of a row, which content hashes are over: it holds whatever library wrote or read the file."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from json.encoder import encode_basestring
from operator import itemgetter
from typing import Any

import numpy

from ecomrlve.outputs.layout import Constant, Layout, Leaf, Node, Parsed

_LONG = 400

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def canonical_line(written: Mapping[str, Any]) -> bytes:
    r"""The canonical JSON of a row, one line: keys sorted, no spaces, UTF-8.

    >>> canonical_line({"b": 1, "a": {"d": "é", "c": 2.0}})
    b'{"a":{"c":2.0,"d":"\xc3\xa9"},"b":1}\n'
    """
    return (_encode(dict(written)) + "\n").encode()


def _text(text: str) -> bytes:
    """A text as JSON. Long ones hold no control character but line breaks, and then three replacements do."""
    if len(text) >= _LONG:
        data = text.encode()
        if numpy.count_nonzero(numpy.frombuffer(data, numpy.uint8) < 32) == data.count(b"\n"):
            return b'"' + data.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
    return encode_basestring(text).encode()


def _messages(messages: Sequence[Mapping[str, str]]) -> bytes:
    items = [b'{"content":%b,"role":%b}' % (_text(message["content"]), _text(message["role"])) for message in messages]
    return b"[%b]" % b",".join(items)


def _number(number: float) -> bytes:
    return repr(number).encode()


_ENCODERS: dict[type, Callable[[Any], bytes]] = {str: _text, int: _number, float: _number, list: _messages}


def _pieces(node: Node) -> Iterable[str | Leaf]:
    """The canonical text of a node as fixed text and the leaves between."""
    if isinstance(node, Leaf):
        yield node
    elif isinstance(node, Constant):
        yield _encode(node.value)
    elif isinstance(node, Parsed):
        raise TypeError(f"{node.source}: free JSON is not of one form")
    else:
        opening = "{"
        for name in sorted(node):
            yield f"{opening}{_encode(name)}:"
            yield from _pieces(node[name])
            opening = ","
        yield "}"


def line_maker(layout: Layout) -> Callable[[Mapping[str, Any]], bytes]:
    """The canonical line of a layout's row, from its primary values.

    Each is encoded once, though a row repeats some of them up to five times, and without finding out the type of
    each again.
    """
    pieces = list(_pieces(layout.columns))
    template = (
        "".join(piece.replace("%", "%%") if isinstance(piece, str) else "%b" for piece in pieces).encode() + b"\n"
    )
    sources = [(source, _ENCODERS[kind]) for source, kind in layout.sources.items()]
    places = {source: place for place, source in enumerate(layout.sources)}
    in_order = itemgetter(*(places[piece.source] for piece in pieces if isinstance(piece, Leaf)))

    def line(given: Mapping[str, Any]) -> bytes:
        filled: bytes = template % in_order([encode(given[source]) for source, encode in sources])
        return filled

    return line
