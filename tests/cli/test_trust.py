"""A file that somebody else made runs no code that the user has not named or vouched for."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.checker.manifest import VERSION
from tidegate.checker.sealed import sealed, unsealed
from tidegate.cli import main

OWN = """
from dataclasses import replace
from pathlib import Path

from tidegate.model.broker.protocols.hw import HW

Path("was-run").touch()
OWN = replace(HW, name="own", parent=HW)
"""

RECORDED = ("replay", "explain")
AS_TEXT = {"explain": ["--time-limit", "1", "-q"]}


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def opened(command, trace, *options):
    """Open a trace with one of the commands that take one."""
    return run(command, trace, *AS_TEXT.get(command, ()), *options)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


def was_run():
    """Whether the protocol's file was run since this was asked last."""
    ran = Path("was-run").exists()
    Path("was-run").unlink(missing_ok=True)
    return ran


@pytest.fixture(scope="module")
def loss(tmp_path_factory):
    """Return a trace of hw."""
    path = tmp_path_factory.mktemp("loss") / "loss.json"
    small = ["-b", "records=1", "-p", "NoAckedRecordLost"]
    assert run("check", "hw", *small, "--json", str(path)).exit_code == 12
    return json.loads(path.read_text())["trace"]


@pytest.fixture
def named(loss, tmp_path, monkeypatch):
    """Write a trace that names a protocol, beside a Python file that says so when it is run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("own.py").write_text(OWN)
    Path("link.py").symlink_to("own.py")

    def write(name):
        meta = {**loss["#meta"], "protocol": name}
        Path("trace.json").write_text(json.dumps({**loss, "#meta": meta}))
        return "trace.json"

    return write


def names(here):
    """Yield every way in which a file can name the Python code beside it."""
    yield from ("own.py", "./own.py", "link.py", "own.py:OWN", "own:OWN", "x/../own.py")
    yield from (f"{here}/own.py", f"{here}/link.py:OWN", "own.py~may_join = x", "own:OWN~Crash: x")
    yield from ("own.py@HEAD:OWN", "os.path:join", " own.py", "own.py:OWN:OWN")


@pytest.mark.parametrize("command", RECORDED)
def test_opening_a_trace_runs_no_code_that_it_names(named, command, tmp_path):
    before = list(sys.path)
    for name in names(tmp_path):
        result = opened(command, named(name))
        assert result.exit_code == 2, name
        assert f"trace.json names the protocol {name.strip()}, which is" in flat(result)
        assert not was_run(), name
    assert sys.path == before


@pytest.mark.parametrize("command", RECORDED)
def test_the_message_is_the_command_that_goes_on(named, command):
    result = opened(command, named("own.py"))
    [_, again] = result.output.splitlines()[-2:]
    assert again.split() == [
        *("tidegate", command, "trace.json", *AS_TEXT.get(command, ())),
        *("--protocol", "own.py"),
    ]
    assert run(*again.split()[1:]).exit_code in (0, 3)
    assert was_run()


@pytest.mark.parametrize("command", RECORDED)
@pytest.mark.parametrize("options", [["--protocol", "./own.py"], ["--trust"]])
def test_code_that_the_user_names_or_vouches_for_is_run(named, command, options):
    result = opened(command, named("own.py"), *options)
    assert result.exit_code in (0, 3), result.output
    assert was_run()


@pytest.mark.parametrize("command", RECORDED)
def test_under_another_protocol_the_recorded_one_is_not_run(named, command):
    result = opened(command, named("own.py"), "--protocol", "hw")
    assert result.exit_code in (0, 3), result.output
    assert not was_run()


def test_another_path_of_the_recorded_file_is_the_recorded_protocol(named):
    """So its states are compared with those that were recorded."""
    document = json.loads(Path(named("own.py")).read_text())
    document["states"][3]["written"] = {"#bigint": "2"}
    Path("trace.json").write_text(json.dumps(document))
    assert run("replay", "trace.json", "--protocol", "./link.py").exit_code == 1
    assert run("replay", "trace.json", "--protocol", "hw").exit_code == 0


def test_options_behind_two_hyphens_are_arguments(named):
    named("own.py")
    result = run("replay", "--", "trace.json")
    assert "tidegate replay --protocol own.py -- trace.json" in flat(result)


@pytest.mark.usefixtures("named")
def test_a_saved_trace_is_what_the_options_are_for():
    result = run("explain", "hw", "--trust")
    assert result.exit_code == 2
    assert "are for saved traces; hw is not one" in flat(result)


@pytest.fixture
def checkpoint(named):
    """Make a checkpoint of a search of the file own.py."""
    named("own.py")
    small = ["-b", "records=1", "-p", "TypeOk", "--max-states", "50"]
    result = run("check", "own.py", *small, "--checkpoint", "run", "-q")
    assert result.exit_code == 3, result.output
    assert was_run()
    return result


@pytest.mark.usefixtures("checkpoint")
def test_resuming_a_checkpoint_runs_no_code_that_it_names():
    result = run("check", "--resume", "run", "-q")
    assert result.exit_code == 2
    assert not was_run()
    [_, again] = result.output.splitlines()[-2:]
    assert again.strip() == "tidegate check --resume run -q own.py"
    assert run(*again.split()[1:]).exit_code == 0
    assert run("check", "--resume", "run", "-q", "--trust").exit_code == 0


def test_the_command_that_a_search_prints_goes_on_with_it(checkpoint):
    assert checkpoint.output.endswith("Resume with: tidegate check --resume run own.py\n")


@pytest.mark.usefixtures("checkpoint")
def test_a_checkpoint_of_a_file_that_has_moved_is_resumed_by_its_new_name():
    Path("rules").mkdir()
    Path("own.py").rename("rules/mine.py")
    result = run("check", "--resume", "run", "-q", "rules/mine.py")
    assert result.exit_code == 0, result.output
    Path("rules/mine.py").write_text(OWN.replace("hw import HW", "kip320 import KIP_320 as HW"))
    result = run("check", "--resume", "run", "-q", "rules/mine.py")
    assert result.exit_code == 2
    assert "made by other code" in flat(result)


@pytest.mark.parametrize(
    "again",
    ["-b records=2", "--engine compiled", "--continue", "--release 3.9", "--checkpoint new"],
)
@pytest.mark.usefixtures("checkpoint")
def test_what_a_checkpoint_records_is_not_set_again(again):
    option, *value = again.replace("-b ", "--bound ").split()
    result = run("check", "--resume", "run", "own.py", option, *value)
    assert result.exit_code == 2
    assert f"run records the search; leave out {option}" in flat(result)


@pytest.mark.usefixtures("checkpoint")
def test_a_name_in_a_checkpoint_is_never_an_option():
    edited(lambda document: document["about"].update(protocol="--json=own.py"))
    result = run("check", "--resume", "run")
    assert result.exit_code == 2
    assert result.output.endswith("  tidegate check --resume run ./--json=own.py\n")


def test_only_a_search_that_is_resumed_can_be_trusted():
    result = run("check", "hw", "--trust")
    assert result.exit_code == 2
    assert "--trust needs --resume DIR" in flat(result)


def edited(change):
    """Change what a checkpoint says is searched, and seal it again."""
    manifest = Path("run/manifest.json")
    document = unsealed(manifest.read_text())
    change(document)
    manifest.write_text(sealed(document))


@pytest.mark.usefixtures("checkpoint")
def test_a_checkpoint_of_a_built_in_protocol_is_of_no_other_one():
    edited(lambda document: document["about"].update(protocol="hw"))
    result = run("check", "--resume", "run", "own.py")
    assert result.exit_code == 2
    assert "the search is of hw, not of own.py; leave out own.py" in flat(result)
    assert not was_run()


OUTSIDE = {
    "--master spark://elsewhere:7077": {"master": "spark://elsewhere:7077"},
    "--conf spark.pyspark.python=./own.py": {"conf": ["spark.pyspark.python=./own.py"]},
    "--export /srv/tables": {"export": "/srv/tables"},
}


@pytest.mark.parametrize("option", OUTSIDE)
@pytest.mark.usefixtures("named")
def test_what_a_store_records_that_acts_outside_it_is_not_used(option):
    about = {
        "protocol": "hw", "settings": [], "names": [], "engine": "spark", "store": "run",
        "keep_going": False, "symmetry": False, "debug": False,
    }  # fmt: skip
    cluster = {
        "master": "local[2]", "store": "run", "partitions": None, "local_levels": 50_000,
        "conf": [], "ship": False, "export": None, **OUTSIDE[option],
    }  # fmt: skip
    document = {
        "tidegate-store": VERSION, "search": "0" * 32,
        "about": {**about, "cluster": cluster}, "code": "", "shares": 1,
        "levels": [], "taken": [], "violations": {}, "spark_levels": 0,
        "export": cluster["export"], "exported": 0, "exporting": [],
    }  # fmt: skip
    Path("run").mkdir()
    Path("run/manifest.json").write_text(sealed(document))
    result = run("check", "--resume", "run")
    assert result.exit_code == 2
    assert f"run records {option}; with these, a store" in flat(result)
    assert result.output.endswith("  tidegate check --resume run --trust\n")


@pytest.mark.usefixtures("named")
def test_listing_the_cells_of_a_gate_runs_none_of_the_code_that_it_names():
    Path("tidegate.toml").write_text("[[case]]\nprotocols = 'own.py'\nholds = 'default'\n")
    result = run("gate", "--list")
    assert result.exit_code == 0
    assert "own.py" in result.output
    assert not was_run()
