"""A removed replica that stays in the ELR, with a controller of Kafka's own."""

import shutil
import subprocess
from pathlib import Path

import pytest

from findings.removed_replica import RECORDS, A, B, C, D, RemovedReplica
from tests.brokers.schedules import left_behind, run_once

RELEASE = "4.4.0"
SCRIPT = Path(__file__).parents[2] / "scripts" / "finding"


@pytest.mark.slow
@pytest.mark.kafka
def test_a_replica_that_a_cancellation_removed_is_elected_with_an_empty_log(kafka):
    seen = run_once(RemovedReplica, kafka(RELEASE), "killed")
    assert seen.lost == RECORDS
    assert (seen.offsets, seen.isr, seen.before.hw) == ((0, 1, 2, 3), (A, B), 4)
    assert (seen.removed.replicas, seen.removed.isr, seen.removed.elr) == ((A, B), (A,), (C,))
    assert (seen.again.replicas, seen.again.isr, seen.again.elr) == ((A, C, D, B), (A,), (C,))
    assert (seen.stopped.leader, seen.stopped.isr) == (C, (C,))
    assert seen.logs == {A: RECORDS, B: RECORDS, C: (), D: ()}
    assert (seen.ended.leader, set(seen.ended.isr)) == (C, {A, B, C})
    assert seen.read.records == ()
    assert seen.final_logs == {A: (), B: (), C: (), D: ()}
    assert left_behind() == []


@pytest.mark.slow
@pytest.mark.kafka
def test_a_replica_that_a_completed_reassignment_removed_is_elected_while_it_copies(kafka):
    seen = run_once(RemovedReplica, kafka(RELEASE), "drained")
    assert RECORDS[-1] in seen.lost
    assert (seen.removed.leader, seen.removed.replicas, seen.removed.isr) == (C, (B, C), (C,))
    assert set(seen.removed.elr) == {A, B}
    assert (seen.stopped.leader, seen.stopped.isr) == (A, (A,))
    assert (seen.logs[B], seen.logs[C]) == (RECORDS, RECORDS)
    assert (seen.ended.leader, set(seen.ended.replicas)) == (A, {A, C})
    assert (seen.final_logs[B], seen.final_logs[C]) == ((), seen.final_logs[A])
    assert left_behind() == []


@pytest.mark.slow
@pytest.mark.kafka
def test_a_removed_replica_in_the_elr_keeps_the_last_leader_from_its_election(kafka):
    seen = run_once(RemovedReplica, kafka(RELEASE), "offline")
    assert "UNKNOWN_SERVER_ERROR" in seen.refusal
    assert (seen.stopped.leader, set(seen.stopped.elr)) == (-1, {A, C})
    assert (seen.ended.leader, seen.ended.replicas) == (-1, (A, B))
    assert (seen.ended.elr, seen.ended.last_known_elr) == ((C,), (A,))
    assert (seen.mended.leader, seen.lost) == (A, ())
    assert len(seen.read.records) == len(RECORDS)
    assert left_behind() == []


@pytest.mark.slow
@pytest.mark.kafka
def test_without_eligible_leader_replicas_the_same_steps_lose_nothing(kafka):
    seen = run_once(RemovedReplica, kafka(RELEASE), "control")
    assert seen.lost == ()
    assert (seen.removed.replicas, seen.removed.isr, seen.removed.elr) == ((A, B), (A,), ())
    assert (seen.stopped.leader, seen.stopped.isr) == (-1, (A,))
    assert RECORDS[-1] not in seen.logs[C]
    assert seen.ended.leader == A
    assert len(seen.read.records) == len(RECORDS)
    assert left_behind() == []


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("version", "mode", "says"),
    [
        ("4.4.0", "held", "usage"),
        ("3.9.2", "killed", "Kafka 3.9.2 has no ELR"),
        ("4.2.0", "drained", "completes no reassignment while a broker that stays is down"),
    ],
)
def test_the_script_refuses_what_a_release_cannot_show(tmp_path, version, mode, says):
    if shutil.which("java") is None:
        pytest.skip("Kafka needs Java")
    (tmp_path / f"kafka_2.13-{version}.jar").touch()
    command = ["sh", str(SCRIPT), "removed-replica", str(tmp_path), mode]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert says in done.stderr
