"""STATUS: where an order, or one line of it, is, and the day on which it arrives.

Truth: ``{"env":"STATUS","version":1,"accepted":[{"order","line","status","arrives"},…],"shown":["id",…]}``; more than
one answer is accepted where nothing visible tells orders apart. Reply: one object with the same keys.

- ``line`` and ``arrives`` may be absent for null; ``arrives`` is an ISO 8601 calendar date. What is paid, packed,
  shipped, out for delivery or delivered has one, and nothing else.
- Where no order is what the customer describes, the order is null and the status ``"not_found"``; a reply that says so
  has nothing to say on line and arrival, and they aren't read.

Parts: ``order line status arrives``, each 1 or 0 against the accepted answer that the reply meets best. The order with
its line is what all else rests on: without them no other part holds, so that guessing a status pays nothing.

Score: 0.1 for the order and the line; 0.3 more with the status; and the remaining 0.6 only where all holds. Whoever
always names the first order, as on its way, must stay below 0.1 on average.
"""

import re
from dataclasses import dataclass
from datetime import date
from itertools import repeat
from typing import Any, NamedTuple

from ecomrlve.generator.verifiers.canonical import clean, identifier_or_none, word
from ecomrlve.generator.verifiers.errors import ReplyShapeError, TruthError
from ecomrlve.generator.verifiers.truth import (
    require_identifier,
    require_keys,
    require_list,
    require_on_page,
    require_shown,
)
from ecomrlve.generator.verifiers.verdict import Judgement

ENV = "STATUS"
KEY = "status"
PARTS = ("order", "line", "status", "arrives")

NOT_FOUND = "not_found"
STATES = (
    *("placed", "paid", "packed", "shipped", "out_for_delivery", "delivered"),
    *("returned", "cancelled", "lost", "held"),
)
_COMING = STATES[1:6]
"""States with a day of arrival; in the others nothing will come, or nobody knows when."""
_SPELLINGS = {"canceled": "cancelled"}
_NO_DAY = frozenset({"", "null", "none"})
_KEYS = frozenset({"env", "version", "accepted", "shown"})
_ANSWER_KEYS = frozenset({"order", "line", "status", "arrives"})
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


class Answer(NamedTuple):
    """Where what is asked about is; without an order, line and arrival are None."""

    order: str | None
    line: str | None
    status: str
    arrives: str | None

    def identifiers(self) -> tuple[str, ...]:
        """All identifiers that the answer names.

        >>> Answer("O1", None, "paid", "2026-03-14").identifiers()
        ('O1',)
        """
        return tuple([text for text in (self.order, self.line) if text is not None])


@dataclass(frozen=True, slots=True)
class Truth:
    """The accepted answers, and all identifiers on the page."""

    accepted: tuple[Answer, ...]
    shown: frozenset[str]


def check_truth(truth: dict[str, Any]) -> Truth:
    """The truth of a STATUS task, typed, or `TruthError`.

    >>> none = {"order": None, "line": None, "status": "not_found", "arrives": None}
    >>> check_truth({"env": "STATUS", "version": 1, "accepted": [none], "shown": ["A1"]}).accepted[0].status
    'not_found'
    """
    require_keys(truth, _KEYS, "the object")
    shown = require_shown(truth)
    accepted = tuple([_check_answer(value) for value in require_list(truth["accepted"], "accepted")])
    for answer in accepted:
        require_on_page(answer.identifiers(), shown, "an accepted answer")
    if not accepted or len(set(accepted)) != len(accepted):
        raise TruthError("ground_truth: accepted needs answers that differ")
    if len(accepted) > 1 and any(answer.order is None for answer in accepted):
        raise TruthError("ground_truth: where no order fits, nothing else is accepted")
    return Truth(accepted, shown)


def _check_answer(value: object) -> Answer:
    answer = require_keys(value, _ANSWER_KEYS, "an accepted answer")
    status, arrives = answer["status"], answer["arrives"]
    if answer["order"] is None:
        if status != NOT_FOUND or answer["line"] is not None or arrives is not None:
            raise TruthError("ground_truth: an answer without an order finds none, and all else is null")
        return Answer(None, None, NOT_FOUND, None)
    if status not in STATES:
        raise TruthError(f"ground_truth: status is not one of {', '.join(STATES)}")
    if arrives is not None and (not isinstance(arrives, str) or _day(arrives) != arrives):
        raise TruthError("ground_truth: arrives is not a date")
    if (arrives is not None) != (status in _COMING):
        raise TruthError("ground_truth: what comes or came has a day, and nothing else has")
    return Answer(
        require_identifier(answer["order"], "order"),
        None if answer["line"] is None else require_identifier(answer["line"], "line"),
        status,
        arrives,
    )


def _day(text: str) -> str | None:
    """The date that a text is, or None."""
    found = _DAY.fullmatch(text)
    if found is None:
        return None
    try:
        return date(*map(int, found.groups())).isoformat()
    except ValueError:
        return None


def _read(answer: dict[str, Any]) -> Answer:
    # Null says that no order fits; an absent key says nothing.
    if "order" not in answer:
        raise ReplyShapeError('The reply has no "order".')
    status = "_".join(re.split(r"[\s_-]+", word(answer["status"], "a status")))
    status = _SPELLINGS.get(status, status)
    order = identifier_or_none(answer["order"], "an order")
    if order is None:
        return Answer(None, None, status, None)
    line = identifier_or_none(answer.get("line"), "a line")
    arrives = answer.get("arrives")
    if arrives is None:
        return Answer(order, line, status, None)
    if not isinstance(arrives, str):
        raise ReplyShapeError("The reply gives a day of arrival that is not a date.")
    text = clean(arrives)
    day = None if text.casefold() in _NO_DAY else _day(text)
    if day is None and text.casefold() not in _NO_DAY:
        raise ReplyShapeError("The reply gives a day of arrival that is not a date.")
    return Answer(order, line, status, day)


def judge(truth: Truth, answer: dict[str, Any]) -> Judgement:
    """Judge what the reply says of which order.

    >>> right = Answer("O1", None, "shipped", "2026-03-14")
    >>> reply = {"order": "O1", "line": None, "status": "shipped", "arrives": "2026-03-13"}
    >>> judge(Truth((right,), frozenset({"O1"})), reply).score
    0.4
    """
    given = _read(answer)
    tenths, held = max(map(_compare, repeat(given), truth.accepted), key=_merit)
    named = given.identifiers()
    strange = 0 if truth.shown.issuperset(named) else sum(text not in truth.shown for text in named)
    parts = dict(zip(PARTS, map(float, held), strict=True))
    return Judgement(all(held), tenths / 10, parts, strange / (len(named) or 1), _message(given, held))


def _merit(compared: tuple[int, tuple[bool, ...]]) -> tuple[int, int]:
    tenths, held = compared
    return tenths, sum(held)


def _compare(given: Answer, accepted: Answer) -> tuple[int, tuple[bool, ...]]:
    """The tenths that a reply is worth against one accepted answer, and which of the PARTS hold."""
    if given.order != accepted.order:
        return 0, (False,) * len(PARTS)
    if given.line != accepted.line:
        return 0, (True, False, False, False)
    status = given.status == accepted.status
    held = (True, True, status, given.arrives == accepted.arrives)
    if all(held):
        return 10, held
    # A reply that finds no order, in other words than the form has for it, says nothing of one.
    return (1 + 3 * status if accepted.order is not None else 0), held


def _message(given: Answer, held: tuple[bool, ...]) -> str:
    order, line, status, _ = held
    if all(held):
        return "The reply says where it is, and when it arrives, as the rules say."
    if not order:
        if given.order is None:
            return "The reply finds no order, but the request is about one."
        return "The reply is not about the order that the request means."
    if not line:
        return "The reply has the right order but not the line of it that the request is about."
    if not status:
        return "The reply has the right order but the wrong status."
    return "The reply has the right order and status but the wrong day of arrival."
