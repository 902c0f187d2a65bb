"""slime: ``--custom-rm-path ecomrlve.outputs.rewards.slime.custom_rm --label-key label``."""

from typing import Any

from ecomrlve.outputs.rewards.grades import grade


async def custom_rm(args: Any, sample: Any, scheme: str = "binary", **kwargs: Any) -> Any:
    """The reward of one sample, or of each sample of a group (``--group-rm``).

    Args:
        args: slime's arguments; with ``reward_key`` set, a sample gets the whole dict of numbers.
        sample: has ``response`` and ``label``; or a list of such.
        scheme: of `Verdict.reward`.
        kwargs: whatever else a version of slime passes.
    """
    if isinstance(sample, list):
        return [_reward(args, one, scheme) for one in sample]
    return _reward(args, sample, scheme)


def _reward(args: Any, sample: Any, scheme: str) -> float | dict[str, float]:
    numbers = grade(sample.label, sample.response, scheme)
    return numbers if getattr(args, "reward_key", None) else numbers["score"]
