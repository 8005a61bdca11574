"""A violation says which known bug it is, and ``--repaired`` looks past it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.docs.catalogue import bugs
from tidegate.cli import main
from tidegate.library.known_bugs import KNOWN, bugs_of
from tidegate.library.names import find_protocol

RELEASE = [
    "--release", "4.0", "-b", "replicas=3", "-b", "min_isr=2", "-b", "records=1", "-b", "crashes=1",
    "-b", "elections=1", "-p", "NoAckedRecordLost", "-q",
]  # fmt: skip
"""Violated after 16 steps, by a record that is applied twice."""

MISSED = ["-b", "records=1", "-b", "crashes=0", "-b", "moves", "-p", "LogMatching", "-q"]


def run(*arguments):
    """Return the exit status of a command, and what it prints, in one line."""
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, " ".join(result.output.split())


def test_the_names_are_those_of_the_catalogue():
    text = (Path(__file__).parents[2] / "docs" / "catalogue.md").read_text("utf-8")
    rows = {row.page.removesuffix(".md"): row for row in bugs(text)}
    for known in KNOWN:
        row = rows[known.name]
        assert row.title.partition(" (")[0] == known.title
        if "~" in row.shown_by:
            assert row.shown_by.partition("~")[2] == f"{known.rule} = {known.older}"
        assert known in [*bugs_of(find_protocol(row.shown_by))]
    for name, row in rows.items():
        rules = {one.rule for one in KNOWN}
        assert row.shown_by.partition("~")[2].partition(" = ")[0] in {*rules, ""}, name


def test_a_release_says_which_known_bug_it_shows(tmp_path):
    file = tmp_path / "report.json"
    code, out = run("check", *RELEASE, "--json", str(file))
    assert code == 12
    assert out.endswith(
        "NoAckedRecordLost is violated after 16 steps. This is a known bug of Kafka: A known "
        "record. With its repair (--repaired known-record) the "
        "same search holds."
    )
    assert json.loads(file.read_text())["known_bug"] == {
        "name": "known-record",
        "title": "A known record",
        "repaired": {"outcome": "holds", "violated": {}},
    }


def test_a_repaired_release_holds():
    code, out = run("check", *RELEASE, "--repaired", "Known-Record")
    assert code == 0
    assert "kafka-4.0-kraft~applies_known_record = only_if_new" in out


def test_the_repair_is_named_like_a_mutant_too():
    code, _ = run(
        "check", "kip-595~applies_known_record = only_if_new", "-b", "isr_propagation=records",
        "-b", "records=1", "-b", "crashes=1", "-q",
    )  # fmt: skip
    assert code == 0


def test_what_remains_is_said():
    name = "kip-320~has_new_leader = if_leader_changes, truncates_cache = only_if_log_shrinks"
    code, out = run("check", name, *MISSED, "--repaired", "kafka-7164")
    assert code == 0
    assert "kip-320~truncates_cache = only_if_log_shrinks," in out


@pytest.mark.parametrize("protocol", ["hw", "kip-101"])
def test_a_protocol_without_fences_shows_no_bug_of_current_kafka(protocol):
    settings = [
        "-b",
        "records=3",
        "-b",
        "crashes=0",
        "-b",
        "elections=2",
        "-b",
        "moves",
        "-p",
        "LogMatching",
        "-q",
    ]
    code, out = run("check", protocol, *settings)
    assert code == 12
    assert "known bug" not in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["kip-320", "--repaired", "known"], "there is no known bug 'known'"),
        (
            ["kip-320", "--repaired", "kip-903"],
            "--repaired kip-903: kip-320 does not have it; it has removed-replica, known-record,",
        ),
        (
            ["kip-320~Produce: s.written == k.records", "--repaired", "known-record"],
            "is a mutant; name a protocol",
        ),
        (["examples/paxos.py", "--repaired", "known-record"], "does not have it"),
    ],
)
def test_a_wrong_name_is_an_error(arguments, said):
    code, err = run("check", *arguments)
    assert code == 2
    assert said in err
