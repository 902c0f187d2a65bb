"""What judging a reply gives: a judge's `Judgement`, and the `Verdict` that users see."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ecomrlve.generator.verifiers.errors import InvalidArgument

Outcome = Literal["correct", "partial", "wrong", "unparsed", "invalid"]

SCHEMES = ("binary", "signed", "score", "ecomrlve")


class Judgement(NamedTuple):
    """What a judge says of one well-formed answer.

    Attributes:
        correct: whether the answer equals an accepted one, by exact comparison of canonical values.
        score: the share of the answer's parts that hold, in [0, 1]; taken as 1 where correct and as less otherwise.
        parts: the judge's PARTS with the share of each that holds.
        invented: the share of the identifiers answered that stand nowhere on the page.
        message: one sentence in the shop's terms, without a word of the reply.

    >>> Judgement(True, 1.0, {"products": 1.0}, 0.0, "The reply lists exactly the 1 product wanted.").correct
    True
    """

    correct: bool
    score: float
    parts: dict[str, float]
    invented: float
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one reply to one task.

    Attributes:
        score: in [0, 1]; 1.0 exactly when correct.
        correct: whether the reply is right in every part.
        outcome: "correct"; "partial" (a score between 0 and 1); "wrong" (an answer worth nothing); "unparsed" (no
            answer found); "invalid" (an answer of the wrong shape).
        parts: the share of each part that holds, with the same keys for every verdict of one environment.
        message: one sentence: what was wrong, in the shop's terms.
        invented: the share of the identifiers answered that stand nowhere on the page.

    >>> from ecomrlve import verify
    >>> truth = '{"env":"PD","ranking":["A1","B2"],"shown":["A1","B2","C3"],"version":1}'
    >>> verdict = verify(truth, 'These two: {"products": ["A1", "C3"]}')
    >>> verdict.outcome, verdict.score, verdict.parts
    ('partial', 0.5, {'products': 0.5, 'order': 0.5})
    >>> verdict.message
    'The reply lists 2 products, but only 1 of the 2 wanted is among them.'
    """

    score: float
    correct: bool
    outcome: Outcome
    parts: dict[str, float]
    message: str
    invented: float = 0.0

    def reward(self, scheme: str = "binary") -> float:
        """The verdict as a number for a trainer.

        Args:
            scheme: "binary" gives 1 for a correct reply and 0 for any other; "signed" 1 and -1; "score" the score;
                "ecomrlve" the published composition: -1 for a reply without a well-formed answer, else
                0.75 * (2 * score - 1) + 0.15 * efficiency - 0.10 * invented within [-1, 1], where efficiency is 1 as
                the reply took one turn. Its largest value is 0.90, by its own design.

        Raises:
            InvalidArgument: for another scheme.

        >>> verdict = Verdict(0.5, False, "partial", {"products": 0.5}, "One of two is right.")
        >>> [verdict.reward(scheme) for scheme in ("binary", "signed", "score", "ecomrlve")]
        [0.0, -1.0, 0.5, 0.15]
        """
        if scheme == "binary":
            return 1.0 if self.correct else 0.0
        if scheme == "signed":
            return 1.0 if self.correct else -1.0
        if scheme == "score":
            return self.score
        if scheme == "ecomrlve":
            if self.outcome in ("unparsed", "invalid"):
                return -1.0
            return max(-1.0, min(1.0, 0.75 * (2 * self.score - 1) + 0.15 - 0.10 * self.invented))
        raise InvalidArgument("scheme", scheme, f"choose one of {', '.join(SCHEMES)}")
