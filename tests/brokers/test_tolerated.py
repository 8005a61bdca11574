"""What the harness tolerates, and that a real difference of that kind is still found.

That a request which is held counts as not sent yet, and that a refused one is sent again, hides no
wrong rule: test_told_apart.py.
"""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tidegate.brokers.distribution import find_distribution
from tidegate.brokers.leader_epochs import apply_record
from tidegate.brokers.replay import replay
from tidegate.brokers.report import ForcedStep
from tidegate.brokers.scripted_quorum import INVALID_UPDATE_VERSION
from tidegate.conform.forced import cluster_for, forced_behavior
from tidegate.core.spec import Step, Trace
from tidegate.library.names import find_protocol
from tidegate.library.properties import with_every_history

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

FETCHES = ("leader", "follower"), (0, 1)
SEND, REFUSE = Step("SendFetch", *FETCHES), Step("RefuseRequest", *FETCHES)


class Quorum:
    """A scripted controller to which a leader has sent a request, and whose records it applies."""

    def __init__(self, isr):
        self.waits = SimpleNamespace(isr=isr)

    def proposal(self, leader):
        return self.waits

    def decide(self, leader, error, changes):
        assert (error, changes) == (INVALID_UPDATE_VERSION, {})

    def states(self, topic, epoch):
        return [None]

    def answer(self, leader):
        self.waits = None


@pytest.mark.parametrize(("isr", "tolerated"), [((0, 1), True), ((0,), False), ((0, 2), False)])
def test_a_request_for_the_isr_that_a_record_brings_is_dropped_and_no_other(isr, tolerated):
    """The record moves the high watermark, since it removes broker 2 from the ISR."""

    async def nothing(*arguments):
        return None

    scripted = Quorum(isr)
    inside = SimpleNamespace(let_lag=nothing, let_catch_up=nothing)
    proxy = SimpleNamespace(refuse=lambda number: None, admit=lambda number: None)
    run = SimpleNamespace(
        cluster=SimpleNamespace(proposals=scripted, brokers=range(3), proxy=proxy),
        scripted=scripted,
        topic="t",
        bounds={"isr_propagation": "records"},
        fenced=set(),
        give=nothing,
        broker=lambda number: SimpleNamespace(inside=inside),
    )
    before = {
        "replica": [{"isr": {0, 1, 2}, "hw": 0, "caught_up": set()}],
        "alter_partition": [{"kind": "nothing"}],
        "message": [{"kind": "nothing"}],
        "leader_and_isr": [{"isrs": [{0, 1}]}],
    }
    after = {"replica": [{"isr": {0, 1}, "hw": 1, "caught_up": set()}], "message": [None]}
    asyncio.run(apply_record(run, {"leader": 0, "epoch": 0, "last": 0}, before, after))
    assert (scripted.waits is None) == tolerated


def behavior(system, *steps):
    """Return the behavior of these steps."""
    states = [next(iter(system.initial_states()))]
    for step in steps:
        states.append(system.take(states[-1], step))
    return forced_behavior(system, Trace(tuple(states), steps))


def test_a_fenced_follower_may_be_silent_and_no_other(kafka):
    bounds = ("moves", "elections=1", "hw_waits")
    system = with_every_history(find_protocol("kafka-2.6.0-zookeeper"), bounds)
    fence, lead = (
        Step("Fence", ("broker",), (1,)),
        Step("BecomeLeader", ("leader", "epoch"), (0, 1)),
    )
    # The follower's epoch is fenced, so that it sends its second fetch in the model alone.
    fenced = behavior(system, SEND, fence, lead, REFUSE, SEND, REFUSE)
    # A follower that is down sends nothing either, but nothing says that it may not.
    down = behavior(system, Step("Crash", ("broker",), (1,)))
    sends = ForcedStep("SendFetch", {"leader": 0, "follower": 1}, down.steps[-1].after)
    silent = replace(down, steps=(*down.steps, sends))

    async def run():
        distribution = find_distribution(kafka("2.6.0"))
        async with cluster_for(distribution, fenced) as cluster:
            first = await replay(cluster, fenced, lambda observed: None, "fenced")
            await cluster.renew("fenced")
            return first, await replay(cluster, silent, lambda observed: None, "silent")

    followed, left = asyncio.run(run())
    assert followed.differs is None, followed.differs
    assert len(followed.steps) == 6
    assert any("FENCED_LEADER_EPOCH" in event for event in followed.steps[3].events)
    assert followed.steps[5].events == ()
    assert left.differs is not None
    assert left.differs.number == 2
    [difference] = left.differs.differences
    assert (difference.expected, difference.observed) == ("Fetch request", "no request")
