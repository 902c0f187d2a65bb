"""Verifiers: a table of cases, and laws that hold for every reply."""

import json
import os
import pickle
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ecomrlve
from ecomrlve.generator.verifiers import Verdict, verify
from ecomrlve.generator.verifiers.canonical import canonical_identifier, integer_of
from ecomrlve.generator.verifiers.errors import EcomrlveError, InvalidArgument
from ecomrlve.generator.verifiers.registry import built_in
from ecomrlve.generator.verifiers.verdict import SCHEMES

ROOT = Path(__file__).parents[1]
TABLE = tomllib.loads((Path(__file__).parent / "data" / "verdict_cases.toml").read_text(encoding="utf-8"))
TRUTHS: dict[str, str] = TABLE["truths"]
CASES: list[dict[str, Any]] = TABLE["case"]

# A right reply to each truth, as Python values, to rewrite and to spoil.
ORACLES: dict[str, dict[str, Any]] = {
    "pd": {"products": ["K7QX3M", "R2TD9F"]},
    "pd_one": {"products": ["K7QX3M"]},
    "pd_none": {"products": []},
    "sub": {"products": ["K7QX3M"]},
    "sub_tie": {"products": ["R2TD9F"]},
    "sub_none": {"products": []},
    "cart": {"items": [{"variant": "S0CKCH", "quantity": 2}, {"variant": "S0CK0A", "quantity": 1}]},
    "cart_none": {"items": []},
    "bundle": {"products": ["LAMP01", "BULB02"]},
    "bundle_best": {"products": ["LAMP02", "BULB01"]},
    "bundle_some": {"products": ["PEN001", "INK001"]},
    "bundle_none": {"products": []},
    **{name: json.loads(TRUTHS[name])["accepted"][0] for name in ("refund", "exchange", "refuse", "twins", "no_line")},
    **{name: json.loads(TRUTHS[name])["accepted"][0] for name in ("coming", "whole", "on_hold", "alike", "no_order")},
    **{
        name: {key: json.loads(TRUTHS[name])[key] for key in ("answer", "rule")}
        for name in ("months", "charge", "covered", "handed", "silent")
    },
}

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "text", "products"]) | st.text(), inner, max_size=4
        )
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def check_form(verdict: Verdict, truth: str) -> None:
    judge = built_in()[json.loads(truth)["env"]]
    assert tuple(verdict.parts) == judge.PARTS
    assert all(0.0 <= share <= 1.0 for share in verdict.parts.values())
    assert 0.0 <= verdict.score <= 1.0 and 0.0 <= verdict.invented <= 1.0
    assert (verdict.score == 1.0) == verdict.correct == (verdict.outcome == "correct")
    assert (0.0 < verdict.score < 1.0) == (verdict.outcome == "partial")
    assert verdict.message.endswith(".") and verdict.message.count(". ") == 0 and "\n" not in verdict.message
    assert verdict.correct <= (set(verdict.parts.values()) == {1.0})
    assert all(-1.0 <= verdict.reward(scheme) <= 1.0 for scheme in SCHEMES)


@pytest.mark.parametrize("case", CASES, ids=[case["name"].replace(" ", "-") for case in CASES])
def test_cases(case: dict[str, Any]) -> None:
    """Every case of the table gets the verdict that it states."""
    truth = TRUTHS[case["truth"]]
    reply = None if case.get("none") else case.get("messages", case.get("reply"))
    assert case.keys() & {"none", "messages", "reply"}
    verdict = verify(truth, reply)
    assert verdict.outcome == case["outcome"]
    assert verdict.score == case.get("score", verdict.score)
    assert {key: verdict.parts[key] for key in case.get("parts", {})} == case.get("parts", {})
    assert verdict.message == case.get("message", verdict.message)
    check_form(verdict, truth)
    if isinstance(reply, str):
        encoded = reply.encode("utf-8", "surrogatepass")
        assert verify(truth.encode(), encoded) == verdict or "\ud800" in reply
        assert verify(truth, [{"role": "assistant", "content": reply}]) == verdict


def test_every_truth_has_an_oracle() -> None:
    """The laws below run over every truth of the table."""
    assert ORACLES.keys() == TRUTHS.keys()
    assert {json.loads(truth)["env"] for truth in TRUTHS.values()} == built_in().keys()


@pytest.mark.parametrize("name", TRUTHS)
@given(reply=junk)
@settings(max_examples=25, deadline=None)
def test_any_reply_gets_a_verdict(name: str, reply: object) -> None:
    """No reply raises, of whatever type; what is no reply at all is unparsed."""
    verdict = verify(TRUTHS[name], reply)
    check_form(verdict, TRUTHS[name])
    if not isinstance(reply, str | bytes | list | tuple):
        assert verdict.outcome == "unparsed"


@pytest.mark.parametrize("name", TRUTHS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_any_values_get_a_verdict(name: str, data: st.DataObject) -> None:
    """An answer with its key and any values at all is judged, and the junk within never makes it correct."""
    answer = deepcopy(ORACLES[name])
    key = data.draw(st.sampled_from(sorted(answer)))
    answer[key] = data.draw(values)
    verdict = verify(TRUTHS[name], json.dumps(answer))
    check_form(verdict, TRUTHS[name])
    assert verdict.outcome != "unparsed" or "NaN" in json.dumps(answer) or "Infinity" in json.dumps(answer)


class Hostile(dict[str, Any]):
    """A mapping that answers nothing."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def get(self, *_: object) -> Any:
        raise RuntimeError


def test_hostile_replies() -> None:
    """Lists that hold themselves, and objects that raise at every touch, are unparsed."""
    circle: list[Any] = []
    circle.append(circle)
    message = {"role": "assistant", "content": circle}
    for reply in (
        circle,
        [message],
        object(),
        {1: 2},
        3,
        [Hostile()],
        [{"role": Hostile(), "content": "x"}],
        [3, None],
    ):
        assert verify(TRUTHS["pd"], reply).outcome == "unparsed"


CHATTER = (
    "",
    "Here it is: ",
    "It {may} be \"{\" or {'a': 1}. ",
    '{"note": {"products": []}}\n',
    "<think>{}</think>",
    "…\n",
)


def respell(value: Any, draw: Any) -> Any:
    """The same answer in other spellings."""
    if isinstance(value, dict):
        pairs = [(key, respell(item, draw)) for key, item in value.items()]
        return dict(draw(st.permutations([*pairs, ("remark", "thanks")])))
    if isinstance(value, list):
        return [respell(item, draw) for item in value]
    if isinstance(value, str):
        text = draw(st.sampled_from([value, value.lower(), value.capitalize()]))
        if value.replace(" ", "").isalpha() and value.islower():
            return draw(st.sampled_from(["{}", " {} ", "{}\u200b"])).format(text)
        if value == "not_found":
            return draw(st.sampled_from(["{}", " {} ", "Not found", "not-found"])).format(text)
        if value.count("-") == 2:
            return draw(st.sampled_from([value, f" {value} ", value.translate(FULL_WIDTH)]))
        return draw(st.sampled_from(["{}", "#{}", " {} ", "\u200e{}", "{}\u00a0"])).format(text)
    if isinstance(value, bool):
        return draw(st.sampled_from([value, str(value), "yes" if value else "no", " Yes " if value else "NO"]))
    if isinstance(value, int):
        spellings = [value, float(value), str(value), f" {value}.0 ", str(value).translate(FULL_WIDTH), f"{value}.00"]
        return draw(st.sampled_from(spellings))
    return draw(st.sampled_from([None, "null", " None ", ""]))


FULL_WIDTH = {ord("0") + digit: chr(0xFF10 + digit) for digit in range(10)} | {ord("-"): "\u2212"}


@pytest.mark.parametrize("name", TRUTHS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_rewritten_oracle_stays_correct(name: str, data: st.DataObject) -> None:
    """Letter case, spelling of numbers, unicode form, white space, order of keys, chatter: the same verdict."""
    answer = respell(ORACLES[name], data.draw)
    if "items" in answer:
        answer["items"] = data.draw(st.permutations(answer["items"]))
    text = json.dumps(answer, ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.sampled_from([None, 2])))
    fenced = data.draw(st.sampled_from(["{}", "```json\n{}\n```", "<answer>{}</answer>", "<answer>\n{}"]))
    before = data.draw(st.sampled_from(CHATTER))
    after = data.draw(st.sampled_from(["", " That is all.", " {", ' {"a": 1}', " }"]))
    verdict = verify(TRUTHS[name], before + fenced.replace("{}", text) + after)
    assert verdict.outcome == "correct", verdict


def mutants(answer: dict[str, Any], ordered: bool = True) -> list[dict[str, Any]]:
    """All answers that differ from a right one by one edit which matters."""
    found = []

    def edit(**changes: Any) -> None:
        found.append({**deepcopy(answer), **changes})

    if "products" in answer:
        right = answer["products"]
        edit(products=[*right, "ZZZZZZ"])
        edit(products=["ZZZZZZ", *right])
        edit(products=[*right, *right[:1]]) if right else None
        for at in range(len(right)):
            edit(products=right[:at] + right[at + 1 :])
            edit(products=[*right[:at], "B8LW4C", *right[at + 1 :]])
            if at and ordered:
                edit(products=[*right[: at - 1], right[at], right[at - 1], *right[at + 1 :]])
    elif "items" in answer:
        right = answer["items"]
        edit(items=[*right, {"variant": "B0TTLE", "quantity": 1}])
        edit(items=[*right, right[0]]) if right else None
        for at, item in enumerate(right):
            rest = right[:at] + right[at + 1 :]
            edit(items=rest)
            edit(items=[*rest, {**item, "quantity": item["quantity"] + 1}])
            edit(items=[*rest, {**item, "quantity": item["quantity"] - 1}])
            edit(items=[*rest, {**item, "variant": "B0TTLE"}])
    elif "answer" in answer:
        for other in (0, 1, True, False, "yes", "30 days", "by road", None, -1998):
            if type(other) is not type(answer["answer"]) or other != answer["answer"]:
                edit(answer=other) if other != "yes" or answer["answer"] is not True else None
        edit(answer=-answer["answer"]) if type(answer["answer"]) is int else None
        edit(rule="R12") if answer["rule"] != "R12" else edit(rule="W3")
        edit(rule=None) if answer["rule"] else None
    elif "status" in answer:
        for status in {"shipped", "lost", "held", "not_found", ""} - {answer["status"]}:
            edit(status=status)
        edit(order=None) if answer["order"] else edit(order="D0RDER")
        edit(order="X0THER")
        if answer["order"]:
            edit(line="X0THER")
            edit(line=None) if answer["line"] else None
            edit(arrives="2026-03-13")
            edit(arrives=None) if answer["arrives"] else None
    elif answer["line"] is None:
        edit(order="D0RDER", line="LJACKT")
        edit(line="LJACKT")
        edit(order="D0RDER")
        edit(rule="R4")
        edit(decision="refund")
    else:
        for key in ("order", "line", "rule"):
            edit(**{key: "X0THER"})
            edit(**{key: None})
        edit(quantity=answer["quantity"] + 1)
        edit(quantity=None)
        for decision in {"refund", "exchange", "refuse", ""} - {answer["decision"]}:
            edit(decision=decision)
        for difference in (-1, 1, 100):
            edit(refund_cents=(answer["refund_cents"] or 0) + difference)
        edit(refund_cents=-answer["refund_cents"]) if answer["refund_cents"] else None
        edit(refund_cents=answer["refund_cents"] / 100) if answer["refund_cents"] else None
        edit(replacement="X0THER")
        edit(replacement=None) if answer["replacement"] else None
    return found


@pytest.mark.parametrize("name", TRUTHS)
def test_spoilt_oracle_is_not_correct(name: str) -> None:
    """One edit that matters makes the oracle wrong or partial, with a score that no rounding lifts to 1."""
    assert verify(TRUTHS[name], json.dumps(ORACLES[name])).correct
    spoilt = mutants(ORACLES[name], ordered=not name.startswith("bundle"))
    assert spoilt
    for answer in spoilt:
        verdict = verify(TRUTHS[name], json.dumps(answer))
        assert not verdict.correct and verdict.score < 1.0, answer
        check_form(verdict, TRUTHS[name])


def test_return_score_never_falls_as_parts_are_added() -> None:
    """Of two refunds, the one whose right parts include the other's right parts scores no less."""
    right = ORACLES["exchange"]
    spoil = {
        "line": "X0THER",
        "quantity": 9,
        "decision": "refund",
        "rule": "R9",
        "refund_cents": 1,
        "replacement": "V1",
    }
    scores = {}
    for number in range(64):
        wrong = {key for bit, key in enumerate(spoil) if number >> bit & 1}
        answer = {**right, **{key: spoil[key] for key in wrong}}
        scores[frozenset(wrong)] = verify(TRUTHS["exchange"], json.dumps(answer)).score
    assert all(scores[few] >= scores[many] for few in scores for many in scores if few <= many)
    assert sorted(set(scores.values())) == [0.0, 0.1, 0.2, 0.4, 1.0]


def test_rewards() -> None:
    """Each scheme, over the outcomes; the published composition never passes 0.90."""
    right, half = (
        verify(TRUTHS["pd"], '{"products": ["K7QX3M", "R2TD9F"]}'),
        verify(TRUTHS["pd"], '{"products": ["K7QX3M"]}'),
    )
    wrong, unparsed = verify(TRUTHS["pd"], '{"products": ["INVENT"]}'), verify(TRUTHS["pd"], None)
    invalid = verify(TRUTHS["pd"], '{"products": 1}')
    table = {
        "binary": [1.0, 0.0, 0.0, 0.0, 0.0],
        "signed": [1.0, -1.0, -1.0, -1.0, -1.0],
        "score": [1.0, 0.5, 0.0, 0.0, 0.0],
        "ecomrlve": [0.9, 0.15, -0.7, -1.0, -1.0],
    }
    assert tuple(table) == SCHEMES
    for scheme, wanted in table.items():
        assert [verdict.reward(scheme) for verdict in (right, half, wrong, unparsed, invalid)] == pytest.approx(wanted)
    with pytest.raises(ecomrlve.InvalidArgument, match=r"scheme='best': choose one of binary, signed, score, ecomrlve"):
        right.reward("best")
    assert ecomrlve.InvalidArgument is InvalidArgument and issubclass(InvalidArgument, EcomrlveError)


def test_invented_identifiers() -> None:
    """The share of answered identifiers that stand nowhere on the page."""
    assert verify(TRUTHS["pd"], '{"products": ["NOWHERE", "K7QX3M", "B8LW4C", "N0"]}').invented == 0.5
    assert verify(TRUTHS["cart"], '{"items": [{"variant": "N0", "quantity": 3}]}').invented == 1.0
    answer = {"order": "D0RDER", "line": "LJACKT", "decision": "refund", "rule": "R99", "replacement": "N0"}
    assert verify(TRUTHS["refund"], json.dumps(answer)).invented == 0.5


@given(text=st.text(max_size=12))
@settings(max_examples=200, deadline=None)
def test_identifiers_are_stable(text: str) -> None:
    """Letter case, hash and surrounding space of an identifier of ours never matter."""
    ours = "".join(sign for sign in text if sign.isascii() and sign.isalnum()).upper()
    assert canonical_identifier(f" #{ours.lower()}\u200b ") == ours == canonical_identifier(ours)


@given(number=st.integers(-(10**17), 10**17))
def test_integers_in_every_spelling(number: int) -> None:
    """An integer reads the same from each of its spellings, and is none once a part of a unit is added."""
    spellings = [
        str(number),
        f"{number}.0",
        f" {number}.",
        f"{number}e0",
        f"{number}0e-1",
        str(number).translate(FULL_WIDTH),
    ]
    assert {integer_of(spelling) for spelling in spellings} == {number}
    assert integer_of(f"{number}.5") is integer_of(f"{number}5e-1" if number % 2 else f"{number}.01") is None


def test_verdicts_travel() -> None:
    """A verdict is the same after a pickle, in threads, and in a process with another hash seed."""
    replies = [
        (TRUTHS[case["truth"]], case["reply"]) for case in CASES if "reply" in case and "\ud800" not in case["reply"]
    ]
    here = [verify(*pair) for pair in replies]
    assert pickle.loads(pickle.dumps(here)) == here
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda pair: verify(*pair), replies * 4)) == here * 4
    program = (
        "import json, sys; from ecomrlve import verify\n"
        "print(json.dumps([repr(verify(*pair)) for pair in json.load(sys.stdin)]))"
    )
    for seed in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(replies),
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        assert json.loads(run.stdout) == [repr(verdict) for verdict in here]


def test_standard_library_only() -> None:
    """Judging every environment works where nothing but the standard library can be imported."""
    program = """
import json, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root not in sys.stdlib_module_names and root != "ecomrlve":
            raise ImportError(name)
        if root == "ecomrlve" and not (name in ("ecomrlve", "ecomrlve.generator") or ".verifiers" in name):
            raise ImportError(name)
sys.meta_path.insert(0, Blocked())
from ecomrlve import verify
for truth, reply in json.load(sys.stdin):
    assert verify(truth, json.dumps(reply)).correct, truth
"""
    pairs = [(TRUTHS[name], ORACLES[name]) for name in TRUTHS]
    run = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(pairs), capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert run.returncode == 0, run.stderr


def test_judges_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package brings its own judge by an entry point; one that cannot be loaded says so."""
    (tmp_path / "echo_judge.py").write_text(
        "from ecomrlve.generator.verifiers.verdict import Judgement\n"
        "ENV, KEY, PARTS = 'ECHO', 'say', ('word',)\n"
        "def check_truth(truth): return truth['word']\n"
        "def judge(truth, answer):\n"
        "    right = answer['say'] == truth\n"
        "    return Judgement(right, float(right), {'word': float(right)}, 0.0, 'The word was judged.')\n"
    )
    info = tmp_path / "echo-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: echo\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ecomrlve.verifiers]\nECHO = echo_judge\nLOST = no_such_module_at_all\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert verify('{"env":"ECHO","version":1,"word":"hi"}', '{"say": "hi"}').correct
    with pytest.raises(EcomrlveError, match="'LOST' cannot be loaded"):
        verify('{"env":"LOST","version":1}', "{}")
