"""The partition change records of each leader epoch that its leader has not applied (KRaft).

A follower uses nothing of a record but the leader and its epoch, so the records of a leader epoch
are of use to its leader alone.  Nobody counts partition epochs: a leader knows the present one
unless its queue holds a record that it does not know (ADR 24).
"""

from __future__ import annotations

from ...core.fields import NONE
from .bounds import Constants
from .in_flight import LeaderAndIsr
from .messages import ORPHANED, REQUEST
from .state import BrokerState


def has_unknown(s: BrokerState, k: Constants, epoch: int) -> bool:
    """Whether there is a record of this epoch whose partition epoch its leader does not know."""
    sent = s.leader_and_isr[epoch]
    return sent.isrs[sent.known] != 0


def put_record(s: BrokerState, k: Constants, sent: LeaderAndIsr, at: int, isr: int) -> None:
    """Write a record with this ISR, and with the present replicas, at a place of a queue."""
    sent.isrs[at] = isr
    if k.reassignments:
        sent.assignments[at] = s.partition.replicas


def append_record(s: BrokerState, k: Constants) -> None:
    """Append the stored ISR as a record of the present epoch; a dead leader never applies it.

    The leader's request in flight thereby has an old partition epoch.  Under Kafka's rules the
    queue has room for every record; under weaker ones a full queue merges the last two.
    """
    leader = s.partition.leader
    if leader == NONE:
        return
    request = s.alter_partition[leader]
    in_flight = request.kind == REQUEST or request.kind == ORPHANED
    if in_flight and request.epoch == s.partition.epoch:
        request.outdated = 1
    if not s.replica[leader].alive:
        return
    sent = s.leader_and_isr[s.partition.epoch]
    last = 0
    while last < len(sent.isrs) - 1 and sent.isrs[last]:
        last += 1
    put_record(s, k, sent, last, s.partition.isr)


def drop_records(sent: LeaderAndIsr, count: int) -> None:
    """Drop the oldest records of an epoch, which leave no trace."""
    for index in range(len(sent.isrs)):
        following = index + count
        sent.isrs[index] = sent.isrs[following] if following < len(sent.isrs) else 0
    for index in range(len(sent.assignments)):
        following = index + count
        sent.assignments[index] = (
            sent.assignments[following] if following < len(sent.assignments) else 0
        )
    sent.known = 0


def learn_record(s: BrokerState, k: Constants, epoch: int, isr: int) -> None:
    """Let the leader of an epoch know the record of the change that the controller accepted.

    From now on it skips the older ones, and this one it knows already.  Newer ones may have the
    same ISR and other replicas.
    """
    sent = s.leader_and_isr[epoch]
    accepted = NONE
    for index in range(len(sent.isrs)):
        if accepted == NONE and index >= sent.known and sent.isrs[index] == isr:
            accepted = index
    if accepted != NONE:
        drop_records(sent, accepted)
        sent.known = 1


def drop_unread(s: BrokerState, k: Constants) -> None:
    """Drop the records of each epoch whose leader is dead, or has applied a newer epoch."""
    for epoch in range(k.elections + 1):
        sent = s.leader_and_isr[epoch]
        if sent.leader != NONE:
            replica = s.replica[sent.leader]
            if not replica.alive or replica.epoch > epoch:
                drop_records(sent, len(sent.isrs))
