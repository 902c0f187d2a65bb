"""Fuzzing over the registry: our verifiers keep every property, and the strategies draw what they say."""

import pytest
from hypothesis import given, settings

from ecomrlve import environments
from ecomrlve.outputs.fuzzing import PROPERTIES, Example, load_verifier

EACH = pytest.mark.parametrize("env", environments())
OURS = load_verifier()
# Those that take long are tried less often.
FEW = {"pure": 8, "linear": 2}


@EACH
@pytest.mark.parametrize("name", PROPERTIES)
def test_our_verifiers_keep_every_property(env: str, name: str) -> None:
    one = PROPERTIES[name]

    @settings(max_examples=max(1, min(FEW.get(name, 40), 40) * settings().max_examples // 100))
    @given(example=one.examples(env, text_only=False))
    def check(example: Example) -> None:
        one.check(OURS, example)

    check()
