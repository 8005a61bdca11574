"""Reassignment: the controller adds, removes and replaces replicas, and brokers follow (KRaft).

A reassignment first adds the new replicas.  It is complete when the ISR has those that must be in
it: then one record removes the others, from the ISR too, and begins a leader epoch.  Leader,
replicas and ISR change in one record (PartitionChangeBuilder), so no step comes between them.
"""

from __future__ import annotations

from ....core.fields import NONE
from ..assignment import assigned, may_succeed, reassigning
from ..bounds import Constants
from ..leadership import fail_produces, forget_remote_leos, forget_role, leads, set_isr
from ..log import delete_log
from ..rules import clear_message
from ..state import BrokerState
from ..unapplied import append_record, drop_records
from .metadata import forget_outdated, shrink


def assign(s: BrokerState, replicas: int) -> None:
    """Let these brokers, and no others, have a replica at first."""
    s.partition.replicas = replicas
    s.leader_and_isr[0].replicas = replicas
    s.leader_and_isr[0].remaining = replicas
    s.replica[0].replicas = replicas
    for broker, replica in enumerate(s.replica):
        replica.hosted = replicas >> broker & 1


def _may_begin(s: BrokerState, k: Constants) -> bool:
    """Whether another reassignment may begin: none is in progress, and there is a leader."""
    if reassigning(s) or s.partition.leader == NONE:
        return False
    return s.reassigned < k.reassignments


def _grow(s: BrokerState, k: Constants, broker: int) -> None:
    """Make a broker a replica; it has yet to apply that, and then begins with an empty log.

    If it has not yet applied its removal, it may apply both at once, and keeps its log.
    """
    set_isr(s, k, s.partition.isr)
    s.partition.replicas |= 1 << broker
    s.partition.adding = 1 << broker
    s.leader_and_isr[s.partition.epoch].replicas |= 1 << broker
    if s.replica[broker].alive and not s.replica[broker].hosted:
        s.replica[broker].epoch = s.partition.epoch - 1


def add_replica(s: BrokerState, k: Constants, broker: int) -> bool:
    """Begin to add a replica: ReplicationControlManager.changePartitionReassignment."""
    if not _may_begin(s, k):
        return False
    if s.partition.replicas >> broker & 1:
        return False
    s.reassigned += 1
    _grow(s, k, broker)
    append_record(s, k)
    return True


def replace_replica(s: BrokerState, k: Constants, broker: int, by: int) -> bool:
    """Begin to replace a replica by another one."""
    if not _may_begin(s, k):
        return False
    if not s.partition.replicas >> broker & 1:
        return False
    if s.partition.replicas >> by & 1:
        return False
    s.reassigned += 1
    _grow(s, k, by)
    s.partition.removing = 1 << broker
    append_record(s, k)
    return True


def remove_replica(s: BrokerState, k: Constants, broker: int, leader: int) -> bool:
    """Remove a replica: at once if the others are in the ISR, otherwise once they are.

    If it leads, `leader` is elected in the same record.
    """
    if not _may_begin(s, k):
        return False
    if not s.partition.replicas >> broker & 1:
        return False
    removed, isr = 1 << broker, s.partition.isr & ~(1 << broker)
    at_once = isr != 0 and s.partition.replicas & ~removed & ~isr == 0
    if at_once and s.partition.epoch == k.elections:
        return False
    if at_once and not may_succeed(s, k, leader, removed, isr):
        return False
    if not at_once and (leader != s.partition.leader or s.partition.replicas == removed):
        return False
    s.reassigned += 1
    if at_once:
        shrink(s, k, removed, s.partition.isr, leader)
    else:
        set_isr(s, k, s.partition.isr)
        s.partition.removing = removed
        append_record(s, k)
    return True


def cancel_reassignment(s: BrokerState, k: Constants, leader: int) -> bool:
    """Cancel the reassignment in progress: the added replicas are removed again.

    ReplicationControlManager.cancelPartitionReassignment; it refuses to leave an empty ISR, unless
    unclean elections are allowed.  If an added replica leads, `leader` is elected.
    """
    if not reassigning(s) or s.partition.leader == NONE:
        return False
    adding, isr = s.partition.adding, s.partition.isr & ~s.partition.adding
    if isr == 0:
        return False
    if not may_succeed(s, k, leader, adding, isr):
        return False
    if adding and s.partition.epoch == k.elections:
        return False
    if adding:
        shrink(s, k, adding, s.partition.isr, leader)
    else:
        set_isr(s, k, s.partition.isr)
        s.partition.removing = 0
        append_record(s, k)
    return True


def stop_replica(s: BrokerState, k: Constants, broker: int, epoch: int) -> bool:
    """Delete the log of a broker that is not a replica in an epoch: ReplicaManager.stopPartitions.

    It may be a replica again in newer metadata, which it has not applied yet; older metadata, in
    which it was one, it never applies.
    """
    if not s.replica[broker].alive:
        return False
    if not s.replica[broker].hosted:
        return False
    if epoch <= s.replica[broker].epoch:
        return False
    if epoch > s.partition.epoch:
        return False
    if s.leader_and_isr[epoch].remaining >> broker & 1:
        return False
    if leads(s, broker):
        fail_produces(s, k, broker)
    for older in range(epoch):
        s.leader_and_isr[older].replicas &= ~(1 << broker)
        if s.leader_and_isr[older].leader == broker:
            drop_records(s.leader_and_isr[older], k.queued_records)
    clear_message(s, k, broker)
    forget_remote_leos(s, k, broker)
    forget_role(s, broker)
    delete_log(s, k, broker)
    replica = s.replica[broker]
    replica.hosted = 0
    replica.epoch = epoch - 1
    replica.replicas = 0
    forget_outdated(s, k)
    return True


def keep_replica(s: BrokerState, k: Constants, broker: int) -> None:
    """Let a broker that restarts apply the newest metadata alone: it sees no earlier removal."""
    if assigned(s, k) >> broker & 1:
        s.leader_and_isr[s.partition.epoch].remaining |= 1 << broker
    forget_outdated(s, k)
