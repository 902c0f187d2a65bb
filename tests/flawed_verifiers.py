"""Three verifiers as people publish them, each with the flaw of its kind, and some that are called otherwise."""

import json
import re
from collections.abc import Sequence
from typing import Any

EPSILON = 1e-8


def substring(ground_truth: str, response: str) -> float:
    """Right where every right id occurs anywhere in the reply."""
    return float(all(name in response for name in json.loads(ground_truth)["ranking"]))


def nearly_f1(data_source: str, solution_str: str, ground_truth: str, extra_info: Any = None) -> dict[str, float]:
    """Right from an F1 of 0.95 over the set of variants named; quantities are not looked at."""
    wanted = {name for item in json.loads(ground_truth)["items"] for name in item["variants"]}
    found = set(re.findall(r'"variant": "(\w+)"', solution_str))
    hits = len(wanted & found)
    precision, recall = hits / (len(found) + EPSILON), hits / (len(wanted) + EPSILON)
    f1 = 2 * precision * recall / (precision + recall + EPSILON)
    return {"score": 1.0 if f1 >= 0.95 else f1, "f1": f1}


def any_return(completions: Sequence[str], label: Sequence[str], **columns: Any) -> list[float]:
    """Right where the customer wants a return and the reply starts any, whatever the line, rule and amount."""
    started = ['"decision": "refund"' in reply or '"decision": "exchange"' in reply for reply in completions]
    wanted = [json.loads(truth)["accepted"][0]["decision"] != "refuse" for truth in label]
    return [float(one == other) for one, other in zip(started, wanted, strict=True)]


async def later(args: Any, sample: Any, **options: Any) -> float:
    """One that is awaited."""
    from ecomrlve import verify

    return float(verify(sample.label, sample.response).correct)


def turned_round(one: str, two: str) -> bool:
    """One whose parameters say nothing: the reply, then the truth."""
    from ecomrlve import verify

    return two.startswith("{") and verify(two, one).correct


def raises(truth: str, reply: str) -> float:
    """One that raises on whatever it cannot read."""
    return float(json.loads(reply[reply.index("{") :]) is not None)


def keeps_the_last(truth: str, reply: str, seen: list[str] = []) -> float:  # noqa: B006
    """One with a memory: what was said before gets nothing."""
    known = reply in seen
    seen.append(reply)
    return 0.5 if known else 1.0
