"""The way from a reply to its answer: one plain definition, and time linear in the reply."""

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ecomrlve.generator.verifiers import extract, verify
from ecomrlve.generator.verifiers.extract import counting_part, find_answer, top_level_objects
from ecomrlve.outputs.fuzzing.junk import HOSTILE
from ecomrlve.outputs.fuzzing.reading import plain_answer, plain_places

TRUTH = '{"env":"PD","ranking":["A1"],"shown":["A1","B2"],"version":1}'
ANSWER = '{"products": ["A1"]}'


pieces = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        ",",
        ":",
        "\\",
        "a",
        " ",
        "\n",
        "1",
        "-",
        "0.5",
        "e3",
        "true",
        "null",
        "NaN",
        "-Infinity",
        "\x01",
        '"a"',
        '"k"',
        '"k":',
        '{"k":',
        '{"a":',
        '\\"',
        "\\\\",
        "\\u0041",
        '"\\u006b"',
        '"{"',
        '{"k": [1, {}]}',
        "\u200b",
        "é",
    ]
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.sampled_from([0.5, "", "a", "k", "{", '"', '{"k": 1}', "\\", "é"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["k", "a", "{", '"']), inner, max_size=3)
    ),
    max_leaves=6,
)
texts = st.lists(
    st.lists(pieces, max_size=10).map("".join)
    | json_values.map(json.dumps)
    | json_values.map(lambda value: json.dumps(value, indent=1)),
    max_size=5,
).map("".join)


@given(text=texts)
@settings(max_examples=800, deadline=None)
@example(text='{"note {"k": 1}')
@example(text='{"a": {"k": 1}, oops}')
@example(text='{"a": "{", "b": {"k": 1} x "{"k": 2}"')
@example(text='{"\\u006b": {"k": 1}}')
@example(text='{"k": 1} {"k": NaN, "a": {"k": 2}}')
def test_scanner_keeps_to_the_definition(text: str) -> None:
    """The scanner finds the objects of the plain definition (those with members), and the same answer."""
    assert list(top_level_objects(text)) == [(a, b) for a, b in plain_places(text) if text[a:b].strip("{} \t\r\n")]
    found, plain = find_answer(text, "k"), plain_answer(text, "k")
    assert (found is None) == (plain is None)
    if found is not None and plain is not None:
        assert list(found) == list(plain)


@given(text=texts, deepest=st.integers(1, 4))
@settings(max_examples=500, deadline=None)
@example(text='{"a":{"a":[{"k":1}]},"k":[{"k":[1]}]}', deepest=3)
@example(text='{"k":[[[[{"k":1}]]]]}', deepest=3)
@example(text='{"k":{"k":1},"a":{"a":{"a":{}}}}', deepest=2)
def test_depth_keeps_to_the_definition(text: str, deepest: int) -> None:
    """Where an object is nested too deep, the first ones within it that are not stand in its place."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extract, "_DEEPEST", deepest)
        found = list(top_level_objects(text))
    assert found == [(a, b) for a, b in plain_places(text, deepest) if text[a:b].strip("{} \t\r\n")]


@given(
    text=st.lists(st.sampled_from(["<think>", "</think>", "<answer>", "</ANSWER>", "x", "<", "{}"]), max_size=12).map(
        "".join
    )
)
@settings(max_examples=300, deadline=None)
def test_tags_keep_to_the_definition(text: str) -> None:
    """What follows the last closed thought, in the last closed answer block."""
    rest = text.rpartition("</think>")[2]
    if "<think>" in rest:
        assert counting_part(text) is None
        return
    lower = rest.lower()
    opened = lower.rfind("<answer>", 0, lower.rfind("</answer>") if "</answer>" in lower else 0)
    closed = lower.find("</answer>", opened)
    assert counting_part(text) == (rest if opened < 0 else rest[opened + 8 : closed])


def test_depth_is_bounded() -> None:
    """An object nested too deep is no answer, at any depth, and an answer behind it still is."""
    for depth in (63, 64, 65, 900, 100_000):
        deep = '{"products":' + "[" * depth + "]" * depth + "}"
        assert verify(TRUTH, deep).outcome == ("invalid" if depth <= 63 else "unparsed")
        assert verify(TRUTH, deep + ANSWER).correct
        assert verify(TRUTH, '{"a":' * depth + ANSWER).correct


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    """A million characters of any one thing, in chatter, in an object or in a string, take well under their bound."""
    unit = HOSTILE[name]
    bulk = unit * (1_000_000 // len(unit))
    began = time.process_time()
    for reply in (
        bulk + "}",
        bulk + ANSWER,
        '{"products":' + bulk + "}",
        '{"products":["' + bulk + '"]}',
        "\\" + bulk + ANSWER,
    ):
        verify(TRUTH, reply)
    # Measured: at most 1.5 s for the five on a core that others use too; what is quadratic takes hours.
    assert time.process_time() - began < 20


def test_many_accents_in_one_identifier() -> None:
    """Putting combining marks in order is quadratic, so what is longer than any identifier stays as it is."""
    began = time.process_time()
    assert verify(TRUTH, json.dumps({"products": ["\u0301\u0323" * 1_000_000]})).outcome == "wrong"
    assert verify(TRUTH, json.dumps({"products": ["\u0301\u0323" * 31] * 10_000})).outcome == "wrong"
    assert time.process_time() - began < 20
