"""Requests that wait at the leader, in Kafka's purgatories: a fetch for data, a produce for the HW.

It follows DelayedFetch and DelayedProduce of Kafka 3.x: a fetch updates the leader's follower state
when it arrives, and not again when it is completed.
"""

from __future__ import annotations

from ..assignment import least_isr
from ..bounds import Constants
from ..history import note_acked
from ..leadership import drop_produce, leads
from ..messages import DELAYED_FETCH
from ..replica_sets import size
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
