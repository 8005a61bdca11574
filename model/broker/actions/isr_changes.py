"""Changes of the ISR: AlterPartition in KRaft (KIP-497), notifications with ZooKeeper.

Between the request and its response the leader does not know whether the change has happened.  The
rules say which replicas it waits for meanwhile, and what the controller rejects.

The leader writes the partition state, adds the partition to its change set, and later writes a
notification node; the controller reads the node, refreshes its cache from the stored state, sends
UpdateMetadata and deletes the node (IsrChangeNotificationListener of Kafka 0.10).  Clients know the
leader from some broker's metadata.  Of the controller's cache only the ISR is part of the state:
only the controller changes the leader.

The version of the stored state is not a variable.  Within a leader epoch only its leader writes the
ISR, so a leader's cached version is the stored one exactly if its epoch and its ISR are the stored
ones, which the rule ``may_change_isr`` compares.
"""

from __future__ import annotations

from ....core.assumptions import assumes
from ....core.fields import NONE
from ..assignment import assigned, completes, may_succeed
from ..bounds import Constants
from ..in_flight import AlterPartition
from ..leadership import advance_hw, leader_is_in_isr, leads, set_isr
from ..messages import ACCEPTED, NOTHING, ORPHANED, OUTDATED, REFUSED, REQUEST
from ..state import BrokerState
from ..unapplied import append_record, has_unknown, learn_record
from .metadata import shrink


def clear_alter_partition(s: BrokerState, leader: int) -> None:
    """Drop the message in flight between a leader and the controller."""
    message = s.alter_partition[leader]
    message.kind = NOTHING
    message.epoch = NONE
    message.isr = 0
    message.rebooted = 0
    message.outdated = 0


def _answer(request: AlterPartition, kind: int) -> None:
    """Turn a request into its response."""
    request.kind = kind
    request.rebooted = 0
    request.outdated = 0
    if kind != ACCEPTED:
        request.isr = 0


def propose(s: BrokerState, k: Constants, leader: int, isr: int) -> None:
    """Propose another ISR to the controller, unless a change is already pending."""
    if k.rules.may_propose(s, k, leader):
        s.replica[leader].proposed = isr
        message = s.alter_partition[leader]
        if message.kind == NOTHING:
            message.kind = REQUEST
            message.epoch = s.replica[leader].epoch
            message.isr = isr
            if k.change_records and message.epoch == s.partition.epoch:
                message.outdated = int(has_unknown(s, k, message.epoch))


def propose_shrink(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Propose to remove a lagging follower from the ISR.

    As with ShrinkIsr, replica.lag.time.max.ms may pass at any moment: Partition.maybeShrinkIsr and
    getOutOfSyncReplicas of Kafka 2.7 and later are one path for ZooKeeper and KRaft.
    """
    if not leads(s, leader):
        return False
    if not s.replica[leader].isr >> follower & 1:
        return False
    if not k.rules.may_lag(s, k, leader, follower):
        return False
    if not k.rules.may_propose(s, k, leader):
        return False
    s.replica[leader].caught_up &= ~(1 << follower)
    propose(s, k, leader, s.replica[leader].isr & ~(1 << follower))
    return True


def _is_current(s: BrokerState, k: Constants, leader: int) -> bool:
    """Whether a request comes from the leader of this epoch, which knows the partition epoch."""
    in_epoch = k.rules.may_alter_partition(s, k, leader)
    return in_epoch and k.rules.knows_partition_epoch(s, k, leader)


def _may_become_isr(s: BrokerState, k: Constants, leader: int) -> bool:
    """Whether the proposed members may be in the ISR: they are replicas, and the rules say so."""
    isr = s.alter_partition[leader].isr
    may_be = k.rules.may_be_members(s, k, isr) and k.rules.may_still_be_members(s, k, leader)
    return may_be and isr & ~assigned(s, k) == 0


def _completes(s: BrokerState, k: Constants, leader: int) -> bool:
    """Whether accepting a request completes a reassignment that removes replicas."""
    if not k.reassignments or not s.partition.removing:
        return False
    accepts = _is_current(s, k, leader) and _may_become_isr(s, k, leader)
    return accepts and completes(s, k, s.alter_partition[leader].isr)


def complete_reassignment(s: BrokerState, k: Constants, leader: int, successor: int) -> bool:
    """Accept an ISR change that completes a reassignment, which removes replicas.

    If the leader is removed, `successor` is elected in the same record.  The leader waits for that
    record either way: the response has another leader epoch, or is NEW_LEADER_ELECTED.
    """
    message = s.alter_partition[leader]
    if message.kind != REQUEST and message.kind != ORPHANED:
        return False
    if not _completes(s, k, leader):
        return False
    if s.partition.epoch == k.elections:
        return False
    orphaned, isr, removed = message.kind == ORPHANED, message.isr, s.partition.removing
    if not may_succeed(s, k, successor, removed, isr):
        return False
    _answer(message, OUTDATED)
    shrink(s, k, removed, isr, successor)
    if orphaned:
        clear_alter_partition(s, leader)
    return True


@assumes(
    "the leader is in the ISR",
    "ReplicationControlManager.validateAlterPartitionData answers INVALID_REQUEST",
    leader_is_in_isr,
)
def handle_alter_partition(s: BrokerState, k: Constants, leader: int) -> bool:
    """Accept or reject, as the controller, an ISR change; an orphan gets no response.

    CompleteReassignment accepts one that completes a reassignment and removes replicas.
    """
    message = s.alter_partition[leader]
    if message.kind != REQUEST and message.kind != ORPHANED:
        return False
    if _completes(s, k, leader):
        return False
    orphaned = message.kind == ORPHANED
    if not _is_current(s, k, leader):
        _answer(message, OUTDATED)
    elif _may_become_isr(s, k, leader):
        if k.reassignments and completes(s, k, message.isr):
            s.partition.adding = 0
        set_isr(s, k, message.isr)
        if k.change_records:
            append_record(s, k)
        _answer(message, ACCEPTED)
    else:
        _answer(message, REFUSED)
    if orphaned:
        clear_alter_partition(s, leader)
    return True


def handle_alter_partition_response(s: BrokerState, k: Constants, leader: int) -> bool:
    """Apply the new ISR, or drop the proposal; ignore a response to an older epoch.

    An outdated one leaves the proposal pending: the leader waits for the metadata of the new
    epoch.  If a partition change record has dropped the proposal, any response is ignored.
    """
    message = s.alter_partition[leader]
    if message.kind != ACCEPTED and message.kind != REFUSED and message.kind != OUTDATED:
        return False
    replica = s.replica[leader]
    pending = replica.proposed != 0 or not k.change_records
    if leads(s, leader) and replica.epoch == message.epoch and pending:
        if message.kind == ACCEPTED:
            replica.isr = message.isr
            if k.change_records:
                learn_record(s, k, message.epoch, message.isr)
        if message.kind != OUTDATED:
            replica.proposed = 0
            advance_hw(s, k, leader)
    clear_alter_partition(s, leader)
    return True


def orphan_request(s: BrokerState, k: Constants, broker: int) -> None:
    """Leave the request of a crashed broker in flight; no broker receives the response."""
    message = s.alter_partition[broker]
    if message.kind == REQUEST:
        message.kind = ORPHANED
    elif message.kind != ORPHANED:
        clear_alter_partition(s, broker)


def note_registration(s: BrokerState, k: Constants, broker: int) -> None:
    """Mark this broker's epoch as old in every request in flight, and refuse its own.

    ClusterControlManager.checkBrokerEpoch of every release with KRaft answers STALE_BROKER_EPOCH to
    a request that the broker sent before it registered again, and no broker has that response.
    """
    if s.alter_partition[broker].kind == ORPHANED:
        clear_alter_partition(s, broker)
    for leader in range(k.replicas):
        message = s.alter_partition[leader]
        if (message.kind == REQUEST or message.kind == ORPHANED) and message.isr >> broker & 1:
            message.rebooted |= 1 << broker


def fence_out_of_sync(s: BrokerState, k: Constants, broker: int) -> bool:
    """Fence a dead broker, if that changes neither leader nor ISR: no epoch begins."""
    if s.replica[broker].alive:
        return False
    if s.partition.fenced >> broker & 1:
        return False
    if s.partition.leader == broker:
        return False
    if s.partition.isr >> broker & 1 and s.partition.isr != 1 << broker:
        return False
    s.partition.fenced |= 1 << broker
    return True


def unfence(s: BrokerState, k: Constants, broker: int) -> bool:
    """Unfence a broker whose heartbeats arrive."""
    if not s.replica[broker].alive:
        return False
    if not s.partition.fenced >> broker & 1:
        return False
    s.partition.fenced &= ~(1 << broker)
    return True


NO_NOTIFICATION, HAS_READ, HAS_REFRESHED = range(3)
"""The controller's progress with the notification that it handles."""


def write_notification(s: BrokerState, k: Constants, leader: int) -> bool:
    """Announce an ISR change; Kafka waits 5 s, or 60 s, the model any time.

    This is ReplicaManager.maybePropagateIsrChanges of Kafka 0.10.  Several unread nodes have the
    same effect as one.
    """
    if not s.replica[leader].change_set:
        return False
    s.replica[leader].change_set = 0
    s.controller.notification = 1
    return True


def read_notification(s: BrokerState, k: Constants) -> bool:
    """Read that the ISR has changed, but not yet the ISR itself."""
    if s.controller.down:
        return False
    if not s.controller.notification:
        return False
    if s.controller.handling != NO_NOTIFICATION:
        return False
    s.controller.notification = 0
    s.controller.handling = HAS_READ
    return True


def refresh_cache(s: BrokerState, k: Constants) -> bool:
    """Read the stored ISR into the controller's cache, and send UpdateMetadata to every broker."""
    if s.controller.down:
        return False
    if s.controller.handling != HAS_READ:
        return False
    s.controller.isr = s.partition.isr
    s.controller.handling = HAS_REFRESHED
    return True


def delete_notification(s: BrokerState, k: Constants) -> bool:
    """Delete the notification that was read; a newer one stays."""
    if s.controller.down:
        return False
    if s.controller.handling != HAS_REFRESHED:
        return False
    s.controller.handling = NO_NOTIFICATION
    return True


def crash_controller(s: BrokerState, k: Constants) -> bool:
    """Crash the controller; the next one reads again what this one has not deleted."""
    if s.controller.down:
        return False
    if s.controllers_crashed == k.controller_crashes:
        return False
    s.controllers_crashed += 1
    s.controller.down = 1
    s.controller.isr = 0
    if s.controller.handling != NO_NOTIFICATION:
        s.controller.notification = 1
    s.controller.handling = NO_NOTIFICATION
    return True


def start_controller(s: BrokerState, k: Constants) -> bool:
    """Make another broker the controller; it begins with the stored state."""
    if not s.controller.down:
        return False
    s.controller.down = 0
    s.controller.isr = s.partition.isr
    return True


def update_metadata(s: BrokerState, k: Constants, broker: int) -> bool:
    """Apply UpdateMetadata: the leader in this broker's metadata responses."""
    if not s.replica[broker].alive:
        return False
    if s.replica[broker].metadata == s.partition.leader:
        return False
    s.replica[broker].metadata = s.partition.leader
    return True


def refresh_producer(s: BrokerState, k: Constants, broker: int) -> bool:
    """Refresh the producer's metadata from a broker, which may return older metadata."""
    if not s.replica[broker].alive:
        return False
    if s.replica[broker].metadata == NONE:
        return False
    if s.producer.leader == s.replica[broker].metadata:
        return False
    s.producer.leader = s.replica[broker].metadata
    return True
