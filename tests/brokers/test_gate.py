"""``[[conform]]`` in a gate's file, on real brokers: the example of docs/gate.md, and failures."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from click.testing import CliRunner

from tests.brokers.conftest import RELEASES
from tidegate.cli import main

pytestmark = pytest.mark.kafka

PAGE = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")
[EXAMPLE] = re.findall(r"```toml\n(\[\[conform.*?)```", PAGE, re.DOTALL)


class Gate:
    """A directory with a gate's file in it."""

    def __init__(self, path):
        self.path = path

    def write(self, text):
        (self.path / "tidegate.toml").write_text(text)

    def run(self, text, *arguments):
        """Run the gate, and return its exit status and the cells of its report."""
        self.write(text)
        result = CliRunner().invoke(main, ["gate", "--json", "report.json", *arguments])
        assert "Traceback" not in result.output
        return result.exit_code, json.loads((self.path / "report.json").read_text())["cells"]

    def left(self):
        """Return the processes and the files that brokers have left."""
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
        processes = [line for line in listed.stdout.splitlines() if str(self.path) in line]
        return processes + list((self.path / "tmp").iterdir())


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """Return a directory in which ``.kafka`` holds the releases; brokers keep their files there."""
    (tmp_path / ".kafka").symlink_to(RELEASES.resolve())
    (tmp_path / "tmp").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return Gate(tmp_path)


@pytest.mark.long
def test_kafka_0_10_reproduces_the_loss_as_the_example_expects(kafka, gate):
    kafka("0.10.2.2")
    status, [cell] = gate.run(EXAMPLE, "-k", "reproduces")
    assert status == 0, cell
    assert cell["status"] == "pass"
    assert cell["conform"]["forced"] == {"version": "0.10.2.2", "walks": 0, "steps": 12}
    assert cell["distinct_states"] > 0
    assert gate.left() == []


UNUSABLE = """
[[conform]]
kafka = "fake"
trace = "loss.json"
expect = "reproduces"

[[conform]]
kafka = "fake"
trace = "wrong.json"
protocol = "hw"
expect = "reproduces"

[[conform]]
kafka = "fake"
trace = "own.json"
expect = "reproduces"

[[conform]]
kafka = "fake"
protocol = "kip-101"
bounds = "records=1 elections=1"
property = "NoCommittedRecordLost"
expect = "reproduces"

[[conform]]
kafka = "fake"
walks = 1
bounds = "purgatory"
expect = "agrees"

[[conform]]
kafka = "fake"
walks = 1
bounds = "isr_propagation=kraft"
expect = "agrees"
optional = true
"""


def test_what_cannot_be_forced_is_one_clear_finding_of_its_cell(kafka, gate):
    kafka("1.1.1")
    (gate.path / "fake").mkdir()
    for name in ("kafka_2.12-1.1.1.jar", "zookeeper-3.4.10.jar"):
        (gate.path / "fake" / name).touch()
    checked = CliRunner().invoke(main, ["check", "hw", "-q", "--json", "loss.json"])
    assert checked.exit_code == 12
    trace = json.loads((gate.path / "loss.json").read_text())["trace"]
    trace["#meta"]["protocol"] = "own.py"
    (gate.path / "own.json").write_text(json.dumps(trace))
    trace["#meta"]["protocol"] = "hw"
    trace["states"][1]["#meta"]["arguments"]["leader"] = 1
    (gate.path / "wrong.json").write_text(json.dumps(trace))
    status, cells = gate.run(UNUSABLE)
    texts = [finding["text"] for cell in cells for finding in cell["findings"]]
    assert [cell["status"] for cell in cells] == ["error", "error", "error", "fail", *["error"] * 2]
    assert status == 1
    for text, said in zip(
        texts,
        [
            "a process of Kafka ended; the end of its reports: Error",
            "wrong.json: step 1, Produce(leader=1), is not enabled under hw; 'tidegate replay",
            "own.json names the protocol own.py, which is Python code; if you trust that code, add "
            'to the case: protocol = "own.py"',
            "NoCommittedRecordLost holds in all",
            "these walks cannot be forced on real brokers: purgatory is true",
            "Kafka 1.1.1 has no KRaft",
        ],
        strict=True,
    ):
        assert said in text
    assert gate.left() == []


@pytest.mark.slow
def test_the_example_passes_where_the_brokers_are_those_of_a_release(kafka, gate):
    kafka("0.10.2.2")
    (gate.path / "build").mkdir()
    (gate.path / "build" / "libs").symlink_to(kafka("0.11.0.3"))
    status, cells = gate.run(EXAMPLE, "--tier", "nightly")
    assert [cell["status"] for cell in cells] == ["pass", "pass", "pass"], cells
    assert status == 0
    assert cells[-1]["conform"]["forced"]["walks"] == 20
    assert gate.left() == []


TRACE = """
[[conform]]
kafka = ".kafka/0.10.2.2"
trace = "loss.json"
expect = "reproduces"

[[conform]]
kafka = ".kafka/0.11.0.3"
trace = "loss.json"
expect = "reproduces"
"""


@pytest.mark.slow
def test_brokers_that_leave_a_saved_trace_fail_with_the_step_and_the_trace(kafka, gate):
    for version in ("0.10.2.2", "0.11.0.3"):
        kafka(version)
    checked = CliRunner().invoke(main, ["check", "hw", "-q", "--json", "loss.json"])
    assert checked.exit_code == 12
    status, [follows, leaves] = gate.run(TRACE, "--traces", "traces", "--junit", "gate.xml")
    assert (status, follows["status"], leaves["status"]) == (1, "pass", "fail")
    [finding] = leaves["findings"]
    assert finding["kind"] == "brokers"
    assert "diverges at step 9 of 12, BecomeFollower(follower=1, epoch=0)" in finding["text"]
    assert "broker 1: log: the model says nothing, Kafka 0.11.0.3 has m0 (e0)" in finding["text"]
    assert "Kafka 0.11.0.3 differs here" in (gate.path / "gate.xml").read_text()
    [saved] = (gate.path / "traces").iterdir()
    assert CliRunner().invoke(main, ["replay", str(saved)]).exit_code == 0
    assert gate.left() == []


WRONG = """
[[conform]]
kafka = ".kafka/0.10.2.2"
protocol = "kip-320"
bounds = "records=1"
walks = 1
steps = 8
seed = 12
expect = "agrees"
"""


@pytest.mark.slow
def test_walks_through_another_protocol_fail_with_the_shortened_walk(kafka, gate):
    kafka("0.10.2.2")
    status, [cell] = gate.run(WRONG, "--traces", "traces")
    assert (status, cell["status"]) == (1, "fail"), cell
    assert "differs in walk 1, at step" in cell["findings"][0]["text"]
    [saved] = (gate.path / "traces").iterdir()
    assert saved.name.endswith("-walk-1.itf.json")
    assert CliRunner().invoke(main, ["replay", str(saved)]).exit_code == 0
    assert gate.left() == []


LONG = """
[[conform]]
kafka = ".kafka/0.10.2.2"
walks = 1000
expect = "agrees"
SECONDS
"""


@pytest.mark.slow
def test_walks_end_at_the_time_limit_of_their_cell(kafka, gate):
    kafka("0.10.2.2")
    status, [cell] = gate.run(LONG.replace("SECONDS", "seconds = 10"))
    assert (status, cell["status"]) == (3, "limit")
    assert "stopped by the limit of 10 s" in cell["findings"][0]["text"]
    assert gate.left() == []


@pytest.mark.slow
def test_ctrl_c_ends_brokers(kafka, gate):
    kafka("0.10.2.2")
    gate.write(LONG.replace("SECONDS", ""))
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "tidegate", "gate"],
        cwd=str(gate.path),
        dimensions=(24, 240),
        encoding="utf-8",
        timeout=90,
    )
    terminal.expect("0 of 1 cells done; running: .kafka/0.10.2.2, 1000 walks of 25 steps, seed 0")
    terminal.expect(r"Kafka 0\.10\.2\.2: walk [1-9]\d* of 1000")
    terminal.sendintr()
    terminal.expect(r"interrupted after Kafka 0\.10\.2\.2: walk")
    terminal.expect("1 not decided, interrupted")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130
    assert gate.left() == []
