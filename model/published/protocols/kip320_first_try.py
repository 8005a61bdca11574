"""KIP-320's first draft, as published: truncate while fetching, fenced by the last record's epoch.

A new follower fetches at once and truncates only if the epoch of its last record differs from the
leader's at that offset.  Leaders also compare the epochs of records before they advance the high
watermark or change the ISR, and let no follower join before a record of their own epoch is
committed.  But records do not show a follower's epoch: one in an older epoch counts, and may
truncate the record afterwards.  Fails WeakIsr and StrongIsr within 3 replicas, 1 record, 3 epochs.

Source: hachikuji/kafka-specification, Kip320FirstTry.tla.
"""

from dataclasses import replace

from ...protocol import Expected
from ..bounds import Constants
from ..family import FOLLOWER_TRUNCATE
from ..rules import fenced
from ..state import PublishedState
from .kip279 import KIP_279


def keep_log(s: PublishedState, k: Constants, leader: int, follower: int) -> int:
    """Truncate nothing when a replica becomes a follower."""
    return s.replica[follower].leo


def same_record_epoch(
    s: PublishedState, k: Constants, leader: int, follower: int, end: int
) -> bool:
    """Count a follower whose record before `end` has the same epoch as the leader's."""
    mine, theirs = s.replica[leader], s.replica[follower]
    if theirs.leader != leader or theirs.leo < end or mine.leo < end:
        return False
    return end == 0 or theirs.log[end - 1].epoch == mine.log[end - 1].epoch


def hw_in_own_epoch(s: PublishedState, k: Constants, leader: int) -> bool:
    """Let followers join once the leader's log at its epoch start is committed."""
    mine = s.replica[leader]
    return mine.hw == mine.leo or mine.log[mine.hw].epoch == mine.epoch


KIP_320_FIRST_TRY = replace(
    KIP_279,
    name="published/kip-320-first-try",
    parent=KIP_279,
    story=__doc__,
    summary="As specified in TLA+: truncation while fetching; unsafe with 3 replicas.",
    rules=replace(
        fenced(KIP_279.rules, same_record_epoch),
        truncation_offset=keep_log,
        may_expand_isr=hw_in_own_epoch,
    ),
    actions=(*KIP_279.actions, FOLLOWER_TRUNCATE),
    expected=(
        Expected(""),
        Expected("replicas=3 records=1"),
        Expected("replicas=3 records=1 max_leader_epoch=2", ("WeakIsr", "StrongIsr"), slow=True),
    ),
)
