"""The follower's steps: fetch, append and truncate.

OffsetsForLeaderEpoch, by which a follower finds where its log diverges from the leader's.

Since KIP-101; the leader's answer and the follower's truncation are rules.
"""

from __future__ import annotations

from ....core.fields import NONE
from ..bounds import Constants
from ..leadership import leads
from ..log import append, newest_epoch, start_over, truncate_to
from ..messages import (
    DIVERGING,
    EPOCH_REQUEST,
    EPOCH_RESPONSE,
    FETCH,
    FETCH_RESPONSE,
    IDLE,
    LIST_OFFSETS,
    LIST_OFFSETS_RESPONSE,
    OUT_OF_RANGE,
)
from ..rules import clear_message
from ..state import BrokerState
from .deletion import follow_log_start
from .faults import go_down


def send_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Send Fetch(offset = the follower's log end offset) to the leader."""
    if s.replica[follower].leader != leader:
        return False
    if s.replica[follower].truncating:
        return False
    if s.replica[follower].failed:
        return False
    if s.message[follower].kind != IDLE:
        return False
    if not s.replica[leader].alive:
        return False
    s.message[follower].kind = FETCH
    if k.keeps_responses:
        s.message[follower].leader = leader
        s.message[follower].offset = s.replica[follower].leo
    return True


def handle_fetch_response(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Append the records of a fetch response, then set HW = min(LEO, the leader's HW).

    The log start follows the leader's after that.
    """
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
    follow_log_start(s, k, follower, message.start)
    clear_message(s, k, follower)
    return True


def handle_out_of_range(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Ask for the leader's log end, and where its log starts: the fetch offset was outside.

    Kafka asks for LATEST and, if the follower's log is no longer than that, then for EARLIEST.
    Within an epoch both only grow, so one answer to both requests leaves out no behavior.
    """
    if s.message[follower].kind != OUT_OF_RANGE:
        return False
    if s.replica[follower].leader != leader:
        return False
    s.message[follower].kind = LIST_OFFSETS
    return True


def handle_list_offsets_response(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Truncate the log to the leader's log end, or exit, unless that has grown in the meantime.

    A log that ends below the leader's log start starts over there.
    ReplicaFetcherThread.handleOffsetOutOfRange, since Kafka 2.1
    AbstractFetcherThread.fetchOffsetAndTruncate.
    """
    message = s.message[follower]
    if message.kind != LIST_OFFSETS_RESPONSE:
        return False
    if s.replica[follower].leader != leader:
        return False
    end_offset, start = message.end_offset, message.start
    clear_message(s, k, follower)
    if end_offset < s.replica[follower].leo and k.rules.exits_if_longer(s, k, follower):
        go_down(s, k, follower)
    elif start > s.replica[follower].leo:
        start_over(s, k, follower, start)
    elif end_offset < s.replica[follower].leo:
        truncate_to(s, k, follower, end_offset)
    return True


def handle_diverging_epoch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Truncate a diverging log by the leader's epoch and end offset; continue to fetch.

    Where the leader's high watermark is applied before that, so is its log start.
    """
    if s.message[follower].kind != DIVERGING:
        return False
    if s.replica[follower].leader != leader:
        return False
    epoch, end_offset = s.message[follower].epoch, s.message[follower].end_offset
    follows = True
    if k.rules.applies_diverging_hw(s, k, follower):
        s.replica[follower].hw = min(s.replica[follower].leo, s.message[follower].hw)
        follows = follow_log_start(s, k, follower, s.message[follower].start)
    clear_message(s, k, follower)
    if follows:
        k.rules.truncate_by_answer(s, k, follower, epoch, end_offset)
    return True


def send_epoch_request(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Ask the leader where the newest epoch in the follower's epoch cache ends."""
    if s.replica[follower].leader != leader:
        return False
    if not s.replica[follower].truncating:
        return False
    if s.message[follower].kind != IDLE:
        return False
    if not s.replica[leader].alive:
        return False
    s.message[follower].kind = EPOCH_REQUEST
    return True


def handle_epoch_request(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Answer from the leader's epoch cache."""
    if s.message[follower].kind != EPOCH_REQUEST:
        return False
    if s.replica[follower].leader != leader:
        return False
    if not leads(s, leader):
        return False
    if not k.rules.may_serve_epoch_request(s, k, leader, s.replica[follower].epoch):
        return False
    requested = newest_epoch(s, k, follower)
    epoch, end_offset = k.rules.end_offset_for_epoch(s, k, leader, requested)
    message = s.message[follower]
    message.kind = EPOCH_RESPONSE
    message.epoch = epoch
    message.end_offset = end_offset
    return True


def handle_epoch_response(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Truncate the log by the leader's answer; then fetch, or ask again."""
    if s.message[follower].kind != EPOCH_RESPONSE:
        return False
    if s.replica[follower].leader != leader:
        return False
    message = s.message[follower]
    epoch, end_offset = message.epoch, message.end_offset
    clear_message(s, k, follower)
    done = k.rules.truncate_by_answer(s, k, follower, epoch, end_offset)
    s.replica[follower].truncating = not done and newest_epoch(s, k, follower) != NONE
    return True
