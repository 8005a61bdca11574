"""Files that others wrote: whatever is in them, each command ends as it is documented to."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.gate.configuration_errors import GateFileError
from tidegate.gate.document import TIERS, of_tier, read

ROOT = Path(__file__).parents[2]

FOUND = (
    ["hw", "-b", "records=1", "-p", "NoAckedRecordLost"],
    ["hw", "-b", "records=1", "-p", "all", "--continue"],
    ["tidegate.examples.published:hw"],
    ["kip-101", "-b", "records=1", "-b", "acks=1"],
    ["kip-320~Produce: s.written == k.records", "-b", "records=1", "-p", "TypeOk"],
)
"""Searches that find a trace."""

FORMS = ("html", "markdown", "mermaid", "tla", "itf")


@pytest.fixture(scope="session")
def traces(tmp_path_factory):
    """Return texts of JSON, from short ones to long ones: beginnings of traces, traces, reports."""
    path = tmp_path_factory.mktemp("reports") / "report.json"
    beginnings, whole, reports = [], [], []
    for arguments in FOUND:
        result = CliRunner().invoke(main, ["check", *arguments, "-q", "--json", str(path)])
        assert result.exit_code == 12, result.output
        report = json.loads(path.read_text())
        # An input comes of the seed alone.
        report["seconds"] = 0.125
        reports.append(json.dumps(report))
        trace = report["trace"]
        whole.append(json.dumps(trace))
        trace["#meta"]["property"] = ""
        beginnings += [
            json.dumps({**trace, "states": trace["states"][:length]}) for length in (1, 2, 3, 5)
        ]
    return [beginnings, whole, reports]


def a_trace(source, traces):
    [some] = source.choices(traces, (12, 2, 1))
    return source.choice(some)


def mutated_trace(source, traces):
    return source.json(source.mutated(json.loads(a_trace(source, traces))))


def test_a_trace_is_replayed(fuzz, directory, traces):
    def target(source):
        directory.write("trace.json", mutated_trace(source, traces))
        options = source.choice(
            ([], [], ["--full"], ["--protocol", source.choice(("hw", "kip-320"))])
        )
        directory.run("replay", "trace.json", *options)

    fuzz(target)


def test_a_trace_is_rendered(fuzz, directory, traces):
    def target(source):
        directory.write("trace.json", mutated_trace(source, traces))
        form = f"--{source.choice(FORMS)}"
        more = source.choice(([], ["--full"], ["-p", "TypeOk"], ["--protocol", "hw"]))
        directory.run("replay", "trace.json", form, "out", *more, makes=["out"])

    fuzz(target)


def test_a_trace_is_explained(fuzz, directory, traces):
    def target(source):
        directory.write("trace.json", mutated_trace(source, traces))
        more = source.choice(([], ["--json", "out"], ["-p", "TypeOk"]))
        command = ["explain", "trace.json", "-q", "--time-limit", "0.001"]
        directory.run(*command, *more, makes=["out"])

    fuzz(target)


def test_bytes_of_a_trace_are_changed(fuzz, directory, traces):
    def target(source):
        directory.write("trace.json", source.mangled(a_trace(source, traces).encode()))
        directory.run("replay", "trace.json")

    fuzz(target)


@pytest.fixture(scope="session")
def gates():
    """Return gate files: examples, and cases of the project's own."""
    own = (ROOT / "tidegate.toml").read_text().split("[[case]]")
    cases = [f"[[case]]{case}" for case in own[1:]]
    examples = (ROOT / "docs" / "gate.md").read_text().split("```toml\n")[1:]
    template = (ROOT / "gate" / "templates" / "tidegate.toml").read_text()
    return [*(example.split("```")[0] for example in examples), template, *cases]


def test_a_gate_s_file_is_read(fuzz, directory, gates):
    def target(source):
        text = "".join(source.sample(gates, source.choice((1, 1, 2))))
        directory.write("tidegate.toml", source.mangled(text.encode()))
        if source.random() < 0.1:
            directory.run("gate", "--list", "--tier", "weekly")
            return
        try:
            of_tier(read(Path("tidegate.toml")), source.choice(TIERS))
        except GateFileError as error:
            str(error).encode("utf-8")

    fuzz(target)
