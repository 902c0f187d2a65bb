"""`ecomrlve truth`: what it counts, what it says, and that it finds what is broken."""

import re
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ecomrlve import InvalidArgument, environments, make_task, verify
from ecomrlve.cli import cli
from ecomrlve.generator.proofs import laws
from ecomrlve.generator.proofs.laws import remakes
from ecomrlve.generator.proofs.tally import LawTally, broken_counts
from ecomrlve.generator.verifiers import Verdict
from ecomrlve.generator.world import World
from ecomrlve.outputs.truth import Proof, Proven, prove
from ecomrlve.outputs.truth_report import page, parts, share

SMALL = Proof(count=26 * len(environments()), levels=(0, 4), products=2_000)


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["truth", *(str(word) for word in words)])


@pytest.fixture(scope="module")
def found() -> Proven:
    return prove(SMALL)


def test_every_law_holds_and_all_is_counted(found: Proven) -> None:
    assert not list(found.faults())
    for env in environments():
        whole = found.total(env)
        assert whole.tasks == 26 and sum(tally.tasks for tally in found.tallies[env].values()) == 26
        assert whole.checked["the oracle is right"] == 26 and whole.checked["the oracle is right ~"] == 13
        assert whole.rejected == whole.wrong and whole.wrong.total() > 26
        assert whole.accepted == whole.rewrites > 26 * 20
        assert whole.says_nothing == whole.impossible
        assert 0 < whole.judged < 26 and 0 < whole.chance / whole.judged < 0.1
        assert whole.attempts.total() == 26


def test_the_counts_do_not_depend_on_the_workers(found: Proven) -> None:
    assert prove(SMALL, workers=2).tallies == found.tallies


def test_each_task_is_made_once() -> None:
    for count in (1, 2, 100, 101, 350):
        asked = Proof(environments=("PD", "CART", "PD"), count=count)
        seen = Counter((env, index) for env, first, many in asked.jobs for index in range(first, first + many))
        assert seen.total() == count and set(seen.values()) == {1}
        assert all(many > 0 for _, _, many in asked.jobs)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(InvalidArgument, match="count=0"):
        Proof(count=0)
    with pytest.raises(InvalidArgument, match="env='LUCK'"):
        Proof(environments=("LUCK",))
    with pytest.raises(InvalidArgument, match="workers=0"):
        prove(Proof(count=1), workers=0)


def test_the_page_shows_every_environment_and_level(found: Proven) -> None:
    text = page(found, "ecomrlve truth --count 9")
    assert "`ecomrlve truth --count 9`" in text and "Every law holds." in text
    titles = [part.title for part in parts(found)]
    assert titles[:3] == ["Environments", "Laws", "Cheats"]
    for env in environments():
        assert f"\n## {env} by level\n" in text
        assert re.search(rf"\n\| {env} +\| +26 \| +100 % \|", text)
    # Every row of a table has as many cells as its heading.
    for block in text.split("\n\n"):
        if block.startswith("|"):
            assert len({line.count("|") for line in block.strip().split("\n")}) == 1


def test_a_verifier_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that takes any list for right breaks the laws of mutants, with what re-makes each task."""

    def lax(truth: str, reply: object) -> Verdict:
        verdict = verify(truth, reply)
        return verify(truth, None) if verdict.correct and isinstance(reply, bytes) else verdict

    monkeypatch.setattr(laws, "verify", lax)
    asked = Proof(environments=("CART",), count=3, levels=(2,), products=2_000)
    proven = prove(asked)
    faults = list(proven.faults())
    assert faults[0] == "CART: rewrites are accepted: broken by 3 of 3 tasks"
    assert proven.total("CART").accepted == proven.total("CART").rewrites - 3
    again = faults[1].strip().split(": b'")[0]
    task = eval(again, {"World": World, "make_task": make_task})
    assert task.env == "CART" and task.level == 2
    assert "Not every law holds." in page(proven, "x") and "## Broken" in page(proven, "x")


def test_what_re_makes_a_task_does() -> None:
    world = World.synthetic(products=2_000, seed=3, split="test")
    task = make_task(world, "PD", level=3, seed=1, index=5, axes={"noise": 0}, impossible=0.5)
    again = eval(remakes(task), {"World": World, "make_task": make_task})
    assert again.task_id == task.task_id and again.recipe == task.recipe


@pytest.mark.parametrize(
    ("tally", "words"),
    [
        (
            LawTally(judged=100, chance=1.0, right=Counter(echo=7), score={"echo": 7.0}),
            '"echo" is right 7 times in 100',
        ),
        (
            LawTally(judged=100, chance=9.0, score={"echo": 30.0}, squares={"echo": 9.0}),
            '"echo" has a mean score of 0.3',
        ),
        (LawTally(strays=Counter(echo=2)), 'where nothing fits "echo" is right 2 times'),
        (LawTally(tasks=1_000, attempts=Counter({1: 900, 6: 100})), "100 of 1,000 tasks take more than 5 attempts"),
        (LawTally(tasks=1_000, says_nothing=200), '"nothing fits" is right 200 times in 1,000'),
    ],
)
def test_counts_out_of_bounds_are_told(tally: LawTally, words: str) -> None:
    assert len(broken_counts(tally)) == 1 and words in broken_counts(tally)[0]


def test_counts_within_bounds_are_fine() -> None:
    fine = LawTally(
        tasks=1_000, judged=900, chance=20.0, right=Counter(echo=30), score={"echo": 60.0}, says_nothing=120
    )
    assert not broken_counts(fine)


@pytest.mark.parametrize(
    ("some", "of", "text"),
    [(0, 0, "-"), (0, 4, "0 %"), (4, 4, "100 %"), (999_999, 1_000_000, "99.99 %"), (1, 3, "33.33 %")],
)
def test_shares_are_never_rounded_to_all(some: int, of: int, text: str) -> None:
    assert share(some, of) == text


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "truth.md"
    done = run("--env", "cart", "--count", 6, "--levels", "0-2", "--products", 2_000, "--workers", 1, "--out", out)
    assert done.exit_code == 0, done.output
    assert "Every law holds in 6 tasks" in done.stdout and "CART by level" in done.stdout
    text = out.read_text(encoding="utf-8")
    assert f"`ecomrlve truth --env cart --count 6 --levels 0-2 --products 2000 --out {out}`" in text


def test_the_command_ends_with_1_where_a_law_is_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Proven, "faults", lambda self: iter(["CART: something: make_task(…)"]))
    out = tmp_path / "truth.md"
    done = run("--env", "CART", "--count", 2, "--products", 2_000, "--workers", 1, "--out", out)
    assert done.exit_code == 1 and "CART: something: make_task(…)" in done.stderr
    assert "- CART: something" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--env", "LUCK"], 2, "env='LUCK'"),
        (["--count", "0"], 2, "count=0"),
        (["--levels", "3-1"], 2, "write 1-3"),
        (["--workers", "0", "--count", "1"], 2, "workers=0"),
        (["--products", "900", "--catalog", "x"], 2, "exclude each other"),
        (["--out", "/no/such/folder/truth.md"], 2, "is in no folder"),
        (["--catalog", "/no/such/shop", "--count", "1", "--workers", "1"], 1, "/no/such/shop"),
    ],
)
def test_bad_requests(words: list[str], code: int, message: str) -> None:
    done = run(*words)
    assert done.exit_code == code and message in " ".join(done.stderr.split()) and "Traceback" not in done.stderr
