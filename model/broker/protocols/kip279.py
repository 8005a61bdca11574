"""KIP-279 (Kafka 2.0.1): the answer names its epoch, and the follower may ask again.

The leader answers with its largest epoch up to the requested one, and with its end offset.  A
follower without that epoch truncates to the end of its own largest smaller one and asks again.  A
new leader caches its epoch at once, even before its first record (KAFKA-7415).  Not fixed: requests
carry no leader epoch, so followers accept a stale leader.  With ``moves`` it loses a committed
record within 2 replicas, 1 record and 3 elections.

Source: KIP-279, apache/kafka#4882.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....core.assumptions import assumes
from ....core.fields import NONE
from ..bounds import Constants
from ..leadership import leader_knows_its_epoch
from ..log import end_offset, largest_epoch_up_to, newest_epoch, smallest_epoch_above, truncate_to
from ..rules import (
    at_or_above_epoch_start,
    exit_unless_unclean,
    explained,
    explains,
    if_leader_changes,
)
from ..state import BrokerState
from .kip101 import KIP_101, unknown_to_the_leader

if TYPE_CHECKING:
    from ..presentation.pictures import Answer, Broker


def largest_epoch_and_its_end(
    s: BrokerState, k: Constants, leader: int, requested: int
) -> tuple[int, int]:
    """Return the largest epoch up to the requested one, and its end offset.

    LeaderEpochFileCache.endOffsetFor of Kafka 2.0.1 and later.
    """
    if requested == NONE:
        return NONE, NONE
    following = smallest_epoch_above(s, k, leader, requested)
    known = largest_epoch_up_to(s, k, leader, requested)
    if known == requested:
        return requested, end_offset(s, k, leader, requested)
    if following == NONE:
        return NONE, NONE
    if known == NONE:
        return requested, s.replica[leader].epoch_cache[following]
    return known, end_offset(s, k, leader, known)


@explains(largest_epoch_and_its_end)
def _why_largest_epoch(leader: Broker, requested: int) -> str:
    knows, known = leader.cache_text, leader.largest_epoch(requested)
    larger = [epoch for epoch, _ in leader.cache if epoch > requested]
    if known == requested:
        return f"{knows}; in its log e{requested} ends at offset {leader.end_of(requested)}"
    if not larger:
        return f"{knows}, no epoch from e{requested} on, so it does not know"
    if known == NONE:
        return (
            f"{knows}, no epoch up to e{requested}, so it answers with the start of its first "
            f"epoch, e{larger[0]}"
        )
    return (
        f"{knows}, not e{requested}; its largest smaller epoch is e{known}, which ends at "
        f"offset {leader.end_of(known)}"
    )


def unless_below_the_first(
    s: BrokerState, k: Constants, leader: int, requested: int
) -> tuple[int, int]:
    """Return the largest epoch up to the requested one, and its end; none if all are larger.

    LeaderEpochFileCache.endOffsetFor of Kafka 2.0.0.
    """
    following = smallest_epoch_above(s, k, leader, requested)
    known = largest_epoch_up_to(s, k, leader, requested)
    if requested == NONE or known == NONE or (following == NONE and known != requested):
        return NONE, NONE
    return known, end_offset(s, k, leader, known)


@explains(unless_below_the_first)
def _why_unless_below_the_first(leader: Broker, requested: int) -> str:
    known = leader.largest_epoch(requested)
    if known == NONE:
        return f"{leader.cache_text}, no epoch up to e{requested}, so it does not know"
    return _why_largest_epoch(leader, requested)


def the_answered_offset(s: BrokerState, k: Constants, follower: int, end_offset: int) -> int:
    """Truncate to the answer: AbstractFetcherThread.getOffsetTruncationState of Kafka 2.0.0."""
    return end_offset


def cut_to_common_epoch(s: BrokerState, k: Constants, follower: int, epoch: int, end: int) -> bool:
    """Truncate to the end of the answered epoch, or of a smaller one and ask again.

    AbstractFetcherThread.getOffsetTruncationState of Kafka 2.0 and later.
    """
    if end == NONE:
        truncate_to(s, k, follower, s.replica[follower].hw)
        return True
    if epoch > newest_epoch(s, k, follower):
        truncate_to(s, k, follower, end)
        return True
    if epoch != NONE and s.replica[follower].epoch_cache[epoch] != NONE:
        truncate_to(s, k, follower, min(end_offset(s, k, follower, epoch), end))
        return True
    smaller = largest_epoch_up_to(s, k, follower, epoch)
    if smaller == NONE:
        truncate_to(s, k, follower, k.rules.offset_without_common_epoch(s, k, follower, end))
        return True
    truncate_to(s, k, follower, end_offset(s, k, follower, smaller))
    return False


@explains(cut_to_common_epoch)
def _why_cut_to_common_epoch(follower: Broker, answer: Answer) -> str:
    if answer.end == NONE:
        return unknown_to_the_leader(follower)
    knows, smaller = follower.cache_text, follower.largest_epoch(answer.of)
    if answer.of > follower.newest_epoch:
        return f"{knows}, only older epochs: it keeps the records below the answer, {answer.end}"
    if smaller == answer.of:
        mine = follower.end_of(smaller)
        return (
            f"both know e{smaller}: it ends at offset {mine} here and at {answer.end} at the "
            f"leader, so it keeps the records below {min(mine, answer.end)}"
        )
    if smaller != NONE:
        return (
            f"{knows}, so it does not know e{answer.of}: it keeps the records below offset "
            f"{follower.end_of(smaller)}, the end of e{smaller}, its largest smaller epoch, and "
            f"{'fetches' if follower.rules.truncation_on_fetch else 'asks'} again"
        )
    knows = f"{knows}, so it knows no epoch up to e{answer.of}"
    kept = explained(follower.rules.offset_without_common_epoch, follower, answer)
    return f"{knows}: {kept}" if kept else knows


def unless_next_epoch(s: BrokerState, k: Constants, follower: int, epoch: int) -> bool:
    """Continue as before if only the epoch changes, to the next one.

    Partition.makeFollower of Kafka 2.0.1.  Up to 2.0.0 it ignores every epoch of the same leader.
    """
    if s.replica[follower].leader != s.leader_and_isr[epoch].leader:
        return True
    return epoch > s.replica[follower].epoch + 1


@assumes(
    "a leader has its own epoch in its cache",
    "AbstractFetcherThread.getOffsetTruncationState truncates to the fetch offset, not to "
    "the high watermark, if a second answer in an epoch is unknown",
    leader_knows_its_epoch,
)
def cache_at_once(s: BrokerState, k: Constants, leader: int) -> None:
    """Add the new epoch to the epoch cache, at the log end, before its first record.

    Partition.makeLeader of Kafka 2.0.1 and later (KAFKA-7415).
    """
    k.rules.assign_epoch(s, k, leader, s.replica[leader].epoch)


def replace_conflicting(s: BrokerState, k: Constants, broker: int, epoch: int) -> None:
    """Remove the entries that contradict a new epoch, and add it.

    LeaderEpochFileCache.assign of Kafka 2.0.1 and later; the newest epoch is assigned again only if
    it would start earlier.  Kafka refuses a negative epoch.
    """
    replica = s.replica[broker]
    if epoch == NONE:
        return
    if newest_epoch(s, k, broker) == epoch and replica.epoch_cache[epoch] <= replica.leo:
        return
    for cached in range(k.elections + 1):
        if cached >= epoch or replica.epoch_cache[cached] >= replica.leo:
            replica.epoch_cache[cached] = NONE
    replica.epoch_cache[epoch] = replica.leo


@explains(replace_conflicting)
def _why_replace_conflicting() -> str:
    return "a later epoch: the entries that contradict it"


def never_exit(s: BrokerState, k: Constants, follower: int) -> bool:
    """Truncate to the leader's log end, whatever the configuration (KAFKA-7414)."""
    return False


KIP_279 = replace(
    KIP_101,
    name="kip-279",
    parent=KIP_101,
    story=__doc__,
    summary="The answer names its epoch, followers may ask again; loses after three elections.",
    rules=replace(
        KIP_101.rules,
        end_offset_for_epoch=largest_epoch_and_its_end,
        truncate_by_answer=cut_to_common_epoch,
        begin_leading=cache_at_once,
        has_new_leader=unless_next_epoch,
        has_epoch_start=at_or_above_epoch_start,
        assign_epoch=replace_conflicting,
        exits_if_longer=never_exit,
    ),
    older_rules=(
        ("has_new_leader", if_leader_changes),
        ("exits_if_longer", exit_unless_unclean),
        ("end_offset_for_epoch", unless_below_the_first),
        ("offset_without_common_epoch", the_answered_offset),
    ),
)
