"""RETURN: the rules read from the document by a second reader, every line of every order tried."""

from ecomrlve.generator.proofs.returns.proof import PROOF

__all__ = ["PROOF"]
