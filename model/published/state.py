"""The state of the published family: what KafkaReplication.tla declares, with its ranges.

Two of its variables are derived here.  The next leader epoch is always one above the partition
state's.  And the controller starts an epoch with each LeaderAndIsr that it sends, so their set
holds exactly one per epoch up to the partition state's and is an array here.
"""

from __future__ import annotations

from ...core.layout import NONE, Record, array, integer, nested, replica_id, subset
from .bounds import Constants


def _epochs(k: Constants) -> int:
    """Return the number of leader epochs."""
    return k.max_leader_epoch + 1


class LogEntry(Record):
    """A record at one offset of a log, or the absence of one (both variables ``NONE``)."""

    epoch: int = integer(NONE, lambda k: k.max_leader_epoch, "leader epoch of its leader")
    record: int = integer(NONE, lambda k: k.records - 1, "which record, counted from 0")


class Replica(Record):
    """A replica: its log, and its view of the partition."""

    epoch: int = integer(NONE, lambda k: k.max_leader_epoch, "newest leader epoch applied")
    leader: int = replica_id(
        lambda k: k.replicas - 1, "the leader that it follows; itself if it presumes leadership"
    )
    isr: int = subset(lambda k: k.replicas, "its view of the ISR", names="replicas")
    hw: int = integer(0, lambda k: k.log_size, "high watermark: consumers read offsets below it")
    leo: int = integer(0, lambda k: k.log_size, "log end offset: the offset of the next record")
    log: list[LogEntry] = array(lambda k: k.log_size, LogEntry)


class LeaderAndIsr(Record):
    """LeaderAndIsr for one leader epoch, sent to every replica; it may arrive at any later time.

    Both variables have their lowest values for an epoch that has not begun.
    """

    leader: int = replica_id(lambda k: k.replicas - 1, "the leader; NONE: no leader")
    isr: int = subset(lambda k: k.replicas, "the ISR when it was sent", names="replicas")


class Partition(Record):
    """The partition state that ZooKeeper has stored."""

    leader: int = replica_id(lambda k: k.replicas - 1, "the leader; NONE: no leader")
    epoch: int = integer(
        NONE, lambda k: k.max_leader_epoch, "leader epoch; NONE before the first election"
    )
    isr: int = subset(
        lambda k: k.replicas, "the in-sync replicas; may become empty", names="replicas"
    )


class PublishedState(Record):
    """The complete state.  ``aux_`` marks history that no guard reads."""

    partition: Partition = nested(Partition)
    replica: list[Replica] = array(lambda k: k.replicas, Replica, by_replica=True)
    leader_and_isr: list[LeaderAndIsr] = array(_epochs, LeaderAndIsr)
    written: int = integer(
        0, lambda k: k.records, "records written so far, which names the next one"
    )
    aux_committed: int = subset(
        lambda k: k.records if k.track_committed else 0, "records ever below a leader's HW"
    )
