"""How a prompt is written for a model: where the shop's own text goes, and how long the whole may be."""

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from ecomrlve.errors import InvalidArgument, PromptTooLong
from ecomrlve.generator.tasks import Task
from ecomrlve.generator.world import LARGEST

Messages = list[dict[str, str]]

_GLUE = "\n\n"
_ACKNOWLEDGED = "Understood. How can I help?"

# Without a tokenizer: this many characters at least make up one token of shop text, ids and prices included.
CHARACTERS_PER_TOKEN = 2.5

# A chat template spends a few tokens on the marks around each message.
TOKENS_PER_MESSAGE = 8


def _system(messages: Messages) -> Messages:
    return messages


def _merge(messages: Messages) -> Messages:
    if messages[0]["role"] != "system":
        return messages
    if len(messages) == 1:
        return [{"role": "user", "content": messages[0]["content"]}]
    first = {"role": messages[1]["role"], "content": messages[0]["content"] + _GLUE + messages[1]["content"]}
    return [first, *messages[2:]]


def _none(messages: Messages) -> Messages:
    if messages[0]["role"] != "system":
        return messages
    shop = {"role": "user", "content": messages[0]["content"]}
    return [shop, {"role": "assistant", "content": _ACKNOWLEDGED}, *messages[1:]]


SYSTEM_ROLES: dict[str, Callable[[Messages], Messages]] = {"system": _system, "merge": _merge, "none": _none}


def arrange(messages: Messages, system_role: str) -> Messages:
    r"""The messages of a prompt under one of the `SYSTEM_ROLES`.

    ``system`` leaves the prompt as posed. For chat templates that know no system role, ``merge`` puts the shop's text
    before the customer's first words in one message, and ``none`` makes it a first turn of its own, acknowledged by
    the assistant, so that roles alternate and the customer's messages stay as they are.

    >>> arrange([{"role": "system", "content": "Shop."}, {"role": "user", "content": "Hi"}], "merge")
    [{'role': 'user', 'content': 'Shop.\n\nHi'}]
    """
    return SYSTEM_ROLES[system_role](messages)


Counter = Callable[[str], int]


def tokenizer_file(path: str) -> Path:
    """The file of a tokenizer.

    Raises:
        InvalidArgument: where there is none.
    """
    file = Path(path)
    file = file / "tokenizer.json" if file.is_dir() else file
    if not file.is_file():
        raise InvalidArgument("tokenizer", path, "must be a tokenizer.json or a folder that holds one")
    return file


def token_counter(path: str) -> Counter:
    """A function that counts the tokens of a text by a tokenizer on this machine.

    Args:
        path: a ``tokenizer.json``, or the folder of a model that holds one.

    Raises:
        InvalidArgument: where there is no such file, it is no tokenizer, or the ``tokenizers`` package is missing.
    """
    file = tokenizer_file(path)
    try:
        library = import_module("tokenizers")
    except ImportError as error:
        raise InvalidArgument("tokenizer", path, "needs the package tokenizers (pip install tokenizers)") from error
    try:
        text = file.read_text(encoding="utf-8")
        known = "model" in json.loads(text)
    except (ValueError, OSError) as error:
        raise InvalidArgument("tokenizer", path, f"cannot be read ({error})") from error
    if not known:
        raise InvalidArgument("tokenizer", path, "is JSON, but not that of a tokenizer (it has no model)")
    tokenizer = library.Tokenizer.from_str(text)
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


class Budget:
    """A bound on the length of prompts, kept by posing smaller tasks: a prompt is never cut.

    Args:
        tokens: the most tokens a prompt may have.
        system_role: how the prompt is written, one of `SYSTEM_ROLES`.
        counter: counts tokens; without one, `CHARACTERS_PER_TOKEN` is taken.
    """

    def __init__(self, tokens: int, system_role: str, counter: Counter | None = None) -> None:
        self._tokens = tokens
        self._system_role = system_role
        self._counter = counter
        self._added = len(_ACKNOWLEDGED) if system_role == "none" else len(_GLUE)

    def fit(self, pose: Callable[[int], Task]) -> Task:
        """The task posed with the largest character bound found under which it keeps to the budget.

        Args:
            pose: makes the task under a bound on the characters of its prompt.
        """
        if self._counter is None:
            return self._within(pose, int(self._tokens * CHARACTERS_PER_TOKEN) - self._added)
        # Start from the longest tokens that shop text has, then go down by what was measured.
        bound = self._tokens * 5
        while True:
            task = self._within(pose, bound)
            used = self._count(task, self._counter)
            if used <= self._tokens:
                return task
            bound = min(bound - 1, bound * self._tokens // used * 98 // 100)
            if bound < 1:
                raise InvalidArgument("max_prompt_tokens", self._tokens, "is too few for any task")

    def _within(self, pose: Callable[[int], Task], bound: int) -> Task:
        """The task of a bound; where there is none, an error that names the budget as it was given."""
        try:
            return pose(min(max(0, bound), LARGEST))
        except PromptTooLong as error:
            reason = str(error).partition(": ")[2]
            raise PromptTooLong(f"max_prompt_tokens={self._tokens}: {reason}") from error

    def _count(self, task: Task, counter: Counter) -> int:
        messages = arrange(task.prompt, self._system_role)
        return sum(counter(message["content"]) + TOKENS_PER_MESSAGE for message in messages)
