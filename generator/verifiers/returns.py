"""RETURN: to return or exchange something bought.

Truth: ``{"env":"RETURN","version":1,"accepted":[{"order","line","quantity","decision","rule","refund_cents",
"replacement"},…],"shown":["id",…]}``; more than one answer is accepted where nothing visible tells lines apart. Reply:
one object with the same keys as an accepted answer.

- A refusal moves no money, so its ``refund_cents`` may be null, 0 or absent; ``replacement`` may be absent for null.
- Where no line fits the request, order, line and rule are null and the decision is "refuse"; a reply that says so has
  nothing to say on quantity, refund and replacement, and they aren't read.

Parts: ``line quantity decision rule refund replacement``, each 1 or 0 against the accepted answer that the reply meets
best. The line (with its order) is what all else rests on: without it no part holds, so that guessing a decision,
which is right every second or third time, pays nothing.

Score: 0.1 for the line; 0.1 more with the decision; 0.2 more with the rule; and the remaining 0.6 only where all
holds. The answer is one act: a refund of the wrong amount is not most of a right one, and a shop that refuses every
request, or takes the first line of the last order, must stay below 0.1 on average. Each step includes those before
it, so that whoever gets more parts right never scores less.
"""

from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

from ecomrlve.generator.verifiers.canonical import identifier_or_none, whole_number_or_none, word
from ecomrlve.generator.verifiers.errors import ReplyShapeError, TruthError
from ecomrlve.generator.verifiers.truth import (
    require_identifier,
    require_integer,
    require_keys,
    require_list,
    require_on_page,
    require_shown,
)
from ecomrlve.generator.verifiers.verdict import Judgement

ENV = "RETURN"
KEY = "decision"
PARTS = ("line", "quantity", "decision", "rule", "refund", "replacement")

_DECISIONS = ("refund", "exchange", "refuse")
_KEYS = frozenset({"env", "version", "accepted", "shown"})
_ANSWER_KEYS = frozenset({"order", "line", "quantity", "decision", "rule", "refund_cents", "replacement"})


class Answer(NamedTuple):
    """What is done with which line; without a line, quantity, refund and replacement are None."""

    order: str | None
    line: str | None
    quantity: int | None
    decision: str
    rule: str | None
    refund: int | None
    replacement: str | None

    def identifiers(self) -> tuple[str, ...]:
        """All identifiers that the answer names.

        >>> Answer("O1", "L1", 1, "refuse", "R3", None, None).identifiers()
        ('O1', 'L1', 'R3')
        """
        return tuple([text for text in (self.order, self.line, self.rule, self.replacement) if text is not None])


@dataclass(frozen=True, slots=True)
class Truth:
    """The accepted answers, and all identifiers on the page."""

    accepted: tuple[Answer, ...]
    shown: frozenset[str]


def check_truth(truth: dict[str, Any]) -> Truth:
    """The truth of a RETURN task, typed, or `TruthError`.

    >>> none = dict.fromkeys(("order", "line", "quantity", "rule", "refund_cents", "replacement"))
    >>> truth = {"env": "RETURN", "version": 1, "accepted": [none | {"decision": "refuse"}], "shown": ["R1"]}
    >>> check_truth(truth).accepted[0].decision
    'refuse'
    """
    require_keys(truth, _KEYS, "the object")
    shown = require_shown(truth)
    accepted = tuple([_check_answer(value) for value in require_list(truth["accepted"], "accepted")])
    for answer in accepted:
        require_on_page(answer.identifiers(), shown, "an accepted answer")
    if not accepted or len(set(accepted)) != len(accepted):
        raise TruthError("ground_truth: accepted needs answers that differ")
    if len(accepted) > 1 and any(answer.line is None for answer in accepted):
        raise TruthError("ground_truth: where no line fits, nothing else is accepted")
    return Truth(accepted, shown)


def _check_answer(value: object) -> Answer:
    answer = require_keys(value, _ANSWER_KEYS, "an accepted answer")
    decision = answer["decision"]
    refund = answer["refund_cents"]
    replacement = answer["replacement"]
    if decision not in _DECISIONS:
        raise TruthError(f"ground_truth: decision is not one of {', '.join(_DECISIONS)}")
    if answer["order"] is None and answer["line"] is None:
        if decision != "refuse" or any(answer[key] is not None for key in _ANSWER_KEYS - {"decision"}):
            raise TruthError("ground_truth: an answer without a line refuses, and all else is null")
        return Answer(None, None, None, decision, None, None, None)
    if decision == "refuse":
        if refund not in (None, 0) or isinstance(refund, bool | float):
            raise TruthError("ground_truth: a refusal has a refund_cents")
        refund = None
    else:
        require_integer(refund, "refund_cents", least=0 if decision == "refund" else None)
    if (replacement is not None) != (decision == "exchange"):
        raise TruthError("ground_truth: an exchange has a replacement, and nothing else has")
    return Answer(
        require_identifier(answer["order"], "order"),
        require_identifier(answer["line"], "line"),
        require_integer(answer["quantity"], "quantity", least=1),
        decision,
        require_identifier(answer["rule"], "rule"),
        refund,
        None if replacement is None else require_identifier(replacement, "replacement"),
    )


def _read(answer: dict[str, Any]) -> Answer:
    # Null says that no line fits; an absent key says nothing, and a line named under another key is no null.
    for key in ("order", "line", "rule"):
        if key not in answer:
            raise ReplyShapeError(f'The reply has no "{key}".')
    decision = word(answer["decision"], "a decision")
    order = identifier_or_none(answer["order"], "an order")
    line = identifier_or_none(answer["line"], "a line")
    rule = identifier_or_none(answer["rule"], "a rule")
    if order is None and line is None:
        return Answer(None, None, None, decision, rule, None, None)
    refund = whole_number_or_none(answer.get("refund_cents"), "a refund")
    return Answer(
        order,
        line,
        whole_number_or_none(answer.get("quantity"), "a quantity"),
        decision,
        rule,
        None if decision == "refuse" and refund == 0 else refund,
        identifier_or_none(answer.get("replacement"), "a replacement"),
    )


def judge(truth: Truth, answer: dict[str, Any]) -> Judgement:
    """Judge what the reply does with which line.

    >>> right = Answer("O1", "L1", 1, "refund", "R3", 1999, None)
    >>> reply = {"order": "O1", "line": "L1", "quantity": 1, "decision": "refund", "rule": "R3", "refund_cents": 2000}
    >>> judge(Truth((right,), frozenset({"O1", "L1", "R3"})), reply).score
    0.4
    """
    given = _read(answer)
    tenths, held = max(map(_compare, repeat(given), truth.accepted), key=_merit)
    named = given.identifiers()
    strange = 0 if truth.shown.issuperset(named) else sum(text not in truth.shown for text in named)
    invented = strange / (len(named) or 1)
    parts = dict(zip(PARTS, map(float, held), strict=True))
    return Judgement(all(held), tenths / 10, parts, invented, _message(given, held))


def _merit(compared: tuple[int, tuple[bool, ...]]) -> tuple[int, int]:
    tenths, held = compared
    return tenths, sum(held)


def _compare(given: Answer, accepted: Answer) -> tuple[int, tuple[bool, ...]]:
    """The tenths that a reply is worth against one accepted answer, and which of the PARTS hold."""
    if (given.order, given.line) != (accepted.order, accepted.line):
        return 0, (False,) * len(PARTS)
    decision = given.decision == accepted.decision
    rule = given.rule == accepted.rule
    held = (
        True,
        given.quantity == accepted.quantity,
        decision,
        rule,
        given.refund == accepted.refund,
        given.replacement == accepted.replacement,
    )
    if all(held):
        return 10, held
    return 1 + decision + 2 * (decision and rule), held


def _message(given: Answer, held: tuple[bool, ...]) -> str:
    line, quantity, decision, rule, _, replacement = held
    if all(held):
        return "The reply handles the return as the rules say."
    if not line:
        if given.line is None and given.order is None:
            return "The reply finds nothing that was bought, but the request is about a line of an order."
        return "The reply is not about the line that the request means."
    if not decision:
        return "The reply has the right line but the wrong decision."
    if not rule:
        return "The reply has the right line and decision but names the wrong rule."
    if not quantity:
        return "The reply has the right line and decision but the wrong quantity."
    if not replacement:
        return "The reply has the right line and decision but the wrong replacement."
    return "The reply has the right line and decision but the wrong amount."
