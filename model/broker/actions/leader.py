"""The leader's steps: append records, serve followers, and maintain the ISR.

Requests that wait at the leader, in Kafka's purgatories: a fetch for data, a produce for the HW.

It follows DelayedFetch and DelayedProduce of Kafka 3.x: a fetch updates the leader's follower state
when it arrives, and not again when it is completed.
"""

from __future__ import annotations

from ....core.fields import NONE, size
from ..assignment import is_served, least_isr
from ..bounds import ACKS_ALL, ZOOKEEPER, Constants
from ..history import note_acked, note_produced
from ..leadership import advance_hw, change_isr, drop_produce, fail_produces, leads, reads_hw
from ..log import append, newest_epoch
from ..messages import (
    DELAYED_FETCH,
    DIVERGING,
    EPOCH_REQUEST,
    FETCH,
    FETCH_RESPONSE,
    IDLE,
    LIST_OFFSETS,
    LIST_OFFSETS_RESPONSE,
    OUT_OF_RANGE,
)
from ..rules import clear_message
from ..state import BrokerState
from .isr_changes import propose


def produce(s: BrokerState, k: Constants, leader: int) -> bool:
    """Append the next record of a producer; a zombie leader accepts it too.

    With ZooKeeper the producer writes to the leader in its metadata.  With acks=all the leader
    rejects the append while the ISR is smaller than min.insync.replicas.
    """
    if not leads(s, leader):
        return False
    if s.written == k.records:
        return False
    if s.replica[leader].leo == k.log_size:
        return False
    least = least_isr(s, k, s.replica[leader].replicas)
    if k.acks == ACKS_ALL and size(s.replica[leader].isr) < least:
        return False
    if k.isr_propagation == ZOOKEEPER and s.producer.leader != leader:
        return False
    replica = s.replica[leader]
    append(s, k, leader, replica.epoch, s.written)
    note_produced(s, k, leader, s.written, replica.leo - 1)
    if k.purgatory and k.delays_produces:
        s.delayed_produce[s.written].leader = leader
        s.delayed_produce[s.written].offset = replica.leo - 1
    if k.acks == 1:
        note_acked(s, k, leader, s.written, replica.leo - 1)
    s.written += 1
    advance_hw(s, k, leader)
    return True


def receive_fetch(s: BrokerState, k: Constants, leader: int, follower: int, offset: int) -> bool:
    """Update the follower's state from a fetch: remote LEO, then ISR, then high watermark.

    False if the high watermark stays for any remote LEO.
    """
    replica = s.replica[leader]
    before = replica.remote_leo[follower]
    replica.remote_leo[follower] = offset
    if (
        not replica.isr >> follower & 1
        and k.rules.has_committed(s, k, leader, offset)
        and k.rules.has_epoch_start(s, k, leader, offset)
    ):
        if k.kraft:
            propose(s, k, leader, replica.isr | 1 << follower)
        elif k.rules.may_change_isr(s, k, leader):
            change_isr(s, k, leader, replica.isr | 1 << follower)
        elif k.hw_waits and not replica.proposed and k.rules.keeps_rejected_change(s, k, leader):
            replica.proposed = replica.isr | 1 << follower
    if k.hw_waits and offset >= replica.leo and not replica.isr >> follower & 1:
        replica.caught_up |= 1 << follower
    may_advance = k.rules.fetch_advances_hw(s, k, leader, before, offset)
    if may_advance:
        advance_hw(s, k, leader)
    return may_advance


def answer_fetch(s: BrokerState, k: Constants, leader: int, follower: int, hw: int) -> None:
    """Answer a fetch with the records at its offset and above, and this high watermark.

    A fetch in purgatory may be below the log start by now: that is out of range.
    """
    offset, replica, message = s.replica[follower].leo, s.replica[leader], s.message[follower]
    if offset < replica.start:
        message.kind = OUT_OF_RANGE
        return
    message.kind = FETCH_RESPONSE
    message.hw = hw
    message.start = replica.start
    for index in range(min(replica.leo - offset, len(message.records))):
        message.records[index].epoch = replica.log[offset + index].epoch
        message.records[index].record = replica.log[offset + index].record


def handle_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Serve a fetch: set the remote LEO, then answer with records and the new HW.

    Since KIP-595 the leader first checks whether the logs diverge, and if so answers with the
    diverging epoch alone.  The answer to a fetch above the leader's log end, or below its log
    start, is "out of range", and the fetch does not update the leader's follower state.  A fetch
    that finds neither a record nor a newer high watermark is answered at once, or waits with the
    option ``purgatory``.  A leader that cannot read its high watermark updates the follower's state
    and then fails, before it would advance it or let the fetch wait: OffsetOutOfRangeException of
    Log.fetchHighWatermarkMetadata in Kafka 2.4.0.  The follower retries.
    """
    if s.message[follower].kind != FETCH:
        return False
    if s.replica[follower].leader != leader:
        return False
    if not leads(s, leader):
        return False
    if not k.rules.may_serve_fetch(s, k, leader, s.replica[follower].epoch):
        return False
    if not is_served(s, k, leader, follower):
        return False
    offset = s.replica[follower].leo
    replica = s.replica[leader]
    message = s.message[follower]
    last_epoch = newest_epoch(s, k, follower)
    if _diverges(s, k, leader, last_epoch, offset):
        if k.rules.counts_diverging_fetch(s, k, leader, follower):
            receive_fetch(s, k, leader, follower, offset)
        epoch, end_offset = k.rules.where_logs_diverge(s, k, leader, last_epoch)
        message.kind = DIVERGING
        if k.rules.applies_diverging_hw(s, k, follower):
            message.hw = replica.hw
            message.start = replica.start
        message.epoch = epoch
        message.end_offset = end_offset
        return True
    if _is_out_of_range(s, k, leader, last_epoch, offset):
        message.kind = OUT_OF_RANGE
        return True
    read = replica.hw
    looks_up_hw = receive_fetch(s, k, leader, follower, offset) or offset == replica.leo
    if looks_up_hw and not reads_hw(s, k, leader):
        clear_message(s, k, follower)
    elif k.purgatory and offset == replica.leo and replica.hw <= s.replica[follower].hw:
        message.kind = DELAYED_FETCH
    else:
        has_records = offset < replica.leo
        hw = k.rules.hw_with_records(s, k, leader, read) if has_records else replica.hw
        answer_fetch(s, k, leader, follower, hw)
    return True


def _diverges(s: BrokerState, k: Constants, leader: int, last_epoch: int, offset: int) -> bool:
    """Whether a leader finds that a fetch diverges, before it looks whether it is out of range."""
    below = offset < s.replica[leader].start
    if below and not k.rules.diverges_below_start(s, k, leader, offset):
        return False
    return k.rules.diverges(s, k, leader, last_epoch, offset)


def _is_out_of_range(
    s: BrokerState, k: Constants, leader: int, last_epoch: int, offset: int
) -> bool:
    """Whether a fetch is outside the leader's log, or names an epoch above all that it knows.

    Partition.readRecords.
    """
    if offset < s.replica[leader].start or offset > s.replica[leader].leo:
        return True
    if last_epoch == NONE or not k.rules.truncation_on_fetch:
        return False
    return k.rules.end_offset_for_epoch(s, k, leader, last_epoch)[1] == NONE


def handle_list_offsets(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Answer a follower whose fetch was out of range with the present log end and log start."""
    message = s.message[follower]
    if message.kind != LIST_OFFSETS:
        return False
    if s.replica[follower].leader != leader:
        return False
    if not leads(s, leader):
        return False
    if not k.rules.may_serve_fetch(s, k, leader, s.replica[follower].epoch):
        return False
    message.kind = LIST_OFFSETS_RESPONSE
    message.end_offset = s.replica[leader].leo
    message.start = s.replica[leader].start
    return True


def forget_late_fetch(s: BrokerState, follower: int) -> None:
    """Drop the fetch of a dead follower that its leader still had."""
    s.late_fetch[follower].leader = NONE
    s.late_fetch[follower].epoch = NONE
    s.late_fetch[follower].offset = 0
    s.late_fetch[follower].last_epoch = NONE


def handle_late_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Serve a fetch whose sender has crashed; no broker receives the answer (KIP-903)."""
    late = s.late_fetch[follower]
    if late.leader != leader:
        return False
    if not leads(s, leader):
        return False
    if not k.rules.may_serve_fetch(s, k, leader, late.epoch):
        return False
    if not is_served(s, k, leader, follower):
        return False
    diverges = _diverges(s, k, leader, late.last_epoch, late.offset)
    counts = not diverges or k.rules.counts_diverging_fetch(s, k, leader, follower)
    # A fetch that is out of range updates nothing, unless the leader has found first that it
    # diverges.
    if not (diverges and counts) and _is_out_of_range(s, k, leader, late.last_epoch, late.offset):
        return False
    pending = s.replica[leader].proposed
    if counts:
        receive_fetch(s, k, leader, follower, late.offset)
    is_proposed = k.kraft and s.replica[follower].alive and s.replica[leader].proposed != pending
    if is_proposed and k.rules.keeps_broker_epoch(s, k, leader, follower):
        s.alter_partition[leader].rebooted |= 1 << follower
    forget_late_fetch(s, follower)
    return True


def refuse_request(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Refuse a request: NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH.

    The follower may retry at any time, so the error is never in flight.
    """
    kind, epoch = s.message[follower].kind, s.replica[follower].epoch
    if kind != FETCH and kind != DELAYED_FETCH and kind != LIST_OFFSETS and kind != EPOCH_REQUEST:
        return False
    if s.replica[follower].leader != leader:
        return False
    if (
        leads(s, leader)
        and kind != EPOCH_REQUEST
        and is_served(s, k, leader, follower)
        and k.rules.may_serve_fetch(s, k, leader, epoch)
    ):
        return False
    if (
        leads(s, leader)
        and kind == EPOCH_REQUEST
        and k.rules.may_serve_epoch_request(s, k, leader, epoch)
    ):
        return False
    s.message[follower].kind = IDLE
    if kind == FETCH and not leads(s, leader):
        # Before Kafka 0.10.0 produces may wait at a former leader.  A follower's fetch has them
        # looked at, which fails them: ReplicaManager.updateFollowerLogReadResults.
        fail_produces(s, k, leader)
    return True


def shrink_isr(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Remove a lagging follower from the ISR.

    Kafka waits for replica.lag.time.max.ms; here that time may pass at any moment.
    """
    if not k.rules.may_change_isr(s, k, leader):
        return False
    if not s.replica[leader].isr >> follower & 1:
        return False
    if not k.rules.may_lag(s, k, leader, follower):
        return False
    s.replica[leader].caught_up &= ~(1 << follower)
    change_isr(s, k, leader, s.replica[leader].isr & ~(1 << follower))
    advance_hw(s, k, leader)
    return True


def pass_lag_time(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Let replica.lag.time.max.ms pass since a follower last had the leader's log end.

    The high watermark no longer waits for it, from the next append or fetch on.
    """
    if not s.replica[leader].caught_up >> follower & 1:
        return False
    s.replica[leader].caught_up &= ~(1 << follower)
    return True


def complete_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Answer a waiting fetch from the current log and high watermark.

    An append or a higher high watermark completes it, and fetch.max.wait.ms may pass at any moment,
    so the answer may come at any time, even without records.
    """
    if s.message[follower].kind != DELAYED_FETCH:
        return False
    if s.replica[follower].leader != leader:
        return False
    if not leads(s, leader):
        return False
    if not k.rules.may_serve_fetch(s, k, leader, s.replica[follower].epoch):
        return False
    answer_fetch(s, k, leader, follower, s.replica[leader].hw)
    return True


def complete_produce(s: BrokerState, k: Constants, leader: int, record: int) -> bool:
    """Answer a produce with acks=all that the high watermark has passed.

    It is acknowledged if the ISR now has min.insync.replicas members, in whatever epoch; if not,
    its producer receives NotEnoughReplicasAfterAppend and may retry.
    """
    waiting = s.delayed_produce[record]
    if waiting.leader != leader:
        return False
    if waiting.offset >= s.replica[leader].hw:
        return False
    if size(k.rules.isr_for_hw(s, k, leader)) >= least_isr(s, k, s.replica[leader].replicas):
        note_acked(s, k, leader, record, waiting.offset)
    drop_produce(s, record)
    return True


def expire_produce(s: BrokerState, k: Constants, leader: int, record: int) -> bool:
    """Fail a waiting produce with REQUEST_TIMED_OUT."""
    if s.delayed_produce[record].leader != leader:
        return False
    drop_produce(s, record)
    return True
