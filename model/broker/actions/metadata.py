"""How the controller's decisions reach brokers: LeaderAndIsr, and the metadata log of KRaft.

The LeaderAndIsr of an epoch stays available: it may arrive late, out of order, twice (the second
one is ignored) or never.  In a KRaft cluster the metadata takes its place.

Since metadata version 3.6 a shrink of the ISR, and a fence of a follower, begin no leader epoch.
"""

from __future__ import annotations

from ....core.fields import NONE
from ..assignment import forget_brokers_without_replica, knows_metadata
from ..bounds import ZOOKEEPER, Constants
from ..history import note_committed, note_high_watermark, note_listed_offsets
from ..leadership import advance_hw, fail_produces, forget_remote_leos, forget_role, leads, set_isr
from ..state import BrokerState
from ..unapplied import append_record, drop_records, drop_unread, put_record


def send_leader_and_isr(s: BrokerState, k: Constants, leader: int, isr: int) -> None:
    """Begin a new leader epoch in the partition state and send LeaderAndIsr to every broker."""
    set_isr(s, k, isr)
    begin_epoch(s, k, leader, isr)


def begin_epoch(s: BrokerState, k: Constants, leader: int, isr: int) -> None:
    """Announce a new leader epoch, with an ISR that the partition state has already."""
    s.partition.epoch += 1
    s.partition.leader = leader
    s.leader_and_isr[s.partition.epoch].leader = leader
    if k.reassignments:
        s.leader_and_isr[s.partition.epoch].replicas = s.partition.replicas
        s.leader_and_isr[s.partition.epoch].remaining = s.partition.replicas
    if k.isr_propagation == ZOOKEEPER:
        s.controller.isr = isr
    if not k.change_records:
        s.leader_and_isr[s.partition.epoch].isr = isr
        return
    if leader != NONE:
        put_record(s, k, s.leader_and_isr[s.partition.epoch], 0, isr)
    for request in s.alter_partition:
        request.outdated = 0  # Its leader epoch is: a request of an older epoch is one state.


def shrink(s: BrokerState, k: Constants, removed: int, isr: int, leader: int) -> None:
    """End the reassignment without these replicas: a leader epoch begins.

    The eligible leader replicas come from the replicas and the ISR before.
    """
    set_isr(s, k, isr & ~removed)
    s.partition.replicas &= ~removed
    s.partition.adding = 0
    s.partition.removing = 0
    if not k.rules.removed_are_eligible(s, k):
        s.partition.elr &= s.partition.replicas
    begin_epoch(s, k, leader, s.partition.isr)
    forget_outdated(s, k)


def resend(s: BrokerState, k: Constants) -> None:
    """Send the present epoch again, with the stored ISR, to its leader, which has restarted."""
    if k.change_records:
        put_record(s, k, s.leader_and_isr[s.partition.epoch], 0, s.partition.isr)
    else:
        s.leader_and_isr[s.partition.epoch].isr = s.partition.isr


def forget_outdated(s: BrokerState, k: Constants) -> None:
    """Drop the LeaderAndIsr of epochs that no broker can apply any more.

    These are the epochs before the partition's if every live broker has a newer one: a dead broker
    will reject them after its restart.  No step depends on them, so states that differ only there
    are one state.  Records that a leader has not applied yet keep their epoch.
    """
    if k.change_records:
        drop_unread(s, k)
    if k.reassignments:
        forget_brokers_without_replica(s, k)
    if k.stale_leader_and_isr:
        return
    oldest = s.partition.epoch
    for broker in range(k.replicas):
        if s.replica[broker].alive and knows_metadata(s, k, broker):
            oldest = min(oldest, s.replica[broker].epoch + 1)
    for epoch in range(oldest):
        s.leader_and_isr[epoch].replicas = 0
        s.leader_and_isr[epoch].remaining = 0
        if not k.change_records or not s.leader_and_isr[epoch].isrs[0]:
            s.leader_and_isr[epoch].leader = NONE
            s.leader_and_isr[epoch].isr = 0


def _apply(s: BrokerState, k: Constants, broker: int, epoch: int) -> None:
    """Apply an epoch in either role: drop the message in flight and the leader's own state."""
    replica = s.replica[broker]
    forget_role(s, broker)
    replica.epoch = epoch
    replica.leader = s.leader_and_isr[epoch].leader
    k.rules.drop_in_flight(s, k, broker)


def lead(s: BrokerState, k: Constants, leader: int, epoch: int, isr: int) -> None:
    """Begin to lead an epoch with this ISR, or lead on in it."""
    replica = s.replica[leader]
    if k.rules.forgets_remote_leos(s, k, leader, epoch):
        forget_remote_leos(s, k, leader)
    _apply(s, k, leader, epoch)
    replica.epoch_start = replica.leo
    replica.isr = isr
    replica.caught_up = 0
    if replica.hw < replica.start and k.rules.finds_low_hw(s, k, leader):
        replica.hw = replica.start
    k.rules.begin_leading(s, k, leader)
    note_committed(s, k, leader, 0)
    note_high_watermark(s, k, leader)
    note_listed_offsets(s, k, leader)
    advance_hw(s, k, leader)


def become_leader(s: BrokerState, k: Constants, leader: int, epoch: int) -> bool:
    """Apply LeaderAndIsr as the leader: keep the log.

    A broker that has restarted may so resume its own epoch.
    """
    if not s.replica[leader].alive:
        return False
    if epoch <= s.replica[leader].epoch:
        return False
    if epoch > s.partition.epoch:
        return False
    if s.leader_and_isr[epoch].leader != leader:
        return False
    lead(s, k, leader, epoch, s.leader_and_isr[epoch].isr)
    forget_outdated(s, k)
    return True


def become_follower(s: BrokerState, k: Constants, follower: int, epoch: int) -> bool:
    """Apply LeaderAndIsr as a follower of its leader.

    ReplicaManager.makeFollowers ignores an epoch without a leader: the broker stays in its epoch,
    and leads or follows as before.  So it does if the leader is not alive in its metadata, which is
    like a LeaderAndIsr that has not arrived yet.  Only the metadata of a KRaft cluster takes the
    leader away; the log stays as it is (ReplicaManager.applyLocalFollowersDelta).
    """
    if not s.replica[follower].alive:
        return False
    if epoch <= s.replica[follower].epoch:
        return False
    if epoch > s.partition.epoch:
        return False
    if k.reassignments and not s.leader_and_isr[epoch].replicas >> follower & 1:
        return False
    leader = s.leader_and_isr[epoch].leader
    if leader == follower:
        return False
    if leader == NONE and not k.kraft:
        return k.rules.without_leader(s, k, follower)
    if k.rules.has_new_leader(s, k, follower, epoch):
        if leads(s, follower):
            forget_remote_leos(s, k, follower)
            if k.rules.fails_produces(s, k, follower):
                fail_produces(s, k, follower)
        _apply(s, k, follower, epoch)
        s.replica[follower].replicas = 0
        if leader != NONE:
            k.rules.begin_following(s, k, follower)
    s.replica[follower].epoch = epoch
    if k.reassignments:
        s.replica[follower].hosted = 1
    forget_outdated(s, k)
    return True


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
