"""POLICY: what the shop's rules say of a case, and the rule that decides.

Truth: ``{"env":"POLICY","version":1,"answer":value,"unit":"…","rule":"id","shown":["id",…]}``. The unit says how a
value is compared: ``"cents"``, ``"days"``, ``"months"``, ``"hours"`` and ``"points"`` are integers, ``"yes_no"`` is
true or false, ``"words"`` a text, and ``"nothing"`` goes with an answer and a rule of null: no rule speaks. Reply:
``{"answer": value, "rule": "id"}``.

- A number must be the very one, with its sign, in any spelling of an integer, with its unit behind it or not: 30,
  "30.0" and "30 days" are one; −30, 30.4 and "30 hours" are others.
- Yes and no may come as true and false or as these words, and never as numbers, nor a number as one of them.
- Words are compared without regard to letter case, spacing, and the kind of dash or quotation mark.

Parts: ``answer rule``, each 1 or 0. Score: 1 where both hold; 0.2 for the rule alone, and 0.1 for a number alone: a
yes, a no or one of a few words is right too often without reading. Whoever says that no rule speaks where one does, or
the other way round, gets nothing.
"""

import re
from dataclasses import dataclass
from typing import Any

from ecomrlve.generator.verifiers.canonical import clean, identifier_or_none, integer_of
from ecomrlve.generator.verifiers.errors import ReplyShapeError, TruthError
from ecomrlve.generator.verifiers.truth import require_identifier, require_keys, require_on_page, require_shown
from ecomrlve.generator.verifiers.verdict import Judgement

ENV = "POLICY"
KEY = "answer"
PARTS = ("answer", "rule")

_KEYS = frozenset({"env", "version", "answer", "unit", "rule", "shown"})
_UNITS = {
    "cents": ("cent", "cents"),
    "days": ("day", "days"),
    "months": ("month", "months"),
    "hours": ("hour", "hours"),
    "points": ("point", "points"),
}
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}
_NOTHING = frozenset({"", "null", "none"})
_RIGHT_RULE, _RIGHT_NUMBER = 0.2, 0.1
_WITH_UNIT = re.compile(r"([+-]?\s?\d[\d.]*)\s*([a-z]+)")


@dataclass(frozen=True, slots=True)
class Truth:
    """What the rules say, how it is compared, the rule that decides, and all identifiers on the page."""

    answer: int | str | bool | None
    unit: str
    rule: str | None
    shown: frozenset[str]


def check_truth(truth: dict[str, Any]) -> Truth:
    """The truth of a POLICY task, typed, or `TruthError`.

    >>> check_truth({"env": "POLICY", "version": 1, "answer": 30, "unit": "days", "rule": "R1", "shown": ["R1"]}).answer
    30
    """
    require_keys(truth, _KEYS, "the object")
    shown = require_shown(truth)
    answer, unit = truth["answer"], truth["unit"]
    if unit == "nothing":
        if answer is not None or truth["rule"] is not None:
            raise TruthError("ground_truth: where no rule speaks, answer and rule are null")
        return Truth(None, unit, None, shown)
    rule = require_identifier(truth["rule"], "rule")
    require_on_page((rule,), shown, "rule")
    kinds: dict[str, type[int | str]] = {**dict.fromkeys(_UNITS, int), "yes_no": bool, "words": str}
    if not isinstance(unit, str) or unit not in kinds:
        raise TruthError(f"ground_truth: unit is not one of {', '.join(kinds)}, nothing")
    if type(answer) is not kinds[unit] or answer == "":
        raise TruthError(f"ground_truth: answer is not what the unit {unit} says")
    return Truth(_words(answer) if isinstance(answer, str) else answer, unit, rule, shown)


def _words(text: str) -> str:
    return " ".join(clean(text).casefold().strip("\"'").split())


def _number(value: object, unit: str) -> int | None:
    """The integer that a reply spells, its unit behind it or not; None where it is another thing."""
    number = integer_of(value)
    if number is None and isinstance(value, str):
        match = _WITH_UNIT.fullmatch(clean(value).casefold())
        if match and match[2] in _UNITS[unit]:
            return integer_of(match[1].replace(" ", ""))
    return number


def _same(value: object, truth: Truth) -> bool:
    if truth.unit in _UNITS:
        return not isinstance(value, bool) and _number(value, truth.unit) == truth.answer
    if truth.unit == "yes_no":
        said = value if isinstance(value, bool) else _YES_NO.get(_words(value)) if isinstance(value, str) else None
        return said is not None and said == truth.answer
    return isinstance(value, str) and _words(value) == truth.answer


def judge(truth: Truth, answer: dict[str, Any]) -> Judgement:
    """Judge what the reply says, and by which rule.

    >>> truth = Truth(30, "days", "R1", frozenset({"R1", "R2"}))
    >>> judge(truth, {"answer": "30 days", "rule": "r1"}).correct, judge(truth, {"answer": -30, "rule": "R1"}).score
    (True, 0.2)
    """
    value = answer[KEY]
    if isinstance(value, dict | list):
        raise ReplyShapeError("The reply gives an answer that is not a number, a word, or yes or no.")
    if "rule" not in answer:
        raise ReplyShapeError('The reply has no "rule".')
    rule = identifier_or_none(answer["rule"], "a rule")
    silent = value is None or (isinstance(value, str) and _words(value) in _NOTHING)
    invented = float(rule is not None and rule not in truth.shown)
    if truth.answer is None or silent:
        held = (silent and truth.answer is None, rule is None and truth.rule is None)
        score = float(all(held))
    else:
        held = (_same(value, truth), rule == truth.rule)
        by_number = _RIGHT_NUMBER if truth.unit in _UNITS else 0.0
        score = 1.0 if all(held) else _RIGHT_RULE * held[1] + by_number * held[0]
    parts = dict(zip(PARTS, map(float, held), strict=True))
    return Judgement(all(held), score, parts, invented, _message(truth, held, silent))


def _message(truth: Truth, held: tuple[bool, ...], silent: bool) -> str:
    if all(held):
        return "The reply says what the rules say, and names the rule that decides."
    if truth.answer is None:
        return "The reply gives an answer, but no rule speaks of this case."
    if silent:
        return "The reply says that no rule speaks, but one does."
    if held[0]:
        return "The reply has the right answer but names the wrong rule."
    if held[1]:
        return "The reply names the right rule but has the wrong answer."
    return "The reply has the wrong answer and the wrong rule."
