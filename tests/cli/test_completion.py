"""What shells complete, and what the command line says to a misspelt command."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

BREAKS = "="
"""What ends a word for bash as it is set up by default, of what bounds are written with."""


def bash(line):
    """Return what bash offers at the end of a line, with the script that the docs install."""
    spaced = line.replace(BREAKS, f" {BREAKS} ")
    words = [*shlex.split(spaced), *([""] if line.endswith(" ") else [])]
    program = os.path.join(os.path.dirname(sys.executable), "tidegate")
    script = (
        'eval "$(_TIDEGATE_COMPLETE=bash_source "$1")"; program=$1; shift\n'
        "compopt() { :; }\n"
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n'
        '_tidegate_completion "$program"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", program, *words], capture_output=True, text=True
    )
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tidegate che", ["check"]),
        ("tidegate check hw -b rec", ["records="]),
        ("tidegate check hw -b records=2 -b acks=a", ["all"]),
    ],
)
def test_bash_completes(line, offered):
    assert bash(line) == offered


@pytest.fixture
def completed(monkeypatch):
    """Return what the command line offers to bash at the end of a line, without a shell."""

    def offer(line):
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(shlex.split(line)) - 1))
        monkeypatch.setenv("_TIDEGATE_COMPLETE", "bash_complete")
        output = CliRunner().invoke(main, prog_name="tidegate").output
        return [line.partition(",")[2] for line in output.splitlines() if line]

    return offer


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tidegate check kip-5", ["kip-595", "kip-595-reset"]),
        ("tidegate check hw -p NoC", ["NoCommittedRecordLost"]),
        ("tidegate check hw -p nor", ["NoReadRecordLost"]),
        ("tidegate check hw -b acks=", ["acks=0", "acks=1", "acks=all"]),
        ("tidegate diff kip-279 kip-3", ["kip-320"]),
        ("tidegate check --release 2.", ["2.0", *(f"2.{minor}" for minor in range(1, 9))]),
        ("tidegate list b", ["bounds"]),
    ],
)
def test_what_has_been_typed_decides_what_is_offered(completed, line, offered):
    assert completed(line) == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_zsh_and_fish_get_the_statement_of_a_property(shell, monkeypatch):
    words = {"zsh": "tidegate check hw -p NoC", "fish": "tidegate check hw -p"}
    monkeypatch.setenv("COMP_WORDS", words[shell])
    monkeypatch.setenv("COMP_CWORD", {"zsh": "4", "fish": "NoC"}[shell])
    monkeypatch.setenv("_TIDEGATE_COMPLETE", f"{shell}_complete")
    output = CliRunner().invoke(main, prog_name="tidegate").output
    assert "NoCommittedRecordLost" in output
    assert "Every record that was once below" in output


def test_completion_runs_no_file(shell, completed):
    shell.write("loud.py", "open('ran', 'w').close()")
    assert completed("tidegate check loud.py -p NoC") == ["NoCommittedRecordLost"]
    assert not (shell.path / "ran").exists()


@pytest.mark.parametrize(
    ("typed", "near"), [("chek", "check"), ("explian", "explain"), ("simualte", "simulate")]
)
def test_a_misspelt_command_is_corrected(typed, near):
    result = CliRunner().invoke(main, [typed, "hw"])
    assert result.exit_code == 2
    assert f"there is no command '{typed}'; did you mean {near}" in result.output


@pytest.mark.parametrize("limit", ["5m", "1h30m", "90s", "90", "0.5", "1d"])
def test_a_time_limit_has_units(limit):
    quick = ["check", "tidegate.examples.async_isr:async_isr", "--time-limit", limit]
    assert CliRunner().invoke(main, quick).exit_code == 0


@pytest.mark.parametrize("limit", ["0", "-1", "5x", "m", "5m3", "nan", "inf", "", "1e99", "9" * 99])
def test_what_is_no_time_is_refused(limit):
    result = CliRunner().invoke(main, ["check", "hw", "--time-limit", limit])
    assert result.exit_code == 2
    assert f"{limit!r} is not a time; write seconds, or such as 90s, 5m or 1h30m" in result.output


def test_list_is_short_and_can_be_filtered():
    run = CliRunner().invoke
    short = run(main, ["list"]).output
    assert "kip-320" in short
    assert "power_losses" not in short
    assert len(short.splitlines()) < 40
    assert "power_losses" in run(main, ["list", "--all"]).output
    bounds = run(main, ["list", "bounds", "kip-320"]).output
    assert "power_losses" in bounds
    assert "max_version" not in bounds
    assert "replicas" not in run(main, ["list", "bounds", "controller_crashes"]).output
    assert run(main, ["list", "bonds"]).exit_code == 2
    assert "none of the bounds has 'nope'" in run(main, ["list", "bounds", "nope"]).output
    for name in ("kip-320", TWO_PHASE):
        pointed = run(main, ["list", name])
        assert pointed.exit_code == 2
        assert f"tidegate show {name} describes" in " ".join(pointed.output.split())
    assert run(main, ["list", "bounds", "nothing like this"]).exit_code == 2


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_list_breaks_no_word_however_narrow_the_terminal_is(width):
    listed = json.loads(CliRunner().invoke(main, ["list", "bounds", "--json"]).output)
    output = CliRunner().invoke(main, ["list", "bounds"], env={"COLUMNS": width}).output
    assert max(map(len, output.splitlines())) <= int(width)
    words = {word.strip("();") for word in output.split()}
    for bound in listed["bounds"]:
        meaning = {word.strip("();") for word in bound["meaning"].split()}
        assert {bound["name"], *meaning} <= words


TWO_PHASE = "examples/two_phase_commit.py"


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("bounds", {"name": "managers", "default": "3"}),
        ("properties", {"name": "Consistent", "kind": "invariant"}),
        ("fairness", {"action": "Prepare", "owed": "weak, for each manager"}),
    ],
)
def test_list_takes_a_file_for_what_it_declares(kind, row, monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[2])
    done = CliRunner().invoke(main, ["list", kind, TWO_PHASE, "--json"])
    rows = json.loads(done.output)[kind]
    assert any(row.items() <= one.items() for one in rows), rows
