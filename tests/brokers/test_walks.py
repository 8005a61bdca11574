"""Walks in which brokers once did otherwise than the model said."""

import asyncio

import pytest

from tidegate.analysis.conformance import behavior_of, cluster_for
from tidegate.analysis.named import find_protocol
from tidegate.analysis.properties import with_every_history
from tidegate.brokers.distribution import find_distribution
from tidegate.brokers.replay import replay
from tidegate.core.spec import Step, Trace

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

REFUSED_FETCH = """
    Produce 0
    Elect 1
    BecomeFollower 0 1
    SendFetch 0 1
    RefuseRequest 0 1
    Elect 0
    BecomeLeader 0 2
    ShrinkIsr 0 1
    Produce 0
"""

FETCH_AFTER_LAG_TIME = """
    Fence 2
    BecomeLeader 0 1
    BecomeFollower 2 1
    Elect 1
    SendFetch 0 2
    HandleFetch 0 2
    BecomeFollower 1 1
    Produce 0
    SendFetch 0 1
    HandleFetch 0 1
    HandleFetchResponse 0 1
    SendFetch 0 1
    HandleFetch 0 1
    HandleFetchResponse 0 1
    PassLagTime 0 2
    SendFetch 0 1
    HandleFetch 0 1
"""

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

CANNOT_JOIN = """
    Fence 1
    BecomeLeader 0 1
    BecomeFollower 1 1
    Fence 0
    SendFetch 0 1
    HandleFetch 0 1
    PassLagTime 0 1
    Produce 0
"""


def walk(system, script):
    """Return the behavior with the steps of a script: a line each, an action and its arguments."""
    states, steps = [next(iter(system.initial_states()))], []
    parameters = {action.name: action.parameters for action in system.actions}
    for action, *arguments in map(str.split, script.strip().splitlines()):
        steps.append(Step(action, parameters[action], tuple(map(int, arguments))))
        states.append(system.take(states[-1], steps[-1]))
        assert states[-1] is not None, steps[-1]
    return behavior_of(system, Trace(tuple(states), tuple(steps)))


def does_it(folder, protocol, bounds, script):
    """Replay a script on a release, which follows it, and return the model's last state."""
    system = with_every_history(find_protocol(protocol), bounds)
    behavior = walk(system, script)

    async def run():
        async with cluster_for(find_distribution(folder), system.bounds) as cluster:
            return await replay(cluster, behavior, lambda observed: None)

    report = asyncio.run(run())
    assert report.differs is None, report.differs
    return behavior.steps[-1].after


def test_before_0_10_a_refused_fetch_fails_what_waits_at_a_former_leader(kafka):
    bounds = ("records=2", "elections=2", "moves")
    end = does_it(kafka("0.9.0.1"), "kafka-0.9.0.1-zookeeper", bounds, REFUSED_FETCH)
    assert end["replica"][0]["hw"] == 1
    assert [acked["offset"] for acked in end["aux_acked"] if acked["epoch"] >= 0] == [0]


@pytest.mark.parametrize(("release", "hw"), [("1.1.1", 1), ("2.6.0", 0)])
def test_since_2_4_a_fetch_moves_the_high_watermark_only_with_a_log_end(release, hw, kafka):
    bounds = ("replicas=3", "records=1", "elections=2", "moves", "hw_waits")
    protocol = f"kafka-{release}-zookeeper"
    end = does_it(kafka(release), protocol, bounds, FETCH_AFTER_LAG_TIME)
    assert end["replica"][0]["hw"] == hw


@pytest.mark.parametrize(
    "passes",
    [
        "PassLagTime 0 2\nHandleAlterPartitionResponse 0",
        "HandleAlterPartitionResponse 0\nPassLagTime 0 2",
    ],
)
def test_who_joins_although_its_lag_time_has_passed_stays_in_the_isr(passes, kafka):
    """The leader would propose to remove it, which no step says."""
    bounds = ("replicas=3", "records=1", "elections=2", "moves", "min_isr=2", "hw_waits")
    kraft = ("hw_needs_min_isr", "isr_propagation=kraft")
    script = JOINS_LATE.format(passes)
    end = does_it(kafka("4.4.0"), "kafka-4.4.0-kraft", bounds + kraft, script)
    assert end["replica"][0]["isr"] == {0, 1, 2}


@pytest.mark.parametrize(("release", "older", "hw"), [("2.6.0", "", 1), ("3.9.2", "-2.6", 0)])
def test_since_2_8_the_high_watermark_waits_for_who_could_not_join(release, older, hw, kafka):
    bounds = ("records=1", "elections=2", "moves", "hw_waits")
    protocol = f"kafka-{release}-zookeeper{older}"
    end = does_it(kafka(release), protocol, bounds, CANNOT_JOIN)
    assert end["replica"][0]["hw"] == hw
