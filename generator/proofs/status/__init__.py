"""The proof of STATUS: every order and line held against the description, and settled by the document, day by day."""

from ecomrlve.generator.proofs.status.proof import PROOF

__all__ = ["PROOF"]
