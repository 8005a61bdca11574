"""Walks in which brokers once differed from the model."""

import asyncio

import pytest

from tests.behaviors import CANNOT_JOIN, FETCH_AFTER_LAG_TIME, REFUSED_FETCH, REPLICATED
from tidegate.brokers.distribution import find_distribution
from tidegate.brokers.replay import replay
from tidegate.brokers.scripted_quorum import ScriptedQuorum
from tidegate.conform.forced import cluster_for, forced_behavior
from tidegate.core.spec import Trace

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

JOINS_LATE = """
    Fence 2
    Unfence 2
    BecomeLeader 0 1
    BecomeFollower 2 1
    SendFetch 0 2
    HandleFetch 0 2
    HandleAlterPartition 0
    {}
    Produce 0
    BecomeFollower 1 1
    SendFetch 0 1
    HandleFetch 0 1
    HandleFetchResponse 0 1
"""

OUT_OF_RANGE = """
    SendFetch 0 1
    Produce 0
    HandleFetch 0 1
    HandleFetchResponse 0 1
    Elect 1
    BecomeFollower 0 1
    Elect 0
    BecomeLeader 0 2
    SendFetch 0 1
    HandleFetch 0 1
    HandleOutOfRange 0 1
"""
"""The leader has followed in between, and has truncated m0; the follower has not heard of that."""


NOT_IN_SYNC = """
    Elect 1
    ApplyChangeRecord 1 1 0
    FenceFollower 2
    ApplyChangeRecord 1 1 0
"""

NO_LONGER_AWAITED = f"""
    {REPLICATED}
    FenceFollower 2
    ApplyChangeRecord 0 0 0
"""

IN_VAIN = """
    Elect 1
    ApplyChangeRecord 1 1 0
    Produce 1
    FenceFollower 2
    ProposeShrink 1 0
    HandleAlterPartition 1
    HandleAlterPartitionResponse 1
    ApplyChangeRecord 1 1 0
"""
"""The controller refuses the proposal, since a fence has changed the partition epoch."""


FIRST_FETCH = """
    Fence 0
    Fence 2
    Elect 1
    BecomeLeader 1 3
    BecomeFollower 0 3
    SendFetch 1 0
    Fence 1
    HandleFetch 1 0
    Produce 1
    PassLagTime 1 0
    HandleFetchResponse 1 0
    BecomeFollower 2 3
    SendFetch 1 2
    HandleFetch 1 2
"""
"""Broker 1 leads alone in an old epoch; broker 0 has lagged since, and broker 2 fetches now."""

CAUGHT_UP_BEFORE = """
    Fence 2
    Elect 1
    Fence 1
    BecomeFollower 2 2
    BecomeLeader 1 2
    SendFetch 1 2
    HandleFetch 1 2
    HandleFetchResponse 1 2
    SendFetch 1 2
    Produce 1
    HandleFetch 1 2
    Produce 1
"""
"""Broker 1 leads alone in an old epoch; broker 2 has had its log end, and cannot join the ISR."""


@pytest.fixture
def does_it(begin, kafka):
    """Replay a script on a release, which follows it, and return the model's last state."""

    def run(release, protocol, settings, script):
        walked = begin(protocol, settings).follow(script)
        trace = Trace(tuple(walked.states), tuple(walked.steps))
        behavior = forced_behavior(walked.system, trace)
        distribution = find_distribution(kafka(release))

        async def on_brokers():
            async with cluster_for(distribution, behavior) as cluster:
                return await replay(cluster, behavior, lambda observed: None)

        report = asyncio.run(on_brokers())
        assert report.differs is None, report.differs
        return behavior.steps[-1].after

    return run


def test_before_0_10_a_refused_fetch_fails_what_waits_at_a_former_leader(does_it):
    settings = "records=2 elections=2 moves"
    end = does_it("0.9.0.1", "kafka-0.9.0.1-zookeeper", settings, REFUSED_FETCH)
    assert end["replica"][0]["hw"] == 1
    assert [acked["offset"] for acked in end["aux_acked"] if acked["epoch"] >= 0] == [0]


@pytest.mark.parametrize(("release", "hw"), [("1.1.1", 1), ("2.6.0", 0)])
def test_since_2_4_a_fetch_moves_the_high_watermark_only_with_a_log_end(release, hw, does_it):
    settings = "replicas=3 records=1 elections=2 moves hw_waits"
    end = does_it(release, f"kafka-{release}-zookeeper", settings, FETCH_AFTER_LAG_TIME)
    assert end["replica"][0]["hw"] == hw


def test_before_2_4_a_first_fetch_moves_the_high_watermark_past_who_has_lagged(does_it):
    settings = "replicas=3 records=1 elections=4 moves hw_waits"
    end = does_it("1.1.1", "kafka-1.1.1-zookeeper", settings, FIRST_FETCH)
    assert end["replica"][1]["hw"] == 1


def test_the_high_watermark_waits_for_who_has_caught_up_and_cannot_join(does_it):
    settings = "replicas=3 records=2 elections=3 moves hw_waits"
    end = does_it("2.6.0", "kafka-2.6.0-zookeeper", settings, CAUGHT_UP_BEFORE)
    assert end["replica"][1]["hw"] == 0


@pytest.mark.parametrize(
    "passes",
    [
        "PassLagTime 0 2\nHandleAlterPartitionResponse 0",
        "HandleAlterPartitionResponse 0\nPassLagTime 0 2",
    ],
)
def test_who_joins_although_its_lag_time_has_passed_stays_in_the_isr(passes, does_it):
    """The leader would propose to remove it, which no step says."""
    settings = "replicas=3 records=1 elections=2 moves min_isr=2 hw_waits elr=off"
    settings += " last_known_leader=off isr_propagation=kraft"
    end = does_it("4.4.0", "kafka-4.4.0-kraft", settings, JOINS_LATE.format(passes))
    assert end["replica"][0]["isr"] == {0, 1, 2}


@pytest.mark.parametrize(
    ("script", "leader", "hw"),
    [(NOT_IN_SYNC, 1, 0), (NO_LONGER_AWAITED, 0, 1), (IN_VAIN, 1, 0)],
    ids=["the high watermark stays", "the high watermark moves", "a member has lagged"],
)
def test_a_leader_does_not_propose_what_a_change_record_says(
    script, leader, hw, does_it, monkeypatch
):
    """A leader looks for lagging members ten times a second, here before the record arrives."""
    announce = ScriptedQuorum.announce

    async def later(*arguments):
        await asyncio.sleep(0.5)
        return await announce(*arguments)

    monkeypatch.setattr(ScriptedQuorum, "announce", later)
    settings = "replicas=3 records=1 elections=2 moves min_isr=2 hw_waits elr=off"
    settings += " last_known_leader=off isr_propagation=records"
    end = does_it("4.4.0", "kafka-4.4.0-kraft", settings, script)
    assert 2 not in end["replica"][leader]["isr"]
    assert end["replica"][leader]["hw"] == hw


@pytest.mark.parametrize(("release", "older", "hw"), [("2.6.0", "", 1), ("3.9.2", "-2.6", 0)])
def test_since_2_8_the_high_watermark_waits_for_who_could_not_join(release, older, hw, does_it):
    settings = "records=1 elections=2 moves hw_waits"
    end = does_it(release, f"kafka-{release}-zookeeper{older}", settings, CANNOT_JOIN)
    assert end["replica"][0]["hw"] == hw


@pytest.mark.parametrize("release", ["0.9.0.1", "0.10.2.2"])
def test_a_follower_whose_log_is_longer_serves_nobody_until_it_starts_again(release, does_it):
    """Through 0.10.2 it hangs while it exits, since 0.10.0 (KAFKA-4039); 0.9 halts."""
    script = f"{OUT_OF_RANGE} HandleListOffsets 0 1\nHandleListOffsetsResponse 0 1\nProduce 0"
    settings = "replicas=3 records=2 elections=2 crashes=1 moves"
    end = does_it(release, f"kafka-{release}-zookeeper", settings, script)
    assert not end["replica"][1]["alive"]
    again = f"{script}\nRestart 1\nBecomeFollower 1 2"
    end = does_it(release, f"kafka-{release}-zookeeper", settings, again)
    assert end["replica"][1]["alive"]


def test_a_follower_that_waits_for_list_offsets_answers_leader_and_isr_later(does_it):
    """Its fetcher holds a lock meanwhile; the leader of the new epoch is the same."""
    script = f"{OUT_OF_RANGE} BecomeFollower 1 2\nHandleListOffsets 0 1"
    settings = "replicas=3 records=1 elections=2 crashes=0 moves"
    end = does_it("0.9.0.1", "kafka-0.9.0.1-zookeeper", settings, script)
    assert end["message"][1]["kind"] == "ListOffsets response"


@pytest.mark.parametrize("kept", [0, 1])
def test_a_leader_that_has_lost_power_has_what_was_on_its_disk(kept, does_it):
    settings = "records=1 elections=1 crashes=0 power_losses=1 moves"
    script = f"Produce 0\nLosePower 0 {kept}\nRestart 0\nFence 1\nBecomeLeader 0 1"
    end = does_it("1.1.1", "kafka-1.1.1-zookeeper", settings, script)
    assert sum(entry["record"] == 0 for entry in end["replica"][0]["log"]) == kept
