"""A corrupt ``ground_truth`` raises, and is never taken for a wrong reply."""

import json
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ecomrlve.generator.verifiers import verify
from ecomrlve.generator.verifiers.errors import TruthError

TABLE = tomllib.loads((Path(__file__).parent / "data" / "verdict_cases.toml").read_text(encoding="utf-8"))
TRUTHS: dict[str, str] = TABLE["truths"]


def edits(value: Any) -> list[Any]:
    """Every copy of a JSON value with one member dropped, added, or set to another type."""
    found: list[Any] = [None, 1.5, True, "", [], {}, [None], -1]
    if isinstance(value, dict):
        found.append({**value, "extra": 1})
        for key, item in value.items():
            found.append({other: kept for other, kept in value.items() if other != key})
            found.extend({**value, key: edited} for edited in edits(item))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            found.append([*value, item])
            found.extend([*value[:at], edited, *value[at + 1 :]] for edited in edits(item))
    return found


def replaced(items: list[Any], place: int, item: Any) -> list[Any]:
    """A list with another item in one place."""
    return [*items[:place], item, *items[place + 1 :]]


def other_truths(truth: dict[str, Any]) -> list[Any]:
    """What an edit may turn a truth into that is one too: nothing right, an empty page, another amount."""
    found: list[Any] = [{**truth, key: []} for key in ("ranking", "items") if key in truth]
    nothing = [TRUTHS[name] for name in ("no_line", "no_order")]
    same = json.dumps(truth, sort_keys=True, separators=(",", ":"))
    if truth["env"] != "POLICY" and (
        not truth.get("ranking", truth.get("items", truth.get("accepted", truth.get("slots")))) or same in nothing
    ):
        found.append({**truth, "shown": []})
    for slot, parts in enumerate(truth.get("slots", [])):
        for place, (_, _, offers) in enumerate(parts):
            for at, offer in enumerate(offers):
                for detail in range(1, len(offer)):
                    # A detail may be unknown; these truths have another right set each.
                    copy = deepcopy(truth)
                    copy["slots"][slot][place][2][at][detail] = None
                    found.append(copy)
    if truth["env"] == "POLICY":
        # Any other number, or answer of yes or no, could be right as well; and "nothing" rests on no identifier.
        found += [{**truth, "answer": other} for other in (-1, 0, True, False) if type(other) is type(truth["answer"])]
        found += [{**truth, "answer": "x"}] if isinstance(truth["answer"], str) else []
        found += [{**truth, "shown": []}] if truth["unit"] == "nothing" else []
    if truth["env"] == "SUB":
        found.append({**truth, "accepted": []})
    for number, answer in enumerate(truth.get("accepted", [])):
        if truth["env"] == "STATUS" and answer["line"]:
            # A request about one line can be made one about the whole order.
            found.append({**truth, "accepted": replaced(truth["accepted"], number, {**answer, "line": None})})
        if isinstance(answer, dict) and answer.get("decision") == "exchange":
            copy = deepcopy(truth)
            copy["accepted"][number]["refund_cents"] = -1
            found.append(copy)
    return found


@pytest.mark.parametrize("name", TRUTHS)
def test_corrupt_truths_raise(name: str) -> None:
    """A member dropped, added or ill-typed is a fault of the data, again and again; never a score of 0."""
    truth = json.loads(TRUTHS[name])
    truths = [json.dumps(other) for other in [truth, *other_truths(truth)]]
    for edited in edits(truth):
        text = json.dumps(edited)
        for _ in range(2):
            if text in truths:
                assert verify(text, "{}").outcome == "unparsed"
            else:
                with pytest.raises(TruthError):
                    verify(text, "{}")


@pytest.mark.parametrize(
    "truth",
    [
        "",
        "null",
        "[]",
        "{}",
        "NaN",
        "[" * 100_000,
        "1" * 5_000,
        b"\xff",
        None,
        {},
        3,
        [],
        '{"env":"PD","version":1,"ranking":["A1"],"shown":["B2"]}',
        '{"env":"PD","version":1,"ranking":["A1","a1"],"shown":["A1"]}',
        '{"env":"PD","version":1,"ranking":[],"shown":["A1","#a1"]}',
        '{"env":"PD","version":2,"ranking":[],"shown":[]}',
        '{"env":"PD","version":true,"ranking":[],"shown":[]}',
        '{"env":"NOPE","version":1}',
        '{"env":["PD"],"version":1}',
        '{"version":1}',
        '{"env":"PD","version":1,"ranking":[],"shown":[NaN]}',
        '{"env":"CART","version":1,"items":[{"variants":[],"quantity":1}],"shown":[]}',
        '{"env":"CART","version":1,"items":[{"variants":["A1"],"quantity":0}],"shown":["A1"]}',
        '{"env":"CART","version":1,"items":[{"variants":["A1"],"quantity":1},{"variants":["A1"],"quantity":1}],"shown":["A1"]}',
        '{"env":"RETURN","version":1,"accepted":[],"shown":[]}',
        '{"env":"SUB","version":1,"accepted":["A1"],"shown":["B2"]}',
        '{"env":"SUB","version":1,"accepted":["A1","a1"],"shown":["A1"]}',
        '{"env":"STATUS","version":1,"accepted":[],"shown":[]}',
        # The set that the optimum speaks of costs more than the budget; a slot that nothing fills.
        '{"env":"BUNDLE","version":1,"slots":[[["A1",40,[[5]]]]],"links":[],"least":1,"budget":4,"goal":"any","rated":[],"optimum":0,"shown":["A1"]}',
        '{"env":"BUNDLE","version":1,"slots":[[]],"links":[],"least":1,"budget":4,"goal":"any","rated":[],"optimum":null,"shown":["A1"]}',
        '{"env":"POLICY","version":1,"answer":3,"unit":"weeks","rule":"R1","shown":["R1"]}',
        '{"env":"POLICY","version":1,"answer":true,"unit":"days","rule":"R1","shown":["R1"]}',
        '{"env":"POLICY","version":1,"answer":1,"unit":"yes_no","rule":"R1","shown":["R1"]}',
        '{"env":"POLICY","version":1,"answer":null,"unit":"nothing","rule":"R1","shown":["R1"]}',
    ],
    ids=lambda truth: repr(truth)[:60],
)
def test_what_is_no_truth_raises(truth: Any) -> None:
    """Whatever is not one of our truths raises `TruthError`, with a short message."""
    with pytest.raises(TruthError) as caught:
        verify(truth, '{"products": []}')
    assert str(caught.value).startswith("ground_truth") and len(str(caught.value)) < 250


def test_return_truths_agree_with_themselves() -> None:
    """A truth that refuses with money, refunds with a replacement, or lacks a rule is none."""
    for name, changes in [
        ("refuse", {"refund_cents": 5}),
        ("refuse", {"replacement": "LJACKT"}),
        ("refund", {"refund_cents": -1}),
        ("refund", {"refund_cents": None}),
        ("refund", {"replacement": "LWINDB"}),
        ("refund", {"decision": "Refund"}),
        ("refund", {"order": None}),
        ("refund", {"rule": None}),
        ("exchange", {"replacement": None}),
        ("no_line", {"rule": "R4"}),
        ("no_line", {"quantity": 1}),
        ("no_line", {"decision": "refund"}),
    ]:
        truth = json.loads(TRUTHS[name])
        truth["accepted"][0].update(changes)
        with pytest.raises(TruthError):
            verify(json.dumps(truth), "{}")


def test_status_truths_agree_with_themselves() -> None:
    """A truth whose held order has a day, whose parcel on its way has none, or whose status is unknown is none."""
    for name, changes in [
        ("on_hold", {"arrives": "2026-03-14"}),
        ("coming", {"arrives": None}),
        ("coming", {"arrives": "2026-3-14"}),
        ("coming", {"status": "Shipped"}),
        ("coming", {"status": "not_found"}),
        ("coming", {"order": None}),
        ("no_order", {"status": "lost"}),
        ("no_order", {"line": "LJACKT"}),
        ("no_order", {"arrives": "2026-03-14"}),
    ]:
        truth = json.loads(TRUTHS[name])
        truth["accepted"][0].update(changes)
        with pytest.raises(TruthError):
            verify(json.dumps(truth), "{}")
