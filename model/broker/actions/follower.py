"""The follower's steps: fetch, append and truncate."""

from __future__ import annotations

from ....core.layout import NONE
from ..bounds import Constants
from ..log import append, truncate_to
from ..messages import DIVERGING, FETCH, FETCH_RESPONSE, IDLE, OUT_OF_RANGE
from ..rules import clear_message
from ..state import BrokerState


def send_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Send Fetch(offset = the follower's log end offset) to the leader."""
    if s.replica[follower].leader != leader:
        return False
    if s.replica[follower].truncating:
        return False
    if s.message[follower].kind != IDLE:
        return False
    if not s.replica[leader].alive:
        return False
    s.message[follower].kind = FETCH
    return True


def handle_fetch_response(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Append the records of a fetch response, then set HW = min(LEO, the leader's HW)."""
    if s.message[follower].kind != FETCH_RESPONSE:
        return False
    if s.replica[follower].leader != leader:
        return False
    replica = s.replica[follower]
    message = s.message[follower]
    for entry in message.records:
        if entry.record != NONE:
            append(s, k, follower, entry.epoch, entry.record)
    replica.hw = min(replica.leo, message.hw)
    clear_message(s, k, follower)
    return True


def handle_out_of_range(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Truncate the log to the leader's log end, which the fetch offset exceeded."""
    if s.message[follower].kind != OUT_OF_RANGE:
        return False
    if s.replica[follower].leader != leader:
        return False
    truncate_to(s, k, follower, s.message[follower].end_offset)
    clear_message(s, k, follower)
    return True


def handle_diverging_epoch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Truncate a diverging log by the leader's epoch and end offset; continue to fetch."""
    if s.message[follower].kind != DIVERGING:
        return False
    if s.replica[follower].leader != leader:
        return False
    epoch, end_offset = s.message[follower].epoch, s.message[follower].end_offset
    clear_message(s, k, follower)
    k.rules.truncate_by_answer(s, k, follower, epoch, end_offset)
    return True
