"""Each trainer's reward function on right, wrong and absent answers."""

import asyncio
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from ecomrlve import TruthError
from ecomrlve.outputs.rewards import nemo_gym, openrlhf, skyrl, slime, trl, verl
from ecomrlve.outputs.rewards.grades import Reply

TRUTH = '{"env":"PD","ranking":["AB12CD"],"shown":["AB12CD","EF34GH"],"version":1}'
RIGHT = 'Here you are.\n{"products": ["AB12CD"]}'
WRONG = '{"products": ["EF34GH"]}'
KEYS = {"score", "acc", "partial", "unparsed", "invalid", "response_chars"}


@pytest.mark.parametrize(
    ("reply", "acc", "unparsed", "invalid"),
    [(RIGHT, 1, 0, 0), (WRONG, 0, 0, 0), ("no", 0, 1, 0), ("", 0, 1, 0), ('{"products": 3}', 0, 0, 1)],
)
def test_verl(reply: str, acc: int, unparsed: int, invalid: int) -> None:
    """The same flat keys for every outcome."""
    numbers = verl.compute_score("ecomrlve/PD", reply, TRUTH, extra_info={"index": 1}, unknown=2)
    assert numbers.keys() == KEYS
    assert (numbers["score"], numbers["acc"], numbers["unparsed"], numbers["invalid"]) == (acc, acc, unparsed, invalid)
    assert numbers["response_chars"] == len(reply)
    assert all(type(value) is float for value in numbers.values())


def test_schemes() -> None:
    """The score follows the scheme, `acc` does not."""
    assert verl.compute_score("x", WRONG, TRUTH, scheme="signed")["score"] == -1
    assert verl.compute_score("x", RIGHT, TRUTH, scheme="ecomrlve") | {"response_chars": 0.0} == {
        "score": pytest.approx(0.9),
        "acc": 1.0,
        "partial": 1.0,
        "unparsed": 0.0,
        "invalid": 0.0,
        "response_chars": 0.0,
    }


def test_trl() -> None:
    """Plain and conversational completions; other columns pass by."""
    replies: list[Reply] = [RIGHT, [{"role": "assistant", "content": RIGHT}], WRONG]
    assert trl.reward(completions=replies, prompts=["p"] * 3, label=[TRUTH] * 3, level=[0, 1, 2]) == [1, 1, 0]
    with pytest.raises(ValueError, match="zip"):
        trl.reward(completions=[RIGHT], label=[])


def test_openrlhf() -> None:
    """Only what follows the prompt is judged, and a thought that is never closed is no answer."""
    prompt = f"Answer with {RIGHT}\nassistant\n"
    got = openrlhf.reward_func([prompt + RIGHT, prompt + "", prompt + WRONG], [prompt] * 3, [TRUTH] * 3)
    assert [float(value) for value in got["rewards"]] == [1, 0, 0]
    assert set(got["extra_logs"]) == KEYS
    thinking = prompt + "<think>\n"
    got = openrlhf.reward_func([thinking + RIGHT, thinking + "hm</think>" + RIGHT], [thinking] * 2, [TRUTH] * 2)
    assert [float(value) for value in got["scores"]] == [0, 1]
    assert openrlhf.reward_func([], [], [])["extra_logs"] == {}


def test_slime() -> None:
    """A sample, a group, and the whole dict where a reward key is set."""
    right, wrong = (SimpleNamespace(response=reply, label=TRUTH) for reply in (RIGHT, WRONG))
    plain = SimpleNamespace(reward_key=None)
    assert asyncio.run(slime.custom_rm(plain, right)) == 1
    assert asyncio.run(slime.custom_rm(plain, [right, wrong])) == [1, 0]
    assert asyncio.run(slime.custom_rm(SimpleNamespace(reward_key="acc"), wrong)).keys() == KEYS


def test_nemo_gym() -> None:
    """The text of the last message of a response is judged; a response without one is no answer."""

    def ask(*output: dict[str, Any]) -> dict[str, float]:
        return nemo_gym.reward({"response": {"output": list(output)}, "verifier_metadata": {"ground_truth": TRUTH}})

    def message(text: str) -> dict[str, Any]:
        return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}

    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": RIGHT}]}
    assert ask(thought, message(RIGHT))["reward"] == 1
    assert ask(message(RIGHT), message(WRONG)).keys() == KEYS | {"reward"}
    assert ask(message(RIGHT), message(WRONG))["reward"] == 0
    assert ask(thought)["unparsed"] == 1


def test_skyrl(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment as SkyRL makes and steps it; its base class stands in here, the real one in test_trainers."""

    class Base:
        def __init__(self) -> None:
            self.max_turns = 1

    registered: dict[str, str] = {}

    def register(**given: str) -> None:
        registered.update(given)
        registration.registry[given["id"]] = given

    registration = SimpleNamespace(register=register, registry={})
    base = SimpleNamespace(BaseTextEnv=Base, BaseTextEnvStepOutput=dict)
    monkeypatch.setitem(sys.modules, "skyrl_gym.envs.registration", registration)
    monkeypatch.setitem(sys.modules, "skyrl_gym.envs.base_text_env", base)
    skyrl._environment.cache_clear()
    skyrl.register()
    skyrl.register()
    module, _, name = registered["entry_point"].partition(":")
    made = getattr(sys.modules[module], name)
    skyrl._environment.cache_clear()
    extras = {"reward_spec": {"method": "rule", "ground_truth": TRUTH}, "max_turns": 1}
    environment = made(env_config={"scheme": "signed"}, extras=extras)
    step = environment.step(WRONG)
    assert (step["reward"], step["done"], step["observations"]) == (-1, True, [])
    assert environment.get_metrics().keys() == KEYS
    assert made(extras=extras).step(RIGHT)["reward"] == 1
    with pytest.raises(AttributeError):
        _ = skyrl.Nothing


def test_a_damaged_truth_is_never_a_zero() -> None:
    """A data fault raises in every trainer."""
    with pytest.raises(TruthError):
        verl.compute_score("x", RIGHT, "{}")
    with pytest.raises(TruthError):
        trl.reward(completions=[RIGHT], label=["{}"])


def test_standard_library_only() -> None:
    """The reward functions load and judge where none of the product's dependencies is installed."""
    blocked = ("numpy", "polars", "pyarrow", "networkx", "faker", "hypothesis", "click", "rich", "torch")
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked!r}))\n"
        "from ecomrlve.outputs.rewards import nemo_gym, openrlhf, overlong, skyrl, slime, trl, verl\n"
        f"assert verl.compute_score('x', {RIGHT!r}, {TRUTH!r})['score'] == 1\n"
        f"assert openrlhf.reward_func([{RIGHT!r}], [''], [{TRUTH!r}])['rewards'] == [1]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
