"""What a leader does: append what producers send, serve followers, and keep the ISR."""

from __future__ import annotations

from ....core.layout import NONE
from ..bounds import ACKS_ALL, KRAFT, ZOOKEEPER, Constants
from ..history import note_acked
from ..leadership import advance_hw, change_isr, leads, size
from ..log import append, last_fetched_epoch
from ..messages import (
    DELAYED_FETCH,
    DIVERGING,
    EPOCH_REQUEST,
    FETCH,
    FETCH_RESPONSE,
    IDLE,
    OUT_OF_RANGE,
)
from ..state import BrokerState
from .alter_partition import propose


def produce(s: BrokerState, k: Constants, leader: int) -> bool:
    """Append the next record of a producer; a zombie that believes it leads accepts it too.

    With ZooKeeper the producer writes to the leader that its metadata names.  With acks=all the
    append is refused while the ISR is smaller than min.insync.replicas.
    """
    if not leads(s, leader):
        return False
    if s.written == k.records:
        return False
    if s.replica[leader].leo == k.log_size:
        return False
    if k.acks == ACKS_ALL and size(s.replica[leader].isr) < k.min_isr:
        return False
    if k.isr_propagation == ZOOKEEPER and s.producer.leader != leader:
        return False
    replica = s.replica[leader]
    append(s, k, leader, replica.epoch, s.written)
    if k.purgatory and k.acks == ACKS_ALL:
        s.delayed_produce[s.written].leader = leader
    s.written += 1
    if k.acks == 1:
        note_acked(s, k, leader, replica.leo - 1, replica.leo)
    advance_hw(s, k, leader)
    return True


def receive_fetch(s: BrokerState, k: Constants, leader: int, follower: int, offset: int) -> None:
    """Learn from a fetch how far its follower is: remote LEO, then ISR, then high watermark."""
    replica = s.replica[leader]
    replica.remote_leo[follower] = offset
    if (
        not replica.isr >> follower & 1
        and k.rules.has_committed(s, k, leader, offset)
        and k.rules.has_epoch_start(s, k, leader, offset)
    ):
        if k.isr_propagation == KRAFT:
            propose(s, k, leader, replica.isr | 1 << follower)
        elif k.rules.may_change_isr(s, k, leader):
            change_isr(s, k, leader, replica.isr | 1 << follower)
    advance_hw(s, k, leader)


def answer_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> None:
    """Answer a fetch with the records from its offset on and the high watermark."""
    offset, replica, message = s.replica[follower].leo, s.replica[leader], s.message[follower]
    message.kind = FETCH_RESPONSE
    message.hw = replica.hw
    for index in range(min(replica.leo - offset, len(message.records))):
        message.records[index].epoch = replica.log[offset + index].epoch
        message.records[index].record = replica.log[offset + index].record


def handle_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Serve a fetch: note the follower's log end, then answer with records and the new HW.

    Since KIP-595 the leader first looks where the logs diverge, and if they do, answers with that
    alone.  A fetch above the leader's log end is answered "out of range" with that log end and
    teaches the leader nothing.  A fetch that finds neither a record nor a newer high watermark is
    answered at once, or waits with the option ``purgatory``.
    """
    if s.message[follower].kind != FETCH:
        return False
    if s.replica[follower].leader != leader:
        return False
    if not leads(s, leader):
        return False
    if not k.rules.may_serve_fetch(s, k, leader, s.replica[follower].epoch):
        return False
    offset = s.replica[follower].leo
    replica = s.replica[leader]
    message = s.message[follower]
    last_epoch = last_fetched_epoch(s, k, follower)
    if k.rules.diverges(s, k, leader, last_epoch, offset):
        if k.rules.counts_diverging_fetch(s, k, leader, follower):
            receive_fetch(s, k, leader, follower, offset)
        epoch, end_offset = k.rules.where_logs_diverge(s, k, leader, last_epoch)
        message.kind = DIVERGING
        message.epoch = epoch
        message.end_offset = end_offset
        return True
    if offset > replica.leo:
        message.kind = OUT_OF_RANGE
        message.end_offset = replica.leo
        return True
    receive_fetch(s, k, leader, follower, offset)
    if k.purgatory and offset == replica.leo and replica.hw <= s.replica[follower].hw:
        message.kind = DELAYED_FETCH
    else:
        answer_fetch(s, k, leader, follower)
    return True


def forget_late_fetch(s: BrokerState, follower: int) -> None:
    """Drop the fetch of a dead follower that its leader still had."""
    s.late_fetch[follower].leader = NONE
    s.late_fetch[follower].epoch = NONE
    s.late_fetch[follower].offset = 0
    s.late_fetch[follower].last_epoch = NONE


def handle_late_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Serve a fetch whose sender has died since; nobody waits for the answer (KIP-903)."""
    late = s.late_fetch[follower]
    if late.leader != leader:
        return False
    if not leads(s, leader):
        return False
    if not k.rules.may_serve_fetch(s, k, leader, late.epoch):
        return False
    if late.offset > s.replica[leader].leo:
        return False
    pending = s.replica[leader].proposed
    diverges = k.rules.diverges(s, k, leader, late.last_epoch, late.offset)
    if not diverges or k.rules.counts_diverging_fetch(s, k, leader, follower):
        receive_fetch(s, k, leader, follower, late.offset)
    if s.replica[follower].alive and s.replica[leader].proposed != pending:
        s.alter_partition[leader].rebooted |= 1 << follower
    forget_late_fetch(s, follower)
    return True


def refuse_request(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Answer a request with an error: not leader (any more), or fenced by its leader epoch.

    The follower may ask again, so the error itself need not be under way for a while.
    """
    kind, epoch = s.message[follower].kind, s.replica[follower].epoch
    if kind != FETCH and kind != DELAYED_FETCH and kind != EPOCH_REQUEST:
        return False
    if s.replica[follower].leader != leader:
        return False
    if leads(s, leader) and kind != EPOCH_REQUEST and k.rules.may_serve_fetch(s, k, leader, epoch):
        return False
    if (
        leads(s, leader)
        and kind == EPOCH_REQUEST
        and k.rules.may_serve_epoch_request(s, k, leader, epoch)
    ):
        return False
    s.message[follower].kind = IDLE
    return True


def shrink_isr(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Take a follower out of the ISR that is behind.

    Kafka waits for replica.lag.time.max.ms; here any moment at which the follower is behind may
    be the one at which it has been so for long enough.
    """
    if not k.rules.may_change_isr(s, k, leader):
        return False
    if not s.replica[leader].isr >> follower & 1:
        return False
    if s.replica[leader].remote_leo[follower] == s.replica[leader].leo:
        return False
    change_isr(s, k, leader, s.replica[leader].isr & ~(1 << follower))
    advance_hw(s, k, leader)
    return True
