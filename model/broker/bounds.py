"""The bounds and options of the broker family.

Bounds limit writes, faults and elections only, never recovery steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from inspect import unwrap

from ...core.bounds import BoundsError, choice, number, switch
from .rules import Rules, clear_message

ACKS_ALL = -1
"""``acks=all``, as Kafka itself encodes it."""

INSTANT, ZOOKEEPER, KRAFT, RECORDS = range(4)
"""How ISR changes propagate."""

WITH_KRAFT = ("kraft", "records")
"""The values of ``isr_propagation``, as they are written, of clusters with KRaft."""


@dataclass(frozen=True)
class Constants:
    """The ``k`` that actions and rules receive: the bounds, the rules and what to record.

    A user sets the bounds with ``-b NAME=VALUE``.  ``track_committed``, ``track_acked``,
    ``track_high_watermark``, ``track_read`` and ``track_listed_offsets`` say whether the state
    includes the histories of committed records, of acknowledged records, of the high watermarks
    that consumers saw, of the records that a consumer read, and of the offsets that ListOffsets
    returned.

    Raises
    ------
    BoundsError
        If two of them contradict each other.
    """

    replicas: int = number(2, 1, 5, "brokers, each with a replica of the one partition", main=True)
    records: int = number(2, 0, 12, "records that producers write in total", main=True)
    log_size: int = number(2, 0, 12, "longest log of a replica, in records", follows="records")
    elections: int = number(
        1,
        0,
        12,
        "elections, fences and removals of replicas; each starts a leader epoch",
        main=True,
    )
    crashes: int = number(
        2, 0, 12, "process crashes: the log is kept, the memory is lost", main=True
    )
    power_losses: int = number(0, 0, 12, "crashes that may also take any suffix of the log")
    lost_messages: int = number(0, 0, 12, "requests or responses that the network loses")
    fetch_size: int = number(1, 1, 12, "most records that one fetch response carries")
    min_isr: int = number(1, 1, 5, "min.insync.replicas")
    acks: int = choice(
        "all",
        {"0": 0, "1": 1, "all": ACKS_ALL, "-1": ACKS_ALL},
        "when a record is acknowledged to its producer",
    )
    hw_checkpoint: int = choice(
        "change",
        {"change": 0, "step": 1},
        "when the high watermark is written to disk: at every change, or in a separate step",
    )
    unclean_election: bool = switch(
        "with no live member of the ISR, any live replica may be elected"
    )
    moves: bool = switch(
        "a live leader may be replaced or fenced (false suspicion, preferred leader)"
    )
    bounce_noticed: bool = switch("a broker restarts only after its death was noticed and fenced")
    late_request: bool = switch("a fetch already at the leader outlives its sender (KIP-903)")
    hw_waits: bool = switch(
        "the high watermark also waits for replicas outside the ISR that were caught up a moment "
        "ago (since Kafka 0.10.2.0)"
    )
    hw_needs_min_isr: bool = switch("the high watermark waits for min_isr members (KIP-966)")
    stale_leader_and_isr: bool = switch(
        "a restarted broker applies any LeaderAndIsr ever sent (before KIP-380)"
    )
    isr_propagation: int = choice(
        "instant",
        {"instant": INSTANT, "zookeeper": ZOOKEEPER, "kraft": KRAFT, "records": RECORDS},
        "how ISR changes propagate: instantly; through ZooKeeper, notifications and "
        "UpdateMetadata; by AlterPartition (KIP-497); or by that and by partition change records, "
        "which begin no leader epoch for a fence of a follower (metadata version 3.6 and later)",
    )
    controller_crashes: int = number(
        0, 0, 12, "with isr_propagation=zookeeper: controller crashes; another broker takes over"
    )
    elr: bool = switch(
        "eligible leader replicas (KIP-966); the high watermark waits for min_isr members"
    )
    last_known_leader: bool = switch(
        "with elr: where neither the ISR nor the ELR has a member, the last leader may lead again, "
        "by an unclean election (KIP-966)"
    )
    purgatory: bool = switch(
        "a fetch without new data, and a produce with acks=all, wait at the leader"
    )
    deletions: int = number(
        0, 0, 12, "deletions of records below a log start offset: DeleteRecords or retention"
    )
    reassignments: int = number(
        0,
        0,
        12,
        "with isr_propagation=records: requests to add, remove or replace a replica",
    )
    spare_broker: bool = switch("with reassignments: the last broker has no replica at first")

    rules: Rules = Rules()
    track_committed: bool = False
    track_acked: bool = False
    track_high_watermark: bool = False
    track_read: bool = False
    track_listed_offsets: bool = False

    def __post_init__(self) -> None:
        if self.min_isr > self.replicas:
            raise BoundsError(
                f"min_isr={self.min_isr} can never be met by replicas={self.replicas}; "
                f"set min_isr to at most {self.replicas}, or add replicas"
            )
        if self.log_size > self.records:
            raise BoundsError(
                f"log_size={self.log_size} exceeds records={self.records}: no log can grow beyond "
                "the records written; lower log_size or leave it out"
            )
        if self.last_known_leader and not self.elr:
            raise BoundsError(
                "last_known_leader has no effect without elr: otherwise the last member of the ISR "
                "never leaves it; set elr, or leave last_known_leader out"
            )
        if self.deletions and not self.log_size:
            raise BoundsError(
                f"deletions={self.deletions} has no effect with records={self.records} "
                f"log_size={self.log_size}: there is no record to delete; add records, or leave "
                "deletions out"
            )
        if self.reassignments and self.isr_propagation != RECORDS:
            raise BoundsError(
                f"reassignments={self.reassignments} has no effect without "
                "isr_propagation=records: the replicas are part of partition change records; set "
                "that, or leave reassignments out"
            )
        if self.reassignments and self.replicas < 2:
            raise BoundsError(
                f"reassignments={self.reassignments} has no effect with replicas={self.replicas}: "
                "there is no broker to add; set replicas to at least 2, or leave reassignments out"
            )
        if self.spare_broker and not self.reassignments:
            raise BoundsError(
                "spare_broker has no effect without reassignments: the broker would never get a "
                "replica; set reassignments, or leave spare_broker out"
            )
        if self.controller_crashes and self.isr_propagation != ZOOKEEPER:
            raise BoundsError(
                f"controller_crashes={self.controller_crashes} has no effect without "
                "isr_propagation=zookeeper: only then does the controller have state to lose; set "
                "that, or leave controller_crashes out"
            )

    @property
    def kraft(self) -> bool:
        """Whether the cluster runs with KRaft."""
        return self.isr_propagation == KRAFT or self.isr_propagation == RECORDS

    @property
    def change_records(self) -> bool:
        """Whether ISR changes are records with a partition epoch of their own."""
        return self.isr_propagation == RECORDS

    @cached_property
    def keeps_responses(self) -> bool:
        """Whether a response may stay in flight across a new epoch (KAFKA-18991)."""
        # Rules whose calls are noted are wrapped.
        return unwrap(self.rules.drop_in_flight) is not clear_message

    @property
    def queued_records(self) -> int:
        """The most partition change records of an epoch that its leader has not applied.

        A reassignment adds up to two: its beginning, and its cancellation.
        """
        return (self.replicas + 1 + 2 * self.reassignments) if self.change_records else 0

    @property
    def log_starts(self) -> int:
        """The highest log start offset of any replica."""
        return self.log_size if self.deletions else 0

    @property
    def tracks_records(self) -> bool:
        """Whether the state includes a history from which deleted records are left out."""
        return self.track_committed or self.track_acked or self.track_read

    @property
    def delays_produces(self) -> bool:
        """Whether the state includes the produces that wait for the high watermark."""
        return self.acks == ACKS_ALL and self.log_size > 0 and (self.purgatory or self.track_acked)
