"""Replies that no model should give and some will: any text, bytes and values, and what grows without end."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

from ecomrlve.generator.proofs.answers import places, replaced
from ecomrlve.generator.proofs.base import Answer
from ecomrlve.outputs.fuzzing.replies import spliced

HOSTILE: Mapping[str, str] = {
    "braces": "{",
    "keys": '{"a":',
    "quotes": '"',
    "backslashes": "\\",
    "half keys": '{"',
    "members": '{"a":1',
    "arrays": '{"a":[',
    "brackets": "[",
    "empty objects": '{"a":{}',
    "flat members": '"a":1,',
    "escapes": '\\"{',
    "turned strings": '{"{":{"',
    "braces in strings": '{"a":"{","b":"',
    "answers": '{"products":[]}',
    "answers in answers": '{"products":{"products":[]}',
    "spaces": "    ",
    "digits": "1",
    "answer tags": "<answer>",
    "thoughts": "<think></think>",
    "accents": "\u0301\u0323",
}
"""Units of which long replies are made; each has broken a parser somewhere."""

TOKENS = (
    *("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "-0", "-0.0", "1e-999", "1E400", "0.1", "true", "false"),
    *("null", "[]", "{}", '""', '"-"', '"true"', '"NaN"', '"1e5"', '"\\ud800"', '"\\u202e"', '"\\u0000"', "[null]"),
    *("9" * 400, "-" + "9" * 5_000, "1." + "0" * 400, "[" * 60 + "]" * 60, "[" * 3_000 + "]" * 3_000),
    *('{"a":' * 70 + "1" + "}" * 70, "[" + "1," * 2_000 + "1]", '"' + "x" * 20_000 + '"', "1_000", "0x10", "01", "+1"),
)
"""JSON, and what is nearly JSON, to stand in the place of an answer's values."""

_pieces = st.sampled_from(
    (
        *("{", "}", "[", "]", '"', ",", ":", "\\", " ", "\n", "1", "-", "e3", "null", "NaN", '"a"', '{"a":', "\\u0041"),
        *("<think>", "</think>", "<answer>", "</answer>", "```json", "```", "\u202e", "\u200b", "\ufeff", "\x00"),
        *("\ud800", "\udfff", "é", "e\u0301", "\U0001f6d2", "#", "\r"),
    )
)


def plain_junk() -> st.SearchStrategy[str]:
    """Any text at all, and text of the pieces that parsers trip over."""
    return st.one_of(
        st.text(st.characters(), max_size=60), st.lists(_pieces, max_size=14).map("".join), _long_replies()
    )


def _long_replies() -> st.SearchStrategy[str]:
    unit = st.sampled_from(tuple(HOSTILE.values()))
    return st.tuples(unit, st.sampled_from((3, 70, 900, 5_000)), st.sampled_from(("", "}", '"]}', "</answer>"))).map(
        lambda parts: parts[0] * parts[1] + parts[2]
    )


def any_junk() -> st.SearchStrategy[Any]:
    """What is not even text: bytes, numbers, nothing, lists of messages and of anything."""
    leaf = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.binary(max_size=40))
    names = st.sampled_from(("role", "content", "type", "text", "assistant"))
    message = st.fixed_dictionaries({"role": st.sampled_from(("assistant", "user", "")), "content": leaf})
    return st.one_of(
        leaf,
        st.recursive(
            leaf | message,
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
            max_leaves=6,
        ),
    )


_tokens = st.integers(0, len(TOKENS) - 1).map(TOKENS.__getitem__)


def spoiled_answers(answer: Answer) -> st.SearchStrategy[str]:
    """An answer of which one value is something else, written as JSON or nearly so; or cut, or with a key twice."""
    text = json.dumps(answer)
    paths = [path for path, _ in places(answer)]
    fewer = list(_without_a_member(answer))

    def splice(place: int, token: str) -> str:
        return spliced(answer, paths[place], token)

    spliced_in = st.builds(splice, st.integers(0, len(paths) - 1), _tokens)
    return st.one_of(
        spliced_in,
        st.tuples(spliced_in, spliced_in).map(" ".join),
        st.integers(0, len(fewer) - 1).map(lambda place: json.dumps(fewer[place])),
        st.integers(0, len(text)).map(lambda end: text[:end]),
        st.builds(lambda at, piece: text[:at] + piece + text[at:], st.integers(0, len(text)), _pieces),
        _tokens.map(lambda token: _twice(text, answer, token)),
    )


def _without_a_member(answer: Answer) -> Iterator[Answer]:
    for path, _ in [((), answer), *places(answer)]:
        inner: Any = answer
        for part in path:
            inner = inner[part]
        if isinstance(inner, dict):
            for gone in inner:
                yield replaced(answer, path, {key: value for key, value in inner.items() if key != gone})


def _twice(text: str, answer: Answer, token: str) -> str:
    key = json.dumps(next(iter(answer)))
    return f"{text[:-1]}, {key}: {token}}}"


def hostile_reply(unit: str, chars: int, around: tuple[str, str]) -> str:
    """About so many characters of one unit, between two texts.

    >>> hostile_reply("{", 3, ("", "{}"))
    '{{{{}'
    """
    return around[0] + unit * max(1, chars // len(unit)) + around[1]


def hostile_places(answer: Answer) -> dict[str, tuple[str, str]]:
    """Where a long text can stand: what comes before and after it, by name."""
    text, found = json.dumps(answer), {"before": ("", json.dumps(answer)), "behind a backslash": ("\\", "}")}
    for path, value in places(answer):
        if isinstance(value, str):
            found["in a string"] = split_at(answer, path, '"')
            break
    first = next(iter(answer))
    found["as a value"] = split_at(answer, (first,), "")
    return {**found, "alone": ("", "}"), "behind": (text, "")}


def split_at(answer: Answer, path: tuple[str | int, ...], quote: str) -> tuple[str, str]:
    """The text of an answer before and after one value.

    >>> split_at({"products": ["A1"]}, ("products",), "")
    ('{"products": ', '}')
    """
    before, _, after = spliced(answer, path, "\x00").partition("\x00")
    return before + quote, quote + after
