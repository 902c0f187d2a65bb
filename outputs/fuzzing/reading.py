"""The contract on replies, word for word and without regard to time: a second reading, to hold the fast one against."""

import json
from typing import Any

DEEPEST = 64
"""No answer is nested as deep."""


def depth_of(value: object) -> int:
    """How deep a JSON value is nested.

    >>> depth_of({"a": [1]})
    2
    """
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


def plain_places(text: str, deepest: int = DEEPEST) -> list[tuple[int, int]]:
    """The places of top-level JSON objects, as the definition has them.

    >>> plain_places('{ {"a": 1}')
    [(2, 10)]
    """
    # Of a repeated key each value counts for the depth.
    read = json.JSONDecoder(object_pairs_hook=lambda pairs: dict(enumerate(value for _, value in pairs))).raw_decode
    places = []
    at = 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, end = read(text, at)
        except ValueError:
            at += 1
        else:
            if depth_of(value) > deepest:
                at += 1
                continue
            places.append((at, end))
            at = end
    return places


def plain_answer(text: str, key: str) -> dict[str, Any] | None:
    """The answer as the definition has it: the last of these objects that is strict JSON and has the key.

    >>> plain_answer('{"k": 1} {"k": NaN}', "k")
    {'k': 1}
    """

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    for start, end in reversed(plain_places(text)):
        try:
            found = json.loads(text[start:end], parse_constant=refuse)
        except ValueError:
            continue
        if key in found:
            return dict(found)
    return None


def plain_spoken(text: str) -> str | None:
    """The part of a reply that counts, as the definition has it; None in a thought.

    >>> plain_spoken("<think>1</think><answer>2</answer>"), plain_spoken("<think>1")
    ('2', None)
    """
    rest = text[text.lower().rfind("</think>") + len("</think>") :] if "</think>" in text.lower() else text
    lower = rest.lower()
    if "<think>" in lower:
        return None
    closed = lower.rfind("</answer>")
    opened = lower.rfind("<answer>", 0, max(closed, 0))
    if opened < 0:
        return rest
    return rest[opened + len("<answer>") : lower.find("</answer>", opened)]


def plain_reading(reply: object, key: str) -> dict[str, Any] | None:
    """The object that a reply answers with; None where it holds none or is no text.

    >>> plain_reading('So: {"products": []}', "products")
    {'products': []}
    """
    said = plain_spoken(reply) if isinstance(reply, str) else None
    return None if said is None else plain_answer(said, key)
