"""Traces on real brokers: what the model says, Kafka does, and newer releases leave it."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

pytestmark = pytest.mark.kafka

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


def processes():
    """Return the command lines of the brokers that run."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if f"tidegate-kafka-{os.getpid()}" in line]


@pytest.fixture(scope="module")
def loss(tmp_path_factory):
    """Save the shortest loss of the high watermark protocol."""
    path = tmp_path_factory.mktemp("loss") / "loss.json"
    assert run("check", "hw", "-q", "--json", str(path)).exit_code == 12
    return str(path)


@pytest.mark.long
def test_kafka_0_10_loses_the_record_as_the_model_says(loss, kafka, tmp_path):
    seen, page = tmp_path / "seen.json", tmp_path / "seen.html"
    files = ("--json", str(seen), "--html", str(page))
    result = run("replay", loss, "--kafka", kafka("0.10.2.2"), *files)
    assert result.exit_code == 0, result.output
    assert "FOLLOWED Kafka 0.10.2.2" in flat(result)
    assert "Acknowledged and gone: m0." in flat(result)
    assert result.output.count("Kafka 0.10.2.2 did this") == 12
    [last] = re.findall(r"It ends with `(Acknowledged.*?)`", README)
    assert last in result.output.splitlines()[-3:]
    report = json.loads(seen.read_text())
    assert [step["step"] for step in report["steps"]] == list(range(1, 13))
    assert report["acknowledged"] == {"m0": 0}
    assert report["gone"] == ["m0"]
    assert "0 -> 1: m0, HW 0" in report["steps"][2]["events"]
    held = {"what": "broker 1: log", "expected": "m0", "observed": "m0"}
    assert held in report["steps"][3]["compared"]
    shown = page.read_text()
    assert shown.count("Kafka 0.10.2.2 did this") == 12
    assert "<code>0 -&gt; 1: m0, HW 0</code>" in shown
    assert "broker 1: log</th><td>nothing</td><td>nothing</td>" in shown
    assert processes() == []
    assert not list(Path("/tmp").glob(f"tidegate-kafka-{os.getpid()}-*"))


@pytest.mark.slow
@pytest.mark.parametrize("version", ["1.1.1", "2.0.1"])
def test_leader_epochs_leave_the_loss_at_the_truncation(version, loss, kafka, tmp_path):
    """0.11.0.3 does so in test_rows.py, and 2.6.0 in test_container.py."""
    seen = tmp_path / "seen.json"
    result = run("replay", loss, "--kafka", kafka(version), "--json", str(seen))
    assert result.exit_code == 1, result.output
    report = json.loads(seen.read_text())
    last = report["steps"][-1]
    assert (last["step"], last["action"]) == (9, "BecomeFollower(follower=1, epoch=0)")
    [log] = [row for row in last["differences"] if row["what"] == "broker 1: log"]
    assert (log["expected"], log["observed"]) == ("nothing", "m0 (e0)")
    assert report["gone"] == []


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ([], "no jar named kafka_SCALA-VERSION.jar there"),
        (["kafka_2.12-1.1.1.jar", "kafka_2.12-2.0.1.jar"], "it holds jars of 1.1.1, 2.0.1"),
        (["kafka_2.12-2.8.0.jar"], "there is no ZooKeeper beside Kafka 2.8.0"),
    ],
)
def test_a_directory_that_is_no_distribution_is_refused(loss, tmp_path, files, says):
    folder = tmp_path / "libs"
    folder.mkdir()
    for name in files:
        (folder / name).touch()
    result = run("replay", loss, "--kafka", str(folder))
    assert result.exit_code == 2
    assert says in flat(result)


def test_a_broker_that_does_not_start_is_reported(loss, tmp_path):
    for name in ("kafka_2.12-1.1.1.jar", "zookeeper-3.4.10.jar"):
        (tmp_path / name).touch()
    result = run("replay", loss, "--kafka", str(tmp_path))
    assert result.exit_code == 2
    assert "a process of Kafka ended" in flat(result)
    assert processes() == []


def test_what_brokers_did_needs_brokers(loss):
    result = run("replay", loss, "--json", "-")
    assert result.exit_code == 2
    assert "--kafka DIR" in result.output


@pytest.mark.parametrize(
    "bound",
    ["isr_propagation=zookeeper", "purgatory", "hw_checkpoint=step", "acks=0"],
)
def test_what_cannot_be_forced_is_refused_before_anything_starts(bound, kafka):
    result = run("conform", "--kafka", kafka("0.10.2.2"), "-b", bound)
    assert result.exit_code == 2
    assert f"{bound.partition('=')[0]} is" in flat(result)


@pytest.mark.parametrize(
    ("bound", "lacks"),
    [
        ("isr_propagation=kraft", "has no KRaft"),
        ("elr", "with ZooKeeper has no eligible leader replicas"),
        ("deletions=1", "has no DeleteRecords"),
    ],
)  # fmt: skip
def test_what_a_release_lacks_is_refused_before_anything_starts(bound, lacks, kafka):
    few = ("-b", "crashes=0", "-b", "elections=0")
    result = run("conform", "--kafka", kafka("0.10.2.2"), "-b", bound, *few)
    assert result.exit_code == 2
    assert f"Kafka 0.10.2.2 {lacks}" in flat(result)
    assert processes() == []
