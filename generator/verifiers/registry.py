"""Which module judges which environment.

A judge is a module that names its environment in ``ENV`` and has the members of `Judge`. Those in this package are
found by being here; others by an entry point of the group ``ecomrlve.verifiers`` whose name is the environment.
"""

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

from ecomrlve.generator.verifiers.errors import EcomrlveError, TruthError
from ecomrlve.generator.verifiers.truth import excerpt
from ecomrlve.generator.verifiers.verdict import Judgement

ENTRY_POINTS = "ecomrlve.verifiers"


class Judge(Protocol):
    """What a judge module has.

    Attributes:
        ENV: the environment's code.
        KEY: the key that makes a JSON object of a reply an answer.
        PARTS: the keys of every verdict's parts.
    """

    ENV: str
    KEY: str
    PARTS: tuple[str, ...]

    def check_truth(self, truth: dict[str, Any]) -> Any:
        """The truth in the judge's own type; raises `TruthError` on anything missing or ill-typed."""

    def judge(self, truth: Any, answer: dict[str, Any]) -> Judgement:
        """Judge one answer that has the KEY; raises `ReplyShapeError` where its values have the wrong shape."""


@cache
def built_in() -> dict[str, Judge]:
    """The judges of this package by environment.

    >>> built_in()["PD"].KEY
    'products'
    """
    judges: dict[str, Judge] = {}
    package = import_module(__name__.rpartition(".")[0])
    for name in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        module = import_module(f"{package.__name__}.{name}")
        if hasattr(module, "ENV"):
            judges[module.ENV] = cast(Judge, module)
    return judges


@cache
def _installed(env: str) -> Judge:
    # A heavy import that the built-in environments never pay for.
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS, name=env):
        try:
            return cast(Judge, entry.load())
        except (ImportError, AttributeError) as error:
            raise EcomrlveError(f"the judge of environment {excerpt(env)} cannot be loaded: {error}") from error
    known = ", ".join(sorted(built_in()))
    raise TruthError(f"ground_truth is of environment {excerpt(env)}, which has no judge (there are {known})")


def judge_of(env: object) -> Judge:
    """The judge of an environment.

    Raises:
        TruthError: where there is none.
        EcomrlveError: where an installed one cannot be loaded.

    >>> judge_of("CART").PARTS
    ('variants', 'quantities')
    """
    if not isinstance(env, str):
        raise TruthError("ground_truth names no environment")
    return built_in().get(env) or _installed(env)
