"""Partition change records: in a KRaft cluster brokers apply the metadata log in order.

Since metadata version 3.6 a shrink of the ISR, and a fence of a follower, begin no leader epoch.
"""

from __future__ import annotations

from ..bounds import Constants
from ..leadership import advance_hw, set_isr
from ..state import BrokerState
from ..unapplied import append_record, drop_records
from .metadata import forget_outdated, lead


def know_replicas(s: BrokerState, k: Constants, leader: int, replicas: int) -> None:
    """Forget what a leader knows of removed replicas: Partition.updateAssignmentAndIsr.

    A replica that was removed and added again in records that it applies at once is not removed.
    """
    if not k.reassignments:
        return
    s.replica[leader].replicas = replicas
    s.replica[leader].hosted = 1
    s.replica[leader].caught_up &= replicas
    for follower in range(k.replicas):
        if not replicas >> follower & 1:
            s.replica[leader].remote_leo[follower] = 0


def apply_change_record(s: BrokerState, k: Constants, leader: int, epoch: int, last: int) -> bool:
    """Apply the records of an epoch as its leader, up to the one at this place in the queue.

    In a new epoch the broker becomes the leader.  In its own epoch Partition.makeLeader keeps the
    remote LEOs and the start of the epoch, takes the ISR, and drops a pending proposal; so it does
    if the leader knows the record from a response, whose partition epoch is equal, not larger.
    """
    if not s.replica[leader].alive:
        return False
    if epoch < s.replica[leader].epoch:
        return False
    sent = s.leader_and_isr[epoch]
    if sent.leader != leader:
        return False
    if not sent.isrs[last]:
        return False
    replica = s.replica[leader]
    isr = sent.isrs[last]
    replicas = sent.assignments[last] if k.reassignments else 0
    is_new = last > 0 or not sent.known
    drop_records(sent, last + 1)
    if epoch > replica.epoch:
        know_replicas(s, k, leader, replicas)
        lead(s, k, leader, epoch, isr)
    elif is_new or k.rules.applies_known_record(s, k, leader):
        know_replicas(s, k, leader, replicas)
        replica.isr = isr
        replica.proposed = 0
        advance_hw(s, k, leader)
    forget_outdated(s, k)
    return True


def fence_follower(s: BrokerState, k: Constants, broker: int) -> bool:
    """Fence a broker that is in the ISR and does not lead: a new partition epoch begins, no other.

    As with Fence the last member of the ISR stays in it, unless ``elr`` keeps it eligible, and with
    ``moves`` the controller may also consider a live broker dead, or the broker shuts down.
    """
    if s.replica[broker].alive and not k.moves:
        return False
    if s.partition.leader == broker:
        return False
    if not s.partition.isr >> broker & 1:
        return False
    if s.partition.isr == 1 << broker and not k.elr:
        return False
    s.partition.fenced |= 1 << broker
    set_isr(s, k, s.partition.isr & ~(1 << broker))
    append_record(s, k)
    return True
