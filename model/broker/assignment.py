"""The replicas of the partition, and when a reassignment of them is complete (KRaft).

Without the option ``reassignments`` every broker has a replica, always.

Sets of replicas: how many they have, and as text for traces and pictures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.fields import NONE, members, size

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


def braced(isr: int) -> str:
    """Return a set of replicas as a set.

    >>> braced(0b101)
    '{0,2}'
    """
    return f"{{{','.join(str(broker) for broker in members(isr))}}}"


def assigned(s: BrokerState, k: Constants) -> int:
    """Return the replicas of the partition, those that a reassignment adds or removes included."""
    return s.partition.replicas if k.reassignments else (1 << k.replicas) - 1


def least_isr(s: BrokerState, k: Constants, replicas: int) -> int:
    """Return min.insync.replicas, or the number of replicas if there are fewer.

    Partition.effectiveMinIsr, and ReplicationControlManager.getTopicEffectiveMinIsr.
    """
    return min(k.min_isr, size(replicas)) if k.reassignments else k.min_isr


def reassigning(s: BrokerState) -> bool:
    """Whether a reassignment is in progress."""
    return s.partition.adding != 0 or s.partition.removing != 0


def completes(s: BrokerState, k: Constants, isr: int) -> bool:
    """Whether the reassignment in progress is complete with this ISR.

    PartitionReassignmentReplicas.maybeCompleteReassignment; a member must be left.
    """
    remaining = isr & ~s.partition.removing
    return reassigning(s) and remaining != 0 and k.rules.may_complete(s, k, remaining)


def is_served(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Whether a leader knows a follower as a replica: it answers no fetch of another broker.

    Partition.followerReplicaOrThrow; UNKNOWN_LEADER_EPOCH otherwise.
    """
    return not k.reassignments or bool(s.replica[leader].replicas >> follower & 1)


def may_succeed(s: BrokerState, k: Constants, broker: int, removed: int, isr: int) -> bool:
    """Whether a broker may lead once these replicas are removed and the ISR is this one.

    A leader that stays a replica remains the leader; otherwise a live member of the ISR is elected
    at once, in the record that removes the leader (PartitionChangeBuilder.electAnyLeader).
    """
    if s.partition.leader == NONE or not removed >> s.partition.leader & 1:
        return broker == s.partition.leader
    live = s.replica[broker].alive and not s.partition.fenced >> broker & 1
    return live and bool(isr & ~removed & 1 << broker)


def knows_metadata(s: BrokerState, k: Constants, broker: int) -> bool:
    """Whether it matters which metadata a broker has applied: it has a replica, or should."""
    if not k.reassignments:
        return True
    return bool(s.replica[broker].hosted or s.partition.replicas >> broker & 1)


def forget_brokers_without_replica(s: BrokerState, k: Constants) -> None:
    """Leave no epoch at a broker that neither is a replica nor has the log of one.

    It knows the newest metadata once it becomes a replica; what it has applied before decides
    nothing.
    """
    for broker in range(k.replicas):
        if not knows_metadata(s, k, broker):
            s.replica[broker].epoch = NONE


def all_in_isr(s: BrokerState, k: Constants, isr: int) -> bool:
    """Complete a reassignment once every replica of the target is in the ISR.

    PartitionReassignmentReplicas.maybeCompleteReassignment of Kafka 3.0 to 4.2.
    """
    target = s.partition.replicas & ~s.partition.removing
    return target & ~isr == 0


def added_in_isr(s: BrokerState, k: Constants, isr: int) -> bool:
    """Complete a reassignment once every added replica is in the ISR, if none are lost by that.

    If fewer replicas are added than removed, every replica of the target must be in the ISR.
    PartitionReassignmentReplicas.maybeCompleteReassignment of Kafka 4.3.0 and later (KAFKA-19975).
    """
    adding, removing = s.partition.adding, s.partition.removing
    if adding & ~isr:
        return False
    return size(adding) >= size(removing) or all_in_isr(s, k, isr)


def stay_eligible(s: BrokerState, k: Constants) -> bool:
    """Keep a removed replica in the ELR, although it deletes its log.

    PartitionChangeBuilder.maybePopulateTargetElr of Kafka 3.7 to 4.4 does not look at the replicas.
    """
    return True


def leave_with_replica(s: BrokerState, k: Constants) -> bool:
    """Remove a replica from the ELR when it is removed from the replicas (not in Kafka)."""
    return False
