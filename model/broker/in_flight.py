"""What is in flight: requests and responses, and what the controller has announced.

Everything that waits between two participants is declared here, once, with its range.
"""

from __future__ import annotations

from ...core.fields import NONE, Record, array, integer, one_of, replica_id, subset
from .bounds import Constants
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


def with_kraft(k: Constants, high: int, low: int = 0) -> int:
    """Return the bound of a variable of clusters with KRaft."""
    return high if k.kraft else low


def if_reassigned(description: str) -> int:
    """Declare a set of replicas that only ``reassignments`` change."""
    return subset(lambda k: k.replicas if k.reassignments else 0, description, names="replicas")


class LogEntry(Record):
    """A record at one offset of a log, or the absence of one (both variables ``NONE``)."""

    epoch: int = integer(NONE, lambda k: k.elections, "leader epoch in which it was appended")
    record: int = integer(NONE, lambda k: k.records - 1, "which record, counted from 0")


class Message(Record):
    """The request of one follower, or the response to it, in flight.

    A request has no contents: it is about the follower's current log.  The log does not change
    before the response arrives, and a new epoch drops any message in flight.  Where an older rule
    keeps responses, the message says where it was sent, and at which offset.
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
    leader: int = replica_id(
        lambda k: k.replicas - 1 if k.keeps_responses else NONE,
        "if a new epoch keeps responses: the leader to which the follower has sent its fetch",
    )
    offset: int = integer(
        0,
        lambda k: k.log_size if k.keeps_responses else 0,
        "if a new epoch keeps responses: the fetch offset",
    )
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
        ALTER_PARTITION, "the message in flight", high=lambda k: with_kraft(k, OUTDATED)
    )
    epoch: int = integer(
        NONE, lambda k: with_kraft(k, k.elections, NONE), "leader epoch in the request"
    )
    isr: int = subset(
        lambda k: with_kraft(k, k.replicas), "the ISR that the leader proposes", names="replicas"
    )
    rebooted: int = subset(
        lambda k: with_kraft(k, k.replicas),
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
        lambda k: k.queued_records,
        subset(
            lambda k: k.replicas,
            "with partition change records: the ISR in each record of this epoch that its leader "
            "has not applied, oldest first",
            names="replicas",
        ),
    )
    assignments: list[int] = array(
        lambda k: k.queued_records if k.reassignments else 0,
        subset(
            lambda k: k.replicas,
            "with reassignments: the replicas in each of these records",
            names="replicas",
        ),
    )
    replicas: int = if_reassigned(
        "with reassignments: the replicas in the newest record of this epoch"
    )
    remaining: int = if_reassigned(
        "with reassignments: the brokers that do not see themselves removed before this epoch"
    )
    known: int = integer(
        0,
        lambda k: 1 if k.change_records else 0,
        "whether the leader knows the first of them from the response to its AlterPartition",
    )
