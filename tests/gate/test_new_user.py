"""The way of a new user, in an empty directory and with the command line as it is installed."""

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema

SCHEMAS = Path(__file__).parent / "schemas"

REPORTS = ["--junit", "gate.xml", "--sarif", "gate.sarif", "--traces", "traces"]

RULE = "    return offset >= s.replica[leader].hw\n"
BROKEN = "    return True\n"


def gate(project, status, *arguments):
    """Run the gate, which must end with this status, and return what it printed."""
    done = project.start("gate", *arguments)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_from_an_empty_directory_to_a_gate_that_fails_and_passes_again(project):
    done = project.start("init")
    assert done.returncode == 0, done.stderr
    assert "tidegate gate" in done.stdout
    assert "PASSED 7 cells: 7 passed" in gate(project, 0)

    own = project.path / "my_protocol.py"
    source = own.read_text()
    assert source.count(RULE) == 1
    own.write_text(source.replace(RULE, BROKEN))
    output = gate(project, 1, *REPORTS)
    assert "NoAckedRecordLost is violated after 7 steps; expected: holds" in output
    assert "(my_protocol.py:19, has_committed)" in output
    assert "the shortest behavior that violates NoCommittedRecordLost, 6 steps" in output
    assert " 6 BecomeLeader" in output
    assert "4 failed, 3 passed" in output
    assert "more of my_protocol.py: see traces." in output
    _reports_name_the_property_and_the_rule(project, source)

    own.write_text(source)
    assert "7 passed" in gate(project, 0)
    assert "PASSED 7 cells: 7 passed before (cached)" in gate(project, 0, "--cached")


def _reports_name_the_property_and_the_rule(project, source):
    text = (project.path / "gate.xml").read_text()
    xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd")).validate(text)
    failures = ElementTree.fromstring(text.encode()).findall(".//failure")
    assert any(it.get("message").startswith("NoAckedRecordLost is violated") for it in failures)
    log = json.loads((project.path / "gate.sarif").read_text())
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text())
    jsonschema.Draft4Validator(schema).validate(log)
    [result] = [
        it
        for it in log["runs"][0]["results"]
        if it["message"]["text"].startswith("my_protocol.py, records=1: NoAckedRecordLost")
    ]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my_protocol.py"
    line = source.replace(RULE, BROKEN).splitlines()[place["region"]["startLine"] - 1]
    assert line == BROKEN.rstrip()
    trace = str(project.path / "traces" / "my_protocol.py-records=1-NoAckedRecordLost.itf.json")
    replayed = project.start("replay", trace, "--protocol", "my_protocol.py")
    assert replayed.returncode == 0, replayed.stderr


def test_a_gate_of_a_protocol_derived_from_another_one_passes_and_names_that(project):
    project.start("init", "--from", "kip-595")
    assert "PASSED 7 cells: 7 passed" in gate(project, 0)
    files = [(project.path / name).read_text() for name in ("my_protocol.py", "tidegate.toml")]
    assert "320" not in "".join(files)
    assert "KIP-595 with one change." in project.start("show", "my_protocol.py").stdout


@pytest.mark.slow
@pytest.mark.parametrize("parent", ["kip-320", "kip-595"])
def test_the_nightly_tier_of_a_new_project_passes_too(project, parent):
    project.start("init", "--from", parent)
    assert "9 passed" in gate(project, 0, "--tier", "nightly")


@pytest.mark.parametrize("there", ["tidegate.toml", "my_protocol.py"])
def test_init_overwrites_nothing(project, there):
    project.write(f"new/{there}", "mine")
    done = project.start("init", "new")
    assert done.returncode == 2
    assert f"new/{there} exists already; nothing was written" in done.stderr
    assert [path.name for path in (project.path / "new").iterdir()] == [there]
    assert (project.path / "new" / there).read_text() == "mine"


def test_init_makes_the_directory_and_says_what_to_do(project):
    done = project.start("init", "deep/new")
    assert done.stdout.endswith("Now run: cd deep/new && tidegate gate\n")
    assert project.start("gate", "--config", "deep/new/tidegate.toml", "--list").returncode == 0
    project.write("file", "")
    assert "cannot create" in project.start("init", "file/new").stderr


@pytest.mark.slow
def test_a_gate_elsewhere_names_protocols_relative_to_its_file(project):
    project.start("init", "new")
    arguments = ["--config", "new/tidegate.toml", "-k", "my protocol is safe", "--traces", "t"]
    assert "3 passed" in gate(project, 0, *arguments)
    own = project.path / "new" / "my_protocol.py"
    own.write_text(own.read_text().replace(RULE, BROKEN))
    output = gate(project, 1, *arguments, "--sarif", "gate.sarif")
    assert "(new/my_protocol.py:19, has_committed)" in output


def test_without_a_file_the_gate_says_how_to_begin(project):
    done = project.start("gate")
    assert done.returncode == 2
    assert "tidegate.toml: cannot be read (No such file or directory)" in done.stderr
    assert "tidegate init" in done.stderr
