"""The curriculum kept in a file: phases out, rewards in, and what a trainer may get wrong."""

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from ecomrlve import InvalidArgument, World
from ecomrlve.cli import cli
from ecomrlve.difficulty.schedulers import schedulers
from ecomrlve.outputs.curriculum import REMEMBERED_PHASES, Curriculum
from ecomrlve.outputs.reader import read_rows, shard_files

SHOP = 2_000


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["curriculum", *(str(word) for word in words)])


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [row for file in shard_files(folder) for row in read_rows(file)]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def begun(tmp_path: Path, scheduler: str = "rlve", count: int = 24, **options: Any) -> tuple[Curriculum, Path]:
    curriculum = Curriculum.init(scheduler, ["PD", "CART"], shop=SHOP, **options)
    out = tmp_path / "phase-1"
    curriculum.write_phase(out, count)
    return curriculum, out


@pytest.mark.parametrize("scheduler", schedulers())
def test_phases_repeat_no_task_and_a_saved_file_goes_on_alike(scheduler: str, tmp_path: Path) -> None:
    curriculum, out = begun(tmp_path, scheduler, max_level=6)
    rewards = write(
        tmp_path / "rewards.jsonl",
        [
            {"task_id": row["task_id"], "rollout": rollout, "correct": (at + rollout) % 3 > 0}
            for at, row in enumerate(rows_of(out))
            for rollout in range(4)
        ],
    )
    assert curriculum.update(rewards).counted == 96
    state = tmp_path / "state.json"
    curriculum.save(state)
    twin = Curriculum.load(state)
    assert twin.to_json() == curriculum.to_json()
    curriculum.write_phase(tmp_path / "a", 24)
    twin.write_phase(tmp_path / "b", 24)
    first, second = rows_of(tmp_path / "a"), rows_of(tmp_path / "b")
    assert first == second
    before = {row["task_id"] for row in rows_of(out)}
    again = [row["task_id"] for row in first if row["task_id"] in before]
    assert len({row["task_id"] for row in first}) == len(first)
    assert not again or scheduler == "plr"
    assert CliRunner().invoke(cli, ["validate", str(tmp_path / "a")]).exit_code == 0


def test_stored_tasks_are_made_again_to_the_letter(tmp_path: Path) -> None:
    curriculum, out = begun(tmp_path, "plr", options={"capacity": 8, "replay": 0.9})
    shown = {row["task_id"]: row for row in rows_of(out)}
    rewards = [{"task_id": task, "rollout": at, "correct": at % 2} for task in shown for at in range(8)]
    curriculum.update(write(tmp_path / "r.jsonl", rewards))
    curriculum.write_phase(tmp_path / "two", 24)
    again = [row for row in rows_of(tmp_path / "two") if row["task_id"] in shown]
    assert again
    for row in again:
        assert row["prompt"] == shown[row["task_id"]]["prompt"]
        assert row["label"] == shown[row["task_id"]]["label"]


def test_single_axes_reach_the_tasks(tmp_path: Path) -> None:
    curriculum, out = begun(tmp_path, "by-axis", count=40)
    rows = rows_of(out)
    drawn = [part for part in curriculum.plan(200).phase if part.axes]
    assert drawn
    rewards = [{"task_id": row["task_id"], "rollout": at, "correct": at < 3} for row in rows for at in range(4)]
    before = curriculum.scheduler.state_dict()["state"]
    assert curriculum.update(write(tmp_path / "r.jsonl", rewards)).counted == 160
    assert curriculum.scheduler.state_dict()["state"] != before


def test_the_same_rewards_count_once(tmp_path: Path) -> None:
    curriculum, out = begun(tmp_path)
    tasks = [row["task_id"] for row in rows_of(out)]
    rewards = [{"task_id": task, "rollout": at, "correct": at == 0} for task in tasks for at in range(8)]
    first = curriculum.update(write(tmp_path / "half.jsonl", rewards[:100]))
    assert (first.counted, first.repeated) == (100, 0)
    whole = curriculum.update(write(tmp_path / "whole.jsonl", rewards))
    assert (whole.counted, whole.repeated) == (len(rewards) - 100, 100)
    state = curriculum.to_json()
    again = curriculum.update(write(tmp_path / "shuffled.jsonl", rewards[::-1]))
    assert (again.counted, again.repeated) == (0, len(rewards))
    assert curriculum.to_json() == state


def test_without_rollout_numbers_a_row_is_known_by_its_place(tmp_path: Path) -> None:
    curriculum, out = begun(tmp_path)
    task = rows_of(out)[0]["task_id"]
    rewards = [{"task_id": task, "correct": True}] * 8
    assert curriculum.update(write(tmp_path / "r.jsonl", rewards)).counted == 8
    grown = curriculum.update(write(tmp_path / "r.jsonl", [*rewards, *rewards]))
    assert (grown.counted, grown.repeated) == (8, 8)


def test_a_file_without_ids_is_known_by_its_digest(tmp_path: Path) -> None:
    curriculum, _ = begun(tmp_path)
    rewards = [{"env": "pd", "level": 0, "correct": 1}] * 16
    file = write(tmp_path / "r.jsonl", rewards)
    found = curriculum.update(file, group=8)
    assert (found.counted, found.groups) == (16, 2)
    assert curriculum.update(file, group=8).repeated == 16
    assert curriculum.scheduler.counts("PD")[0] == (2, 16, 16)


def test_replies_are_judged_here(tmp_path: Path) -> None:
    curriculum, out = begun(tmp_path)
    world = World.synthetic(products=SHOP, seed=0)
    replies = []
    for row in rows_of(out):
        from ecomrlve import Task
        from ecomrlve.outputs.schema import recipe_of

        oracle = Task.from_recipe(recipe_of(row), world).oracle
        replies += [{"task_id": row["task_id"], "rollout": 0, "reply": oracle}]
        replies += [{"task_id": row["task_id"], "rollout": 1, "reply": [{"role": "assistant", "content": "No."}]}]
        replies += [{"task_id": row["task_id"], "rollout": 2, "reply": None}]
    found = curriculum.update(write(tmp_path / "r.jsonl", replies))
    assert found.counted == 72
    successes = sum(counts[1] for env in ("PD", "CART") for counts in curriculum.scheduler.counts(env))
    assert successes == 24


def test_rows_that_cannot_be_counted_are_told_and_the_others_count(tmp_path: Path) -> None:
    curriculum, out = begun(tmp_path)
    task = rows_of(out)[0]["task_id"]
    bad: list[Any] = [
        {"task_id": "nobody", "correct": True},
        {"env": "RETURN", "level": 0, "correct": True},
        {"env": "PD", "level": 99, "correct": True},
        {"env": "PD", "level": -1, "correct": True},
        {"env": "PD", "level": 0.5, "correct": True},
        {"env": "PD", "level": 0, "correct": "yes"},
        {"env": "PD", "level": 0, "correct": 0.5},
        {"env": "PD", "level": 0},
        {"task_id": 5, "correct": True},
        {"task_id": task},
        {"task_id": task, "correct": True, "phase": 9},
        {"task_id": task, "correct": True, "phase": "one"},
        [1, 2],
        None,
    ]
    file = write(tmp_path / "r.jsonl", [*bad, {"task_id": task, "correct": True}])
    with file.open("ab") as more:
        more.write(b"{not json\n\xff\xfe\n" + b"[" * 100_000 + b"\n")
    found = curriculum.update(file)
    assert found.counted == 1
    assert found.rejected.total() == len(bad) + 3 == len(found.rejects)
    assert [row for row, _ in found.rejects] == [*range(len(bad)), len(bad) + 1, len(bad) + 2, len(bad) + 3]


def test_parquet_rewards_and_shards_that_moved(tmp_path: Path) -> None:
    curriculum, out = begun(tmp_path)
    rows = rows_of(out)
    moved = out.rename(tmp_path / "elsewhere")
    table = pyarrow.table(
        {
            "task_id": [row["task_id"] for row in rows],
            "rollout": pyarrow.array([0] * len(rows), pyarrow.int32()),
            "correct": pyarrow.array([1.0] * len(rows)),
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "r.parquet")
    lost = curriculum.update(tmp_path / "r.parquet")
    assert lost.counted == 0 and lost.rejected.total() == len(rows)
    assert curriculum.update(tmp_path / "r.parquet", shards=moved).counted == len(rows)


def test_rewards_of_phases_long_ago_are_told_not_counted_twice(tmp_path: Path) -> None:
    curriculum, out = begun(tmp_path)
    task = rows_of(out)[0]["task_id"]
    row = {"task_id": task, "rollout": 0, "phase": 1, "correct": True}
    file = write(tmp_path / "r.jsonl", [row])
    assert curriculum.update(file).counted == 1
    for number in range(2, REMEMBERED_PHASES + 2):
        curriculum.write_phase(tmp_path / f"phase-{number}", 2)
    late = curriculum.update(file)
    assert late.counted == 0 and late.rejected.total() == 1


def test_by_hand_from_beginning_to_end(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    made = run("init", state, "--env", "PD", "--env", "RETURN", "--scheduler", "rlve", "--products", SHOP,
               "--option", "trials=8", "--option", "accuracy=0.5")  # fmt: skip
    assert made.exit_code == 0, made.output
    assert run("init", state).exit_code == 2
    assert run("update", state, "--rewards", state).exit_code == 2
    for phase in (1, 2, 3):
        out = tmp_path / f"phase-{phase}"
        assert run("next", state, out, "--count", 24, "--workers", 1).exit_code == 0
        rewards = [{"task_id": row["task_id"], "rollout": at, "correct": True} for row in rows_of(out) for at in (0, 1)]
        done = run("update", state, "--rewards", write(tmp_path / "r.jsonl", rewards))
        assert done.exit_code == 0 and "counted 48 rollouts of 24 prompts" in done.output
    shown = run("show", state)
    assert shown.exit_code == 0
    assert "PD" in shown.output and "phase 3" in shown.output and "1.00" in shown.output
    assert Curriculum.load(state).scheduler.window("PD")[1] >= 1


def test_a_phase_that_fails_leaves_the_curriculum_as_it_was(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    run("init", state, "--env", "PD", "--products", SHOP)
    before = state.read_bytes()
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "file").write_text("mine")
    assert run("next", state, taken, "--count", 4).exit_code == 2
    assert state.read_bytes() == before


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"version": 9}', "\xff", "[" * 10_000])
def test_files_that_are_no_curriculum_are_refused(text: str, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_text(text, "latin-1")
    for words in (("next", state, tmp_path / "out", "--count", 1), ("show", state)):
        failed = run(*words)
        assert failed.exit_code == 2 and failed.output.startswith("Error: STATE=")
    with pytest.raises(InvalidArgument):
        Curriculum.load(tmp_path / "absent.json")


def test_schedulers_are_listed_with_their_options() -> None:
    listed = run("schedulers").output
    for name in schedulers():
        assert name in listed
    assert "width=4" in listed


def test_simulations_are_told_and_drawn(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    done = run("simulate", "--schedulers", "two-threshold,rlve", "--learner", "collapse", "--seeds", 2,
               "--workers", 1, "--markdown", page)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "two-threshold" in done.output
    assert "### collapse" in page.read_text("utf-8")
    assert run("simulate", "--schedulers", "luck").exit_code == 2
    pytest.importorskip("matplotlib", reason="pictures need matplotlib, which users install for them")
    for name in ("report.png", "report.html"):
        drawn = run("simulate", "--schedulers", "rlve", "--learner", "quick", "--seeds", 1, "--workers", 1,
                    "--report", tmp_path / name)  # fmt: skip
        assert drawn.exit_code == 0 and (tmp_path / name).stat().st_size > 5_000


def test_generate_draws_as_the_curriculum_would_and_leaves_it_as_it_is(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    assert (
        run("init", state, "--scheduler", "uniform", "--env", "PD", "--max-level", "4", "--products", SHOP).exit_code
        == 0
    )
    before = state.read_bytes()
    words = ["generate", str(tmp_path / "drawn"), "--count", "12", "--curriculum", str(state), "--workers", "1"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    assert state.read_bytes() == before
    assert run("next", state, tmp_path / "phase", "--count", "12", "--workers", "1").exit_code == 0
    assert rows_of(tmp_path / "drawn") == rows_of(tmp_path / "phase")


def test_generate_refuses_options_that_the_curriculum_decides(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    assert run("init", state, "--env", "PD", "--products", SHOP).exit_code == 0
    words = ["generate", str(tmp_path / "out"), "--count", "4", "--curriculum", str(state), "--levels", "2"]
    refused = CliRunner().invoke(cli, words)
    assert refused.exit_code == 2
    assert "levels='2': is decided by the curriculum" in refused.output
