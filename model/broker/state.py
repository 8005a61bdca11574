"""The state of one topic partition, its brokers, its controller and what is under way.

Everything that a step can read or write is declared here, once, with its range.  A variable whose
range holds a single value (because an option is off) takes no room in the stored state.
"""

from __future__ import annotations

from ...layout import NONE, Record, array, boolean, integer, nested, one_of, replica_id, subset
from .bounds import ACKS_ALL, Constants
from .messages import DELAYED_FETCH, EPOCH_RESPONSE, MESSAGES, OUT_OF_RANGE


def _highest_message(k: Constants) -> int:
    if k.purgatory:
        return DELAYED_FETCH
    return EPOCH_RESPONSE if k.rules.epoch_cache else OUT_OF_RANGE


def _epochs(k: Constants) -> int:
    """Leader epochs that can ever exist: the initial one and one per election or fence."""
    return k.elections + 1


class LogEntry(Record):
    """A record at one offset of a log, or the absence of one (both variables ``NONE``)."""

    epoch: int = integer(NONE, lambda k: k.elections, "leader epoch in which it was appended")
    record: int = integer(NONE, lambda k: k.records - 1, "which record: they count from 0")


class Replica(Record):
    """A broker and its replica.

    On disk: ``log``, ``leo``, ``epoch_cache`` and ``checkpoint``; ``hw`` as well where the
    checkpoint is written at every change.  All else is lost in a crash, and is then at its lowest
    value.
    """

    alive: bool = boolean("the broker's process runs")
    restarted: bool = boolean("has restarted, and led nothing since")
    epoch: int = integer(
        NONE,
        lambda k: k.elections,
        "newest leader epoch taken up; after a restart, the newest one that is refused (KIP-380)",
    )
    leader: int = replica_id(
        lambda k: k.replicas - 1,
        "whom it follows; itself where it leads; NONE where it does neither",
    )
    truncating: bool = boolean("follows, and must ask for the end of an epoch before it fetches")
    hw: int = integer(0, lambda k: k.log_size, "high watermark: consumers read offsets below it")
    checkpoint: int = integer(
        0,
        lambda k: k.log_size if k.hw_checkpoint else 0,
        "replication-offset-checkpoint: the high watermark that a crash leaves",
    )
    leo: int = integer(0, lambda k: k.log_size, "log end offset: the next record gets this one")
    log: list[LogEntry] = array(lambda k: k.log_size, LogEntry)
    epoch_cache: list[int] = array(
        _epochs,
        integer(
            NONE,
            lambda k: k.log_size if k.rules.epoch_cache else NONE,
            "leader-epoch-checkpoint: start offset of each epoch, NONE where it is not known",
        ),
    )
    epoch_start: int = integer(
        0, lambda k: k.log_size, "while it leads: its log end when it took up its epoch"
    )
    isr: int = subset(
        lambda k: k.replicas, "while it leads: the ISR as it believes it to be", names="replicas"
    )
    remote_leo: list[int] = array(
        lambda k: k.replicas,
        integer(
            0,
            lambda k: k.log_size,
            "while it leads: log end of each follower as its last fetch told; 0 before that",
        ),
        by_replica=True,
    )


class Message(Record):
    """The request of one follower, or the response to it, under way.

    A request needs no contents: it asks about the follower's log as that is, since the log stays
    as it is until the answer is there and a new epoch drops whatever is under way.
    """

    kind: int = one_of(MESSAGES, "what is under way", high=_highest_message)
    hw: int = integer(0, lambda k: k.log_size, "fetch response: high watermark of the leader")
    epoch: int = integer(
        NONE,
        lambda k: k.elections if k.rules.epoch_cache else NONE,
        "answer to OffsetsForLeaderEpoch: the epoch whose end it tells, NONE for unknown",
    )
    end_offset: int = integer(
        NONE,
        lambda k: k.log_size,
        "out of range: log end of the leader; OffsetsForLeaderEpoch: end of the epoch, or NONE",
    )
    records: list[LogEntry] = array(lambda k: min(k.fetch_size, k.log_size), LogEntry)


class LateFetch(Record):
    """A fetch that its leader has received and whose sender has died since (KIP-903)."""

    leader: int = replica_id(
        lambda k: k.replicas - 1 if k.late_request else NONE, "who has it; NONE: there is none"
    )
    epoch: int = integer(
        NONE, lambda k: k.elections if k.late_request else NONE, "leader epoch that it carries"
    )
    offset: int = integer(0, lambda k: k.log_size if k.late_request else 0, "its fetch offset")


class DelayedProduce(Record):
    """A produce with acks=all that waits at its leader until the high watermark passes it."""

    leader: int = replica_id(
        lambda k: k.replicas - 1 if k.purgatory and k.acks == ACKS_ALL else NONE,
        "at whom it waits, which leads the epoch of its record; NONE: it does not wait",
    )


class LeaderAndIsr(Record):
    """What the controller told every broker about one leader epoch; it may arrive at any time."""

    leader: int = replica_id(lambda k: k.replicas - 1, "who leads; NONE: nobody")
    isr: int = subset(lambda k: k.replicas, "the ISR when it was sent", names="replicas")


class Quorum(Record):
    """The partition's state as ZooKeeper or the controller quorum holds it."""

    leader: int = replica_id(lambda k: k.replicas - 1, "who leads; NONE: nobody")
    epoch: int = integer(
        0, lambda k: k.elections, "leader epoch: one more at each election or fence"
    )
    isr: int = subset(lambda k: k.replicas, "the in-sync replicas", names="replicas")
    elr: int = subset(
        lambda k: k.replicas if k.elr else 0,
        "eligible leader replicas: out of the ISR, and hold all that is committed (KIP-966)",
        names="replicas",
    )


class Committed(Record):
    """The first record that any leader held below its high watermark, at one offset."""

    epoch: int = integer(
        NONE,
        lambda k: k.elections if k.track_committed else NONE,
        "leader epoch of the leader that committed it",
    )
    record: int = integer(NONE, lambda k: k.records - 1 if k.track_committed else NONE, "which")


class Acked(Record):
    """Where and in which epoch one record was when its producer was told that it is written."""

    epoch: int = integer(
        NONE, lambda k: k.elections if k.track_acked else NONE, "leader epoch; NONE: never told"
    )
    offset: int = integer(NONE, lambda k: k.log_size - 1 if k.track_acked else NONE, "its offset")


class BrokerState(Record):
    """The whole state.  ``aux_`` marks history that no guard reads."""

    quorum: Quorum = nested(Quorum)
    replica: list[Replica] = array(lambda k: k.replicas, Replica, by_replica=True)
    message: list[Message] = array(lambda k: k.replicas, Message, by_replica=True)
    late_fetch: list[LateFetch] = array(lambda k: k.replicas, LateFetch, by_replica=True)
    delayed_produce: list[DelayedProduce] = array(lambda k: k.records, DelayedProduce)
    leader_and_isr: list[LeaderAndIsr] = array(_epochs, LeaderAndIsr)
    written: int = integer(0, lambda k: k.records, "records written so far; the next one's name")
    crashed: int = integer(0, lambda k: k.crashes, "crashes so far")
    lost_power: int = integer(0, lambda k: k.power_losses, "power losses so far")
    lost: int = integer(0, lambda k: k.lost_messages, "messages lost so far")
    aux_committed: list[Committed] = array(lambda k: k.log_size, Committed)
    aux_acked: list[Acked] = array(lambda k: k.records, Acked)
    aux_hw: int = integer(
        0,
        lambda k: k.log_size if k.track_high_watermark else 0,
        "highest high watermark of any acting leader so far",
    )
