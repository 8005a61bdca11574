"""KIP-101, as published: records carry leader epochs, and followers look up where to truncate.

A follower looks up, in its leader's log, where the epoch of its last record ends, and falls back to
its high watermark if the leader knows no larger epoch.  Fails WeakIsr and StrongIsr within
2 replicas, 2 records and 3 epochs.

The original does not cap the looked-up offset at the follower's log end, and a log cannot be
truncated beyond its end: a replica with a shorter log of the same epoch can never become a
follower.  Kafka uses the smaller of the two, and so does the broker family.

Source: hachikuji/kafka-specification, Kip101.tla.
"""

from dataclasses import replace

from ...protocol import Expected
from ..bounds import Constants
from ..log import last_epoch
from ..state import PublishedState
from .hw import HW


def end_of_last_epoch(s: PublishedState, k: Constants, leader: int, follower: int) -> int:
    """Look up, in the leader's log, the end of the epoch of the follower's last record."""
    if s.replica[follower].leo == 0:
        return 0
    if s.replica[leader].leo == 0:
        return s.replica[follower].hw
    epoch = last_epoch(s, k, follower)
    if last_epoch(s, k, leader) == epoch:
        return s.replica[leader].leo
    for offset in range(s.replica[leader].leo):
        if s.replica[leader].log[offset].epoch > epoch:
            return offset
    return s.replica[follower].hw


KIP_101 = replace(
    HW,
    name="published/kip-101",
    parent=HW,
    story=__doc__,
    summary="As specified in TLA+: followers look up where their last epoch ends; not safe.",
    rules=replace(HW.rules, truncation_offset=end_of_last_epoch),
    expected=(Expected(""), Expected("max_leader_epoch=2", ("WeakIsr", "StrongIsr"))),
)
