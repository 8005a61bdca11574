"""The state of one topic partition, its brokers, its controller and the messages in flight.

Everything that a step can read or write is declared here, once, with its range.  A variable whose
range holds a single value (because an option is off) takes no space in the stored state.
"""

from __future__ import annotations

from ...core.layout import NONE, Record, array, boolean, integer, nested, one_of, replica_id, subset
from .bounds import ZOOKEEPER, Constants
from .messages import (
    ALTER_PARTITION,
    DELAYED_FETCH,
    DIVERGING,
    EPOCH_RESPONSE,
    LIST_OFFSETS_RESPONSE,
    MESSAGES,
    OUTDATED,
)


def _highest_message(k: Constants) -> int:
    if k.purgatory:
        return DELAYED_FETCH
    if k.rules.truncation_on_fetch:
        return DIVERGING
    return EPOCH_RESPONSE if k.rules.epoch_cache else LIST_OFFSETS_RESPONSE


def _epochs(k: Constants) -> int:
    """Return the number of leader epochs: the initial one and one per election or fence."""
    return k.elections + 1


def _with_kraft(k: Constants, high: int, low: int = 0) -> int:
    return high if k.kraft else low


def _with_zookeeper(k: Constants, high: int, low: int = 0) -> int:
    return high if k.isr_propagation == ZOOKEEPER else low


class LogEntry(Record):
    """A record at one offset of a log, or the absence of one (both variables ``NONE``)."""

    epoch: int = integer(NONE, lambda k: k.elections, "leader epoch in which it was appended")
    record: int = integer(NONE, lambda k: k.records - 1, "which record, counted from 0")


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
    change_set: int = integer(
        0,
        lambda k: _with_zookeeper(k, 1),
        "whether it changed the ISR and has not yet written the notification",
    )
    metadata: int = replica_id(
        lambda k: _with_zookeeper(k, k.replicas - 1, NONE),
        "the leader by the last UpdateMetadata; its metadata responses name it",
    )


class Message(Record):
    """The request of one follower, or the response to it, in flight.

    A request has no contents: it is about the follower's current log.  The log does not change
    before the response arrives, and a new epoch drops any message in flight.
    """

    kind: int = one_of(MESSAGES, "the message in flight", high=_highest_message)
    hw: int = integer(0, lambda k: k.log_size, "fetch response: high watermark of the leader")
    epoch: int = integer(
        NONE,
        lambda k: k.elections if k.rules.epoch_cache else NONE,
        "OffsetsForLeaderEpoch or diverging: the epoch of the end offset, NONE for unknown",
    )
    end_offset: int = integer(
        NONE,
        lambda k: k.log_size,
        "ListOffsets response: LEO of the leader; otherwise the end offset of the epoch, or NONE",
    )
    start: int = integer(0, lambda k: k.log_starts, "response: log start offset of the leader")
    records: list[LogEntry] = array(lambda k: min(k.fetch_size, k.log_size), LogEntry)


class LateFetch(Record):
    """A fetch that its leader has received and whose sender has crashed since (KIP-903)."""

    leader: int = replica_id(
        lambda k: k.replicas - 1 if k.late_request else NONE,
        "the broker that has it; NONE: no such fetch",
    )
    epoch: int = integer(
        NONE, lambda k: k.elections if k.late_request else NONE, "leader epoch in the request"
    )
    offset: int = integer(0, lambda k: k.log_size if k.late_request else 0, "its fetch offset")
    last_epoch: int = integer(
        NONE,
        lambda k: k.elections if k.late_request and k.rules.truncation_on_fetch else NONE,
        "leader epoch of the record before that offset, in the request since KIP-595",
    )


class AlterPartition(Record):
    """A leader's request to change the ISR, or the controller's response to it (KIP-497).

    The partition epoch of the request is not stored.  Without partition change records only the
    leader changes the ISR within a leader epoch, one request at a time, so the partition epoch is
    current if the leader epoch is; with them ``outdated`` says whether it is not.
    """

    kind: int = one_of(
        ALTER_PARTITION, "the message in flight", high=lambda k: _with_kraft(k, OUTDATED)
    )
    epoch: int = integer(
        NONE, lambda k: _with_kraft(k, k.elections, NONE), "leader epoch in the request"
    )
    isr: int = subset(
        lambda k: _with_kraft(k, k.replicas), "the ISR that the leader proposes", names="replicas"
    )
    rebooted: int = subset(
        lambda k: _with_kraft(k, k.replicas),
        "its members that have re-registered since they fetched: their broker epochs in the "
        "request are old (KIP-903)",
        names="replicas",
    )
    outdated: int = integer(
        0,
        lambda k: 1 if k.change_records else 0,
        "whether the ISR has another partition epoch than the request, in the same leader epoch",
    )


class DelayedProduce(Record):
    """A produce with acks=all that waits at its leader until the high watermark passes it."""

    leader: int = replica_id(
        lambda k: k.replicas - 1 if k.delays_produces and k.purgatory else NONE,
        "the broker at which it waits, which appended its record; NONE: it does not wait",
    )
    offset: int = integer(
        0,
        lambda k: k.log_size - 1 if k.delays_produces and k.purgatory else 0,
        "where it was appended",
    )


class Produce(Record):
    """The same without the option ``purgatory``: the high watermark completes it at once."""

    leader: int = replica_id(
        lambda k: k.replicas - 1 if k.delays_produces and not k.purgatory else NONE,
        "the broker at which it waits, which appended its record; NONE: it does not wait",
    )
    offset: int = integer(
        0,
        lambda k: k.log_size - 1 if k.delays_produces and not k.purgatory else 0,
        "where it was appended",
    )


class LeaderAndIsr(Record):
    """LeaderAndIsr for one leader epoch, sent to every broker; it may arrive at any time.

    With ``isr_propagation=records`` it is the metadata of that epoch: a queue of records.
    """

    leader: int = replica_id(lambda k: k.replicas - 1, "the leader; NONE: no leader")
    isr: int = subset(
        lambda k: 0 if k.change_records else k.replicas,
        "the ISR when it was sent",
        names="replicas",
    )
    isrs: list[int] = array(
        lambda k: k.replicas + 1 if k.change_records else 0,
        subset(
            lambda k: k.replicas,
            "with partition change records: the ISR in each record of this epoch that its leader "
            "has not applied, oldest first",
            names="replicas",
        ),
    )
    known: int = integer(
        0,
        lambda k: 1 if k.change_records else 0,
        "whether the leader knows the first of them from the response to its AlterPartition",
    )


class Partition(Record):
    """The partition state that ZooKeeper or the controller quorum has stored."""

    leader: int = replica_id(lambda k: k.replicas - 1, "the leader; NONE: no leader")
    epoch: int = integer(
        0, lambda k: k.elections, "leader epoch: one more at each election or fence"
    )
    isr: int = subset(lambda k: k.replicas, "the in-sync replicas", names="replicas")
    fenced: int = subset(
        lambda k: _with_kraft(k, k.replicas),
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
