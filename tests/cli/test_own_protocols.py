"""A custom protocol is named by its file, and mutants by their name."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.core.errors import SelectionError
from tidegate.library.names import find_protocol

FENCE = '''"""Half a fence."""

from dataclasses import replace

from tidegate.model.broker.protocols.kip320 import KIP_320


def serve(s, k, leader, epoch):
    """Serve whoever is in the leader's epoch or an older one."""
    return epoch <= s.replica[leader].epoch


FENCE = replace(
    KIP_320,
    name="fence",
    parent=KIP_320,
    rules=replace(KIP_320.rules, may_serve_fetch=serve),
)
'''

SMALL = ["-b", "records=1", "-b", "crashes=1"]


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


@pytest.fixture
def fence(tmp_path, monkeypatch):
    """Put the file of a protocol into the present directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "fence.py"
    path.write_text(FENCE)
    return path


@pytest.mark.usefixtures("fence")
@pytest.mark.parametrize("name", ["fence.py", "./fence.py", "fence.py:FENCE", "fence:FENCE"])
def test_a_file_or_a_module_names_a_protocol(name):
    result = run("check", name, *SMALL)
    assert result.exit_code == 0, result.output
    assert f"HOLDS {name}, replicas=2" in flat(result)


@pytest.mark.usefixtures("fence")
def test_every_command_takes_it(tmp_path):
    assert "may_serve_fetch = serve (was serve_same_epoch)" in run("show", "fence.py").output
    assert run("simulate", "fence.py", *SMALL, "--walks", "3").exit_code == 3
    assert run("graph", "fence.py", *SMALL, "--json", "graph.json").exit_code == 0
    mutated = flat(run("mutate", "fence.py", "-b", "records=0", "-b", "crashes=0", "--jobs", "1"))
    assert "may_serve_fetch = serve_same_epoch" in mutated


@pytest.mark.usefixtures("fence")
def test_its_trace_can_be_replayed_and_shown():
    arguments = ["-b", "unclean_election", "--json", "loss.json", "--html", "loss.html"]
    assert run("check", "fence.py", *arguments).exit_code == 12
    assert json.loads(Path("loss.json").read_text())["trace"]["#meta"]["protocol"] == "fence.py"
    assert run("replay", "loss.json", "--protocol", "fence.py").exit_code == 0
    assert run("replay", "loss.json", "--protocol", "kip-320").exit_code == 0
    assert run("replay", "loss.json", "--trust", "--markdown", "-").exit_code == 0


def test_a_change_of_the_file_counts_at_once(fence):
    """Also within one second, and where the size stays the same."""
    before = find_protocol("fence.py").rules.may_serve_fetch
    fence.write_text(FENCE.replace("<= s", ">= s"))
    assert find_protocol("fence.py").rules.may_serve_fetch.__code__ != before.__code__


def test_a_name_without_its_ending_gets_the_file_that_has_it(fence):
    fence.rename("lease.py")
    assert flat(run("check", "lease")).endswith("did you mean lease.py?")


MUTANT = "kip-320~has_committed = at_or_above_hw"


def test_a_mutant_is_named_behind_a_tilde():
    result = run("check", "kip-320~Produce: s.written == k.records", *SMALL, "-p", "TypeOk")
    assert result.exit_code == 12
    assert "VIOLATED kip-320~Produce: s.written == k.records" in flat(result)


def test_a_mutant_that_there_is_not():
    result = run("check", "kip-320~Produce: s.written == k.record")
    assert result.exit_code == 2
    assert "did you mean 'Produce: s.written == k.records'" in flat(result)


@pytest.mark.parametrize(
    ("source", "expected", "line"),
    [
        ("x = (\n", "SyntaxError", 1),
        ("\nimport nonsense\n", "ModuleNotFoundError: No module named 'nonsense'", 2),
        ("x = 1\nraise SystemExit(3)\n", "SystemExit: 3", 2),
        ("x = 1\n", "defines no Protocol", None),
        (FENCE + "OTHER = replace(FENCE, name='other')\n", "a colon: FENCE, OTHER", None),
    ],
)
def test_a_file_that_is_of_no_use(fence, source, expected, line):
    fence.write_text(source)
    result = run("check", "fence.py")
    assert result.exit_code == 2
    assert expected in flat(result)
    if line:
        assert f"fence.py:{line}" in flat(result)


@pytest.mark.usefixtures("fence")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gone.py", "gone.py: cannot be read (No such file or directory)"),
        ("fence.py:GONE", "GONE does not exist; name one after a colon: FENCE"),
        ("fence.py:serve", "serve is function, not Protocol"),
        ("gone:FENCE", "there is no such module"),
    ],
)
def test_a_name_that_names_nothing(name, expected):
    result = run("check", name)
    assert result.exit_code == 2
    assert expected in flat(result)


MISTAKES = {
    "return epoch // (s.replica[leader].epoch - 1)": "failed with ZeroDivisionError",
    "s.replica[leader].hw = 9; return True": "wrote a value out of range",
    "s.replica[leader].hw = 1; return False": "answered 'not enabled' after writing replica[0].hw",
}


@pytest.mark.parametrize("body", MISTAKES)
def test_a_mistake_in_it_is_found(fence, body):
    fence.write_text(FENCE.replace("return epoch <= s.replica[leader].epoch", body))
    result = run("check", "fence.py", *SMALL, "-p", "LogMatching")
    assert result.exit_code == 70, result.output
    assert MISTAKES[body] in flat(result)
    assert "fence.py:10" in flat(result)


DEEP = """

def follow(s, k, follower):
    for number in range(3):
        s.replica[follower].hw = s.replica[follower].leo
    if s.partition.epoch == 3:
        s.replica[follower].hw = 9


FENCE = replace(FENCE, rules=replace(FENCE.rules, begin_following=follow))
"""


@pytest.mark.parametrize("engine", ["auto", "compiled"])
def test_a_mistake_behind_thousands_of_states_is_found_by_the_compiled_engine_too(fence, engine):
    """Nothing else would tell: 9 fits in a stored byte, and TypeOk is not asked for."""
    fence.write_text(FENCE + DEEP)
    larger = ["-b", "elections=3", "-b", "records=1", "-p", "LogMatching", "--engine", engine]
    result = run("check", "fence.py", *larger)
    assert result.exit_code == 70, result.output
    assert "wrote a value out of range: replica[" in flat(result)
    line = fence.read_text().splitlines().index("        s.replica[follower].hw = 9") + 1
    assert f"fence.py:{line}" in flat(result)


def test_an_own_protocol_that_is_gone_is_no_reason_not_to_replay_under_another(fence):
    assert run("check", "fence.py", "-b", "unclean_election", "--json", "loss.json").exit_code == 12
    fence.unlink()
    assert run("replay", "loss.json").exit_code == 2
    assert run("replay", "loss.json", "--protocol", "kip-320").exit_code == 0


def test_a_name_is_found_but_once(fence):
    assert find_protocol("fence.py").rules is find_protocol("fence.py").rules
    with pytest.raises(SelectionError):
        find_protocol("fence.py~nothing")
