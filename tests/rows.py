"""The proof row of an environment, which every one of ours has."""

from ecomrlve.generator.proofs import proof
from ecomrlve.generator.proofs.base import EnvironmentProof


def row_of(env: str) -> EnvironmentProof:
    row = proof(env)
    assert row is not None, f"{env} has no proof: write generator/proofs/{env.lower()}.py"
    return row
