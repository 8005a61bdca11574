"""What a leader holds in memory only: its followers' log ends, and the produces that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.layout import NONE

if TYPE_CHECKING:
    from .bounds import Constants
    from .state import BrokerState


def forget_remote_leos(s: BrokerState, k: Constants, broker: int) -> None:
    """Reset what a broker knows of its followers' logs."""
    s.replica[broker].caught_up = 0
    for follower in range(k.replicas):
        s.replica[broker].remote_leo[follower] = 0


def waits_at(s: BrokerState, k: Constants, record: int) -> int:
    """Return the broker at which the produce of a record waits, or NONE.

    It is history, which no guard reads, unless its completion is a step of its own.
    """
    return s.delayed_produce[record].leader if k.purgatory else s.aux_produce[record].leader


def note_produce(s: BrokerState, k: Constants, record: int, broker: int, offset: int) -> None:
    """Let the produce of a record wait at a broker; NONE and 0 if it waits no more."""
    if k.purgatory:
        s.delayed_produce[record].leader = broker
        s.delayed_produce[record].offset = offset
    else:
        s.aux_produce[record].leader = broker
        s.aux_produce[record].offset = offset


def fail_produces(s: BrokerState, k: Constants, broker: int) -> None:
    """Fail the produces that wait at a broker: it goes down, or becomes a follower."""
    if k.delays_produces:
        for record in range(k.records):
            if waits_at(s, k, record) == broker:
                note_produce(s, k, record, NONE, 0)
