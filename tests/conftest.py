"""What several test files share: Hypothesis profiles, and a small run."""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.engine import generate

# A task on a page of many product types can take a second the first time, as its words are learnt.
_CALM = settings(deadline=None, suppress_health_check=list(HealthCheck))
# The same cases every time, so that a red build is red again when it is looked into.
settings.register_profile("ci", _CALM, max_examples=100, derandomize=True)
# Cases of chance, and more of them: for people who look for faults.
settings.register_profile("long", _CALM, max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run of all environments; tests read it and do not change it."""
    out = tmp_path_factory.mktemp("runs") / "finished"
    generate(Configuration(count=270, levels=(0, 2), shop=2_000, shard_rows=90, seed=3), out)
    return out


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A small run of each target, written when it is first asked for; tests read it and do not change it."""

    @cache
    def of(target: str) -> Path:
        out = tmp_path_factory.mktemp("targets") / target
        generate(Configuration(count=36, levels=(0, 2), shop=2_000, seed=3, shard_rows=9, target=target), out)
        return out

    return of
