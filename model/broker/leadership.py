"""Who leads, who is in sync, and how far records are committed."""

from __future__ import annotations

from .bounds import ACKS_ALL, Constants
from .history import note_acked, note_committed
from .state import BrokerState


def leads(s: BrokerState, broker: int) -> bool:
    """Whether the broker itself believes that it leads, be it as a zombie of an older epoch."""
    return s.replica[broker].leader == broker


def leads_in_quorum(s: BrokerState, broker: int) -> bool:
    """Whether the broker leads, and does so in the epoch of the quorum state.

    Only such a leader can change the ISR: the write of any other fails its version check.
    """
    return (
        s.replica[broker].leader == broker
        and s.quorum.leader == broker
        and s.replica[broker].epoch == s.quorum.epoch
    )


def size(isr: int) -> int:
    """Return how many replicas a set of replicas holds.

    >>> size(0b101)
    2
    """
    count = 0
    while isr:
        isr &= isr - 1
        count += 1
    return count


def advance_hw(s: BrokerState, k: Constants, leader: int) -> None:
    """Raise a leader's high watermark to what every member of its ISR is known to hold.

    The leader's own log end counts for itself; it never goes down while the leader leads.
    """
    replica = s.replica[leader]
    if k.hw_needs_min_isr and size(replica.isr) < k.min_isr:
        return
    held = replica.leo
    for follower in range(k.replicas):
        if follower != leader and replica.isr >> follower & 1:
            held = min(held, replica.remote_leo[follower])
    before = replica.hw
    if held <= before:
        return
    replica.hw = held
    note_committed(s, k, leader, before)
    if k.acks == ACKS_ALL and size(replica.isr) >= k.min_isr:
        note_acked(s, k, leader, before, held)


def change_isr(s: BrokerState, k: Constants, leader: int, isr: int) -> None:
    """Write a new ISR to the quorum state and take it as the leader's own.

    Kafka writes with a version check; whoever calls this has made sure of :func:`leads_in_quorum`.
    """
    s.quorum.isr = isr
    s.replica[leader].isr = isr
