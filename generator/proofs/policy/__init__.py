"""POLICY: the rules read from the document by a second reader, and followed one step at a time."""

from ecomrlve.generator.proofs.policy.proof import PROOF

__all__ = ["PROOF"]
