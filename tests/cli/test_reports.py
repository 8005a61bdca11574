"""A report that cannot be written loses neither the verdict nor another report."""

import json
import resource
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

FULL = "/dev/full: cannot write (No space left on device)".replace("/dev/full", "'/dev/full'")


def run(*arguments):
    """Run the command line in this process; line breaks are spaces."""
    result = CliRunner().invoke(main, arguments)
    result.flat = " ".join(result.stdout.split())
    result.errors = " ".join(result.stderr.split())
    assert "Traceback" not in result.errors
    return result


HOLDS, HW = ["tidegate.examples.async_isr:async_isr"], ["hw", "-b", "acks=1", "-b", "records=1"]

VERDICTS = [
    # What is run, what it prints, its status without the report, and with one that fails.
    (["check", *HOLDS], "HOLDS tidegate.examples.async_isr:async_isr", 0, 2),
    (["check", *HOLDS, "-q"], "HOLDS tidegate.examples.async_isr:async_isr", 0, 2),
    (
        ["check", *HOLDS, "--max-states", "9"],
        "INCOMPLETE tidegate.examples.async_isr:async_isr",
        3,
        2,
    ),
    (["check", *HW], "VIOLATED hw", 12, 12),
    (["simulate", *HOLDS, "--walks", "9", "--jobs", "1"], "9 walks with seed 0", 3, 2),
    (["simulate", *HW, "--jobs", "1"], "VIOLATED hw", 12, 12),
    (["bounds", *HW, "-p", "LogMatching", "--max", "crashes=1"], "LogMatching", 0, 2),
    (["explain", "hw"], "NoCommittedRecordLost is violated", 0, 2),
    (["diff", *HOLDS, *HOLDS], "tidegate.examples.async_isr:async_isr", 0, 2),
    (["graph", *HOLDS], "states", 0, 2),
]


@pytest.mark.parametrize(
    ("arguments", "said", "status", "failed"), VERDICTS, ids=[" ".join(it[0]) for it in VERDICTS]
)
def test_the_verdict_is_printed_though_its_report_cannot_be_written(
    shell, arguments, said, status, failed
):
    assert run(*arguments).exit_code == status
    result = run(*arguments, "--json", "/dev/full")
    assert result.exit_code == failed, result.output
    assert said in result.flat
    assert f"Error: --json {FULL}" in result.errors


@pytest.mark.parametrize("command", ["check", "simulate"])
@pytest.mark.parametrize(("bad", "good"), [("--json", "--html"), ("--html", "--json")])
def test_one_report_is_written_though_another_one_cannot_be(shell, command, bad, good):
    result = run(command, *HW, bad, "/dev/full", good, "good")
    assert result.exit_code == 12
    assert "VIOLATED hw" in result.flat
    assert f"Error: {bad} {FULL}" in result.errors
    assert (shell.path / "good").stat().st_size > 1000
    assert shell.names() == {"good"}


def test_each_report_that_cannot_be_written_is_named(shell):
    result = run("check", *HOLDS, "--json", "/dev/full", "--html", "/dev/full")
    assert result.exit_code == 2
    assert f"Error: --json {FULL}" in result.errors
    assert "--html: nothing is violated; no file was written" in result.errors
    result = run("check", *HW, "--json", "/dev/full", "--html", "/dev/full")
    assert result.exit_code == 12
    assert f"Error: --json {FULL}" in result.errors
    assert f"Error: --html {FULL}" in result.errors


def test_a_resumed_search_keeps_its_verdict_too(shell):
    small = [
        "tidegate.examples.async_isr:async_isr",
        "--checkpoint",
        "run",
        "--checkpoint-every",
        "0",
    ]
    assert run("check", *small, "--max-depth", "3").exit_code == 3
    result = run("check", "--resume", "run", "--trust", "--json", "/dev/full")
    assert result.exit_code == 2
    assert "HOLDS tidegate.examples.async_isr:async_isr" in result.flat
    assert f"Error: --json {FULL}" in result.errors


def test_every_form_of_a_trace_is_written_on_its_own(shell):
    assert run("check", *HW, "--json", "loss.json").exit_code == 12
    forms = ["--html", "/dev/full", "--markdown", "loss.md", "--tla", "/dev/full", "--itf", "l.itf"]
    result = run("replay", "loss.json", *forms)
    assert result.exit_code == 2
    assert f"Error: --html {FULL}" in result.errors
    assert f"Error: --tla {FULL}" in result.errors
    assert shell.names() == {"loss.json", "loss.md", "l.itf"}


def test_every_export_of_a_graph_is_written_on_its_own(shell):
    (shell.path / "file").write_text("")
    exports = ["--graphml", "/dev/full", "--dot", "graph.dot", "--parquet", "file/below"]
    result = run("graph", *HOLDS, *exports, "--farthest", "--trace", "trace.json")
    assert result.exit_code == 2
    assert f"Error: --graphml {FULL}" in result.errors
    assert "Error: --parquet 'file/below': cannot write (Not a directory)" in result.errors
    assert shell.names() == {"file", "graph.dot", "trace.json"}
    assert "lead to a farthest state" in result.flat


GATE = "[[case]]\nprotocols = 'hw'\nholds = 'NoCommittedRecordLost'\n"
PASSES = "[[case]]\nprotocols = 'tidegate.examples.async_isr:async_isr'\nholds = 'TypeOk'\n"


@pytest.mark.parametrize(("text", "status"), [(PASSES, 2), (GATE, 1)], ids=["passes", "fails"])
def test_every_report_of_a_gate_is_written_on_its_own(shell, text, status):
    shell.write("tidegate.toml", text)
    bad = ["--json", "/dev/full", "--sarif", "/dev/full", "--summary", "/dev/full"]
    result = run("gate", *bad, "--junit", "gate.xml", "--traces", "traces")
    assert result.exit_code == status, result.output
    for option in ("--json", "--sarif", "--summary"):
        assert f"Error: {option} {FULL}" in result.errors
    assert shell.names() == {"tidegate.toml", "gate.xml", "traces"}
    assert len(list((shell.path / "traces").iterdir())) == (status == 1)


def test_traces_of_a_gate_that_cannot_be_written_leave_its_status(shell):
    shell.write("tidegate.toml", GATE)
    (shell.path / "traces").mkdir()
    name = "hw-NoCommittedRecordLost.itf.json"
    (shell.path / "traces" / name).mkdir()
    result = run("gate", "--traces", "traces", "--json", "report.json")
    assert result.exit_code == 1
    assert "Error: --traces" in result.errors
    assert "Is a directory" in result.errors
    assert json.loads((shell.path / "report.json").read_text())["cells"][0]["status"] == "fail"


GONE = """outside("import shutil; shutil.rmtree('out', ignore_errors=True)")
return version == s.controller.version"""


def test_a_directory_that_disappears_during_the_search_loses_its_report_only(shell):
    shell.own(GONE)
    (shell.path / "out").mkdir()
    files = ["--json", "out/report.json", "--html", "page.html"]
    result = run("check", "own.py", *files, "--engine", "interpreted")
    assert result.exit_code == 2
    assert "HOLDS own.py" in result.flat
    why = "cannot write (No such file or directory)"
    assert f"Error: --json 'out/report.json': {why}" in result.errors
    assert shell.names() == {"own.py"}


def limited():
    """Let no file grow beyond a kilobyte, as on a disk that is nearly full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


def test_a_report_that_does_not_fit_leaves_the_old_one_and_nothing_half_written(shell):
    for name in ("report.json", "page.html"):
        shell.write(name, "old")
    files = ["--json", "report.json", "--html", "page.html"]
    done = shell.run("check", *HW, *files, preexec_fn=limited)
    assert done.returncode == 12
    assert "VIOLATED hw" in done.output
    assert "Error: --json 'report.json': cannot write (File too large)" in done.errors
    assert "Error: --html 'page.html': cannot write (File too large)" in done.errors
    assert shell.names() == {"report.json", "page.html"}
    assert (shell.path / "report.json").read_text() == "old"


@pytest.mark.parametrize("arguments", [["check", *HW], ["graph", *HOLDS]])
def test_a_report_is_written_though_standard_output_is_full_or_closed(shell, arguments):
    option = "--dot" if arguments[0] == "graph" else "--json"
    with open("/dev/full", "w") as full:
        done = shell.run(*arguments, option, "report", stdout=full)
    assert done.returncode == (2 if arguments[0] == "graph" else 12)
    assert done.errors.endswith("Error: cannot write the output: No space left on device")
    assert (shell.path / "report").stat().st_size > 1000
    (shell.path / "report").unlink()
    with shell.start(*arguments, option, "report") as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1
    assert (shell.path / "report").stat().st_size > 1000


def test_a_report_on_standard_output_that_is_full_leaves_the_status_and_the_page(shell):
    with open("/dev/full", "w") as full:
        done = shell.run("check", *HW, "--json", "-", "--html", "page.html", stdout=full)
    assert done.returncode == 12
    assert "Error: --json '-': cannot write (No space left on device)" in done.errors
    assert (shell.path / "page.html").stat().st_size > 1000


def test_a_report_that_cannot_be_made_leaves_the_verdict_and_the_other_report(shell, monkeypatch):
    def fail(*arguments):
        raise RuntimeError("broken")

    monkeypatch.setattr("tidegate.render.page.page", fail)
    result = run("check", *HW, "--html", "page.html", "--json", "report.json")
    assert result.exit_code == 12
    assert "VIOLATED hw" in result.flat
    said = "Error: --html 'page.html': not written; internal error: RuntimeError: broken"
    assert said in result.errors
    assert shell.names() == {"report.json"}


def test_an_error_of_the_system_that_is_not_about_the_output_is_not_called_one(monkeypatch):
    def fail(*arguments, **options):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("tidegate.checker.check.check", fail)
    result = run("check", "hw")
    assert result.exit_code == 70
    assert "cannot write the output" not in result.errors
    assert "internal error: BlockingIOError: [Errno 11] Resource temporarily" in result.errors


@pytest.mark.parametrize("arguments", [["--help"], ["list"]])
def test_help_that_cannot_be_printed_gets_one_line(shell, arguments):
    with open("/dev/full", "w") as full:
        done = shell.run(*arguments, stdout=full)
    assert done.returncode == 2
    assert done.errors == "Error: cannot write the output: No space left on device"


NOISY = """\
from dataclasses import dataclass

from tidegate import Model, Record, integer, number

print("loaded")


@dataclass(frozen=True)
class Bounds:
    high: int = number(3, 1, 9, "the highest number")


class State(Record):
    n: int = integer(0, lambda k: k.high, "a number")


model = Model(Bounds, State, deadlock=False)


@model.initial
def begin(s: State, k: Bounds):
    print("tick", s.n)
    yield


def explain(s: State, k: Bounds) -> str:
    print("asked")
    return "It is high."


@model.action("clock")
def tick(s: State, k: Bounds) -> bool:
    if s.n == k.high:
        return False
    s.n += 1
    return True


@model.invariant("The number is low.", explain=explain)
def low(s: State, k: Bounds) -> bool:
    return s.n < 2
"""


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("check", "--json"),
        ("check", "--html"),
        ("simulate", "--json"),
        ("bounds", "--json"),
        ("explain", "--json"),
        ("graph", "--dot"),
        ("replay", "--html"),
    ],
)
def test_what_a_model_prints_is_not_part_of_a_report_on_standard_output(shell, command, option):
    Path("noisy.py").write_text(NOISY, "utf-8")
    run("check", "noisy.py", "--json", "t.json")
    named = ["t.json", "--trust"] if command == "replay" else ["noisy.py"]
    result = run(command, *named, option, "-")
    # Walks begin in processes of their own.
    assert ("asked" if command == "simulate" else "tick") in result.errors
    assert not {"tick", "loaded", "asked"} & {*result.flat.split()}
    assert option != "--json" or json.loads(result.stdout)
