"""Divergence: two replicas that have finished truncation hold the same committed records.

Logs that start at different offsets are compared from the larger one on: below it one of them has
deleted its records on purpose.
"""

from __future__ import annotations

from ..core.fields import NONE
from ..core.scene import LogOffset
from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.state import BrokerState


def _truncated(s: BrokerState, k: Constants, number: int) -> bool:
    """Whether a replica leads, or follows a leader and has finished truncation.

    Since KIP-595 that is so once its leader has counted one of its fetches in their epoch, which
    means that the logs agree; before KIP-595 a follower that fetches has already truncated.
    """
    replica = s.replica[number]
    if replica.leader == NONE or replica.truncating:
        return False
    if not k.rules.truncation_on_fetch or replica.leader == number:
        return True
    leader = s.replica[replica.leader]
    return leader.epoch == replica.epoch and leader.remote_leo[number] > 0


def _is_deleted(s: BrokerState, broker: int, offset: int) -> bool:
    """Whether a log has deleted its record at this offset: it has none there, and ends later."""
    replica = s.replica[broker]
    return offset < replica.leo and replica.log[offset].record == NONE


def first_difference(s: BrokerState, first: int, second: int, end: int) -> int:
    """Return the first offset below `end` at which two logs differ, or NONE.

    A record that one of them has deleted is not a difference.
    """
    one, other = s.replica[first].log, s.replica[second].log
    for offset in range(end):
        if (
            one[offset].record != other[offset].record
            and not _is_deleted(s, first, offset)
            and not _is_deleted(s, second, offset)
        ):
            return offset
    return NONE


def explain_mismatch(s: BrokerState, k: Constants, first: int, second: int, offset: int) -> str:
    """Explain which two replicas of one epoch differ, and where."""
    one, other = s.replica[first], s.replica[second]
    return (
        f"Replicas {first} and {second} are both in leader epoch {one.epoch} and have finished "
        f"truncation, yet at offset {offset}, below both high watermarks ({one.hw} and "
        f"{other.hw}), replica {first} has m{one.log[offset].record} and replica {second} has "
        f"m{other.log[offset].record}: consumers of that offset read one or the other."
    )


def explain_mismatch_everywhere(
    s: BrokerState, k: Constants, first: int, second: int, offset: int
) -> str:
    """Explain which two replicas differ, and where."""
    one, other = s.replica[first], s.replica[second]
    return (
        f"At offset {offset}, below both high watermarks ({one.hw} and {other.hw}), replica "
        f"{first} has m{one.log[offset].record} and replica {second} has "
        f"m{other.log[offset].record}."
    )


def explain_epoch_mismatch(
    s: BrokerState, k: Constants, first: int, second: int, offset: int
) -> str:
    """Explain which two logs differ, and where."""
    one, other = s.replica[first].log[offset], s.replica[second].log[offset]
    return (
        f"The logs of replicas {first} and {second} differ at offset {offset} (m{one.record} of "
        f"epoch {one.epoch} and m{other.record} of epoch {other.epoch}), although at that offset "
        "or a later one both have a record of one and the same leader epoch: comparing epochs "
        "will never find the difference."
    )


def both_places(
    s: BrokerState, k: Constants, first: int, second: int, offset: int
) -> tuple[LogOffset, ...]:
    """Return the offset at which two replicas differ, in both of them."""
    return LogOffset(first, offset), LogOffset(second, offset)


@BROKER.invariant(
    "Replicas in the same leader epoch that lead or have finished truncation hold the same record "
    "at every offset below both their high watermarks.",
    source="KIP-101, Scenario 2",
    explain=explain_mismatch,
    places=both_places,
)
def log_matching(s: BrokerState, k: Constants) -> tuple[int, int, int] | None:
    """Return (replica, replica, offset) of two replicas that differ below both HWs."""
    for first in range(k.replicas):
        one = s.replica[first]
        if not one.hw or not _truncated(s, k, first):
            continue
        for second in range(k.replicas):
            other = s.replica[second]
            if second == first or one.epoch != other.epoch or not _truncated(s, k, second):
                continue
            offset = first_difference(s, first, second, min(one.hw, other.hw))
            if offset != NONE:
                return first, second, offset
    return None


@BROKER.invariant(
    "All replicas, including dead ones and those that have not truncated yet, hold the same record "
    "at every offset below both their high watermarks (an expected violation after a power loss or "
    "an unclean election).",
    source="LogMatchingProperty in Vanlightly/kafka-tlaplus, kraft v3.5",
    explain=explain_mismatch_everywhere,
    places=both_places,
)
def log_matching_everywhere(s: BrokerState, k: Constants) -> tuple[int, int, int] | None:
    """Return (replica, replica, offset) of two replicas that differ below both HWs."""
    for first in range(k.replicas):
        for second in range(k.replicas):
            if second != first:
                end = min(s.replica[first].hw, s.replica[second].hw)
                offset = first_difference(s, first, second, end)
                if offset != NONE:
                    return first, second, offset
    return None


@BROKER.invariant(
    "Where two logs have records of the same leader epoch at the same offset, they are "
    "the same up to that offset, included.",
    source="KIP-279; Log Matching in Ongaro and Ousterhout, Raft (2014)",
    explain=explain_epoch_mismatch,
    places=both_places,
)
def epoch_log_matching(s: BrokerState, k: Constants) -> tuple[int, int, int] | None:
    """Return (replica, replica, offset) of a difference that a common epoch hides.

    The offset is the first at which the two logs differ although a record further on, or at that
    offset itself, carries the same epoch in both.
    """
    for first in range(k.replicas):
        one = s.replica[first]
        for second in range(k.replicas):
            if second == first:
                continue
            other = s.replica[second]
            differs = NONE
            for offset in range(max(one.start, other.start), min(one.leo, other.leo)):
                mine, theirs = one.log[offset], other.log[offset]
                if differs == NONE and mine.record != theirs.record:
                    differs = offset
                if differs != NONE and mine.epoch == theirs.epoch:
                    return first, second, differs
    return None
