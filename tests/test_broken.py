"""What broke once under odd use: arguments, files and folders that nobody should hand in and somebody will."""

import errno
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ecomrlve import CatalogError, EcomrlveError, InvalidArgument, ShardError, Task, World, make_task
from ecomrlve.cli import cli
from ecomrlve.generator.catalog import store
from ecomrlve.generator.environments import environments
from ecomrlve.generator.verifiers import verify
from ecomrlve.outputs import verdicts
from ecomrlve.outputs.configuration import Configuration, read_axes, read_environments
from ecomrlve.outputs.prompts import Budget
from ecomrlve.outputs.reader import read_rows, shard_files
from ecomrlve.outputs.schema import ARROW_SCHEMA
from tests.importing import bring_in
from tests.shops import shop

COORDINATES: dict[str, Any] = {"level": 0, "seed": 0, "index": 0}


def _small() -> World:
    return shop(900, 2, "train")


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("env", ["PD"]),
        ("seed", 2**63),
        ("index", 2**63),
        ("impossible", "0.1"),
        ("impossible", None),
        ("impossible", True),
        ("axes", [("noise", 0)]),
        ("axes", "noise"),
        ("max_prompt_chars", -1),
        ("max_prompt_chars", "5"),
        ("max_prompt_chars", math.nan),
        ("max_prompt_chars", []),
    ],
)
def test_arguments_of_a_task(name: str, value: Any) -> None:
    """An argument of another type, or too large for a row, is named."""
    arguments = {"env": "PD", **COORDINATES, name: value}
    with pytest.raises(InvalidArgument, match=name):
        make_task(_small(), arguments.pop("env"), **arguments)


def test_arguments_of_a_world() -> None:
    """A world of nothing, a folder that is no path, a recipe that is none."""
    nothing: Any
    for nothing in (None, 5, "shop"):
        with pytest.raises(InvalidArgument, match="world"):
            make_task(nothing, "PD", **COORDINATES)
        with pytest.raises(InvalidArgument, match="recipe"):
            World.from_recipe(nothing)
    for nothing in (None, 5, ["x"]):
        with pytest.raises(InvalidArgument, match="folder"):
            World.load(nothing)
    with pytest.raises(InvalidArgument, match="seed"):
        World.synthetic(products=500, seed=2**63)
    with pytest.raises(InvalidArgument, match="recipe"):
        Task.from_recipe("[" * 100_000)


@pytest.mark.parametrize("env", environments())
def test_everything_sold_out_by_hand(env: str) -> None:
    """The axis out_of_stock may be set to its end."""
    for index in range(3):
        task = make_task(_small(), env, **{**COORDINATES, "index": index}, axes={"out_of_stock": 1})
        assert verify(task.ground_truth, task.oracle).correct


@pytest.mark.parametrize("env", ["PD", "RETURN"])
def test_a_level_of_a_million_is_refused_soon(env: str) -> None:
    """The message says which level the shop carries, without trying a million."""
    with pytest.raises(EcomrlveError, match=rf"This shop carries {env} up to level \d+;"):
        make_task(_small(), env, **{**COORDINATES, "level": 10**6})


def test_axes_by_hand_are_blamed_where_the_level_is_not() -> None:
    """A level that the shop carries without the axes set by hand."""
    with pytest.raises(EcomrlveError, match="carries PD at level 0, but not with the axes set by hand"):
        make_task(
            shop(500, 2, "train"), "PD", **COORDINATES, axes={"candidates": 120, "answers": 10, "constraints": 12}
        )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Configuration(count=10**30), "count=1000"),
        (lambda: Configuration(count=10**12), "more than 99,999 shards"),
        (lambda: Configuration(count=1, seed=2**63), "seed=9223"),
        (lambda: read_axes(["noise=1e400"]), "noise=1e400"),
        (lambda: read_environments(["PD=1e999999999"]), "PD=1E999999999"),
    ],
)
def test_huge_numbers(make: Callable[[], object], message: str) -> None:
    """Numbers that no row, no folder or no memory can hold."""
    with pytest.raises(InvalidArgument, match=message):
        make()


def test_a_budget_too_small_is_named_as_it_was_given() -> None:
    """The message has the tokens that the user gave, not the characters that follow from them."""
    with pytest.raises(EcomrlveError, match=r"^max_prompt_tokens=1: PD at level 0 needs"):
        Budget(1, "none").fit(lambda bound: make_task(_small(), "PD", **COORDINATES, max_prompt_chars=bound))
    assert Budget(2**63 - 1, "none").fit(lambda bound: make_task(_small(), "PD", **COORDINATES, max_prompt_chars=bound))


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_verdicts_on_a_full_disk_leave_nothing(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """Where the last bytes do not fit, no part of the verdicts stays."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    replies = tmp_path / "replies.jsonl"
    replies.write_text(json.dumps({"task_id": "x", "reply": "y"}) + "\n")
    monkeypatch.setattr(verdicts, "settle", full)
    with pytest.raises(ShardError, match=rf"cannot write .*v\.{suffix}: No space left"):
        verdicts.judge_replies(finished, replies, tmp_path / f"v.{suffix}")
    assert [file.name for file in tmp_path.iterdir()] == ["replies.jsonl"]


def test_verdicts_are_not_written_over_what_is_read(finished: Path, tmp_path: Path) -> None:
    """Neither the replies nor a shard is lost."""
    replies = tmp_path / "replies.rejects.jsonl"
    replies.write_text('{"task_id": "x", "reply": "y"}\n')
    shard = shard_files(finished)[0]
    before = shard.read_bytes()
    for out in (replies, tmp_path / "replies.jsonl", shard, ""):
        done = _run("verify", finished, replies, "--out", out)
        assert done.exit_code == 2 and "out=" in done.stderr
    assert replies.read_text() == '{"task_id": "x", "reply": "y"}\n'
    assert shard.read_bytes() == before


def _write(rows: list[dict[str, Any]], path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    path.parent.mkdir(parents=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=ARROW_SCHEMA), path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": None}, "row.label"),
        ({"prompt": None}, "row.prompt"),
        ({"extra_info": None}, "row.extra_info"),
        ({"recipe": "nope"}, "Expecting value"),
        ({"recipe": "[" * 100_000}, "recursion"),
        ({"axes": 5}, "axes=5"),
        ({"impossible": None}, "impossible=None"),
    ],
)
def test_show_on_edited_rows(finished: Path, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """A row that cannot be shown is a failure in a sentence, whatever was done to it."""
    row = next(read_rows(shard_files(finished)[0]))
    holder = row["extra_info"]["tools_kwargs"]["ecomrlve"]["create_kwargs"]
    for name, value in change.items():
        if name in row and name != "axes":
            row[name] = value
        else:
            recipe = {**json.loads(holder["task_json"]), name: value}
            holder["task_json"] = value if name == "recipe" else json.dumps(recipe)
    _write([row], tmp_path / "data" / "a.parquet")
    done = _run("show", tmp_path)
    assert done.exit_code == 1 and isinstance(done.exception, SystemExit)
    assert "is not as it was written" in done.stderr and message in done.stderr


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest["shards"][0].update(path=5),
        lambda manifest: manifest["shards"][0].update(split="elsewhere"),
        lambda manifest: manifest["splits"].update(train="many"),
        lambda manifest: manifest["configuration"].update(count=-1),
        lambda manifest: manifest.update(configuration=[]),
    ],
)
def test_validate_on_edited_manifests(finished: Path, tmp_path: Path, change: Callable[[Any], None]) -> None:
    """A manifest that is none is a failure, never a usage error nor a fault."""
    manifest = json.loads((finished / "manifest.json").read_text())
    change(manifest)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    done = _run("validate", tmp_path, "--workers", 1)
    assert done.exit_code == 1 and isinstance(done.exception, SystemExit)
    assert "manifest.json" in done.stderr


def test_numbers_of_show_and_validate(finished: Path) -> None:
    """More tasks than there are shows all; no processes at all is a usage error."""
    first = next(read_rows(shard_files(finished)[0]))["task_id"]
    assert _run("show", finished, "-n", 10**30, "--task", first).exit_code == 0
    done = _run("validate", finished, "--workers", 0)
    assert done.exit_code == 2 and "workers=0" in done.stderr


def test_json_of_a_hundred_thousand_brackets(tmp_path: Path) -> None:
    """Nesting that the reader cannot follow is damage."""
    for name in ("manifest.json", "catalog.json"):
        (tmp_path / name).write_text("[" * 100_000)
    with pytest.raises(CatalogError, match="damaged"):
        World.load(tmp_path)
    done = _run("validate", tmp_path)
    assert done.exit_code == 1 and "cannot be read" in done.stderr


TABLE = "id,name,price,category,stock\n" + "".join(f"{i},Lamp {i},{i + 5},Lamps,{i}\n" for i in range(1, 40))


def test_a_shop_changed_after_its_import(tmp_path: Path) -> None:
    """A flipped byte, an edited card or a missing table is told, even where it still reads."""
    _, _, out = bring_in(tmp_path, "a.csv", TABLE)
    card = out / "catalog.json"
    whole = card.read_text()
    for name, value in (("name", 7), ("categories", None), ("type_start", []), ("drawn", [5]), ("key", "x")):
        card.write_text(json.dumps({**json.loads(whole), name: value}))
        with pytest.raises(CatalogError, match="was changed"):
            store.load(out)
    card.write_text(json.dumps(json.loads(whole)))
    assert len(store.load(out)) == 39, "only the layout of the card differs"
    table = out / "variants.parquet"
    data = table.read_bytes()
    table.write_bytes(data + b"PAR1" + data)
    with pytest.raises(CatalogError, match=r"variants.parquet was changed"):
        store.load(out)


def test_a_shop_that_has_sold_everything(tmp_path: Path) -> None:
    """The message speaks of stock, not of size."""
    header, *rows = TABLE.splitlines()
    text = "\n".join([header, *(f"{row.rpartition(',')[0]},0" for row in rows)])
    _, _, out = bring_in(tmp_path, "a.csv", text)
    world = World.load(out)
    # What is on its way and what the rules say can be asked of such a shop as well.
    for env in ("PD", "CART", "RETURN"):
        with pytest.raises(EcomrlveError, match="sold out") as caught:
            make_task(world, env, **COORDINATES)
        assert "level" not in str(caught.value)
    assert make_task(world, "POLICY", **COORDINATES).env == "POLICY"


def test_quotation_marks_that_meet(tmp_path: Path) -> None:
    """Two stray marks on two lines do not make one row of both, with the price of the wrong one."""
    text = 'id,name,price\n1,"Mug,5\n2,"Cup,6\n3,Pan,7\n4,"A 15"" pot",8\n5,"two\nlines",9\n'
    report, catalog, _ = bring_in(tmp_path, "a.csv", text)
    assert (report.read, report.kept, report.rejected) == (5, 3, 2)
    assert sorted(catalog.source_ids or ()) == ["3", "4", "5"]


def test_lines_in_two_encodings(tmp_path: Path) -> None:
    """A few lines of another encoding do not spoil the others."""
    lines = [
        f"{i},Crêpe pan № {i},{i + 5}\n".encode() if i % 3 else f"{i},Crêpe pan {i},{i}\n".encode("cp1252")
        for i in range(1, 31)
    ]
    _, catalog, _ = bring_in(tmp_path, "a.csv", b"id,name,price\n" + b"".join(lines))
    titles = [catalog.title(row) for row in range(len(catalog))]
    assert len(titles) == 30 and all(title.startswith("Crêpe pan") for title in titles)


def test_a_table_of_too_many_columns(tmp_path: Path) -> None:
    """A million columns are told from a table of products at once."""
    wide = ["id,name,price," + ",".join(f"c{i}" for i in range(200_000)), "1,a,2," + ",".join("1" * 200_000)]
    with pytest.raises(CatalogError, match="200,003 columns"):
        bring_in(tmp_path, "a.csv", "\n".join(wide))
