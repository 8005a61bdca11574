"""A leader that skips a leader epoch, with a controller of Kafka's own."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from findings.kraft import KraftCluster
from findings.skipped_epoch import A, B, C, SkippedEpoch
from tests.brokers.schedules import left_behind, run_once
from tidegate.brokers.distribution import find_distribution
from tidegate.brokers.report import KafkaError

SCRIPT = Path(__file__).parents[2] / "scripts" / "finding"


@pytest.mark.slow
@pytest.mark.kafka
@pytest.mark.parametrize("version", ["3.9.2", "4.4.0"])
def test_a_leader_that_skips_an_epoch_loses_an_acknowledged_record(version, kafka):
    seen = run_once(SkippedEpoch, kafka(version), "held")
    assert seen.lost
    assert (seen.offset, seen.before.hw, seen.after.hw) == (0, 0, 1)
    assert [entry.value for entry in seen.after.records] == ["m0"]
    assert (seen.state.leader, seen.state.epoch, seen.state.isr) == (A, 2, (A, C))
    assert [broker for broker, log in seen.logs.items() if log] == [A]
    assert (seen.leader, seen.read.records) == (C, ())
    assert seen.final_logs == {A: (), B: (), C: ()}
    assert any("from offset 1 with partition epoch" in line for line in seen.log_lines[A])
    assert left_behind() == []


@pytest.mark.slow
@pytest.mark.kafka
@pytest.mark.parametrize(
    ("version", "mode"),
    [("3.9.2", "voters"), ("4.4.0", "busy"), ("2.6.0", "zookeeper"), ("3.9.2", "killed")],
)
def test_a_leader_skips_an_epoch_by_itself(version, mode, kafka):
    """It acknowledges the record; that C has not fetched it before A dies is a matter of time."""
    seen = run_once(SkippedEpoch, kafka(version), mode)
    assert (seen.offset, seen.before.hw, seen.after.hw) == (0, 0, 1)
    assert (seen.awaited, seen.state.leader, seen.state.isr) == ((A, C), A, (A, C))
    assert [broker for broker, log in seen.logs.items() if log] == [A] or not seen.lost
    assert left_behind() == []


@pytest.mark.slow
@pytest.mark.kafka
def test_a_leader_that_applies_every_epoch_does_not_acknowledge_the_record(kafka):
    seen = run_once(SkippedEpoch, kafka("3.9.2"), "control")
    assert not seen.lost
    assert (seen.offset, seen.error) == (None, "NOT_LEADER_OR_FOLLOWER")
    assert seen.after.records == ()
    assert (seen.state.leader, seen.state.epoch, seen.state.isr) == (A, 2, (A, C))
    assert left_behind() == []


@pytest.mark.kafka
def test_a_cluster_that_does_not_start_leaves_nothing(tmp_path):
    if shutil.which("java") is None:
        pytest.skip("Kafka needs Java")
    (tmp_path / "kafka_2.13-3.9.2.jar").touch()

    async def start():
        async with KraftCluster(find_distribution(str(tmp_path)), 1, {}):
            pass

    with pytest.raises(Exception, match="could not format its storage"):
        asyncio.run(start())
    assert left_behind() == []


@pytest.mark.kafka
def test_a_release_without_zookeeper_has_no_such_cluster(tmp_path):
    if shutil.which("java") is None:
        pytest.skip("Kafka needs Java")
    (tmp_path / "kafka_2.13-4.4.0.jar").touch()
    with pytest.raises(KafkaError, match=r"Kafka 4\.4\.0 has no ZooKeeper; 3\.9 has"):
        SkippedEpoch.cluster(find_distribution(str(tmp_path)), "zookeeper")


@pytest.mark.kafka
@pytest.mark.parametrize("finding", ["skipped-epoch", "known-record"])
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "usage"),
        (["DIR", "otherwise"], "usage"),
        (["DIR", "held", "many"], "usage"),
        (["DIR", "held", "0"], "one run at least"),
        (["DIR"], "no jar named"),
        (["OLD"], "Kafka 2.6.0 has no KRaft"),
    ],
)
def test_the_script_refuses_what_it_cannot_run(tmp_path, finding, arguments, says):
    if shutil.which("java") is None:
        pytest.skip("Kafka needs Java")
    folders = {"DIR": tmp_path / "empty", "OLD": tmp_path / "old"}
    for folder in folders.values():
        folder.mkdir()
    (folders["OLD"] / "kafka_2.13-2.6.0.jar").touch()
    command = ["sh", str(SCRIPT), finding, *(str(folders.get(one, one)) for one in arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert says in done.stderr
