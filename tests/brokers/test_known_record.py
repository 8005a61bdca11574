"""A leader that applies a change of the ISR which it knows, with a controller of Kafka's own."""

import pytest

from findings.known_record import A, B, C, KnownRecord
from tests.brokers.schedules import left_behind, run_once


@pytest.mark.slow
@pytest.mark.kafka
@pytest.mark.parametrize("version", ["3.9.2", "4.4.0"])
def test_a_leader_that_applies_a_known_change_loses_an_acknowledged_record(version, kafka):
    seen = run_once(KnownRecord, kafka(version), "held")
    assert seen.lost
    assert (seen.offset, seen.before.hw, seen.after.hw) == (0, 0, 1)
    assert [entry.value for entry in seen.after.records] == ["m0"]
    assert (seen.state.leader, seen.state.epoch) == (A, 0)
    assert (seen.awaited, seen.state.isr) == ((A, B), (A, B, C))
    assert [broker for broker, log in seen.logs.items() if log] == [A, B]
    assert (seen.leader, seen.read.records) == (C, ())
    assert seen.final_logs == {A: (), B: (), C: ()}
    assert any("Ignoring failed ISR update to PendingExpand" in line for line in seen.log_lines[A])
    assert left_behind() == []


@pytest.mark.slow
@pytest.mark.kafka
def test_a_leader_that_applies_the_change_first_waits_for_the_replica_it_asks_for(kafka):
    seen = run_once(KnownRecord, kafka("3.9.2"), "control")
    assert not seen.lost
    assert (seen.offset, seen.error) == (0, "NONE")
    assert (seen.awaited, seen.state.isr) == ((A, B, C), (A, B, C))
    assert [entry.value for entry in seen.read.records] == ["m0"]
    assert all(seen.final_logs.values())
    assert left_behind() == []
