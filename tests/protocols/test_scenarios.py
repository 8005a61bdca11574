"""The scenarios of the KIPs, replayed step by step."""

import pytest

from tidegate.invariants.broker import INVARIANTS
from tidegate.model.broker.actions import follower as follower_actions
from tidegate.model.broker.actions import leader as leader_actions

FIRST_WRITE = [
    ("producer write", (1, 0, 0, 0, 0)),
    ("follower fetch", (1, 0, 0, 0, 0)),
    ("leader update HW", (1, 0, 0, 0, 0)),
    ("leader response", (1, 0, 0, 1, 0)),
    ("follower update HW", (1, 0, 0, 1, 0)),
    ("follower fetch", (1, 1, 0, 1, 0)),
    ("leader update HW", (1, 1, 1, 1, 0)),
    ("leader response", (1, 1, 1, 1, 0)),
    ("follower update HW", (1, 1, 1, 1, 1)),
]
"""Leader LEO, remote LEO, leader HW, follower LEO, follower HW, as the design document has it."""


def test_the_first_write_goes_through_the_nine_rows_of_the_design_document(begin, monkeypatch):
    """Handling a fetch, and handling its response, is one step of two halves: both are observed.

    The first half of handling a fetch ends where the leader recomputes its HW, that of handling a
    response where the follower has appended what it carries, if anything.
    """
    behavior = begin("hw", "records=1")
    halves = []

    def offsets(record):
        leader, follower = record.replica
        return leader.leo, leader.remote_leo[1], leader.hw, follower.leo, follower.hw

    def advance_hw(s, k, leader):
        halves.append(offsets(s))
        real_advance_hw(s, k, leader)

    def append(s, k, *arguments):
        real_append(s, k, *arguments)
        halves.append(offsets(s))

    real_advance_hw, real_append = leader_actions.advance_hw, follower_actions.append
    observed = [offsets(behavior.take("Produce", 0).record)]
    monkeypatch.setattr(leader_actions, "advance_hw", advance_hw)
    monkeypatch.setattr(follower_actions, "append", append)
    for _ in range(2):
        behavior.take("SendFetch", 0, 1)
        for action in ("HandleFetch", "HandleFetchResponse"):
            halves[:] = [offsets(behavior.record)]
            behavior.take(action, 0, 1)
            observed += [halves[-1], offsets(behavior.record)]
    assert observed == [offsets for _, offsets in FIRST_WRITE]


LOSS_BEGINS = """
Produce 0
Produce 0
SendFetch 0 1
HandleFetch 0 1
HandleFetchResponse 0 1
SendFetch 0 1
HandleFetch 0 1
HandleFetchResponse 0 1
SendFetch 0 1
HandleFetch 0 1                 # the remote LEO becomes 2, and so does the HW
"""
"""Broker 0 leads; both hold m0 and m1; 0's HW is 2, and 1's is 0: the response is in flight.

A response with records carries the HW from before its fetch was counted.
"""

OUT_OF_RANGE = """
SendFetch 1 0
HandleFetch 1 0
HandleOutOfRange 1 0
HandleListOffsets 1 0
"""

FOLLOWER_BOUNCES = """
Crash 1
Restart 1
BecomeFollower 1 0
"""


def test_the_loss_of_kip_101_under_hw(begin):
    """A restarted follower truncates a committed record, is elected, and so does the old leader."""
    behavior = begin("hw").follow(LOSS_BEGINS)
    assert [replica.hw for replica in behavior.record.replica] == [2, 0]
    assert behavior.records(0) == behavior.records(1) == [0, 1]

    behavior.follow(FOLLOWER_BOUNCES)
    assert behavior.records(1) == [], "the restarted follower truncates both"
    behavior.follow("Crash 0\nElect 1\nBecomeLeader 1 1")
    assert behavior.violated() == {"NoCommittedRecordLost", "NoAckedRecordLost"}

    behavior.follow("Restart 0\nBecomeFollower 0 1")
    assert behavior.records(0) == [0, 1], "its HW is 2, so it truncates nothing"
    behavior.follow(OUT_OF_RANGE)
    [exits] = [prop for prop in INVARIANTS if prop.name == "NoBrokerExits"]
    assert behavior.system.violates(exits, behavior.state)
    behavior.take("HandleListOffsetsResponse", 1, 0)
    assert not behavior.record.replica[0].alive, "through 2.0.0 its process exits"


def test_where_unclean_elections_are_allowed_the_old_leader_truncates_instead(begin):
    """KAFKA-7414: the configuration decides whether a follower with a longer log exits."""
    behavior = begin("hw", "unclean_election").follow(LOSS_BEGINS).follow(FOLLOWER_BOUNCES)
    behavior.follow("Crash 0\nElect 1\nBecomeLeader 1 1\nRestart 0\nBecomeFollower 0 1")
    behavior.follow(OUT_OF_RANGE).take("HandleListOffsetsResponse", 1, 0)
    assert behavior.records(0) == behavior.records(1) == [], "both records are nowhere any more"


def test_the_leaders_log_end_is_read_when_it_answers(begin):
    """Between the error and the answer the leader may append: then nothing is truncated."""
    behavior = begin("hw", "records=4").follow(LOSS_BEGINS).follow(FOLLOWER_BOUNCES)
    behavior.follow("Crash 0\nElect 1\nBecomeLeader 1 1\nRestart 0\nBecomeFollower 0 1")
    behavior.follow("SendFetch 1 0\nHandleFetch 1 0\nHandleOutOfRange 1 0")
    behavior.follow("Produce 1\nProduce 1\nHandleListOffsets 1 0\nHandleListOffsetsResponse 1 0")
    assert behavior.records(0) == [0, 1]
    assert behavior.can("SendFetch", 1, 0)


@pytest.mark.parametrize("protocol", ["kip-101", "kip-279", "kip-320"])
def test_leader_epochs_avert_the_loss_of_kip_101(begin, protocol):
    """The restarted follower asks, receives 2, truncates nothing, and m1 survives its election."""
    behavior = begin(protocol).follow(LOSS_BEGINS).follow(FOLLOWER_BOUNCES)
    assert not behavior.can("SendFetch", 0, 1), "it must ask before it may fetch"
    behavior.follow("SendEpochRequest 0 1\nHandleEpochRequest 0 1")
    assert behavior.record.message[1].end_offset == 2, "the answer that saves the record"
    behavior.take("HandleEpochResponse", 0, 1)
    assert behavior.records(1) == [0, 1]

    behavior.follow("Crash 0\nElect 1\nBecomeLeader 1 1\nRestart 0\nBecomeFollower 0 1")
    behavior.follow("SendEpochRequest 1 0\nHandleEpochRequest 1 0\nHandleEpochResponse 1 0")
    assert behavior.records(0) == behavior.records(1) == [0, 1]
    assert not behavior.violated()


@pytest.mark.parametrize("protocol", ["kip-101", "kip-279", "kip-320"])
def test_leader_epochs_avert_the_loss_even_if_the_leader_crashes_before_it_answers(begin, protocol):
    """As a leader, the follower does not truncate."""
    behavior = begin(protocol).follow(LOSS_BEGINS).follow(FOLLOWER_BOUNCES)
    behavior.follow("SendEpochRequest 0 1\nCrash 0\nElect 1\nBecomeLeader 1 1")
    assert behavior.records(1) == [0, 1]
    assert not behavior.violated()


DIVERGENCE_BEGINS = (
    LOSS_BEGINS
    + """
Crash 0
LosePower 1 1                   # the follower's page cache is gone, and m1 with it
Restart 1
Elect 1
BecomeLeader 1 1
Produce 1
Restart 0
BecomeFollower 0 1
"""
)
"""Both brokers die; the follower returns without m1, leads, and accepts m2 at offset 1."""

DIVERGENCE_BOUNDS = "records=3 crashes=1 power_losses=1"


def test_the_divergence_of_kip_101_under_hw(begin):
    """The old leader truncates nothing, since its HW is 2: offset 1 is m1 here and m2 there."""
    behavior = begin("hw", DIVERGENCE_BOUNDS).follow(DIVERGENCE_BEGINS)
    assert behavior.records(0) == [0, 1]
    assert behavior.records(1) == [0, 2]
    assert [replica.hw for replica in behavior.record.replica] == [2, 2]
    assert "LogMatching" in behavior.violated()

    behavior.follow("SendFetch 1 0\nHandleFetch 1 0\nHandleFetchResponse 1 0")
    assert "LogMatching" in behavior.violated(), "for ever"


@pytest.mark.parametrize("protocol", ["kip-101", "kip-279", "kip-320"])
def test_leader_epochs_fix_the_divergence_but_not_the_loss(begin, protocol):
    """The end of epoch 0 is 1: the follower truncates m1 before it fetches m2; m1 is still lost."""
    behavior = begin(protocol, DIVERGENCE_BOUNDS).follow(DIVERGENCE_BEGINS)
    behavior.follow("SendEpochRequest 1 0\nHandleEpochRequest 1 0")
    assert behavior.record.message[0].end_offset == 1
    behavior.take("HandleEpochResponse", 1, 0)
    behavior.follow("SendFetch 1 0\nHandleFetch 1 0\nHandleFetchResponse 1 0")
    assert behavior.records(0) == behavior.records(1) == [0, 2]
    assert behavior.violated() == {"NoCommittedRecordLost", "NoAckedRecordLost"}


def test_without_power_loss_leader_epochs_leave_nothing_to_diverge(begin):
    """With a process crash the follower still has m1: it leads with it, and m2 comes after it."""
    behavior = begin("kip-101", "records=3").follow(LOSS_BEGINS)
    behavior.follow("Crash 0\nCrash 1\nRestart 1\nElect 1\nBecomeLeader 1 1\nProduce 1")
    behavior.follow("Restart 0\nBecomeFollower 0 1\nSendEpochRequest 1 0\nHandleEpochRequest 1 0")
    behavior.follow("HandleEpochResponse 1 0\nSendFetch 1 0\nHandleFetch 1 0")
    behavior.take("HandleFetchResponse", 1, 0)
    assert behavior.records(0) == behavior.records(1) == [0, 1, 2]
    assert not behavior.violated()


def test_a_fetch_that_outlives_its_sender_puts_an_empty_log_in_the_isr(begin):
    """KIP-903: the leader lets a follower join by a fetch from before the follower lost its disk.

    The follower was out of the ISR when it died, so noticing the bounce changes nothing.
    """
    bounds = "records=1 crashes=1 power_losses=1 late_request bounce_noticed"
    behavior = begin("kip-320", bounds).follow(
        """
        Produce 0
        SendFetch 0 1
        HandleFetch 0 1
        HandleFetchResponse 0 1
        ShrinkIsr 0 1               # alone in the ISR, the leader commits m0
        SendFetch 0 1
        LosePower 1 0
        Restart 1
        HandleLateFetch 0 1
        """
    )
    assert behavior.record.partition.isr == 0b11
    assert behavior.records(1) == []
    behavior.follow("Crash 0\nElect 1\nBecomeLeader 1 1")
    assert behavior.violated() == {"NoCommittedRecordLost", "NoAckedRecordLost"}


def test_a_fetch_dies_with_its_sender_otherwise(begin):
    behavior = begin("kip-320", "records=1 crashes=1 power_losses=1").follow(
        """
        SendFetch 0 1
        LosePower 1 0
        """
    )
    assert not behavior.can("HandleFetch", 0, 1)
    assert "HandleLateFetch" not in {action.name for action in behavior.system.actions}
