"""What several test files share."""

from pathlib import Path

import pytest

from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.engine import generate


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run of all environments; tests read it and do not change it."""
    out = tmp_path_factory.mktemp("runs") / "finished"
    generate(Configuration(count=270, levels=(0, 2), shop=2_000, shard_rows=90, seed=3), out)
    return out
