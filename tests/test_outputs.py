"""Requests, plans, rows, prompts and counts."""

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecomrlve import EcomrlveError, InvalidArgument, ShardError, Task, World, environments, make_task
from ecomrlve.outputs import statistics
from ecomrlve.outputs.canonical import canonical_line, line_maker
from ecomrlve.outputs.configuration import Configuration, read_axes, read_environments, read_levels, read_split
from ecomrlve.outputs.plan import Plan, apportion
from ecomrlve.outputs.prompts import SYSTEM_ROLES, Budget, arrange, token_counter
from ecomrlve.outputs.reader import read_rows
from ecomrlve.outputs.schema import ARROW_SCHEMA, UNIVERSAL, recipe_of, row, values

PRODUCTS = 2_000


@pytest.fixture(scope="module")
def world() -> World:
    return World.synthetic(products=PRODUCTS, seed=3)


@pytest.fixture(scope="module")
def tasks(world: World) -> list[Task]:
    return [make_task(world, env, level=at % 3, seed=3, index=at) for env in environments() for at in range(6)]


# --- what may be asked -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Configuration(count=0), "count=0: must be at least 1"),
        (lambda: Configuration(count=-5), "count=-5"),
        (lambda: Configuration(count=1, seed=-1), "seed=-1"),
        (lambda: Configuration(count=1, shard_rows=0), "shard_rows=0"),
        (lambda: Configuration(count=1, impossible=1.5), "impossible=1.5"),
        (lambda: Configuration(count=1, impossible=float("nan")), "impossible=nan"),
        (lambda: Configuration(count=1, max_prompt_tokens=0), "max_prompt_tokens=0"),
        (lambda: Configuration(count=1, tokenizer="x"), "max_prompt_tokens, which is not set"),
        (lambda: Configuration(count=1, mode="tools"), "mode='tools'"),
        (lambda: Configuration(count=1, system_role="drop"), "system, merge, none"),
        (lambda: Configuration(count=1, levels=()), "at least one level"),
        (lambda: Configuration(count=1, environments=read_environments(["NOPE"])), "there are PD"),
        (lambda: Configuration(count=1, environments=read_environments(["PD=0"])), "above 0"),
        (lambda: read_environments(["PD=much"]), "NAME=WEIGHT"),
        (lambda: read_environments(["PD", "pd=2"]), "a second time"),
        (lambda: read_levels("5-2"), "write 2-5"),
        (lambda: read_levels(""), "LOW-HIGH"),
        (lambda: read_levels("-1"), "LOW-HIGH"),
        (lambda: read_levels("1.5"), "LOW-HIGH"),
        (lambda: read_levels("٣"), "LOW-HIGH"),
        (lambda: read_levels("0-99999"), "at most"),
        (lambda: read_split("train"), "NAME=NUMBER"),
        (lambda: Configuration(count=1, splits=read_split("train=0.9,test=0.2")), "must sum to 1, not 1.1"),
        (lambda: Configuration(count=1, splits=read_split("train=0.5")), "must sum to 1, not 0.5"),
        (lambda: Configuration(count=1, splits=read_split("train=1,test=0")), "above 0"),
        (lambda: Configuration(count=1, splits=read_split("train=1/0")), "NAME=NUMBER"),
        (lambda: Configuration(count=1, splits=read_split("valid=1")), "is not a split"),
        (lambda: Configuration(count=1, axes=read_axes(["speed=1"])), "no such axis"),
        (lambda: Configuration(count=1, axes=read_axes(["noise=7"])), "noise=7.0"),
        (lambda: read_axes(["noise"]), "NAME=NUMBER"),
        (lambda: Configuration.from_json({"count": 1}), "configuration"),
        (lambda: token_counter("/no/such/file"), "tokenizer.json"),
    ],
)
def test_bad_requests(make: Callable[[], object], message: str) -> None:
    """Each bad value is refused with its name, its value and the rule."""
    with pytest.raises(InvalidArgument) as caught:
        make()
    assert message in str(caught.value)


def test_equal_requests_are_equal() -> None:
    """The order in which environments and splits are named changes nothing, and JSON brings a request back."""
    one = Configuration(count=5, environments=read_environments(["CART", "PD"]), splits=read_split("test=.5,train=.5"))
    other = Configuration(
        count=5, environments=read_environments(["pd", "cart"]), splits=read_split("train=1/2,test=1/2")
    )
    assert one == other
    assert Configuration.from_json(json.loads(json.dumps(one.to_json(), sort_keys=True))) == one


# --- where each task stands --------------------------------------------------------------------------------------


@given(st.integers(0, 3_000), st.lists(st.integers(1, 50), min_size=1, max_size=6))
def test_apportion_is_exact_and_fair(total: int, weights: list[int]) -> None:
    """Parts sum to the total, and each lies within one of its exact share."""
    parts = apportion(total, [Fraction(weight) for weight in weights])
    assert sum(parts) == total
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - Fraction(total * weight, sum(weights))) < 1


@settings(deadline=None, max_examples=60)
@given(
    count=st.integers(1, 1_500),
    levels=st.lists(st.integers(0, 12), min_size=1, max_size=9, unique=True),
    weight=st.integers(1, 5),
    rows=st.integers(1, 400),
)
def test_plan(count: int, levels: list[int], weight: int, rows: int) -> None:
    """Every row has a place; indexes of one cell run from 0; shards are slices; any prefix is a mix."""
    asked = Configuration(
        count=count,
        environments=((environments()[0], Fraction(weight)), (environments()[-1], Fraction(1))),
        levels=tuple(sorted(levels)),
        shard_rows=rows,
    )
    plan = Plan(asked)
    assert sum(len(split) for split in plan.splits.values()) == count
    assert sum(shard.rows for shard in plan.shards) == count
    assert all(0 < shard.rows <= rows for shard in plan.shards)
    for name, split in plan.splits.items():
        places = list(split.rows(0, len(split)))
        assert len(places) == len(split)
        assert places == [place for shard in plan.shards if shard.split == name for place in plan.places(shard)]
        cells = Counter((place.env, place.level) for place in places)
        for (env, level), size in cells.items():
            indexes = [place.index for place in places if (place.env, place.level) == (env, level)]
            assert indexes == list(range(size))
        for end in range(0, len(places), max(1, len(places) // 5)):
            seen = Counter((place.env, place.level) for place in places[:end])
            for cell, size in cells.items():
                assert abs(seen[cell] - size * end / len(places)) <= 5 * weight


# --- rows --------------------------------------------------------------------------------------------------------


def test_schema_has_plain_types_only() -> None:
    """No large string or list, no dictionary, no view: other files would not concatenate."""
    text = str(ARROW_SCHEMA)
    assert not any(word in text for word in ("large", "dictionary", "view", "null"))
    assert set(ARROW_SCHEMA.field("axes").type.names) >= {"constraints", "noise", "turn_slack"}
    assert ARROW_SCHEMA.field("axes").type.num_fields == 12


def test_rows_of_frame_and_line_agree(tasks: list[Task], tmp_path: Path) -> None:
    """A task's row, its row in a written file, and its canonical line are one and the same."""
    given = [values(task) for task in tasks]
    rows = [row(task) for task in tasks]
    pyarrow.parquet.write_table(UNIVERSAL.table(given), tmp_path / "rows.parquet", store_schema=False)
    assert list(read_rows(tmp_path / "rows.parquet")) == rows
    assert pyarrow.parquet.read_schema(tmp_path / "rows.parquet").equals(ARROW_SCHEMA)
    for one, written in zip(given, rows, strict=True):
        UNIVERSAL.check(written)
        line = json.dumps(written, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
        assert line_maker(UNIVERSAL)(one) == canonical_line(written) == line.encode()
        assert recipe_of(written) == one["recipe"]


TRICKY = '\\"\n\r\t\x00\x1f\x7f\u2028é😀a'


@settings(deadline=None)
@given(st.text(max_size=1_200), st.text(alphabet=TRICKY, min_size=390, max_size=500))
def test_lines_of_any_text(tasks: list[Task], short: str, long: str) -> None:
    """The quick way to the canonical line gives what the JSON encoder gives, whatever characters a text holds."""
    for text in (short, long):
        prompt = [{"role": "user", "content": text}]
        try:
            wanted = canonical_line(row(tasks[0], prompt))
        except UnicodeEncodeError:
            with pytest.raises(UnicodeEncodeError):
                line_maker(UNIVERSAL)(values(tasks[0], prompt))
        else:
            assert line_maker(UNIVERSAL)(values(tasks[0], prompt)) == wanted


@pytest.mark.parametrize(
    ("key", "value"),
    [("level", 1.5), ("level", "1"), ("index", None), ("env", 3), ("axes.noise", "much"), ("ground_truth", b"x"),
     ("ground_truth", "\ud800"), ("prompt", []), ("seed", 1 << 70)],
)  # fmt: skip
def test_frames_refuse_other_types(tasks: list[Task], key: str, value: object) -> None:
    """A value of another type is an error, never a silent cast."""
    given = values(tasks[0])
    if value is None:
        del given[key]
        with pytest.raises(KeyError):
            UNIVERSAL.frame([given])
        return
    with pytest.raises(ShardError):
        UNIVERSAL.frame([{**given, key: value}])


def _without(written: dict[str, Any], *path: str) -> None:
    for name in path[:-1]:
        written = written[name]
    del written[path[-1]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda written: _without(written, "env"), "row: lacks env"),
        (lambda written: _without(written, "extra_info", "index"), "row.extra_info: lacks index"),
        (lambda written: written.update(extra=1), "row: has unknown extra"),
        (lambda written: written.update(level=1.0), "row.level: is float, not int"),
        (lambda written: written.update(level=True), "row.level: is bool, not int"),
        (lambda written: written.update(language="fr"), "row.language: is 'fr', not 'en'"),
        (lambda written: written.update(axes=None), "row.axes: is NoneType, not a struct"),
        (lambda written: written.update(prompt=[]), "row.prompt: has no messages"),
        (lambda written: written["prompt"][0].update(name="x"), "row.prompt[0]: is not a message"),
        (lambda written: written["prompt"][0].update(content=1), "row.prompt[0]: role and content"),
    ],
)
def test_broken_rows(tasks: list[Task], change: Callable[[dict[str, Any]], None], message: str) -> None:
    """Each fault of a row is named with its field."""
    written = json.loads(json.dumps(row(tasks[0])))
    change(written)
    with pytest.raises(ShardError) as caught:
        UNIVERSAL.check(written)
    assert message in str(caught.value)


def test_system_roles() -> None:
    """Each way of writing the shop's text keeps all words, and the two without a system role have none."""
    posed = [
        {"role": "system", "content": "Shop."},
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Yes?"},
        {"role": "user", "content": "A mug."},
    ]
    for system_role in SYSTEM_ROLES:
        written = arrange(posed, system_role)
        words = "\n".join(message["content"] for message in written)
        assert all(message["content"] in words for message in posed)
        if system_role != "system":
            roles = [message["role"] for message in written]
            assert roles == ["user" if at % 2 == 0 else "assistant" for at in range(len(roles))]
        assert arrange(posed[1:], system_role) == posed[1:]
    assert arrange(posed, "none")[-3:] == posed[1:]


@pytest.mark.parametrize("system_role", list(SYSTEM_ROLES))
@pytest.mark.parametrize("counter", [None, lambda text: len(text.split())])
def test_budget(world: World, system_role: str, counter: Callable[[str], int] | None) -> None:
    """A prompt keeps to its budget by a smaller scope, recorded as used; and the recipe brings it back."""
    count = counter or (lambda text: int(len(text) / 2.5))
    env = environments()[0]
    free = make_task(world, env, level=6, seed=0, index=0)
    tokens = sum(count(message["content"]) for message in free.prompt) * 3 // 4

    def pose(max_prompt_chars: int) -> Task:
        return make_task(world, env, level=6, seed=0, index=0, max_prompt_chars=max_prompt_chars)

    task = Budget(tokens, system_role, counter).fit(pose)
    written = arrange(task.prompt, system_role)
    assert sum(count(message["content"]) for message in written) <= tokens
    assert 4 <= task.axes["candidates"] < free.axes["candidates"]
    assert Task.from_recipe(task.recipe, world) == task
    with pytest.raises(EcomrlveError):
        Budget(9, system_role, counter).fit(pose)


# --- counting ----------------------------------------------------------------------------------------------------

TEXT_AND_CELL = st.tuples(st.integers(0, 12), st.integers(0, 7))
CELLS = [(split, env, level) for split in ("train", "test") for env in ("A", "B") for level in (0, 1)]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 12), st.integers(0, 7)), min_size=1, max_size=25), min_size=1, max_size=4
    ),
    st.integers(1, 60),
)
def test_merged_counts(shards: list[list[tuple[int, int]]], at_once: int) -> None:
    """Counts merged from hash files, slice by slice, are what counting everything at once gives."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as scratch:
        folder = Path(scratch)
        patch.setattr(statistics, "_RECORDS_AT_ONCE", at_once)
        files = []
        for number, shard in enumerate(shards):
            records = statistics.ShardStatistics("train", CELLS)
            for hashes in records._hashes.values():
                hashes.extend(statistics.text_hash(str(text)) for text, _ in shard)
            records._cells = [cell for _, cell in shard]
            records.save_hashes(folder, str(number))
            files.append(folder / statistics.hash_file(str(number), "goals"))
        merged = statistics.merge_hashes(files, CELLS)
        everything = [(text, *CELLS[cell]) for shard in shards for text, cell in shard]
        splits_of = {text: {split for other, split, _, _ in everything if other == text} for text, *_ in everything}
        for env, level in {(env, level) for _, env, level in CELLS}:
            here = [(text, split) for text, split, *cell in everything if cell == [env, level]]
            texts = {text for text, _ in here}
            assert merged.of(env, level) == {
                "distinct": len(texts),
                "repeated_within_splits": len(here) - len(set(here)),
                "shared_across_splits": sum(len(splits_of[text]) > 1 for text in texts),
            }
        pairs = [(split, text) for text, split, _, _ in everything]
        assert merged.totals() == {
            "repeated_within_splits": {
                split: len([1 for s, _ in pairs if s == split]) - len({t for s, t in pairs if s == split})
                for split in ("test", "train")
            },
            "shared_across_splits": sum(len(splits) > 1 for splits in splits_of.values()),
        }
        half = len(files) // 2
        seen = [{text for shard in part for text, _ in shard} for part in (shards[:half], shards[half:])]
        assert statistics.count_shared(files[:half], files[half:]) == len(seen[0] & seen[1])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 100))
def test_quantile(numbers: list[int], percent: int) -> None:
    """The nearest-rank quantile of the sorted list."""
    rank = -(-len(numbers) * percent // 100)
    assert statistics.quantile(Counter(numbers), (percent, 100)) == sorted(numbers)[rank - 1]
