"""KIP-101 (Kafka 0.11 to 1.1): records carry leader epochs; followers ask before they truncate.

A new follower asks the leader where its newest epoch ends (OffsetsForLeaderEpoch) and truncates its
log to that offset.  Fixes both scenarios of the KIP.  Not fixed: a leader that does
not know the requested epoch answers with the start of a larger one, which can be too high
(KIP-279): with ``moves`` logs diverge within 2 replicas, 3 records and 2 elections, and a committed
record is lost within 2 records and 3 elections.

Source: KIP-101; the lookup is that of Kafka 0.11's LeaderEpochFileCache.endOffsetFor.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....core.fields import NONE
from ..bounds import Constants
from ..family import EPOCH_REQUESTS
from ..log import (
    largest_epoch_up_to,
    newest_epoch,
    smallest_epoch_above,
    take_log_start,
    truncate_to,
    up_to_hw,
    up_to_log_end,
)
from ..older import after_the_fetch
from ..rules import explains
from ..state import BrokerState
from .hw import HW

if TYPE_CHECKING:
    from ..presentation.pictures import Answer, Broker


def ask_before_fetching(s: BrokerState, k: Constants, follower: int) -> None:
    """Ask for the end of the newest cached epoch before fetching (RFT.buildLeaderEpochRequest).

    Without any epoch it truncates to its high watermark: since Kafka 2.1 at once
    (AbstractFetcherThread.truncateToHighWatermark), before by the answer of the leader, which does
    not know such an epoch (ReplicaFetcherThread.maybeTruncate).
    """
    if newest_epoch(s, k, follower) == NONE:
        truncate_to(s, k, follower, s.replica[follower].hw)
    s.replica[follower].truncating = newest_epoch(s, k, follower) != NONE


def start_of_next_epoch(
    s: BrokerState, k: Constants, leader: int, requested: int
) -> tuple[int, int]:
    """Return the start of the first larger epoch; the log end for the newest one.

    LeaderEpochFileCache.endOffsetFor of Kafka 0.11.0.0 to 1.1.
    """
    if newest_epoch(s, k, leader) == requested:
        return NONE, s.replica[leader].leo
    following = smallest_epoch_above(s, k, leader, requested)
    if following == NONE or largest_epoch_up_to(s, k, leader, requested) == NONE:
        return NONE, NONE
    return NONE, s.replica[leader].epoch_cache[following]


@explains(start_of_next_epoch)
def _why_start_of_next_epoch(leader: Broker, requested: int) -> str:
    knows = leader.cache_text
    larger = [(epoch, start) for epoch, start in leader.cache if epoch > requested]
    if leader.newest_epoch == requested != NONE:
        return f"{knows}; e{requested} is its newest epoch, so it answers with its log end"
    if larger and leader.largest_epoch(requested) != NONE:
        return (
            f"{knows}; it answers with the start of its first epoch above e{requested}, which "
            f"is e{larger[0][0]} at offset {larger[0][1]}"
        )
    return f"{knows}, which does not show where e{requested} ends"


def cut_to_answer(s: BrokerState, k: Constants, follower: int, epoch: int, end_offset: int) -> bool:
    """Truncate to the answer, or to the high watermark if the leader knows none.

    ReplicaFetcherThread.maybeTruncate of Kafka 0.11.0.0 to 1.1.
    """
    truncate_to(s, k, follower, s.replica[follower].hw if end_offset == NONE else end_offset)
    return True


def unknown_to_the_leader(follower: Broker) -> str:
    """Explain a truncation where the leader answers that it does not know the epoch."""
    return (
        f"the leader does not know, so it falls back to its own high watermark, {follower.log.hw}"
    )


@explains(cut_to_answer)
def _why_cut_to_answer(follower: Broker, answer: Answer) -> str:
    if answer.end == NONE:
        return unknown_to_the_leader(follower)
    return f"it keeps the records below the answered offset, {answer.end}"


KIP_101 = replace(
    HW,
    name="kip-101",
    parent=HW,
    story=__doc__,
    summary="Followers ask where their last epoch ends; diverges after two elections.",
    rules=replace(
        HW.rules,
        epoch_cache=True,
        begin_following=ask_before_fetching,
        end_offset_for_epoch=start_of_next_epoch,
        truncate_by_answer=cut_to_answer,
        may_delete=up_to_hw,
        follows_log_start=take_log_start,
    ),
    actions=HW.actions + EPOCH_REQUESTS,
    older_rules=(("hw_with_records", after_the_fetch), ("may_delete", up_to_log_end)),
)
