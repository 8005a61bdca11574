"""The rules in which the published protocols differ, with their first versions.

The originals write out the steps of each variant.  They differ in a follower's truncation offset,
in when it may follow, and in what a leader must know of a follower before it counts it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import PublishedState


def high_watermark(s: PublishedState, k: Constants, leader: int, follower: int) -> int:
    """Truncate to the follower's own high watermark, whatever the leader's log."""
    return s.replica[follower].hw


def any_leader(s: PublishedState, k: Constants, leader: int, epoch: int) -> bool:
    """Follow the announced leader, even before it has applied that epoch itself."""
    return True


def follows_up_to(s: PublishedState, k: Constants, leader: int, follower: int, end: int) -> bool:
    """Count a follower that follows this leader, in any epoch, and whose log reaches `end`.

    Only offsets are compared.  The leader's own log reaches `end` whenever this rule applies.
    """
    return s.replica[follower].leader == leader and s.replica[follower].leo >= end


def in_any_epoch(s: PublishedState, k: Constants, leader: int) -> bool:
    """Let followers join the ISR before the leader has committed anything in its own epoch."""
    return True


@dataclass(frozen=True)
class Rules:
    """The decision points of the published family.

    Parameters
    ----------
    truncation_offset
        The offset to which a replica truncates its log when it becomes a follower; if that is
        beyond its log end, it cannot become one.
    may_follow
        Whether a replica may now become a follower of this leader, in this epoch.
    may_fetch
        Whether a follower with this log end may fetch from a leader.
    acknowledges
        Whether a follower counts as holding all records below `end` when the leader advances its
        high watermark to it.
    keeps_up
        Whether a follower counts as in sync with a leader whose log ends at `end`.
    reached_hw
        Whether a follower counts as holding all records below the leader's high watermark, `end`,
        and so may join the ISR.
    may_expand_isr
        Whether a leader may now let followers join the ISR.
    """

    truncation_offset: Callable[[PublishedState, Constants, int, int], int] = high_watermark
    may_follow: Callable[[PublishedState, Constants, int, int], bool] = any_leader
    may_fetch: Callable[[PublishedState, Constants, int, int, int], bool] = follows_up_to
    acknowledges: Callable[[PublishedState, Constants, int, int, int], bool] = follows_up_to
    keeps_up: Callable[[PublishedState, Constants, int, int, int], bool] = follows_up_to
    reached_hw: Callable[[PublishedState, Constants, int, int, int], bool] = follows_up_to
    may_expand_isr: Callable[[PublishedState, Constants, int], bool] = in_any_epoch


def fenced(
    rules: Rules, counts: Callable[[PublishedState, Constants, int, int, int], bool]
) -> Rules:
    """Return rules with one fence for fetches, acknowledgements and the ISR."""
    return replace(rules, may_fetch=counts, acknowledges=counts, keeps_up=counts, reached_hw=counts)
