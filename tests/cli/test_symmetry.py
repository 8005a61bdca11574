"""What ``--symmetry`` relies on is said, and a rule that tells replicas apart is refused."""

import json

import pytest
from click.testing import CliRunner

from tidegate.cli import main

LOPSIDED = '''"""KIP-320 with a replica that keeps its log where any other would truncate it."""

from dataclasses import replace

from tidegate.examples.published import end_of_last_match, kip_320


def keep_once(s, k, leader, follower) -> int:
    """Keep the log of replica 0 when it first follows replica 1.{reason}"""
    if leader == 1 and s.partition.epoch == 1 and s.replica[follower].leo == 1:
        return s.replica[follower].leo
    return end_of_last_match(s, k, leader, follower)


LOPSIDED = replace(
    kip_320,
    name="lopsided",
    parent=kip_320,
    rules=replace(kip_320.rules, truncation_offset=keep_once),
)
'''

SMALL = ["-b", "records=2", "-b", "max_leader_epoch=2"]


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


@pytest.fixture
def lopsided(tmp_path, monkeypatch):
    """Put the file of a protocol into the present directory, if need be with a declaration."""
    monkeypatch.chdir(tmp_path)

    def write(reason=""):
        protocol = tmp_path / "lopsided.py"
        protocol.write_text(LOPSIDED.replace("{reason}", reason))
        return protocol

    return write


def test_a_rule_that_samples_do_not_find_is_refused_with_its_line(lopsided):
    """Without symmetry it is violated; where samples alone were relied on, it held."""
    protocol = lopsided().name
    assert run("check", protocol, *SMALL).exit_code == 12
    refused = run("check", protocol, *SMALL, "--symmetry")
    assert refused.exit_code == 2
    assert (
        "BecomeFollower: leader == 1 tells replica 1 from the others (keep_once, lopsided.py:10, "
        "called by become_follower, "
    ) in flat(refused)


def test_a_declaration_is_believed_and_the_verdict_names_it(lopsided):
    protocol = lopsided("\n\n    Symmetric: replica 1 is any replica.\n    ")
    alike = protocol.read_text().replace("leader == 1", "leader + 1 == follower + 1")
    protocol.write_text(alike)
    believed = run("check", protocol.name, *SMALL, "--symmetry", "--quiet")
    assert believed.exit_code == 0
    assert (
        "(shown from the code, but keep_once (lopsided.py:8) is declared symmetric: replica 1 is "
        "any replica), "
    ) in flat(believed)


def test_a_declaration_that_is_wrong_is_noticed(lopsided):
    """It holds in nearly all states, and all of them are tried while there is time."""
    protocol = lopsided("\n\n    Symmetric: replica 1 is any replica.\n    ")
    refused = run("check", protocol.name, *SMALL, "--symmetry")
    assert refused.exit_code == 70
    assert (
        "symmetry is broken: keep_once (lopsided.py:8) says 'Symmetric: ...' in the docstring; "
        "renaming replicas as (1, 0) "
    ) in flat(refused)


def test_the_verdict_says_what_was_relied_on(tmp_path):
    page, saved = tmp_path / "page.html", tmp_path / "report.json"
    model = ["check", "tidegate.examples.published:hw", "-b", "replicas=3", "-b", "records=1"]
    relied_on = "6 permutations; replicas are only names in all 9 actions and 5 properties"
    result = run(*model, "--symmetry", "--json", str(saved), "--html", str(page))
    assert result.exit_code == 12
    assert f"--symmetry: {relied_on} (shown from the code), " in flat(result)
    report = json.loads(saved.read_text())["symmetry"]
    assert report.pop("relied_on").startswith(f"{relied_on} (shown from the code), ")
    sampled = report.pop("sampled_states")
    assert f"{sampled} states sampled." in flat(result)
    assert sampled > 0
    assert report.pop("within_constraint") is False
    assert report == {"permutations": 6, "actions": 9, "properties": 5, "declared": []}
    assert relied_on in page.read_text()


def test_without_symmetry_nothing_is_said_of_it():
    result = run("check", "tidegate.examples.published:hw", "-b", "records=1", "--json", "-")
    assert json.loads(result.stdout)["symmetry"] is None
    assert (
        "symmetry" not in run("check", "tidegate.examples.published:hw", "-b", "records=1").output
    )


def test_a_model_in_which_every_replica_is_singled_out_is_searched_in_full():
    result = run("check", "kip-320", "-b", "records=1", "-b", "crashes=0", "--symmetry")
    assert "the initial states distinguish all replicas, so there are no permutations" in flat(
        result
    )
