"""SkyRL: call ``register()`` inside the Ray entry point; rows name the environment in ``env_class``.

`ShoppingEnv` is a ``BaseTextEnv`` of one turn. It is built when it is first asked for, since its base class comes
with skyrl-gym.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from ecomrlve.outputs.rewards.grades import grade

NAME = "ecomrlve"


def register() -> None:
    """Make ``env_class="ecomrlve"`` known to SkyRL in this process; once more does no harm."""
    registration = import_module("skyrl_gym.envs.registration")
    if NAME not in registration.registry:
        registration.register(id=NAME, entry_point=f"{__name__}:ShoppingEnv")


@cache
def _environment() -> type:
    base = import_module("skyrl_gym.envs.base_text_env")

    def __init__(self: Any, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        base.BaseTextEnv.__init__(self)
        self.ground_truth = (extras or {})["reward_spec"]["ground_truth"]
        self.scheme = env_config.get("scheme", "binary") if isinstance(env_config, Mapping) else "binary"
        self.numbers = {}

    def step(self: Any, action: str) -> Any:
        self.numbers = grade(self.ground_truth, action, self.scheme)
        return base.BaseTextEnvStepOutput(
            observations=[], reward=self.numbers["score"], done=True, metadata=dict(self.numbers)
        )

    def get_metrics(self: Any) -> dict[str, float]:
        return dict(self.numbers)

    members = {"__init__": __init__, "step": step, "get_metrics": get_metrics, "__module__": __name__}
    return type("ShoppingEnv", (base.BaseTextEnv,), members)


def __getattr__(name: str) -> Any:
    if name == "ShoppingEnv":
        return _environment()
    raise AttributeError(name)
