"""The state of the published family: what KafkaReplication.tla declares, with its ranges.

Two of its variables are not stored a second time.  The next leader epoch is always one above the
partition state's.  And the controller starts an epoch with each LeaderAndIsr that it sends, so
their set holds exactly one per epoch up to the partition state's and is an array here.
"""

from __future__ import annotations

from ...core.layout import NONE, Record, array, integer, nested, replica_id, subset
from .bounds import Constants


def _epochs(k: Constants) -> int:
    """Leader epochs that can ever exist."""
    return k.max_leader_epoch + 1


class LogEntry(Record):
    """A record at one offset of a log, or the absence of one (both variables ``NONE``)."""

    epoch: int = integer(NONE, lambda k: k.max_leader_epoch, "leader epoch of its leader")
    record: int = integer(NONE, lambda k: k.records - 1, "which record: they count from 0")


class Replica(Record):
    """A replica: its log, and what it believes of the partition."""

    epoch: int = integer(NONE, lambda k: k.max_leader_epoch, "newest leader epoch taken up")
    leader: int = replica_id(
        lambda k: k.replicas - 1, "whom it follows; itself where it presumes leadership"
    )
    isr: int = subset(lambda k: k.replicas, "the ISR as it believes it to be", names="replicas")
    hw: int = integer(0, lambda k: k.log_size, "high watermark: consumers read offsets below it")
    leo: int = integer(0, lambda k: k.log_size, "log end offset: the next record gets this one")
    log: list[LogEntry] = array(lambda k: k.log_size, LogEntry)


class LeaderAndIsr(Record):
    """What the controller told of one leader epoch; whoever is told may be so at any later time.

    Both are at their lowest value for an epoch that has not begun.
    """

    leader: int = replica_id(lambda k: k.replicas - 1, "who leads; NONE: nobody")
    isr: int = subset(lambda k: k.replicas, "the ISR when it was sent", names="replicas")


class Partition(Record):
    """The partition's state as ZooKeeper holds it."""

    leader: int = replica_id(lambda k: k.replicas - 1, "who leads; NONE: nobody")
    epoch: int = integer(
        NONE, lambda k: k.max_leader_epoch, "leader epoch; NONE before the first election"
    )
    isr: int = subset(
        lambda k: k.replicas, "the in-sync replicas; may become empty", names="replicas"
    )


class PublishedState(Record):
    """The whole state.  ``aux_`` marks history that no guard reads."""

    partition: Partition = nested(Partition)
    replica: list[Replica] = array(lambda k: k.replicas, Replica, by_replica=True)
    leader_and_isr: list[LeaderAndIsr] = array(_epochs, LeaderAndIsr)
    written: int = integer(0, lambda k: k.records, "records written so far; the next one's name")
    aux_committed: int = subset(
        lambda k: k.records if k.track_committed else 0, "records ever below a leader's HW"
    )
