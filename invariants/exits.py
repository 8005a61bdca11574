"""Exits: no follower ends its own process, and no fetcher fails."""

from __future__ import annotations

from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.messages import LIST_OFFSETS_RESPONSE
from ..model.broker.state import BrokerState


def explain(s: BrokerState, k: Constants, follower: int) -> str:
    """Explain which follower exits."""
    leader, leo = s.replica[follower].leader, s.replica[follower].leo
    return (
        f"The log of broker {follower} ends at offset {leo}, that of its leader, broker {leader}, "
        f"at {s.message[follower].end_offset}. Unclean elections are not allowed, so broker "
        f"{follower} ends its process, and does so again after each restart, until broker {leader} "
        "has written as many records."
    )


def explain_failed(s: BrokerState, k: Constants, follower: int) -> str:
    """Explain which fetcher fails."""
    replica = s.replica[follower]
    return (
        f"The log of broker {replica.leader} starts above the high watermark of broker {follower}, "
        f"{replica.hw}: OffsetOutOfRangeException. The fetcher of broker {follower} fails, and it "
        "fetches no more until it applies another epoch."
    )


@BROKER.invariant(
    "No follower's fetcher fails because its leader's log starts above the "
    "follower's high watermark.",
    source="KAFKA-5634, KAFKA-9491, KAFKA-12996: ReplicaFetcherThread.processPartitionData "
    "since 0.11.0.0",
    explain=explain_failed,
)
def no_fetcher_fails(s: BrokerState, k: Constants) -> tuple[int] | None:
    """Return a follower whose fetcher has failed."""
    for follower in range(k.replicas):
        if s.replica[follower].failed:
            return (follower,)
    return None


@BROKER.invariant(
    "No follower ends its process because its log is longer than its leader's.",
    source="KAFKA-7414, KAFKA-3924: ReplicaFetcherThread.handleOffsetOutOfRange, through 2.0.0",
    explain=explain,
)
def no_broker_exits(s: BrokerState, k: Constants) -> tuple[int] | None:
    """Return a follower that has learned that its log is longer than its leader's, and exits."""
    for follower in range(k.replicas):
        message, leo = s.message[follower], s.replica[follower].leo
        if (
            message.kind == LIST_OFFSETS_RESPONSE
            and message.end_offset < leo
            and k.rules.exits_if_longer(s, k, follower)
        ):
            return (follower,)
    return None
