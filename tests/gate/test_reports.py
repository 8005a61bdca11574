"""Reports validate against their schemas, and point to what the protocol changes."""

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema

from tidegate.core.tracefile import read_trace
from tidegate.gate.cells import Cell, Expectation
from tidegate.gate.judge import Finding
from tidegate.gate.reports.github import workflow_commands
from tidegate.gate.reports.junit import junit
from tidegate.gate.reports.sarif import sarif
from tidegate.gate.results import CellOutcome, Status

SCHEMAS = Path(__file__).parent / "schemas"

MIXED = """
[[case]]
title = "fails: violated"
protocols = ["own.py", "kip-320~begin_following = truncate_to_hw"]
bounds = "records=1"
holds = "default"

[[case]]
title = "passes"
protocols = "hw"
bounds = "records=1"
violates = { NoAckedRecordLost = 12 }
holds = "TypeOk"

[[case]]
title = "count, cannot be searched, limit"
protocols = ["kip-320", "empty.py"]
bounds = "records=1 crashes=1"
holds = "TypeOk"
states = { "kip-320" = 1, "empty.py" = 1 }

[[case]]
protocols = "kip-320"
bounds = "replicas=3 records=3 elections=3"
holds = "TypeOk"
seconds = 0.5
"""

UNFENCED = "return True or s.replica[leader].epoch == epoch"
JOINS = """

def joins(s, k, leader, offset):
    return offset >= 0


OWN = replace(OWN, rules=replace(OWN.rules, has_committed=joins))
"""
OPTIONS = ["--junit", "gate.xml", "--sarif", "gate.sarif", "--summary", "gate.md"]


def validated_junit(text):
    """Parse JUnit XML that is valid."""
    xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd")).validate(text)
    return ElementTree.fromstring(text.encode())


def validate_sarif(log):
    """Refuse what is not valid SARIF 2.1.0."""
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text())
    jsonschema.Draft4Validator(schema).validate(log)


@pytest.fixture
def mixed(project):
    """Run a gate in which cells fail in several ways."""
    project.write("empty.py", "")
    path = project.own("own.py", UNFENCED)
    path.write_text(path.read_text() + JOINS)
    return project.gate(MIXED, *OPTIONS, "--traces", "traces", status=1)


def test_all_reports_of_one_gate(project, mixed):
    statuses = [cell["status"] for cell in mixed["cells"]]
    assert statuses == ["fail", "fail", "pass", "fail", "error", "limit"]
    _junit_has_all_of_it(validated_junit((project.path / "gate.xml").read_text()), mixed)
    log = json.loads((project.path / "gate.sarif").read_text())
    validate_sarif(log)
    _sarif_points_to_the_rule(project, log, mixed)
    summary = (project.path / "gate.md").read_text()
    assert "## Tidegate gate: 6 cells: 3 failed, 1 could not be searched, 1 not decided" in summary
    assert "<details><summary>NoAckedRecordLost: 7 steps</summary>" in summary
    assert "**BecomeLeader**" in summary
    _traces_can_be_replayed(project)


def _junit_has_all_of_it(root, report):
    assert [suite.get("name") for suite in root][:1] == ["own.py, records=1"]
    assert len(root) == len(report["cells"])
    findings = [it for cell in report["cells"] for it in cell["findings"]]
    errors = sum(finding["kind"] in ("limit", "error") for finding in findings)
    assert int(root.get("failures")) == len(findings) - errors
    assert int(root.get("errors")) == errors
    for suite in root:
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.get(name)) == len(suite.findall(f"testcase/{tag}"))
    [failure] = root.findall("testsuite[1]/testcase[@name='holds NoAckedRecordLost']/failure")
    assert "BecomeLeader" in failure.text
    assert root.findall("testsuite[1]/testcase[@name='holds LogMatching']/skipped")


def _sarif_points_to_the_rule(project, log, report):
    """Of two changed rules it is the one without which the trace stops being possible."""
    results = log["runs"][0]["results"]
    assert len(results) == sum(len(cell["findings"]) for cell in report["cells"])
    lines = (project.path / "own.py").read_text().splitlines()
    by_rule = {it["ruleId"]: it for it in results[::-1]}
    [location] = by_rule["NoAckedRecordLost"]["locations"]
    place = location["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "own.py"
    assert lines[place["region"]["startLine"] - 1] == "    return offset >= 0"
    assert {"count", "limit", "error"} <= set(by_rule)
    for result in results:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert (project.path / uri).is_file()


def _traces_can_be_replayed(project):
    names = sorted(path.name for path in (project.path / "traces").iterdir())
    assert len(names) == 4
    assert names[-1] == "own.py-records=1-NoCommittedRecordLost.itf.json"
    recorded = read_trace(str(project.path / "traces" / names[-1]))
    assert (recorded.protocol, recorded.property) == ("own.py", "NoCommittedRecordLost")
    assert len(recorded.steps) == 7


def test_annotations_and_the_step_summary_on_github(project):
    project.own("rules/own.py", "return True")
    text = "[[case]]\nprotocols = 'own.py'\nbounds = 'records=0'\nholds = 'TypeOk'\nstates = 1\n"
    project.write("rules/tidegate.toml", text)
    summary = project.path / "summary.md"
    summary.write_text("# Before\n")
    github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    project.path /= "rules"
    done = project.start("gate", GITHUB_WORKSPACE=str(project.path.parent), **github)
    assert done.returncode == 1, done.stderr
    [line] = [line for line in done.stdout.splitlines() if line.startswith("::")]
    title = "tidegate%3A own.py%2C records=0"
    place = "file=rules/tidegate.toml,line=1"
    assert line.startswith(f"::error {place},title={title}::distinct states: ")
    assert summary.read_text().startswith("# Before\n## Tidegate gate: 1 cell: 1 failed")


def test_a_gate_that_passes_reports_that_too(project):
    text = "[[case]]\nprotocols = 'kip-320'\nbounds = 'records=0'\nholds = 'default'\n"
    report = project.gate(text, *OPTIONS, status=0)
    assert (report["passed"], report["counts"]) == (True, {"pass": 1})
    root = validated_junit((project.path / "gate.xml").read_text())
    assert (root.get("tests"), root.get("failures")) == ("7", "0")
    log = json.loads((project.path / "gate.sarif").read_text())
    validate_sarif(log)
    assert log["runs"][0]["results"] == []


def test_sarif_says_what_a_property_of_ones_own_says(project):
    project.write(
        "mine.py",
        "from dataclasses import dataclass\nfrom tidegate import *\n"
        "@dataclass(frozen=True)\nclass Bounds:\n    n: int = number(3, 1, 9, 'n')\n"
        "class State(Record):\n    x: int = integer(0, 3, 'x')\n"
        "model = Model(Bounds, State, deadlock=False)\n"
        "@model.action()\ndef go(s, k):\n    if s.x == 3:\n        return False\n"
        "    s.x += 1\n    return True\n"
        "@model.invariant('The counter is below three.')\ndef small(s, k):\n    return s.x < 3\n",
    )
    project.gate("[[case]]\nprotocols = 'mine.py'\nholds = 'Small'\n", *OPTIONS, status=1)
    [rule] = json.loads((project.path / "gate.sarif").read_text())["runs"][0]["tool"]["driver"][
        "rules"
    ]
    assert rule == {"id": "Small", "shortDescription": {"text": "The counter is below three."}}


def test_text_that_has_a_meaning_in_a_report_is_only_text(project):
    nasty = 'x <&> "y" ]]> \x00\x1b[31m\x85\u202e\ufffe\uffff\ud800 ::error:: 100%\nnext'
    cell = Cell(f"own{nasty}.py", "", (Expectation("TypeOk"),))
    outcome = CellOutcome(cell, Status.ERRED, [Finding("error", "", nasty)], seconds=12345.678)
    root = validated_junit(junit([outcome]))
    assert r"]]> \u0000\u001b[31m\u0085\u202e\ufffe\uffff\ud800 ::" in root.find(".//error").text
    log = sarif([outcome])
    validate_sarif(log)
    json.dumps(log).encode("ascii")
    [line] = workflow_commands([outcome])
    assert "\n" not in line
    assert "100%25%0Anext" in line


def test_junit_tells_every_two_cases_apart_by_class_and_name():
    expected = (Expectation("TypeOk"), Expectation("LogMatching"))
    cells = [
        Cell("hw", "records=1", expected, states=7, line=1),
        Cell("hw", "records=2", expected, states=7, line=1),
        Cell("hw", "records=2", expected, symmetry=True, line=1),
        Cell("hw", "records=2", expected[:1], line=9),
    ]
    undecided = [Finding("error", "", "one"), Finding("error", "", "two")]
    root = ElementTree.fromstring(junit([CellOutcome(it, Status.ERRED, undecided) for it in cells]))
    cases = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(cases) == len({*cases}) == 2 * 4 + 3 + 2
    assert ("hw, records=1", "holds TypeOk") in cases
    assert ("hw, records=2 (tidegate.toml:9)", "holds TypeOk") in cases
    for error in root.iter("error"):
        assert error.text.splitlines()[:2] == ["one.", "two."]


@pytest.mark.parametrize("option", ["--junit", "--sarif", "--json", "--summary", "--traces"])
def test_a_place_that_cannot_be_written_to_is_named(project, option):
    project.write("file", "")
    text = "[[case]]\nprotocols = 'kip-320'\nbounds = 'records=0'\nholds = 'TypeOk'\n"
    report = project.gate(text, option, "file/x", status=2)
    assert f"{option} 'file/x': cannot" in report["output"]
    assert "\nTraceback" not in report["output"]


def test_the_table_is_plain_where_nobody_looks_and_quiet_says_only_what_is_wrong(project):
    text = "[[case]]\nprotocols = ['kip-320', 'hw']\nholds = 'NoCommittedRecordLost'\n"
    output = project.gate(text, status=1)["output"]
    assert "\x1b" not in output
    assert "pass    kip-320  default bounds  holds NoCommittedRecordLost" in output
    assert "FAIL    hw       default bounds  holds NoCommittedRecordLost" in output
    quiet = project.gate(text, "--quiet", status=1)["output"]
    assert "pass " not in quiet
    assert quiet.startswith("FAIL    hw")
    assert "broker 0" not in quiet


def test_cells_can_be_listed_and_chosen(project):
    text = "[[case]]\nprotocols = ['kip-320', 'hw']\nholds = 'TypeOk'\n"
    assert "hw" not in project.gate(text, "--list", "-k", "KIP", status=0)["output"]
    report = project.gate(text, "-k", "kip", status=0)
    assert [cell["protocol"] for cell in report["cells"]] == ["kip-320"]
    assert "matches none of the 2 cells" in project.gate(text, "-k", "nope", status=2)["output"]
