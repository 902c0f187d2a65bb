"""verl: ``reward.custom_reward_function.path`` this file, ``name`` compute_score."""

from typing import Any

from ecomrlve.outputs.rewards.grades import grade


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    scheme: str = "binary",
    **kwargs: Any,
) -> dict[str, float]:
    """The reward of one response, with the numbers that verl logs; DAPO's group filter can use ``acc``.

    Args:
        data_source: of the row; not needed.
        solution_str: the response.
        ground_truth: of the row's ``reward_model``.
        extra_info: of the row; not needed.
        scheme: of `Verdict.reward`; set it under ``reward_kwargs``.
        kwargs: whatever else a version of verl passes.
    """
    return grade(ground_truth, solution_str, scheme)
