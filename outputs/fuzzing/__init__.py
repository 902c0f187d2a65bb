"""Fuzzing of verifiers, ours or anybody's: Hypothesis strategies of tasks and replies, and the properties they try.

It needs the extra ``ecomrlve[fuzz]``; nothing else of the package does.

>>> from hypothesis import given, settings
>>> from ecomrlve.outputs.fuzzing import PROPERTIES, load_verifier, sound
>>> verifier = load_verifier("ecomrlve:verify")
>>> @settings(max_examples=5, deadline=None)
... @given(example=PROPERTIES["sound"].examples("PD"))
... def no_wrong_reply_passes(example):
...     sound(verifier, example)
>>> no_wrong_reply_passes()
"""

from ecomrlve.outputs.fuzzing.properties import (
    PROPERTIES,
    Falsified,
    Property,
    complete,
    honest,
    linear,
    monotone,
    priced,
    pure,
    pure_across_processes,
    sound,
    total,
)
from ecomrlve.outputs.fuzzing.replies import Reply
from ecomrlve.outputs.fuzzing.strategies import (
    Example,
    cheat_replies,
    equivalent_replies,
    junk_replies,
    oracle_replies,
    tasks,
    worlds,
    wrong_replies,
)
from ecomrlve.outputs.fuzzing.verifier import Grade, Verifier, load_verifier

__all__ = [
    "PROPERTIES",
    "Example",
    "Falsified",
    "Grade",
    "Property",
    "Reply",
    "Verifier",
    "cheat_replies",
    "complete",
    "equivalent_replies",
    "honest",
    "junk_replies",
    "linear",
    "load_verifier",
    "monotone",
    "oracle_replies",
    "priced",
    "pure",
    "pure_across_processes",
    "sound",
    "tasks",
    "total",
    "worlds",
    "wrong_replies",
]
