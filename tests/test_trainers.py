"""Shards as trainers and their libraries see them. `make test-trainers` installs the libraries.

verl, OpenRLHF and SkyRL bring large dependencies of their own, pinned against each other; their tests run where they
are installed (``pip install --no-deps verl openrlhf skyrl-gym`` beside what they import) and say so where not. slime
has no package: its reader is `pyarrow`, as `test_slime_reads_one_file` has it.
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars
import pyarrow
import pyarrow.parquet
import pytest

from ecomrlve import Task, World
from ecomrlve.generator.verifiers import verify
from ecomrlve.outputs.reader import shard_files
from ecomrlve.outputs.rewards import openrlhf, verl
from ecomrlve.outputs.schema import recipe_of, truth_of
from ecomrlve.outputs.targets import target, target_names

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("default")]

Written = Callable[[str], Path]
EACH = pytest.mark.parametrize("name", target_names())
EACH_PARQUET = pytest.mark.parametrize("name", [name for name in target_names() if target(name).suffix == "parquet"])


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="module")
def worlds() -> dict[str, World]:
    return {split: World.synthetic(products=2_000, seed=3, split=split) for split in ("train", "test")}


def _library(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed: make test-trainers installs what it can")


def _oracle(row: dict[str, Any], worlds: dict[str, World]) -> str:
    return Task.from_recipe(recipe_of(row), worlds[row["split"]]).oracle


# --- readers -----------------------------------------------------------------------------------------------------


@EACH
def test_datasets_map_stream_and_back(name: str, written: Written, tmp_path: Path, worlds: dict[str, World]) -> None:
    """The folder, its splits, streaming, and through `datasets` to a file and back: every oracle is judged correct."""
    datasets = _library("datasets")
    out = written(name)
    whole = datasets.load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in whole.items()} == {"train": 32, "test": 4}
    streamed = datasets.load_dataset(str(out), split="train", streaming=True, cache_dir=str(tmp_path / "cache"))
    assert [row["task_id"] for row in streamed] == whole["train"]["task_id"]
    assert "large" not in str(whole["train"].features).lower()
    for split, rows in whole.items():
        copy = tmp_path / f"{split}.parquet"
        rows.map(lambda row: row).to_parquet(str(copy))
        for row in datasets.load_dataset("parquet", data_files=str(copy), cache_dir=str(tmp_path / "cache"))["train"]:
            assert verify(truth_of(row), _oracle(row, worlds)).correct


@EACH_PARQUET
def test_datasets_mixes_runs_and_a_stock_file(name: str, written: Written, finished: Path, tmp_path: Path) -> None:
    """File by file as verl, SkyRL and OpenRLHF load; with another run and a file in the shape of verl's GSM8K."""
    datasets = _library("datasets")
    stock = tmp_path / "gsm8k.parquet"
    row = {
        "data_source": "openai/gsm8k",
        "prompt": [{"role": "user", "content": "1 + 1?"}],
        "ability": "math",
        "reward_model": {"style": "rule", "ground_truth": "2"},
    }
    datasets.Dataset.from_list([row] * 3).to_parquet(str(stock))
    files = [*shard_files(written(name)), stock]
    if name == "universal":
        files += shard_files(finished)[:1]
    parts = [
        datasets.load_dataset("parquet", data_files=str(file), cache_dir=str(tmp_path / "cache"))["train"]
        for file in files
    ]
    together = datasets.concatenate_datasets(parts)
    assert len(together) == sum(map(len, parts))
    mixed = datasets.interleave_datasets([parts[0], datasets.concatenate_datasets(parts[1:])], seed=0)
    assert len(mixed["data_source" if "data_source" in parts[0].features else "task_id"]) > 3


@EACH_PARQUET
def test_pandas_duckdb_polars(name: str, written: Written) -> None:
    """Each reads every column, the nested ones too."""
    files = shard_files(written(name))
    trains = [file for file in files if file.name.startswith("train")]
    frames = [_library("pandas").read_parquet(file) for file in trains]
    assert sum(len(frame) for frame in frames) == 32
    messages = "messages" if "messages" in frames[0] else "prompt"
    assert frames[0][messages].iloc[0][0]["role"] == "system"
    pattern = str(files[0].parent / "train-*.parquet").replace("'", "''")
    found = _library("duckdb").sql(
        f"select count(distinct task_id), min({messages}[1].role), max(axes.noise) from '{pattern}'"
    )
    assert found.fetchall()[0][:2] == (32, "system")
    frame = polars.scan_parquet(files).collect()
    assert frame.height == 36
    assert frame.schema["axes"].is_nested()


# --- trainers' own code ------------------------------------------------------------------------------------------


def _tokenizer(path: Path) -> Any:
    """A tokenizer of single bytes with a chat template, made here."""
    tokenizers, transformers = _library("tokenizers"), _library("transformers")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    marks = ["<|pad|>", "<|end|>"]
    vocabulary = {token: number for number, token in enumerate([*marks, *alphabet])}
    plain = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    plain.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = tokenizers.decoders.ByteLevel()
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain,
        pad_token=marks[0],
        eos_token=marks[1],
        chat_template="{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant: ",
    )
    made.save_pretrained(str(path))
    return made


@pytest.mark.parametrize("name", ["universal", "verl"])
def test_verl(name: str, written: Written, tmp_path: Path, worlds: dict[str, World]) -> None:
    """verl's dataset, its collation and its reward manager, which calls our `compute_score` from its file."""
    _library("verl")
    torch, omegaconf = _library("torch"), _library("omegaconf")
    from verl import DataProto  # type: ignore[import-not-found]
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager  # type: ignore[import-not-found]
    from verl.trainer.ppo.reward import get_custom_reward_fn  # type: ignore[import-not-found]
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn  # type: ignore[import-not-found]

    tokenizer = _tokenizer(tmp_path / "tokenizer")
    files = [str(file) for file in shard_files(written(name)) if file.name.startswith("train")]
    options = {"cache_dir": str(tmp_path / "cache"), "prompt_key": "prompt", "max_prompt_length": 100_000}
    data = RLHFDataset(data_files=files, tokenizer=tokenizer, config=omegaconf.OmegaConf.create(options))
    assert len(data) == 32
    batch = collate_fn([data[at] for at in range(6)])
    path = verl.__file__
    config = omegaconf.OmegaConf.create(
        {"reward": {"custom_reward_function": {"path": path, "name": "compute_score", "reward_kwargs": {}}}}
    )
    score = get_custom_reward_fn(config)
    found = []
    for at in range(6):
        row = {key: values[at] for key, values in batch.items()}
        task = Task.from_recipe(recipe_of(row), worlds["train"])
        reply = task.oracle if at % 2 == 0 else "I cannot say."
        ids = torch.tensor([tokenizer(reply)["input_ids"]])
        proto = DataProto.from_single_dict({"responses": ids, "attention_mask": torch.ones_like(ids)})
        proto.non_tensor_batch = {key: values[at : at + 1] for key, values in batch.items() if key != "dummy_tensor"}
        found.append(asyncio.run(_run_single(lambda: NaiveRewardManager(config, tokenizer, score), proto)))
    assert [one["reward_score"] for one in found] == [1.0, 0.0] * 3
    assert [one["reward_extra_info"]["acc"] for one in found] == [1.0, 0.0] * 3


async def _run_single(make: Callable[[], Any], proto: Any) -> Any:
    """What a manager made inside the running event loop, which it keeps, gives."""
    return await make().run_single(proto)


@pytest.mark.parametrize("name", ["universal", "openrlhf"])
def test_openrlhf(name: str, written: Written, tmp_path: Path, worlds: dict[str, World]) -> None:
    """OpenRLHF's blending of a folder and its prompt dataset; what it hands to a reward function is judged."""
    _library("openrlhf")
    from openrlhf.datasets import PromptDataset  # type: ignore[import-not-found]
    from openrlhf.datasets.utils import blending_datasets  # type: ignore[import-not-found]

    options = SimpleNamespace(input_key="prompt", label_key="label", apply_chat_template=True)
    strategy = SimpleNamespace(args=SimpleNamespace(data=options), print=lambda *_: None, is_rank_0=lambda: True)
    rows = blending_datasets(str(written(name)), None, strategy, 42, max_count=100, dataset_split="train")
    data = PromptDataset(rows, _tokenizer(tmp_path / "tokenizer"), strategy)
    source, prompt, label = data[0][:3]
    assert source == (f"ecomrlve/{rows[0]['env']}" if name == "openrlhf" else "default")
    reply = _oracle(rows[0], worlds)
    judged = openrlhf.reward_func([prompt + reply, prompt + "no"], [prompt] * 2, [label] * 2)
    assert [float(value) for value in judged["rewards"]] == [1.0, 0.0]


@pytest.mark.parametrize("name", ["universal", "skyrl"])
def test_skyrl_environment(name: str, written: Written, worlds: dict[str, World]) -> None:
    """skyrl-gym makes the registered environment from a row's other columns, and steps it."""
    gym = _library("skyrl_gym")
    from ecomrlve.outputs.rewards import skyrl

    skyrl.register()
    row = pyarrow.parquet.read_table(shard_files(written(name))[-1]).to_pylist()[0]
    extras = {key: value for key, value in row.items() if key not in ("prompt", "env_class")}
    for reply, reward in ((_oracle(row, worlds), 1.0), ("no", 0.0)):
        environment = gym.make(row["env_class"], env_config={}, extras={**extras, "max_turns": 1})
        messages, _ = environment.init(row["prompt"])
        assert messages == row["prompt"]
        step = environment.step(reply)
        assert (step["reward"], step["done"]) == (reward, True)
        environment.close()


@pytest.mark.parametrize("name", ["slime"])
def test_slime_reads_one_file(name: str, written: Written) -> None:
    """The shape that slime's reader takes: one file, batches of rows as Python values, metadata a dict, tools JSON."""
    file = next(file for file in shard_files(written(name)) if file.name.startswith("train"))
    rows = [row for batch in pyarrow.parquet.ParquetFile(file).iter_batches(batch_size=7) for row in batch.to_pylist()]
    assert len(rows) == 32
    for row in rows:
        assert isinstance(row["metadata"], dict)
        assert json.loads(row["tools"]) == []
        assert not verify(row["label"], "no").correct


def test_nemo_gym_lines(written: Written) -> None:
    """The shape of NeMo Gym's rows: requests of the Responses API alone, and no key without a value."""
    for file in shard_files(written("nemo-gym")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            assert set(row["responses_create_params"]) <= {"input", "tools"}
            assert all(set(message) == {"role", "content"} for message in row["responses_create_params"]["input"])
