"""The decisions that the published protocols take differently, and their first form.

The originals write each variant's steps anew.  What differs comes down to where a follower cuts its
log, whether it may, and what a leader must know of a follower before it counts on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import PublishedState


def high_watermark(s: PublishedState, k: Constants, leader: int, follower: int) -> int:
    """Cut to the follower's own high watermark, whatever its leader has."""
    return s.replica[follower].hw


def any_leader(s: PublishedState, k: Constants, leader: int, epoch: int) -> bool:
    """Follow whoever is named, also before it has taken up that epoch itself."""
    return True


def follows_up_to(s: PublishedState, k: Constants, leader: int, follower: int, end: int) -> bool:
    """Count on a follower that names this leader, in whatever epoch, and whose log reaches `end`.

    Offsets alone are compared.  The leader's own log reaches `end` wherever this is asked.
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
        Where a replica cuts its log when it becomes a follower; where that lies beyond its log
        end, it cannot become one.
    may_follow
        Whether a replica may become a follower of this leader, in this epoch, by now.
    may_fetch
        Whether a follower with this log end may fetch from a leader.
    acknowledges
        Whether a follower counts as holding all records below `end` when the leader moves its
        high watermark there.
    keeps_up
        Whether a follower counts as in sync with a leader whose log ends at `end`.
    reached_hw
        Whether a follower counts as holding all below the leader's high watermark, `end`, and so
        may join the ISR.
    may_expand_isr
        Whether a leader may let anybody join the ISR by now.
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
    """Return rules in which one fence decides wherever a leader and a follower count on another."""
    return replace(rules, may_fetch=counts, acknowledges=counts, keeps_up=counts, reached_hw=counts)
