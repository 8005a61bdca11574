"""The state of one topic partition, its brokers, its controller and the messages in flight.

Everything that a step can read or write is declared here, once, with its range.  A variable whose
range holds a single value (because an option is off) takes no space in the stored state.
"""

from __future__ import annotations

from ...core.fields import NONE, Record, array, boolean, integer, nested, one_of, replica_id, subset
from .bounds import ZOOKEEPER, Constants
from .in_flight import (
    AlterPartition,
    DelayedProduce,
    LateFetch,
    LeaderAndIsr,
    LogEntry,
    Message,
    Produce,
    if_reassigned,
    with_kraft,
)


def _epochs(k: Constants) -> int:
    """Return the number of leader epochs: the initial one and one per election or fence."""
    return k.elections + 1


def _with_zookeeper(k: Constants, high: int, low: int = 0) -> int:
    return high if k.isr_propagation == ZOOKEEPER else low


class Replica(Record):
    """A broker and its replica.

    On disk: ``log``, ``start``, ``leo``, ``epoch_cache`` and ``checkpoint``; also ``hw`` if the
    checkpoint is written at every change.  A crash resets all others to their lowest values.
    """

    alive: bool = boolean("the broker's process runs")
    epoch: int = integer(
        NONE,
        lambda k: k.elections,
        "newest leader epoch applied; after a restart, the newest one that was not sent to it",
    )
    leader: int = replica_id(
        lambda k: k.replicas - 1,
        "the leader that it follows; itself if it leads; NONE if it does neither",
    )
    truncating: bool = boolean("follows, and must send OffsetsForLeaderEpoch before it fetches")
    failed: int = integer(0, lambda k: min(1, k.deletions), "whether its fetcher has failed")
    hw: int = integer(0, lambda k: k.log_size, "high watermark: consumers read offsets below it")
    checkpoint: int = integer(
        0,
        lambda k: k.log_size if k.hw_checkpoint else 0,
        "replication-offset-checkpoint: the high watermark that survives a crash",
    )
    start: int = integer(0, lambda k: k.log_starts, "log start offset: what is below is deleted")
    leo: int = integer(0, lambda k: k.log_size, "log end offset: the offset of the next record")
    log: list[LogEntry] = array(lambda k: k.log_size, LogEntry)
    epoch_cache: list[int] = array(
        _epochs,
        integer(
            NONE,
            lambda k: k.log_size if k.rules.epoch_cache else NONE,
            "leader-epoch-checkpoint: start offset of each epoch, NONE if unknown",
        ),
    )
    epoch_start: int = integer(
        0, lambda k: k.log_size, "while it leads: its log end when its epoch began"
    )
    isr: int = subset(lambda k: k.replicas, "while it leads: its view of the ISR", names="replicas")
    remote_leo: list[int] = array(
        lambda k: k.replicas,
        integer(
            0,
            lambda k: k.log_size,
            "while it leads: LEO of each follower by its last fetch; 0 before its first fetch",
        ),
        by_replica=True,
    )
    caught_up: int = subset(
        lambda k: k.replicas if k.hw_waits else 0,
        "while it leads: followers outside its ISR that had its log end within "
        "replica.lag.time.max.ms",
        names="replicas",
    )
    proposed: int = subset(
        lambda k: k.replicas if k.kraft or k.hw_waits else 0,
        "while it leads: the ISR that it has proposed by AlterPartition, or that ZooKeeper has "
        "rejected; empty if no change is pending",
        names="replicas",
    )
    replicas: int = if_reassigned("while it leads: the replicas by its metadata")
    hosted: int = integer(
        0, lambda k: 1 if k.reassignments else 0, "whether it has a log of this partition"
    )
    change_set: int = integer(
        0,
        lambda k: _with_zookeeper(k, 1),
        "whether it changed the ISR and has not yet written the notification",
    )
    metadata: int = replica_id(
        lambda k: _with_zookeeper(k, k.replicas - 1, NONE),
        "the leader by the last UpdateMetadata; its metadata responses name it",
    )


class Partition(Record):
    """The partition state that ZooKeeper or the controller quorum has stored."""

    leader: int = replica_id(lambda k: k.replicas - 1, "the leader; NONE: no leader")
    epoch: int = integer(
        0, lambda k: k.elections, "leader epoch: one more at each election or fence"
    )
    isr: int = subset(lambda k: k.replicas, "the in-sync replicas", names="replicas")
    replicas: int = if_reassigned(
        "the replicas, those that a reassignment adds or removes included"
    )
    adding: int = if_reassigned("the replicas that a reassignment adds")
    removing: int = if_reassigned("the replicas that a reassignment removes once it is complete")
    fenced: int = subset(
        lambda k: with_kraft(k, k.replicas),
        "brokers that are fenced: they may neither lead nor join the ISR",
        names="replicas",
    )
    elr: int = subset(
        lambda k: k.replicas if k.elr else 0,
        "eligible leader replicas: not in the ISR, but have all committed records (KIP-966)",
        names="replicas",
    )
    last_known_leader: int = replica_id(
        lambda k: k.replicas - 1 if k.last_known_leader else NONE,
        "LastKnownElr: the leader that was the last member of the ISR; NONE while it has members",
    )


class Controller(Record):
    """The controller of a ZooKeeper cluster, and the notifications that it has not read."""

    down: int = integer(
        0, lambda k: 1 if k.controller_crashes else 0, "whether there is no controller now"
    )
    isr: int = subset(
        lambda k: _with_zookeeper(k, k.replicas), "the ISR in its cache", names="replicas"
    )
    notification: int = integer(
        0,
        lambda k: _with_zookeeper(k, 1),
        "whether ZooKeeper holds a notification that it has not read",
    )
    handling: int = one_of(
        ("nothing", "a notification that it has read", "one whose change is in its cache"),
        "its progress with the notification that it has read and not yet deleted",
        high=lambda k: _with_zookeeper(k, 2),
    )


class Producer(Record):
    """The producer, which writes to the broker that its metadata names as the leader."""

    leader: int = replica_id(
        lambda k: _with_zookeeper(k, k.replicas - 1, NONE),
        "the leader by its last metadata response",
    )


class Consumer(Record):
    """The consumer, which reads from the broker that its metadata names as the leader.

    It is part of the state if a property checks its reads.  Otherwise, and without metadata that
    may be stale, a record counts as read as soon as it is committed.
    """

    leader: int = replica_id(
        lambda k: _with_zookeeper(k, k.replicas - 1, NONE) if k.track_read else NONE,
        "the leader by its last metadata response",
    )
    offset: int = integer(
        0,
        lambda k: _with_zookeeper(k, k.log_size) if k.track_read else 0,
        "the offset that it reads next",
    )


class Read(Record):
    """A record that the consumer has read, at one offset."""

    epoch: int = integer(
        NONE,
        lambda k: k.elections if k.track_read else NONE,
        "leader epoch of the leader that answered",
    )
    record: int = integer(NONE, lambda k: k.records - 1 if k.track_read else NONE, "which")


class Committed(Record):
    """The first record that any leader held below its high watermark, at one offset."""

    epoch: int = integer(
        NONE,
        lambda k: k.elections if k.track_committed else NONE,
        "leader epoch of the leader that committed it",
    )
    record: int = integer(NONE, lambda k: k.records - 1 if k.track_committed else NONE, "which")


class Acked(Record):
    """The offset and the epoch at which one record was acknowledged to its producer."""

    epoch: int = integer(
        NONE,
        lambda k: k.elections if k.track_acked else NONE,
        "leader epoch; NONE: not acknowledged",
    )
    offset: int = integer(NONE, lambda k: k.log_size - 1 if k.track_acked else NONE, "its offset")


class BrokerState(Record):
    """The complete state.

    ``aux_`` marks variables for properties alone: history that no guard reads, and a consumer whose
    steps change nothing else.
    """

    partition: Partition = nested(Partition)
    replica: list[Replica] = array(lambda k: k.replicas, Replica, by_replica=True)
    message: list[Message] = array(lambda k: k.replicas, Message, by_replica=True)
    late_fetch: list[LateFetch] = array(lambda k: k.replicas, LateFetch, by_replica=True)
    alter_partition: list[AlterPartition] = array(
        lambda k: k.replicas, AlterPartition, by_replica=True
    )
    delayed_produce: list[DelayedProduce] = array(lambda k: k.records, DelayedProduce)
    leader_and_isr: list[LeaderAndIsr] = array(_epochs, LeaderAndIsr)
    controller: Controller = nested(Controller)
    producer: Producer = nested(Producer)
    controllers_crashed: int = integer(
        0, lambda k: k.controller_crashes, "crashes of the controller so far"
    )
    written: int = integer(
        0, lambda k: k.records, "records written so far, which names the next one"
    )
    crashed: int = integer(0, lambda k: k.crashes, "crashes so far")
    lost_power: int = integer(0, lambda k: k.power_losses, "power losses so far")
    lost: int = integer(0, lambda k: k.lost_messages, "messages lost so far")
    deleted: int = integer(0, lambda k: k.deletions, "deletions so far")
    reassigned: int = integer(0, lambda k: k.reassignments, "reassignments begun so far")
    aux_consumer: Consumer = nested(Consumer)
    aux_committed: list[Committed] = array(lambda k: k.log_size, Committed)
    aux_acked: list[Acked] = array(lambda k: k.records, Acked)
    aux_produce: list[Produce] = array(lambda k: k.records, Produce)
    aux_hw: int = integer(
        0,
        lambda k: k.log_size if k.track_high_watermark else 0,
        "highest high watermark of any acting leader so far",
    )
    aux_deleted: int = integer(
        0, lambda k: k.log_starts if k.tracks_records else 0, "highest log start offset so far"
    )
    aux_read: list[Read] = array(lambda k: k.log_size, Read)
    aux_listed: int = integer(
        0,
        lambda k: k.log_size if k.track_listed_offsets else 0,
        "highest offset that ListOffsets has returned to clients so far",
    )
