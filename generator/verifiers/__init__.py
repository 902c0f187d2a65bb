"""Verifiers: ``verify(ground_truth, reply)`` judges any reply with the standard library alone.

One file per environment (`pd`, `cart`, `returns`) checks a truth and judges an answer; what they share is how a reply
becomes an answer (`extract`), how values are spelled (`canonical`), and how a truth is checked (`truth`).
"""

from ecomrlve.generator.verifiers.grading import verify
from ecomrlve.generator.verifiers.verdict import Verdict

__all__ = ["Verdict", "verify"]
