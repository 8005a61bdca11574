"""OffsetsForLeaderEpoch, by which a follower finds where its log diverges from the leader's.

Since KIP-101; the leader's answer and the follower's truncation are rules.
"""

from __future__ import annotations

from ....core.fields import NONE
from ..bounds import Constants
from ..leadership import leads
from ..log import newest_epoch
from ..messages import EPOCH_REQUEST, EPOCH_RESPONSE, IDLE
from ..rules import clear_message
from ..state import BrokerState


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
