"""Auxiliary variables: the history of records, for properties alone.

No guard and no rule reads them.  Each function does nothing unless a requested property needs the
history that it records.
"""

from __future__ import annotations

from ...core.fields import NONE
from .bounds import ZOOKEEPER, Constants
from .state import BrokerState


def note_committed(s: BrokerState, k: Constants, leader: int, start: int) -> None:
    """Record as committed what a leader holds from offset `start` up to its high watermark.

    Consumers read at once, so these records also count as read; with metadata that may be stale,
    reading is a separate step.  The first record that any leader committed at an offset is the one
    that must never be lost.
    """
    if k.track_read and k.isr_propagation != ZOOKEEPER:
        for offset in range(start, s.replica[leader].hw):
            note_read(s, k, leader, offset)
    if not k.track_committed:
        return
    replica = s.replica[leader]
    for offset in range(max(start, s.aux_deleted), replica.hw):
        committed = s.aux_committed[offset]
        if committed.record == NONE:
            committed.record = replica.log[offset].record
            committed.epoch = replica.epoch


def note_high_watermark(s: BrokerState, k: Constants, leader: int) -> None:
    """Record the highest high watermark of any acting leader."""
    if not k.track_high_watermark:
        return
    if s.partition.leader == leader and s.partition.epoch == s.replica[leader].epoch:
        s.aux_hw = max(s.aux_hw, s.replica[leader].hw)


def note_listed_offsets(s: BrokerState, k: Constants, leader: int) -> None:
    """Record the offset that an acting leader returns to ListOffsets, at any time."""
    if not k.track_listed_offsets:
        return
    acting = s.partition.leader == leader and s.partition.epoch == s.replica[leader].epoch
    if acting and k.rules.may_list_offsets(s, k, leader):
        s.aux_listed = max(s.aux_listed, s.replica[leader].hw)


def note_acked(s: BrokerState, k: Constants, leader: int, record: int, offset: int) -> None:
    """Record that the leader has acknowledged a record, which it appended at this offset."""
    if k.track_acked and offset >= s.aux_deleted:
        s.aux_acked[record].offset = offset
        s.aux_acked[record].epoch = s.replica[leader].epoch


def _waits_as_history(k: Constants) -> bool:
    """Whether produces that wait are history: with ``purgatory`` their completion is a step."""
    return k.delays_produces and not k.purgatory


def note_produced(s: BrokerState, k: Constants, leader: int, record: int, offset: int) -> None:
    """Record that a produce waits at the leader, which appended its record at this offset."""
    if _waits_as_history(k):
        s.aux_produce[record].leader = leader
        s.aux_produce[record].offset = offset


def note_failed(s: BrokerState, k: Constants, broker: int) -> None:
    """Record that the produces that wait at a broker fail."""
    if _waits_as_history(k):
        for waiting in s.aux_produce:
            if waiting.leader == broker:
                waiting.leader = NONE
                waiting.offset = 0


def note_completed(s: BrokerState, k: Constants, leader: int, has_enough: bool) -> None:
    """Complete the produces that wait at this leader below its high watermark.

    They are acknowledged if the ISR now has min.insync.replicas members; if not, their producer
    receives NotEnoughReplicasAfterAppend and may retry.  No epochs are compared
    (Partition.checkEnoughReplicasReachOffset): a leader acknowledges in a later epoch what it
    appended in an earlier one.  With the option ``purgatory`` this is a step of its own.
    """
    if not _waits_as_history(k):
        return
    for record in range(k.records):
        waiting = s.aux_produce[record]
        if waiting.leader == leader and waiting.offset < s.replica[leader].hw:
            if has_enough:
                note_acked(s, k, leader, record, waiting.offset)
            waiting.leader = NONE
            waiting.offset = 0


def note_read(s: BrokerState, k: Constants, leader: int, offset: int) -> None:
    """Record that a consumer has read a leader's record at an offset; the first read counts."""
    if not k.track_read or offset < s.aux_deleted:
        return
    read = s.aux_read[offset]
    if read.record == NONE:
        read.record = s.replica[leader].log[offset].record
        read.epoch = s.replica[leader].epoch


def note_deleted(s: BrokerState, k: Constants, start: int) -> None:
    """Record that the records below this log start are deleted on purpose, and forget them.

    From now on no history has a record below it, on whatever replica: a deleted record is not lost.
    """
    if not k.tracks_records or start <= s.aux_deleted:
        return
    for offset in range(s.aux_deleted, start):
        s.aux_committed[offset].record = NONE
        s.aux_committed[offset].epoch = NONE
        s.aux_read[offset].record = NONE
        s.aux_read[offset].epoch = NONE
    for acked in s.aux_acked:
        if acked.offset < start:
            acked.offset = NONE
            acked.epoch = NONE
    s.aux_deleted = start
