"""What a leader holds in memory only: its followers' log ends, and the produces that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.layout import NONE

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


def forget_remote_leos(s: BrokerState, k: Constants, broker: int) -> None:
    """Reset what a broker knows of its followers' logs."""
    for follower in range(k.replicas):
        s.replica[broker].remote_leo[follower] = 0


def drop_produce(s: BrokerState, record: int) -> None:
    """Let a produce wait no more."""
    s.delayed_produce[record].leader = NONE
    s.delayed_produce[record].offset = 0


def fail_produces(s: BrokerState, k: Constants, broker: int) -> None:
    """Fail the produces that wait at a broker: it goes down, or becomes a follower."""
    if k.delays_produces:
        for record in range(k.records):
            if s.delayed_produce[record].leader == broker:
                drop_produce(s, record)
