"""KIP-595 with three repairs that Kafka lacks: missed epochs, known records, removed replicas.

A leader that missed an epoch forgets its followers.  What happens without that: broker 0 leads
epoch 1, and its followers have fetched up to some offset.  Another broker leads epoch 2, and a
follower truncates.  Broker 0 is elected again in epoch 3 before it has applied epoch 2.  It led
already, so it keeps the remote LEOs of epoch 1 (Partition.makeLeader, since Kafka 0.9.0.0), and it
commits and acknowledges a record that the follower no longer has.  From 2.4.0 on the follower
cannot correct it first: the high watermark moves inside makeLeader, and before that the follower's
fetches are answered with UNKNOWN_LEADER_EPOCH.  If that follower is elected next, the record is
lost.

With ZooKeeper the controller that announced epoch 2 may fail before it has sent LeaderAndIsr to
broker 0; with KRaft a broker applies all committed batches at once, and sees the last epoch only.
Read off Kafka's sources, 0.9.0.0 to 4.3.1; there is no ticket for it.

A leader skips a partition change record that it knows already.  What happens without that, with
KRaft: the controller accepts the leader's first ISR change, and the response reaches the leader
before the record.  The leader proposes to add a follower, and the controller accepts that too.  Now
the first record arrives.  Its partition epoch is equal to the leader's, so makeLeader applies it:
the ISR is that of the first change, and the proposal is gone.  The high watermark no longer
waits for the added follower, and the response to the proposal is ignored.  Until the second record
arrives the leader commits and acknowledges without a member of the ISR; if that member is elected,
the record is lost.  Read off Kafka's sources, 3.3.0 to 4.4.0 (KAFKA-13790); there is no ticket.

A removed replica leaves the ELR.  What happens without that, with eligible leader replicas: a
reassignment is complete, or is cancelled, while the ISR has fewer than min.insync.replicas members.
The controller adds the members that leave the ISR to the ELR, the removed replica too
(PartitionChangeBuilder.maybePopulateTargetElr).  That one deletes its log.  Assigned again, it is
still eligible, now with an empty log, and is elected if the last member of the ISR dies first.
Since 3.7.0; there is no ticket.

Source: Partition.makeLeader, Partition.submitAlterPartition and Replica.resetReplicaState of Kafka
3.8; PartitionChangeBuilder of Kafka 3.8 to 4.4.
"""

from dataclasses import replace

from ..assignment import leave_with_replica, stay_eligible
from ..bounds import Constants
from ..state import BrokerState
from .kip595 import KIP_595


def unless_next(s: BrokerState, k: Constants, broker: int, epoch: int) -> bool:
    """Reset the remote LEOs also of a broker that leads already, if it has missed an epoch.

    In an epoch that it missed another broker may have led, and its followers may have truncated.
    """
    replica = s.replica[broker]
    return replica.leader != broker or epoch > replica.epoch + 1


def only_if_new(s: BrokerState, k: Constants, leader: int) -> bool:
    """Skip the record of a partition epoch that the leader knows from a response."""
    return False


KIP_595_RESET = replace(
    KIP_595,
    name="kip-595-reset",
    parent=KIP_595,
    story=__doc__,
    summary="Repairs kip-595 (not in Kafka): remote LEOs, known records, removed replicas.",
    rules=replace(
        KIP_595.rules,
        forgets_remote_leos=unless_next,
        applies_known_record=only_if_new,
        removed_are_eligible=leave_with_replica,
    ),
    older_rules=(*KIP_595.older_rules, ("removed_are_eligible", stay_eligible)),
)
