"""The gate while it runs: several cells at once, Ctrl-C, a terminal."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pytest

LARGE = """
[[case]]
protocols = "kip-320"
bounds = "records=0"
holds = "TypeOk"

[[case]]
protocols = ["kip-320", "kip-279"]
bounds = "replicas=3 records=3 elections=3"
engine = "interpreted"
holds = "TypeOk"
"""


def test_ctrl_c_ends_what_runs_and_reports_what_was_covered(project):
    project.write("tidegate.toml", LARGE)
    command = [sys.executable, "-u", "-m", "tidegate", "gate", "--jobs", "1"]
    reports = ["--json", "report.json", "--junit", "gate.xml"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([*command, *reports], cwd=project.path, **pipes)
    assert process.stdout.readline().startswith("pass ")
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert errors == ""
    report = json.loads((project.path / "report.json").read_text())
    assert [cell["status"] for cell in report["cells"]] == ["pass", "stopped", "stopped"]
    texts = [cell["findings"][0]["text"] for cell in report["cells"][1:]]
    covered = re.match(r"interrupted after ([\d,]+) distinct states", texts[0])[1]
    row = re.search(r"^STOPPED .* ([\d,]+) states +([\d.]+) s$", output, re.MULTILINE)
    assert (row[1], float(row[2]) > 1) == (covered, True)
    assert texts[1] == "interrupted before it began"
    assert "2 not decided, interrupted, 1 passed" in output
    assert (project.path / "gate.xml").exists()


def test_answers_do_not_depend_on_how_many_run_at_once(project):
    text = """
[[case]]
protocols = ["hw", "kip-101", "kip-320", "tidegate.examples.published:kip_320"]
bounds = ["records=1", "records=2"]
holds = "TypeOk"
"""

    def answered(jobs):
        cells = project.gate(text, "--jobs", jobs, status=0)["cells"]
        return [(it["protocol"], it["bounds"], it["distinct_states"], it["depth"]) for it in cells]

    assert answered("1") == answered("3")


def test_rows_are_printed_in_the_order_of_the_file_whatever_ends_first(project):
    project.write(
        "tidegate.toml",
        """
[[case]]
protocols = ["kip-320"]
bounds = ["records=2", "records=0", "records=1"]
holds = "TypeOk"
""",
    )
    for cached in ([], ["--cached"], ["--cached"]):
        done = project.start("gate", "--quiet", "--jobs", "3", *cached)
        assert done.returncode == 0, done.stdout
    project.write(
        "tidegate.toml",
        (project.path / "tidegate.toml")
        .read_text()
        .replace('"records=2"', '"records=2 crashes=1"'),
    )
    done = project.start("gate", "--jobs", "2", "--cached")
    rows = re.findall(r"^(?:pass|cached) .*? (records=\S+)", done.stdout, re.MULTILINE)
    assert rows == ["records=2", "records=0", "records=1"]


def test_on_a_terminal_it_shows_which_cells_run(project):
    project.write("tidegate.toml", LARGE.replace('"interpreted"', '"interpreted"\nseconds = 4'))
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "tidegate", "gate", "--jobs", "1"],
        cwd=str(project.path),
        dimensions=(24, 240),
        encoding="utf-8",
        timeout=60,
    )
    terminal.expect("1 of 3 cells done; running: kip-320, replicas=3")
    terminal.expect(r"[1-9][\d,]* distinct\s+states")
    terminal.expect("NOT PASSED")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 3


@pytest.mark.parametrize("name", ["NO_COLOR", "TERM"])
def test_without_colour_there_is_none(project, name):
    text = "[[case]]\nprotocols = 'kip-320'\nbounds = 'records=0'\nholds = 'TypeOk'\n"
    project.write("tidegate.toml", text)
    done = project.start("gate", **{name: "dumb"})
    assert done.returncode == 0
    assert "\x1b[" not in done.stdout


def test_a_violation_says_which_known_bug_it_is(project):
    text = """[[case]]
protocols = "kip-320~may_change_isr = leads_in_any_epoch"
bounds = "records=1 crashes=0 moves isr_propagation=zookeeper"
"""
    [cell] = project.gate(text + 'holds = "NoCommittedRecordLost"\n', status=1)["cells"]
    assert cell["properties"][0]["known_bug"] == "version-check"
    assert "; this is the known bug version-check: to " in cell["findings"][0]["text"]
    [cell] = project.gate(text + 'violates = "NoCommittedRecordLost"\n', status=0)["cells"]
    assert cell["properties"][0]["known_bug"] == "version-check"
    [cell] = project.gate(text + 'holds = "AtMostOneLeaderPerEpoch"\n', status=0)["cells"]
    assert cell["properties"][0]["known_bug"] == ""


def test_a_violation_that_needs_a_step_of_its_own_is_no_known_bug(project):
    model = Path(__file__).parents[1] / "library" / "answers_late.py"
    project.write("late.py", model.read_text("utf-8"))
    text = """[[case]]
protocols = "late.py:LATE"
bounds = "purgatory records=1 crashes=0 elections=1 moves"
holds = "NoAckedRecordLost"
"""
    [cell] = project.gate(text, status=1)["cells"]
    [prop], [finding] = cell["properties"], cell["findings"]
    assert (prop["known_bug"], prop["older_rule"]) == ("", "kafka-2960")
    assert (
        "; it needs the older rule of kafka-2960 as well: to leave it out, check" in finding["text"]
    )
    name = finding["text"].partition('protocols = ["')[2].partition('"')[0]
    repaired = text.replace('"late.py:LATE"', f'"{name}"')
    assert project.gate(repaired, status=0)["cells"][0]["status"] == "pass"


@pytest.mark.parametrize(
    ("expected", "status", "cell_status"),
    [('holds = "After"', 3, "limit"), ('holds = "Beside"', 1, "fail"),
     ('violates = "Beside"', 0, "pass"), ('violates = ["Beside", "After"]', 3, "limit")],
)  # fmt: skip
def test_a_broken_assumption_stands_beside_what_was_found(project, expected, status, cell_status):
    model = Path(__file__).parents[1] / "checker" / "counts_to_two.py"
    project.write("counts.py", model.read_text("utf-8"))
    text = f"[[case]]\nprotocols = 'counts.py'\n{expected}\n"
    broken = "step assumes that no node is beyond two steps, which step 3, Step(node=0), breaks"
    for options in ([], ["--cached"], ["--cached"]):
        report = project.gate(text, *options, status=status)
        [cell] = report["cells"]
        assert cell["status"] in (cell_status, "cached")
        assert cell["broken_assumption"] == broken
        assert report["output"].count(broken) == 1


def test_a_cell_with_symmetry_counts_representatives_and_says_why(project):
    text = """
[[case]]
protocols = "tidegate.examples.two_phase_commit:model"
holds = "TypeOk"
states = 288

[[case]]
protocols = "tidegate.examples.two_phase_commit:model"
holds = "TypeOk"
states = 80
symmetry = true
"""
    report = project.gate(text, status=0)
    plain, symmetric = report["cells"]
    assert (plain["symmetry"], symmetric["distinct_states"]) == ("", 80)
    assert symmetric["symmetry"].startswith("6 permutations; replicas are only names in all")
    assert "--symmetry: 6 permutations" in report["output"]
    again = project.gate(text, "--cached", status=0)["cells"]
    assert [cell["status"] for cell in again] == ["cached", "cached"]
    assert again[1]["symmetry"] == symmetric["symmetry"]


def test_a_cell_whose_code_tells_replicas_apart_is_an_error_with_its_line(project):
    body = "return s.replica[leader].epoch == epoch and leader == 1"
    project.own("own.py", body)
    text = (
        '[[case]]\nprotocols = "own.py"\nbounds = "replicas=3"\nholds = "TypeOk"\nsymmetry = true'
    )
    [cell] = project.gate(text, status=70)["cells"]
    [finding] = cell["findings"]
    assert "own.py:10" in finding["text"]
