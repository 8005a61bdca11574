"""Requests that wait at the leader, in Kafka's purgatories: a fetch for data, a produce for the HW.

It follows DelayedFetch and DelayedProduce of Kafka 3.x: a fetch updates the leader's follower state
when it arrives, and not again when it is completed.
"""

from __future__ import annotations

from ....core.layout import NONE
from ..bounds import Constants
from ..history import note_acked
from ..leadership import leads, size
from ..messages import DELAYED_FETCH
from ..state import BrokerState
from .leader import answer_fetch


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
    answer_fetch(s, k, leader, follower)
    return True


def _offset(s: BrokerState, k: Constants, leader: int, record: int) -> int:
    """Return a record's offset in a log; an offset beyond every log end if it is absent."""
    for offset in range(s.replica[leader].leo):
        if s.replica[leader].log[offset].record == record:
            return offset
    return k.log_size


def complete_produce(s: BrokerState, k: Constants, leader: int, record: int) -> bool:
    """Answer a produce with acks=all that the high watermark has passed.

    It is acknowledged if the ISR now has min.insync.replicas members; if not, its producer
    receives NotEnoughReplicasAfterAppend and may retry.
    """
    if s.delayed_produce[record].leader != leader:
        return False
    offset = _offset(s, k, leader, record)
    if offset >= s.replica[leader].hw:
        return False
    s.delayed_produce[record].leader = NONE
    if size(k.rules.isr_for_hw(s, k, leader)) >= k.min_isr:
        note_acked(s, k, leader, offset, offset + 1)
    return True


def expire_produce(s: BrokerState, k: Constants, leader: int, record: int) -> bool:
    """Fail a waiting produce with REQUEST_TIMED_OUT."""
    if s.delayed_produce[record].leader != leader:
        return False
    s.delayed_produce[record].leader = NONE
    return True


def fail_produces(s: BrokerState, k: Constants, leader: int) -> None:
    """Fail the produces that wait at a broker that goes down or applies another epoch."""
    if not k.purgatory:
        return
    for waiting in s.delayed_produce:
        if waiting.leader == leader:
            waiting.leader = NONE
