"""A custom protocol is named by its file, and mutants by their name."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
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

TWO_PHASE = (Path(__file__).parents[2] / "examples" / "two_phase_commit.py").read_text("utf-8")


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
        ("gone:FENCE", "gone cannot be imported: there is no such module; name a custom protocol"),
        ("gone.fence", "gone.fence cannot be imported: there is no such module; name a custom"),
        ("tidegate.examples.dye_hard", "no such module; did you mean tidegate.examples.die_hard?"),
        ("tidegate.core", "tidegate.core defines no Protocol and no Model; define one"),
        ("loss.json", "loss.json cannot be imported: there is no such module; name a custom"),
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


TAKES_A_PROTOCOL = {
    "check NAME": 0,
    "check NAME:model": 0,
    "check NAME --json -": 0,
    "check 'NAME~Abort: s.decided'": 12,
    "check 'NAME~Abort: not s.decided'": 2,
    "check NAME:two_phase": 2,
    "show NAME --json": 0,
    "list bounds NAME": 0,
    "list NAME": 2,
    "explain NAME -b managers=1": 2,
    "bounds NAME -p Consistent": 0,
    "graph NAME --farthest": 0,
    "simulate NAME --walks 3 --jobs 1": 3,
    "mutate NAME --within managers=1 --jobs 1": 0,
    "diff NAME hw": 2,
    "conform NAME --kafka nowhere": 2,
}
"""Commands with a protocol, and their exit status."""


def printed(command, name):
    """Return what a command prints of a model, without its name and times, and its status."""
    arguments = shlex.split(command.replace("NAME", name))
    result = CliRunner(env={"COLUMNS": "1000"}).invoke(main, arguments)
    return re.sub(r"\d+\.\d+", "N", result.output.replace(name, "NAME")), result.exit_code


@pytest.mark.parametrize("command", TAKES_A_PROTOCOL)
def test_a_module_in_a_package_is_named_as_its_file_is(command, tmp_path, monkeypatch):
    """Without a name after a colon, as in the file it has one model only."""
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "rules"
    package.mkdir()
    package.joinpath("commit.py").write_text(TWO_PHASE, "utf-8")
    by_file, by_module = (printed(command, name) for name in ("rules/commit.py", "rules.commit"))
    assert by_module == by_file
    assert by_module[1] == TAKES_A_PROTOCOL[command]


def test_a_module_with_several_models_gives_the_choice_that_its_file_gives(fence):
    fence.parent.joinpath("rules").mkdir()
    fence.rename("rules/fences.py")
    other = "OTHER = replace(FENCE, name='other')\n"
    Path("rules/fences.py").write_text(FENCE + other, "utf-8")
    by_file, by_module = (run("check", name) for name in ("rules/fences.py", "rules.fences"))
    assert by_file.exit_code == by_module.exit_code == 2
    assert flat(by_module) == flat(by_file).replace("rules/fences.py", "rules.fences")
    assert "defines 2 protocols; name one after a colon: FENCE, OTHER" in flat(by_module)
    assert run("check", "rules.fences:OTHER", *SMALL).exit_code == 0


def test_a_search_and_a_trace_of_a_module_go_on_as_those_of_a_file_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "tidegate.examples.bounded_buffer"
    assert tidegate.check(name).violated == ("Deadlock",)
    assert run("check", name, "--json", "trace.json", "--checkpoint", "kept").exit_code == 11
    for command in (("replay", "trace.json"), ("check", "--resume", "kept")):
        refused = run(*command)
        assert refused.exit_code == 2
        assert f"the protocol {name}, which is Python code" in flat(refused)
    assert run("replay", "trace.json", "--protocol", name).exit_code == 0
    assert run("replay", "trace.json", "--trust").exit_code == 0
    assert run("explain", "trace.json", "--protocol", name).exit_code == 0
    assert run("check", "--resume", "kept", name).exit_code == 11


def test_a_gate_names_a_module_as_it_names_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = "tidegate.examples.die_hard", "tidegate.examples.bounded_buffer:model"
    violated = "NotSolved", "Deadlock"
    cases = (
        f'[[case]]\nprotocols = ["{name}"]\nviolates = ["{prop}"]\n'
        for name, prop in zip(names, violated, strict=True)
    )
    Path("tidegate.toml").write_text("\n".join(cases), "utf-8")
    result = run("gate")
    assert result.exit_code == 0, result.output


def test_a_misspelt_module_of_the_present_directory_gets_the_nearest(fence):
    fence.parent.joinpath("rules").mkdir()
    fence.rename("rules/lease.py")
    said = "cannot be imported: there is no such module; did you mean rules.lease?"
    for name in ("rules.leese", "rules.leese:FENCE"):
        result = run("check", name)
        assert result.exit_code == 2
        assert flat(result) == f"Error: rules.leese {said}"
    Path("rules/other.py").write_text("import rules.gone\n", "utf-8")
    result = run("check", "rules.other")
    assert result.exit_code == 2
    assert "No module named 'rules.gone' (rules/other.py:1)" in flat(result)
    result = run("check", "rules.lease.FENCE")
    assert "rules.lease.FENCE cannot be imported: there is no such module; name" in flat(result)


def test_a_property_is_named_by_a_module(fence):
    declared = (
        "from tidegate import Property\n"
        "NO_GAP = Property('NoGap', 'No log has a gap.', 'here', lambda s, k: True)\n"
    )
    fence.parent.joinpath("rules").mkdir()
    Path("rules/promises.py").write_text(declared, "utf-8")
    result = run("check", "kip-320", *SMALL, "-p", "rules.promises")
    assert result.exit_code == 0, result.output
    assert "satisfies rules.promises" in flat(result)


def test_kafkas_names_with_dots_are_searched_for_in_lists_as_before():
    listed = run("list", "bounds", "min.insync.replicas")
    assert listed.exit_code == 0
    assert "min_isr" in listed.output
    result = run("list", "bounds", "log.segment.bytes")
    assert result.exit_code == 2
    assert "none of the bounds has 'log.segment.bytes'" in flat(result)
