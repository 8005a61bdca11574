"""KIP-320, as published: leader and follower accept each other in the same leader epoch only.

A follower truncates once per epoch, and only after its leader has applied that epoch.  Fetches,
acknowledgements and the ISR are fenced by the epoch of the replicas, not of their records.  No
violation is known at any bounds.

Source: hachikuji/kafka-specification, Kip320.tla.
"""

from dataclasses import replace

from ...protocol import Expected
from ..bounds import Constants
from ..rules import fenced
from ..state import PublishedState
from .kip279 import KIP_279
from .kip320_first_try import hw_in_own_epoch


def leader_in_epoch(s: PublishedState, k: Constants, leader: int, epoch: int) -> bool:
    """Follow a leader only after it has applied that epoch: its log may change before."""
    return s.replica[leader].leader == leader and s.replica[leader].epoch == epoch


def same_epoch_up_to(s: PublishedState, k: Constants, leader: int, follower: int, end: int) -> bool:
    """Count a follower in the leader's own epoch whose log reaches `end`."""
    mine, theirs = s.replica[leader], s.replica[follower]
    return theirs.leader == leader and theirs.epoch == mine.epoch and theirs.leo >= end


KIP_320 = replace(
    KIP_279,
    name="published/kip-320",
    parent=KIP_279,
    story=__doc__,
    summary="As specified in TLA+: everything is fenced by leader epoch; no violation is known.",
    rules=replace(
        fenced(KIP_279.rules, same_epoch_up_to),
        may_follow=leader_in_epoch,
        may_expand_isr=hw_in_own_epoch,
    ),
    expected=(
        Expected(""),
        Expected("max_leader_epoch=2"),
        Expected("replicas=3 records=1"),
        Expected("replicas=3 records=1 max_leader_epoch=2", slow=True),
    ),
)
