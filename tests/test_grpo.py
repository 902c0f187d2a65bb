"""TRL for real, on a tiny model made here: a warm start on demonstrations, then GRPO with DAPO's loss."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.rewards.trl import reward

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("default")]

_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.role == 'assistant' %}{% generation %}{{ message.content }}<|im_end|>{% endgeneration %}\n"
    "{% else %}{{ message.content }}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def _library(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed: make test-trainers installs it")


def _shards(out: Path, target: str) -> Any:
    """The same eight easy tasks in the form of a target, as `datasets` loads them."""
    request = Configuration(
        count=8, environments=(("PD", Fraction(1)),), levels=(0,), splits=(("train", Fraction(1)),), shop=2_000,
        axes=(("candidates", 4.0),), impossible=0.0, target=target,
    )  # fmt: skip
    generate(request, out / target)
    return _library("datasets").load_dataset(str(out / target), split="train", cache_dir=str(out / "cache"))


def _tokenizer(texts: list[str]) -> Any:
    tokenizers, transformers = _library("tokenizers"), _library("transformers")
    bytes_of = tokenizers.Tokenizer(tokenizers.models.BPE())
    bytes_of.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_of.decoder = tokenizers.decoders.ByteLevel()
    marks = ["<|pad|>", "<|im_start|>", "<|im_end|>"]
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=1_500, special_tokens=marks, initial_alphabet=alphabet)
    bytes_of.train_from_iterator(texts, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=bytes_of, pad_token=marks[0], eos_token=marks[2], chat_template=_TEMPLATE
    )


def _model(tokenizer: Any) -> Any:
    transformers = _library("transformers")
    torch = _library("torch")
    torch.manual_seed(0)
    # More threads than free processors make a model this small many times slower.
    torch.set_num_threads(1)
    return transformers.Qwen2ForCausalLM(
        transformers.Qwen2Config(
            vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
            num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=4_096,
            pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id, bos_token_id=None,
        )
    )  # fmt: skip


def test_warm_start_and_grpo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model learns two demonstrations by heart, so that GRPO sees right answers and wrong ones."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    trl = _library("trl")
    demonstrations, tasks = _shards(tmp_path, "sft"), _shards(tmp_path, "trl")
    assert demonstrations["task_id"] == tasks["task_id"]
    tokenizer = _tokenizer([message["content"] for row in demonstrations["messages"] for message in row])
    model = _model(tokenizer)
    common = {
        "use_cpu": True,
        "report_to": [],
        "save_strategy": "no",
        "bf16": False,
        "disable_tqdm": True,
        "gradient_checkpointing": False,
    }
    warm = trl.SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=demonstrations.select(range(2)).select_columns("messages"),
        args=trl.SFTConfig(
            output_dir=str(tmp_path / "sft"), max_steps=80, learning_rate=5e-3, per_device_train_batch_size=2,
            assistant_only_loss=True, max_length=None, logging_steps=80, **common,
        ),
    )  # fmt: skip
    warm.train()
    rewards: list[float] = []

    def watched(completions: Any, **columns: Any) -> list[float]:
        found = reward(completions, **columns)
        rewards.extend(found)
        return found

    trainer = trl.GRPOTrainer(
        model=model,
        reward_funcs=watched,
        processing_class=tokenizer,
        train_dataset=tasks,
        args=trl.GRPOConfig(
            output_dir=str(tmp_path / "grpo"), max_steps=3, per_device_train_batch_size=8, num_generations=4,
            max_completion_length=48, loss_type="dapo", beta=0.0, epsilon=0.2, epsilon_high=0.28,
            mask_truncated_completions=True, temperature=0.9, shuffle_dataset=False, logging_steps=1, **common,
        ),
    )  # fmt: skip
    trainer.train()
    assert trainer.state.global_step == 3
    assert len(rewards) == 24
    assert set(rewards) == {0.0, 1.0}, "right answers and wrong ones"
    logged = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert [entry["reward"] for entry in logged] == [
        pytest.approx(sum(rewards[at : at + 8]) / 8) for at in range(0, 24, 8)
    ]
