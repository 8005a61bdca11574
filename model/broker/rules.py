"""The decisions that the protocols of the broker family take differently, and their first form.

Each rule is a function of the state, the constants and the replicas concerned.  A protocol
replaces some of them and leaves the rest; the defaults here are those of Kafka before KIP-101.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .log import truncate_to

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


def truncate_to_hw(s: BrokerState, k: Constants, follower: int) -> None:
    """Cut the follower's log to its high watermark as soon as it learns of a new epoch."""
    truncate_to(s, k, follower, s.replica[follower].hw)


def serve_anyone(s: BrokerState, k: Constants, leader: int, epoch: int) -> bool:
    """Serve whoever asks: requests carry no leader epoch before KIP-320."""
    return True


def no_epoch_ends(s: BrokerState, k: Constants, leader: int, asked: int) -> tuple[int, int]:
    """Answer nothing: there is no OffsetsForLeaderEpoch before KIP-101."""
    raise NotImplementedError


def no_answer_to_apply(
    s: BrokerState, k: Constants, follower: int, epoch: int, end_offset: int
) -> bool:
    """Apply nothing: there is no OffsetsForLeaderEpoch before KIP-101."""
    raise NotImplementedError


def cache_with_first_record(s: BrokerState, k: Constants, leader: int) -> None:
    """Leave a new leader's epoch cache alone: its epoch is cached with the first record."""


def reached_hw_and_epoch_start(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Let a follower into the ISR that has all committed records and reached this epoch.

    Both conditions are needed: after an election the leader's own high watermark may lag behind
    what an earlier leader committed (KAFKA-7128).
    """
    return offset >= s.replica[leader].hw and offset >= s.replica[leader].epoch_start


@dataclass(frozen=True)
class Rules:
    """The decision points of the broker family.

    Parameters
    ----------
    epoch_cache
        Whether replicas keep an epoch cache at all.
    begin_following
        What a broker does to its log when it takes up an epoch as a follower.
    may_serve
        Whether a leader serves a request that carries this leader epoch.
    end_offset_for_epoch
        The leader's answer to OffsetsForLeaderEpoch: (epoch, end offset), both NONE for unknown.
    truncate_by_answer
        Cuts the follower's log by that answer; True when it may fetch, False to ask again.
    begin_leading
        What a broker does to its epoch cache when it takes up an epoch as the leader.
    may_join_isr
        Whether a follower that fetches at this offset may join the ISR.
    """

    epoch_cache: bool = False
    begin_following: Callable[[BrokerState, Constants, int], None] = truncate_to_hw
    may_serve: Callable[[BrokerState, Constants, int, int], bool] = serve_anyone
    end_offset_for_epoch: Callable[[BrokerState, Constants, int, int], tuple[int, int]] = (
        no_epoch_ends
    )
    truncate_by_answer: Callable[[BrokerState, Constants, int, int, int], bool] = no_answer_to_apply
    begin_leading: Callable[[BrokerState, Constants, int], None] = cache_with_first_record
    may_join_isr: Callable[[BrokerState, Constants, int, int], bool] = reached_hw_and_epoch_start
