"""`ecomrlve fuzz`: what it runs, what it says, and that it finds what is broken."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from ecomrlve import InvalidArgument, environments, make_task
from ecomrlve.cli import cli
from ecomrlve.outputs.fuzzing.campaign import CHEATS, Campaign, fuzz
from ecomrlve.outputs.fuzzing.conventions import CONVENTIONS, work_out
from ecomrlve.outputs.fuzzing.properties import PROPERTIES
from ecomrlve.outputs.fuzzing.replies import shop
from ecomrlve.outputs.fuzzing.verifier import NoScore, load_verifier, score_of
from tests import flawed_verifiers

QUICK = ("complete", "sound", "total", "monotone", "priced", "honest")
FLAWED = "tests.flawed_verifiers:"


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["fuzz", "--workers", "1", *(str(word) for word in words)])


# --- our own ---------------------------------------------------------------------------------------------------------


def test_ours_are_found_whole() -> None:
    # Time is measured over the registry in test_fuzzing.py; once is enough.
    names = (*(name for name in PROPERTIES if name != "linear"), CHEATS)
    found = fuzz(Campaign(examples=4, properties=names))
    assert not found.findings
    assert set(found.counts) == {(env, name) for env in environments() for name in names}
    assert all(counts.tried for counts in found.counts.values())


def test_what_is_found_does_not_depend_on_the_workers() -> None:
    asked = Campaign(spec=FLAWED + "substring", environments=("PD",), properties=("sound", "complete"), examples=12)
    one, two = fuzz(asked), fuzz(asked, workers=2)
    assert one.findings == two.findings and one.findings
    # Which examples are tried may differ: Hypothesis takes constants from whatever modules a process has loaded.
    assert {key: counts.tried.total() for key, counts in one.counts.items()} == {
        key: counts.tried.total() for key, counts in two.counts.items()
    }


def test_the_time_ends_a_run() -> None:
    found = fuzz(Campaign(environments=("PD",), properties=("total",), examples=1_000_000, seconds=0.5))
    assert 0 < found.tried < 100_000


# --- somebody else's -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "env", "convention", "named"),
    [
        # All ids of the page hold the right ones; wrong quantities and wrong amounts pass.
        ("substring", "PD", "pair", {"everything", "decoy added", "products repeated"}),
        ("nearly_f1", "CART", "verl", {"quantity one more", "quantity one less", "quantity tenfold"}),
        ("any_return", "RETURN", "trl", {"refund_cents one more", "refund_cents one less", "another rule"}),
    ],
)
def test_flawed_verifiers_are_caught(name: str, env: str, convention: str, named: set[str]) -> None:
    """Each as unsound, by the operators that name its flaw, at a task of level 0 in few words."""
    found = fuzz(Campaign(spec=FLAWED + name, environments=(env,), properties=("sound",), examples=120))
    assert found.verifier.convention.name == convention and found.verifier.maximum == 1.0
    assert named & {finding.operator for finding in found.findings if finding.property == "sound"}
    small = [one for one in found.findings if one.level == 0 and one.chars < 200]
    assert small and all(one.failed <= one.tried for one in found.findings)


def test_errors_and_memory_are_caught() -> None:
    found = fuzz(Campaign(spec=FLAWED + "raises", environments=("PD",), properties=("total",), examples=30))
    assert any("raises ValueError" in finding.message for finding in found.findings)
    found = fuzz(Campaign(spec=FLAWED + "keeps_the_last", environments=("PD",), properties=("pure",), examples=5))
    assert any("a second time" in finding.message for finding in found.findings)


@pytest.mark.parametrize(
    ("spec", "convention"),
    [
        ("ecomrlve.outputs.rewards.verl:compute_score", "verl"),
        ("ecomrlve.outputs.rewards.trl:reward", "trl"),
        ("ecomrlve.outputs.rewards.openrlhf:reward_func", "openrlhf"),
        ("ecomrlve.outputs.rewards.slime:custom_rm", "slime"),
        (FLAWED + "later", "slime"),
        (FLAWED + "turned_round", "reply-truth"),
        (FLAWED + "substring", "pair"),
    ],
)
def test_signatures_are_worked_out(spec: str, convention: str) -> None:
    """The oracle gets full marks and a wrong reply none, whatever the way of calling."""
    task = make_task(shop(2_000, 0), "PD", level=0, seed=0, index=0, impossible=0)
    verifier = load_verifier(spec, probe=task)
    assert verifier.convention.name == convention
    assert verifier.passes(verifier.grade(task, task.oracle))
    assert not verifier.passes(verifier.grade(task, '{"products": []}'))


def test_trainers_rewards_keep_every_property() -> None:
    for trainer in ("verl:compute_score", "trl:reward", "openrlhf:reward_func"):
        asked = Campaign(spec=f"ecomrlve.outputs.rewards.{trainer}", properties=QUICK, examples=8)
        assert not fuzz(asked).findings, trainer


def test_a_signature_that_fits_nothing_is_named() -> None:
    with pytest.raises(InvalidArgument, match="fits no convention"):
        work_out(lambda one: 1.0)
    task = make_task(shop(2_000, 0), "PD", level=0, seed=0, index=0)
    with pytest.raises(InvalidArgument, match="verifier='colour': is no column"):
        work_out(lambda truth, reply, colour: 1.0, task)
    assert work_out(lambda truth, reply, prompt, level: 1.0, task).name == "pair"
    assert set(CONVENTIONS) >= {"verl", "trl", "openrlhf", "slime", "truth-reply", "reply-truth"}


def test_scores_of_every_form() -> None:
    class Tensor:
        def tolist(self) -> list[float]:
            return [0.25]

    assert [score_of(one) for one in (1, True, 0.5, {"reward": 0.1}, [1.0], Tensor())] == [1, 1, 0.5, 0.1, 1, 0.25]
    holds_none: tuple[object, ...] = (None, "1.0", [1, 2], {})
    for given in holds_none:
        with pytest.raises(NoScore):
            score_of(given)


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_is_green_over_ours(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    done = run("--env", "pd", "--examples", 10, "--property", "sound", "--report", report)
    assert done.exit_code == 0, done.output
    assert "Every property holds in 10 replies" in done.stdout and "is called by (ground_truth, reply)" in done.stdout
    told = json.loads(report.read_text("utf-8"))
    assert told["counts"][0]["tried"] == 10 and told["findings"] == []


def test_the_command_shows_what_it_found(tmp_path: Path) -> None:
    words = ("--env", "PD", "--examples", 40, "--property", "sound", "--verifier", FLAWED + "substring")
    done = run(*words, "--report", tmp_path / "report.xml")
    assert done.exit_code == 1
    assert "truth as ground_truth, reply as response; its maximum is 1" in done.stdout
    assert "False positives by mutant and cheat" in done.stdout
    assert "ecomrlve fuzz --env PD --property sound --seed 0" in done.stderr and "make_task(World" in done.stderr
    suite = ElementTree.fromstring((tmp_path / "report.xml").read_text("utf-8"))
    assert suite.get("failures") == "1" and suite.find("testcase/failure") is not None
    again = run(*words, "--report", tmp_path / "report.md", "--fail-on", "complete,total")
    assert again.exit_code == 0
    page = (tmp_path / "report.md").read_text("utf-8")
    assert "## Failures, each by its smallest case" in page and "a wrong reply scores 1 and passes" in page


def test_pass_at_moves_the_threshold() -> None:
    words = ("--env", "CART", "--examples", 40, "--property", "sound", "--levels", "3-5")
    assert run(*words).exit_code == 0
    assert run(*words, "--pass-at", 0.4).exit_code == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env", "LUCK"], "env='LUCK'"),
        (["--examples", "0"], "examples=0"),
        (["--property", "nice"], "property='nice'"),
        (["--verifier", "nothing"], "write module:function"),
        (["--verifier", "no.such:thing"], "cannot be imported"),
        (["--verifier", "no/such.py:thing"], "there is no file no/such.py"),
        (["--verifier", "json:nothing"], "json has no function nothing"),
        (["--verifier", "json:loads", "--convention", "own"], "convention='own'"),
        (["--report", "report.txt"], "must end in .json, .md, .xml"),
        (["--report", "/no/such/report.md"], "is in no folder"),
        (["--fail-on", "luck"], "fail-on='luck'"),
        (["--time", "0"], "time=0"),
        (["--workers", "0"], "workers=0"),
    ],
)
def test_bad_requests(words: list[str], message: str) -> None:
    done = run(*words)
    assert done.exit_code == 2 and message in " ".join(done.stderr.split()) and "Traceback" not in done.stderr


def test_without_hypothesis_the_rest_works_and_fuzz_says_what_to_install(tmp_path: Path) -> None:
    """Who only generates has no need of the extra."""
    out = str(tmp_path / "run")
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "from importlib import util\n"
        "found = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'hypothesis' else found(name, *more)\n"
        "from click.testing import CliRunner\n"
        "from ecomrlve.cli import cli\n"
        f"words = ['generate', {out!r}, '--count', '4', '--products', '900', '--workers', '1', '--levels', '0']\n"
        "done = CliRunner().invoke(cli, words)\n"
        "assert done.exit_code == 0, done.output\n"
        "done = CliRunner().invoke(cli, ['fuzz'])\n"
        "assert done.exit_code == 1 and \"pip install 'ecomrlve[fuzz]'\" in done.stderr, done.output\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_the_flawed_ones_are_flawed_as_they_say() -> None:
    assert flawed_verifiers.substring('{"ranking": ["A1"]}', "none of A1, B2") == 1.0
