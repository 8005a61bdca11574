"""A property in a custom file is named with -p, wherever a property is named."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

PROMISES = '''
from pathlib import Path

from tidegate import Kind, Property

Path("was-run").touch()


def second(s, k) -> tuple[int] | None:
    """Return a broker whose log has two records."""
    for broker in range(k.replicas):
        if s.replica[broker].leo > 1:
            return (broker,)
    return None


def misspelt(s, k):
    return s.partition.leadr == -1


def lost(s, k):
    return all(s.aux_committed[offset].record == -1 for offset in range(k.log_size))


NO_SECOND = Property(
    "Second", "No log has a second record.", "the team", witness=second,
    explain=lambda s, k, broker: f"Broker {broker} has two records.",
)
MISSPELT = Property("Misspelt", "No.", "the team", misspelt)
BARE = Property("Bare", "No.", "the team", lambda s: True)
NEVER_COMMITTED = Property(
    "Lost", "Nothing is committed.", "the team", lost
)
'''

NAME = "promises.py:NO_SECOND"


@pytest.fixture(autouse=True)
def promises(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("promises.py").write_text(PROMISES)


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


def was_run():
    """Whether the file of the property was run since this was asked last."""
    ran = Path("was-run").exists()
    Path("was-run").unlink(missing_ok=True)
    return ran


@pytest.fixture
def trace():
    assert run("check", "hw", "-p", NAME, "--json", "trace.json").exit_code == 12
    Path("was-run").unlink()
    return "trace.json"


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_every_engine_decides_it_and_explains_it(engine):
    result = run("check", "hw", "-p", NAME, "--engine", engine)
    assert result.exit_code == 12
    assert f"{NAME} is violated. Broker 0 has two records." in flat(result)
    assert f"{NAME} is violated after 2 steps." in flat(result)


def test_it_is_checked_beside_properties_of_the_family():
    result = run("check", "hw", "-b", "records=1", "-b", "crashes=0", "-p", NAME, "-p", "TypeOk")
    assert result.exit_code == 0
    assert f"every state satisfies {NAME}, TypeOk" in flat(result)


def test_the_histories_that_it_needs_are_kept():
    result = run("check", "hw", "-b", "crashes=0", "-p", "promises.py:NEVER_COMMITTED")
    assert "promises.py:NEVER_COMMITTED is violated after" in flat(result)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none.py:A", "none.py: cannot be read (No such file or directory); name a Python file"),
        ("promises.py:A", "no Property is called A; the file has NO_SECOND, MISSPELT, BARE, NEVER"),
        ("promises.py", "promises.py: name one Property after a colon; the file has NO_SECOND"),
        ("promises.py:MISSPELT", "promises.py:18: Partition has no 'leadr'; did you mean"),
        ("promises.py:BARE", "the predicate of promises.py:BARE takes (s), and is called with"),
        ("NoGap", "name a custom property by its file"),
    ],
)
def test_a_name_that_cannot_be_used_is_one_line(name, words):
    result = run("check", "hw", "-p", name)
    assert result.exit_code == 2
    assert words in result.output
    assert result.output.startswith("Error: ")
    assert len(result.output.splitlines()) == 1


def test_a_property_of_another_family_is_refused_with_what_its_state_lacks():
    Path("gap.py").write_text(
        "from tidegate import Property\n\n\ndef gap(s, k):\n    return s.aux_hw == 0\n\n\n"
        "GAP = Property('Gap', 'No.', 'here', gap)\n"
    )
    result = run("check", "tidegate.examples.published:hw", "-p", "gap.py:GAP")
    assert result.exit_code == 2
    assert "gap.py:5: PublishedState has no 'aux_hw'" in result.output


@pytest.mark.parametrize(
    "command",
    [
        ("replay", "trace.json"),
        ("explain", "trace.json", "-q"),
        ("replay", "trace.json", "--tla", "-"),
    ],
)
def test_a_trace_that_names_it_does_not_run_it_unless_the_user_does_too(trace, command):
    result = run(*command)
    assert result.exit_code == 2
    assert f"trace.json names the property {NAME}, which is Python code" in flat(result)
    assert not was_run()
    again = result.output.splitlines()[-1].split()
    assert again == ["tidegate", *command, f"--property={NAME}"]
    for vouched in (again[1:], [*command, "--trust"]):
        # A file that is as it was is not run twice by one process.
        Path("promises.py").write_text(f"{PROMISES}# {vouched}\n")
        assert run(*vouched).exit_code == 0
        assert was_run()


def test_a_replayed_trace_violates_it_as_recorded(trace):
    result = run("replay", trace, "-p", NAME)
    assert f"{NAME} is violated at the end, as recorded." in flat(result)


def test_a_file_that_has_moved_is_named_where_it_is(trace):
    Path("team").mkdir()
    Path("promises.py").rename("team/promises.py")
    result = run("replay", trace, "-p", "team/promises.py:NO_SECOND")
    assert result.exit_code == 0
    assert "team/promises.py:NO_SECOND is violated at the end" in flat(result)


def test_another_property_than_that_of_the_trace_is_refused(trace):
    result = run("replay", trace, "--trust", "-p", "promises.py:BARE")
    assert result.exit_code == 2
    assert "there is no trace of a property 'promises.py:BARE'" in flat(result)


def test_a_checkpoint_that_names_it_does_not_run_it_unless_the_user_does_too():
    bounds = ("-b", "records=1", "-b", "crashes=0")
    limit = ("--max-depth", "4", "--checkpoint", "run", "--checkpoint-every", "0")
    begun = run("check", "hw", *bounds, "-p", NAME, *limit)
    assert begun.exit_code == 3, begun.output
    assert f"tidegate check --resume run --property={NAME}" in flat(begun)
    Path("was-run").unlink()
    refused = run("check", "--resume", "run")
    assert f"run names the property {NAME}, which is Python code" in flat(refused)
    assert refused.exit_code == 2
    assert not was_run()
    resumed = run("check", "--resume", "run", f"--property={NAME}")
    assert resumed.exit_code == 0, resumed.output
    assert f"every state satisfies {NAME}" in flat(resumed)


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "hw", "-q"),
        ("bounds", "hw", "-b", "crashes=0", "-b", "elections=0"),
        ("simulate", "hw", "--walks", "5"),
        ("graph", "hw", "-b", "records=2", "-b", "crashes=0", "-b", "elections=0"),
        ("diff", "hw", "kip-101", "-b", "records=2", "-b", "crashes=0", "-b", "elections=0"),
    ],
)
def test_every_command_that_takes_a_property_takes_it(command):
    result = run(*command, "-p", NAME)
    assert result.exit_code in (0, 1, 12), result.output
    assert was_run()
    assert command[0] == "graph" or NAME in flat(result)


GATE = f"""
[[case]]
protocols = "hw"
bounds = "records=2 crashes=0 elections=0"
violates = {{ "{NAME}" = 2 }}
holds = "TypeOk"

[[case]]
protocols = "hw"
bounds = "records=1 crashes=0"
holds = ["{NAME}"]
"""


def test_a_gate_expects_it_and_does_not_keep_that_it_held():
    Path("tidegate.toml").write_text(GATE)
    for _ in range(2):
        result = run("gate", "--cached", "--json", "report.json")
        assert result.exit_code == 0, result.output
        cells = json.loads(Path("report.json").read_text())["cells"]
        assert [cell["status"] for cell in cells] == ["pass", "pass"]


def test_a_gate_lists_its_cells_without_running_it():
    Path("tidegate.toml").write_text(GATE)
    assert NAME in flat(run("gate", "--list"))
    assert not was_run()


def test_a_gate_says_where_it_names_a_property_that_is_none():
    Path("tidegate.toml").write_text(GATE.replace("NO_SECOND", "NONE"))
    result = run("gate")
    assert result.exit_code == 2
    assert "tidegate.toml:5: promises.py:NONE: no Property is called NONE" in result.output
    Path("tidegate.toml").write_text(GATE.replace("promises.py", "none.py"))
    assert "none.py:NO_SECOND: there is no such file beside the gate's" in run("gate").output
