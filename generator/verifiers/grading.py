"""`verify`: one path from a ground truth and a reply to a verdict, the same for every environment."""

from functools import lru_cache
from math import nextafter
from typing import Any

from ecomrlve.generator.verifiers.errors import ReplyShapeError
from ecomrlve.generator.verifiers.extract import counting_part, find_answer, text_of
from ecomrlve.generator.verifiers.registry import Judge, judge_of
from ecomrlve.generator.verifiers.truth import read_truth, truth_text
from ecomrlve.generator.verifiers.verdict import Outcome, Verdict

_BELOW_ONE = nextafter(1.0, 0.0)


@lru_cache(maxsize=512)
def _prepared(ground_truth: str) -> tuple[Judge, Any]:
    truth = read_truth(ground_truth)
    judge = judge_of(truth.get("env"))
    return judge, judge.check_truth(truth)


def _without_answer(judge: Judge, outcome: Outcome, message: str) -> Verdict:
    return Verdict(0.0, False, outcome, dict.fromkeys(judge.PARTS, 0.0), message)


def _unparsed(judge: Judge, text: str | None) -> Verdict:
    if text is None or not text.strip():
        message = "The reply holds no text."
    elif counting_part(text) is None:
        message = "The reply ends within a thought, before any answer."
    else:
        message = f'The reply holds no JSON object with "{judge.KEY}".'
    return _without_answer(judge, "unparsed", message)


def verify(ground_truth: str | bytes, reply: object) -> Verdict:
    """Judge one reply.

    Args:
        ground_truth: a task's ``ground_truth``: JSON text, all that judging needs.
        reply: a string, bytes, None or a list of chat messages, of which the last assistant one counts; anything else
            is judged too, as unparsed.

    Returns:
        The verdict: the same one whenever and wherever the two are judged.

    Raises:
        TruthError: where the ``ground_truth`` is not one of ours; a reply never raises.

    >>> truth = '{"env":"PD","ranking":["A1"],"shown":["A1","B2"],"version":1}'
    >>> verify(truth, 'The cheapest is <answer>{"products": ["#a1"]}</answer>').correct
    True
    >>> verify(truth, None).outcome
    'unparsed'
    """
    judge, truth = _prepared(ground_truth if isinstance(ground_truth, str) else truth_text(ground_truth))
    text = text_of(reply)
    said = None if text is None else counting_part(text)
    answer = None if said is None else find_answer(said, judge.KEY)
    if answer is None:
        return _unparsed(judge, text)
    try:
        judged = judge.judge(truth, answer)
    except ReplyShapeError as error:
        return _without_answer(judge, "invalid", str(error))
    if judged.correct:
        return Verdict(1.0, True, "correct", judged.parts, judged.message, judged.invented)
    # A share of very many parts may round to 1.
    score = min(judged.score, _BELOW_ONE)
    outcome: Outcome = "partial" if score > 0.0 else "wrong"
    return Verdict(score, False, outcome, judged.parts, judged.message, judged.invented)
