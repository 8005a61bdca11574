"""docs/releases.md says what each release runs; `sh scripts/regenerate releases` writes it."""

import json

import pytest
from click.testing import CliRunner

from tests.docs.releases import PAGE, SEARCHES, rows
from tidegate.cli import main
from tidegate.commands.check import check_command
from tidegate.library.mutants import mutants
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for
from tidegate.model import KIP_595
from tidegate.model.broker.releases import KRAFT, ZOOKEEPER, Release, deciding

ROWS = rows()


def shown():
    """Return the cells of each row of the page, by releases."""
    lines = [one for one in PAGE.read_text("utf-8").splitlines() if one.startswith("| ")][2:]
    cells = [one[2:-2].split(" | ") for one in lines]
    return {(row[0]): row[1:] for row in cells}


def test_the_page_has_a_row_for_every_group_of_releases():
    wanted = {}
    for row in ROWS:
        kind = "KRaft" if row.last.metadata == "kraft" else "ZooKeeper"
        wanted[f"{row.name}, {kind}"] = row
    assert list(shown()) == list(wanted)
    for name, row in wanted.items():
        stands_on, other, *_ = shown()[name]
        assert stands_on.startswith(f"`{row.last.protocol.parent.name}`")
        assert other.replace("`", "") == (row.older or "none")


def row(one, column, slow):
    """Return a parameter set for a cell of the page."""
    kind = "KRaft" if one.last.metadata == "kraft" else "ZooKeeper"
    marks = [pytest.mark.slow] if slow else []
    return pytest.param(one, f"{one.name}, {kind}", column, id=f"{one.name} {column}", marks=marks)


@pytest.mark.parametrize(
    ("one", "name", "column"),
    [
        row(one, column, slow=column != 2 or one.last.metadata == "kraft" or number % 3)
        for number, one in enumerate(ROWS)
        for column in range(len(SEARCHES))
    ],
)
def test_a_release_violates_what_the_page_says(one, name, column):
    assert one.verdict(SEARCHES[column]) == shown()[name][2 + column]


def test_a_release_picks_rules_and_options():
    result = CliRunner().invoke(
        main, ["check", "--release", "3.9", "--metadata", "kraft", "-b", "records=1"]
    )
    assert result.exit_code == 0, result.output
    assert "HOLDS kafka-3.9-kraft" in result.output
    assert "isr_propagation=records" in result.output


@pytest.mark.parametrize(
    ("name", "version", "propagation"),
    [("3.5", "", "kraft"), ("3.6", "", "records"), ("4.4", "", "records"), ("3.9", "3.5", "kraft")],
)
def test_isr_changes_are_records_since_metadata_version_3_6(name, version, propagation):
    assert f"isr_propagation={propagation}" in Release(name, "kraft", version).settings


def test_metadata_takes_what_releases_tell_apart():
    [option] = [one for one in check_command.params if one.name == "metadata"]
    assert tuple(option.type.choices) == (ZOOKEEPER, KRAFT)


@pytest.mark.parametrize("bounds", ["records=1 crashes=1", "records=1 hw-needs-min-isr=off"])
@pytest.mark.parametrize("name", ["kafka-4.0-kraft", "kafka-4.1-kraft", "kafka-3.9-zookeeper"])
def test_a_release_has_its_options_under_every_name(name, bounds, tmp_path):
    _, release, metadata = name.split("-")
    own = tmp_path / "own.py"
    own.write_text(
        "from dataclasses import replace\n"
        "from tidegate.model import release\n"
        f"OWN = replace(release({release!r}, {metadata!r}), summary='Mine.')\n"
    )
    wanted = system_for(find_protocol(name), bounds.split(), ()).bounds
    settings = find_protocol(name).settings
    kept = [one for one in settings if "hw" not in one or "hw-" not in bounds]
    base = find_protocol(name).parent
    assert wanted == system_for(base, [*kept, *bounds.split()], ()).bounds
    mutant = next(iter(mutants(find_protocol(name)))).protocol
    for same in (mutant, find_protocol(str(own))):
        assert system_for(same, bounds.split(), ()).bounds == wanted


def test_a_name_and_an_option_pick_the_same_search():
    bounds = ["-b", "records=2", "-b", "crashes=1", "-p", "NoCommittedRecordLost", "--json", "-"]
    run = [
        CliRunner().invoke(main, ["check", *picked, *bounds])
        for picked in (["kafka-4.0-kraft"], ["--release", "4.0"])
    ]
    results = [json.loads(one.stdout) for one in run]
    assert [one.exit_code for one in run] == [12, 12]
    assert results[0]["bounds"] == results[1]["bounds"]
    assert results[0]["bounds"]["isr_propagation"] == "records"
    assert [one["properties"][0]["steps"] for one in results] == [15, 15]


def test_a_bound_overrides_an_option_of_the_release():
    arguments = "check --release 4.1 -b records=1 -b isr_propagation=instant -b crashes=1"
    result = CliRunner().invoke(main, arguments.split())
    assert result.exit_code == 0, result.output
    assert "isr_propagation=" not in result.output


def test_an_older_protocol_version_selects_the_older_rules():
    """The brokers' code stays: they notice bounces, and cache epochs at once."""
    rules = find_protocol("kafka-2.8-zookeeper-1.1").rules
    older, newer = find_protocol("kip-101").rules, find_protocol("kip-595").rules
    assert rules.end_offset_for_epoch is older.end_offset_for_epoch
    assert rules.may_serve_fetch is older.may_serve_fetch
    assert rules.may_restart is newer.may_restart
    assert rules.assign_epoch is newer.assign_epoch


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--release 0.7", "no release '0.7'; use one of 0.8.0"),
        ("--release 3.9", "add --metadata zookeeper or --metadata kraft"),
        ("--release 2.6 --metadata kraft", "begins with 3.3"),
        ("--release 4.0 --metadata zookeeper", "ends with 3.9"),
        ("--release 2.6 --protocol-version 2.7", "newer than Kafka 2.6"),
        ("hw --release 2.6", "leave out hw"),
        ("hw --metadata kraft", "need --release"),
        ("", "name a PROTOCOL"),
    ],
)
def test_what_does_not_fit_is_said_with_the_repair(arguments, words):
    result = CliRunner().invoke(main, ["check", *arguments.split()])
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("name", "releases"),
    [
        ("may_complete", "4.3 to 4.4 (kraft)"),
        ("without_leader", "0.8.2 to 3.9 (zookeeper)"),
        ("may_change_isr", "0.8.0 to 3.9 (zookeeper)"),
        ("removed_are_eligible", "4.1 to 4.4 (kraft)"),
        ("truncates_cache", "2.6 to 3.9 (zookeeper), 3.3 to 4.4 (kraft)"),
    ],
)
def test_a_release_decides_only_by_rules_that_its_brokers_ask(name, releases):
    assert deciding(name, getattr(KIP_595.rules, name)) == releases
