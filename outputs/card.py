"""The dataset card: a README.md with Hugging Face front matter, all of it taken from the manifest."""

from collections.abc import Iterator, Mapping
from typing import Any

from ecomrlve.generator.identifiers import SPLITS
from ecomrlve.outputs.targets import Target, target

CARD = "README.md"

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"), (10**7, "1M<n<10M"))
_LARGEST = "n>10M"

_LOADING = """\
## Load it

Any reader of Hugging Face data sets takes the folder as it is; the reward functions need nothing but
`pip install ecomrlve`.

```python
from datasets import load_dataset

rows = load_dataset("OUT")  # this folder: one dataset per split
```

"""

_JUDGING = """\
Judge any reply by hand: `ecomrlve.verify(row["label"], reply)` gives score, outcome and a sentence that says what was
wrong. `ecomrlve show OUT` prints a task with its answer; `ecomrlve validate OUT` re-makes and re-judges every row.
"""


def card(manifest: Mapping[str, Any]) -> str:
    """The text of the card.

    Args:
        manifest: as `build_manifest` gives it.
    """
    form = _form(manifest)
    # In one order, whether the manifest was just built or read back.
    manifest = {
        **manifest,
        **{
            part: {name: manifest[part][name] for name in SPLITS if name in manifest[part]}
            for part in ("splits", "worlds")
        },
    }
    return "\n".join(
        [
            *_front_matter(manifest),
            *_introduction(manifest),
            *_counts(manifest),
            *_repeats(manifest),
            _LOADING,
            form.loading,
            _JUDGING,
            *_worlds(manifest),
        ]
    )


def _form(manifest: Mapping[str, Any]) -> Target:
    return target(manifest["configuration"].get("target", "universal"))


def _front_matter(manifest: Mapping[str, Any]) -> Iterator[str]:
    rows = sum(manifest["splits"].values())
    yield "---"
    # An imported shop's texts are its owner's; the synthetic shop's are ours.
    yield f"license: {'other' if isinstance(manifest['configuration']['shop'], str) else 'apache-2.0'}"
    yield "language:\n- en"
    yield "task_categories:\n- text-generation"
    yield "tags:\n- reinforcement-learning\n- verifiable-rewards\n- e-commerce\n- shopping-agents\n- synthetic"
    yield "pretty_name: ecomrlve shopping tasks"
    yield f"size_categories:\n- {next((name for most, name in _SIZES if rows < most), _LARGEST)}"
    yield "configs:\n- config_name: default\n  data_files:"
    for split in manifest["splits"]:
        yield f"  - split: {split}\n    path: data/{split}-*.{_form(manifest).suffix}"
    yield "---\n"


def _introduction(manifest: Mapping[str, Any]) -> Iterator[str]:
    splits = " and ".join(f"{rows:,} in `{split}`" for split, rows in manifest["splits"].items())
    yield "# Shopping tasks with proven answers\n"
    yield (
        f"Tasks for training and testing shopping agents, made by ecomrlve {manifest['versions']['ecomrlve']}: "
        f"{splits}. Each row holds a prompt, all that is needed to judge a reply (`reward_model.ground_truth`, the "
        "same text as `label`), and the recipe that re-makes it. `manifest.json` says what was asked for, with the "
        "hash of every file and of its content.\n"
    )


def _counts(manifest: Mapping[str, Any]) -> Iterator[str]:
    yield "## What is in it\n"
    yield (
        "Chance is the mean probability that a blind guess in the right form is correct. Attempts are how many draws "
        "a task took. Lengths are in characters.\n"
    )
    headings = ("environment", "level", "tasks", "nothing fits", "distinct goals", "chance")
    measures = ("attempts p99", "prompt p50", "prompt p99")
    yield f"| {' | '.join((*headings, *measures))} |"
    yield "|---" * (len(headings) + len(measures)) + "|"
    for env, levels in manifest["environments"].items():
        for level, counts in sorted(levels.items(), key=lambda pair: int(pair[0])):
            yield (
                f"| {env} | {level} | {counts['rows']:,} | {counts['impossible']:,} | {counts['goals']['distinct']:,} "
                f"| {counts['mean_chance']:.1%} | {counts['attempts']['p99']} "
                f"| {counts['prompt_chars']['p50']:,} | {counts['prompt_chars']['p99']:,} |"
            )
    yield ""


def _repeats(manifest: Mapping[str, Any]) -> Iterator[str]:
    names = {
        "tasks": "tasks (prompt and answer)",
        "goals": "goals (what is asked, over what scope)",
        "prompts": "prompts",
        "near_prompts": "the customer's words, without case, digits and punctuation",
    }
    splits = list(manifest["splits"])
    yield f"| what repeats | {' | '.join(f'within {split}' for split in splits)} | in more than one split |"
    yield f"|---|{'---|' * len(splits)}---|"
    for kind, text in names.items():
        counts = manifest["repeats"][kind]
        within = " | ".join(f"{counts['repeated_within_splits'][split]:,}" for split in splits)
        yield f"| {text} | {within} | {counts['shared_across_splits']:,} |"
    yield ""


def _worlds(manifest: Mapping[str, Any]) -> Iterator[str]:
    yield "## The shops behind it\n"
    for split, world in manifest["worlds"].items():
        yield f"- `{split}`: world {world['digest']}"
        if world["shares_products"]:
            yield "  - too small to be parted: its splits share products, but no customer, order or goal"
        yield from (f"  - drawn, not in the source: {line}" for line in world["drawn"])
    yield ""
