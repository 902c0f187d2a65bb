"""Reading a ``ground_truth``, and the checks that judges make on it: a fault of the data raises, and never scores 0."""

import json
from collections.abc import Iterable
from typing import Any

from ecomrlve.generator.verifiers.canonical import canonical_identifier
from ecomrlve.generator.verifiers.errors import TruthError

VERSION = 1


def _refuse_constant(name: str) -> None:
    raise TruthError(f"ground_truth holds {name}, which is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def excerpt(value: object) -> str:
    """A short form of a value for messages.

    >>> excerpt("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'…"
    """
    if isinstance(value, str | bytes):
        return repr(value) if len(value) <= 40 else repr(value[:40]) + "…"
    return f"a value of type {type(value).__name__}"


def truth_text(ground_truth: object) -> str:
    """The text of a ``ground_truth`` that came as bytes; raises `TruthError` where there is no text to read.

    >>> truth_text(b"{}")
    '{}'
    """
    if isinstance(ground_truth, bytes):
        try:
            return ground_truth.decode()
        except UnicodeDecodeError:
            raise TruthError(f"ground_truth is not UTF-8 text: {excerpt(ground_truth)}") from None
    raise TruthError(f"ground_truth must be JSON text, not {excerpt(ground_truth)}")


def read_truth(ground_truth: str) -> dict[str, Any]:
    """The object that a ``ground_truth`` text holds, with its version checked.

    Raises:
        TruthError: where it is not the JSON text of an object of the version read here.

    >>> read_truth('{"env":"PD","ranking":[],"shown":[],"version":1}')["env"]
    'PD'
    """
    try:
        truth = _DECODER.decode(ground_truth)
    except TruthError:
        raise
    except (ValueError, RecursionError):
        raise TruthError(f"ground_truth is not JSON text: {excerpt(ground_truth)}") from None
    if not isinstance(truth, dict):
        raise TruthError(f"ground_truth is not a JSON object: {excerpt(ground_truth)}")
    version = truth.get("version")
    if type(version) is not int or version != VERSION:
        raise TruthError(f"ground_truth has no version that is read here (this is version {VERSION})")
    return truth


def require_keys(members: object, keys: frozenset[str], name: str) -> dict[str, Any]:
    """The members of an object that has exactly these keys.

    Args:
        members: what JSON gave.
        keys: the keys it must have, no more and no fewer.
        name: what it is, for the message.

    >>> require_keys({"quantity": 1}, frozenset({"quantity"}), "an item")
    {'quantity': 1}
    """
    if not isinstance(members, dict):
        raise TruthError(f"ground_truth: {name} is not an object")
    if members.keys() != keys:
        raise TruthError(f"ground_truth: {name} must have the keys {', '.join(sorted(keys))} and no others")
    return members


def require_list(value: object, name: str) -> list[Any]:
    """A list, or `TruthError`.

    >>> require_list([1], "items")
    [1]
    """
    if not isinstance(value, list):
        raise TruthError(f"ground_truth: {name} is not a list")
    return value


def require_integer(value: object, name: str, least: int | None = None) -> int:
    """An integer, at least ``least`` where that is given, or `TruthError`.

    >>> require_integer(2, "quantity", least=1)
    2
    """
    if type(value) is not int or (least is not None and value < least):
        bound = "" if least is None else f" of at least {least}"
        raise TruthError(f"ground_truth: {name} is not an integer{bound}")
    return value


def require_identifier(value: object, name: str) -> str:
    """An identifier in canonical form, or `TruthError`.

    >>> require_identifier("k7qx3m", "line")
    'K7QX3M'
    """
    if not isinstance(value, str) or not (text := canonical_identifier(value)):
        raise TruthError(f"ground_truth: {name} is not an identifier")
    return text


def require_identifiers(value: object, name: str) -> tuple[str, ...]:
    """A list of different identifiers in canonical form, or `TruthError`.

    >>> require_identifiers(["a1", "B2"], "ranking")
    ('A1', 'B2')
    """
    texts = require_names(value, name)
    if len(set(texts)) != len(texts):
        raise TruthError(f"ground_truth: {name} repeats an identifier")
    return tuple(texts)


def require_shown(truth: dict[str, Any]) -> frozenset[str]:
    """All identifiers on the page: the member "shown" of every truth.

    >>> sorted(require_shown({"shown": ["A1", "b2"]}))
    ['A1', 'B2']
    """
    texts = require_names(truth["shown"], "shown")
    shown = frozenset(texts)
    if len(shown) != len(texts):
        raise TruthError("ground_truth: shown repeats an identifier")
    return shown


def require_names(value: object, name: str) -> list[str]:
    """A list of identifiers in canonical form, repeats and all, or `TruthError`.

    >>> require_names(["a1", "A1"], "variants")
    ['A1', 'A1']
    """
    items = require_list(value, name)
    # Pages are long, and ours are canonical as they stand: ask once for all of their identifiers.
    try:
        joined = "".join(items)
    except TypeError:
        raise TruthError(f"ground_truth: {name} holds what is not an identifier") from None
    # A second word would be a space within or around one of them.
    plain = joined.isascii() and joined.upper() == joined and "#" not in joined and len(joined.split()) <= 1
    if plain and "" not in items:
        return items
    return [require_identifier(item, name) for item in items]


def require_on_page(identifiers: Iterable[str], shown: frozenset[str], name: str) -> None:
    """Every right identifier stands on the page, or `TruthError`.

    >>> require_on_page(("A1",), frozenset({"A1", "B2"}), "ranking")
    """
    if not shown.issuperset(identifiers):
        absent = next(text for text in identifiers if text not in shown)
        raise TruthError(f"ground_truth: {name} has {excerpt(absent)}, which is not among the shown")
