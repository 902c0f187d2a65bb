"""What every trainer's reward function returns: the same flat numbers for every environment."""

from collections.abc import Mapping, Sequence
from typing import Any

from ecomrlve.generator.verifiers import verify

Reply = str | Sequence[Mapping[str, Any]] | None


def grade(ground_truth: str, reply: Reply, scheme: str = "binary") -> dict[str, float]:
    """Judge one reply.

    Args:
        ground_truth: of the row.
        reply: text, or chat messages of which the last assistant one counts.
        scheme: of `Verdict.reward`: "binary", "signed", "score" or "ecomrlve".

    Returns:
        ``score`` under the scheme; ``acc`` 1 where correct, whatever the scheme (for group filters); ``partial`` the
        share of the answer that holds, from 0 to 1; ``unparsed`` and ``invalid`` 1 where that was the outcome;
        ``response_chars`` the length of a text reply.

    Raises:
        TruthError: where the ground truth is not one of ours: a fault of the data is never a zero.
    """
    verdict = verify(ground_truth, reply)
    return {
        "score": verdict.reward(scheme),
        "acc": float(verdict.correct),
        "partial": verdict.score,
        "unparsed": float(verdict.outcome == "unparsed"),
        "invalid": float(verdict.outcome == "invalid"),
        "response_chars": float(len(reply)) if isinstance(reply, str) else 0.0,
    }
