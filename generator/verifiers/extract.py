"""From a reply of any kind to the one JSON object that answers, in time linear in the reply.

The rule, in order: only what follows the last ``</think>`` counts, and an unclosed ``<think>`` is no answer; in it, the
last ``<answer>…</answer>`` block if there is one; in that, the last top-level JSON object that has the key asked for.

*Top-level* is meant as a reader means it. Going through the text from left to right, an object begins at the first
brace from which valid JSON, nested at most 64 deep, can be read to its closing brace, whatever stood before it; the
reading goes on behind that closing brace. So a stray brace in the chatter hides nothing, and an object within another
is never an answer.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from ecomrlve.generator.verifiers.canonical import NumberText

# No answer is nested as deep, and reading deeper would cost the stack.
_DEEPEST = 64

_TAG = re.compile(r"<(/?)(think|answer)>", re.IGNORECASE | re.ASCII)

# A lone backslash is no JSON anywhere, so a valid escape is blanked by a character that stands in strings only.
_SHORT_ESCAPE = re.compile(r'\\["\\/bfnrt]')
_LONG_ESCAPE = re.compile(r"\\u[0-9A-Fa-f]{4}")
_BLANK = "\x7f"

# JSON in pieces, for text whose escapes are blanked. No piece can match one text in two ways of different length, so
# a failure costs a few steps back and never a search.
_SPACE = r"[ \t\n\r]*+"
_STRING = r'"[^"\\\x00-\x1f]*+"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?"
# Python's JSON reads NaN and Infinity; an object that holds one is read to its end, then skipped as a whole.
_SCALAR = rf"(?:{_STRING}|{_NUMBER}|true|false|null|NaN|-?Infinity)"
_NAME = rf"{_SPACE}{_STRING}{_SPACE}:{_SPACE}"
# Up to 64 plain entries at a step, then one that ends in a comma, a bracket that opens, or the one that closes.
_ENTRIES = rf"(?:{_NAME}{_SCALAR}{_SPACE},){{0,64}}{_NAME}(?:[{{\[]|{_SCALAR}{_SPACE}[,}}])"
_ITEMS = rf"(?:{_SPACE}{_SCALAR}{_SPACE},){{0,64}}{_SPACE}(?:[{{\[]|{_SCALAR}{_SPACE}[,\]])"

_START = re.compile(rf"\{{{_SPACE}{_STRING}{_SPACE}:")
_OBJECT_FIRST = re.compile(rf"{_SPACE}\}}|{_ENTRIES}").match
_OBJECT_MORE = re.compile(_ENTRIES).match
_OBJECT_NEXT = re.compile(rf"{_SPACE}(?:\}}|,{_ENTRIES})").match
_ARRAY_FIRST = re.compile(rf"{_SPACE}\]|{_ITEMS}").match
_ARRAY_MORE = re.compile(_ITEMS).match
_ARRAY_NEXT = re.compile(rf"{_SPACE}(?:\]|,{_ITEMS})").match


def _integer(text: str) -> int | NumberText:
    # Python refuses to read very long integers; as text they stay harmless until someone asks for their value.
    return int(text) if len(text) < 19 else NumberText(text)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


_READ = json.JSONDecoder(parse_float=NumberText, parse_int=_integer, parse_constant=_refuse).raw_decode


def text_of(reply: object) -> str | None:
    """The text of a reply: a string, bytes, or the last assistant message of a chat; None for anything else.

    >>> text_of([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
    'Hello'
    """
    if isinstance(reply, str):
        return str.__str__(reply)
    if isinstance(reply, bytes | bytearray):
        return reply.decode("utf-8", "replace")
    if isinstance(reply, list | tuple):
        for message in reversed(reply):
            if isinstance(message, dict):
                role = dict.get(message, "role")
                if isinstance(role, str) and role == "assistant":
                    content = dict.get(message, "content")
                    return _text_of_parts(content) if isinstance(content, list | tuple) else text_of(content)
    return None


def _text_of_parts(parts: list[Any] | tuple[Any, ...]) -> str | None:
    """The text parts of a message, joined; thoughts, images and calls are not said to the customer."""
    texts = []
    for part in parts:
        if isinstance(part, dict):
            kind, text = dict.get(part, "type"), dict.get(part, "text")
            if isinstance(kind, str) and kind == "text" and isinstance(text, str):
                texts.append(text)
    return "".join(texts) if texts else None


def counting_part(text: str) -> str | None:
    """The part of a reply that counts: behind the last ``</think>``, in the last answer block; None in a thought.

    >>> (
    ...     counting_part("<think>{}</think> so <answer>[1]</answer> it is"),
    ...     counting_part("<think> hm"),
    ...     counting_part("plain"),
    ... )
    ('[1]', None, 'plain')
    """
    if "<" not in text:
        return text
    start, end = 0, len(text)
    thinking, opened = False, -1
    block: tuple[int, int] | None = None
    for tag in _TAG.finditer(text):
        closes = tag[1] == "/"
        if tag[2].lower() == "think":
            thinking = not closes
            if closes:
                start, opened, block = tag.end(), -1, None
        elif not closes:
            opened = tag.end()
        elif opened >= 0:
            block, opened = (opened, tag.start()), -1
    if thinking:
        return None
    if block:
        start, end = block
    return text[start:end]


def _blank_escapes(text: str) -> str:
    """The same text, of the same length, with every valid escape blanked."""
    if "\\" not in text:
        return text
    return _LONG_ESCAPE.sub(_BLANK * 6, _SHORT_ESCAPE.sub(_BLANK * 2, text))


def _walk(text: str, start: int) -> tuple[int, list[int]]:
    """Read one object from its brace: its end, or -1 and the braces from which no object can be read.

    Where the nesting gets too deep, the outermost object cannot be read, and the reading goes on for those within.
    """
    # An open array is kept as the negative of a place, so that one list tells both; before `root` they are given up.
    open_at = [start]
    root = 0
    at = start + 1
    step = _OBJECT_FIRST
    while match := step(text, at):
        at = match.end()
        sign = text[at - 1]
        if sign == ",":
            step = _OBJECT_MORE if open_at[-1] >= 0 else _ARRAY_MORE
        elif sign in "}]":
            open_at.pop()
            if len(open_at) == root:
                break
            step = _OBJECT_NEXT if open_at[-1] >= 0 else _ARRAY_NEXT
        else:
            open_at.append(at - 1 if sign == "{" else -at)
            step = _OBJECT_FIRST if sign == "{" else _ARRAY_FIRST
            if len(open_at) - root > _DEEPEST:
                root += 1
                while root < len(open_at) and open_at[root] < 0:
                    root += 1
                if root == len(open_at):
                    break
    if not open_at:
        return at, open_at
    return -1, [place for place in open_at if place >= 0]


def top_level_objects(text: str) -> Iterator[tuple[int, int]]:
    """The places of all top-level JSON objects with at least one member, from left to right.

    The time is linear. A reading that fails has failed for every object then open, so none of them is begun again. What
    is begun again stood within a string of the failed reading, or is an object that it had read to its end; readings
    that differ at all take what is string to the one for structure to the other, so at most two differ at any place.

    >>> text = 'Use {braces! {"a": {"b": 1}} and {"c": 2}'
    >>> [text[start:end] for start, end in top_level_objects(text)]
    ['{"a": {"b": 1}}', '{"c": 2}']
    """
    text = _blank_escapes(text)
    failed = bytearray()
    at = 0
    while match := _START.search(text, at):
        start = match.start()
        if failed and failed[start]:
            at = start + 1
            continue
        end, still_open = _walk(text, start)
        if end >= 0:
            yield start, end
            at = end
            continue
        if not failed:
            failed = bytearray(len(text))
        for place in still_open:
            failed[place] = 1
        at = start + 1


def _only_object(text: str) -> tuple[bool, dict[str, Any]]:
    """Whether a text without escapes plainly holds one object, and that object: the short way for most replies."""
    match = _START.search(text)
    if match is None:
        return True, {}
    start = match.start()
    try:
        answer, end = _READ(text, start)
    except (ValueError, RecursionError):
        return False, {}
    shallow = text.count("{", start, end) + text.count("[", start, end) <= _DEEPEST
    return shallow and text.find("{", end) < 0, answer


def find_answer(text: str, key: str) -> dict[str, Any] | None:
    """The last top-level JSON object of a text that has the key; of a repeated key the last stands.

    An object that holds NaN or Infinity is not JSON and is skipped.

    >>> find_answer('Sure: {"products": ["A1"]} {"note": 1}', "products")
    {'products': ['A1']}
    """
    quoted = f'"{key}"'
    escapes = "\\" in text
    if not escapes:
        if quoted not in text:
            return None
        alone, answer = _only_object(text)
        if alone:
            return answer if key in answer else None
    places = [
        (start, end)
        for start, end in top_level_objects(text[: text.rfind("}") + 1])
        if text.find(quoted, start, end) >= 0 or (escapes and text.find("\\", start, end) >= 0)
    ]
    for start, _ in reversed(places):
        try:
            answer, _ = _READ(text, start)
        except ValueError:
            continue
        if key in answer:
            found: dict[str, Any] = answer
            return found
    return None
