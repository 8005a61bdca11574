"""KIP-279, as published: followers truncate after the last record that they share with the leader.

Consecutive fast elections let logs diverge under KIP-101.  The original states what KIP-279
achieves, not how: it compares both logs from the tail and truncates after the last offset at which
they hold the same record.  Nothing is fenced, so followers still accept a stale leader: fails
StrongIsr, but only with 3 replicas (1 record and 2 epochs are enough).

Source: hachikuji/kafka-specification, Kip279.tla.
"""

from dataclasses import replace

from ...protocol import Expected
from ..bounds import Constants
from ..log import end_of_last_match
from ..state import PublishedState
from .kip101 import KIP_101


def behind_last_match(s: PublishedState, k: Constants, leader: int, follower: int) -> int:
    """Truncate after the last record that both logs hold at the same offset."""
    return end_of_last_match(s, k, leader, follower)


KIP_279 = replace(
    KIP_101,
    name="published/kip-279",
    parent=KIP_101,
    story=__doc__,
    summary="As specified in TLA+: followers truncate to their last match; unsafe with 3 replicas.",
    rules=replace(KIP_101.rules, truncation_offset=behind_last_match),
    expected=(
        Expected(""),
        Expected("max_leader_epoch=2"),
        Expected("replicas=3 records=1", ("StrongIsr",)),
    ),
)
