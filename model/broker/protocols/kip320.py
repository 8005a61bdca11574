"""KIP-320 (Kafka 2.1 to 2.7): fetches and epoch requests carry the follower's leader epoch.

Since 2.2 a bounce is always noticed: the option ``bounce_noticed``.

A leader serves only requests of its own epoch and refuses others with FENCED_LEADER_EPOCH or
UNKNOWN_LEADER_EPOCH, so it serves no stale follower, and a stale leader serves no follower.  With
clean elections, acks=all, no power loss and 2 replicas no committed record is lost and no logs
diverge.  With 3 replicas, 1 record, 3 elections and ``moves`` a committed record is lost: a leader
that missed an epoch keeps its remote LEOs (kip-595-reset describes that, and repairs it).

Source: KIP-320, apache/kafka#5661.
"""

from dataclasses import replace

from .. import log, older, rules
from ..bounds import Constants
from ..state import BrokerState
from .kip279 import KIP_279, unless_next_epoch


def serve_same_epoch(s: BrokerState, k: Constants, leader: int, epoch: int) -> bool:
    """Serve only followers in the leader's own epoch.

    Partition.checkCurrentLeaderEpoch of Kafka 2.1 and later.
    """
    return s.replica[leader].epoch == epoch


KIP_320 = replace(
    KIP_279,
    name="kip-320",
    parent=KIP_279,
    story=__doc__,
    summary="Requests are fenced by leader epoch: safe, but for a leader that missed an epoch.",
    rules=replace(
        KIP_279.rules,
        has_new_leader=rules.at_every_epoch,
        may_lag=rules.not_at_log_end,
        may_serve_fetch=serve_same_epoch,
        may_serve_epoch_request=serve_same_epoch,
        raises_hw=log.always_raised,
        finds_low_hw=log.position_unknown,
    ),
    older_rules=(
        ("has_new_leader", rules.if_leader_changes),
        ("has_new_leader", unless_next_epoch),
        ("truncates_cache", older.only_if_log_shrinks),
        ("has_epoch_start", rules.at_any_offset),
        ("may_lag", rules.at_any_time),
        ("may_change_isr", older.leads_in_any_epoch),
        ("raises_hw", log.unless_starting_over),
        *older.OF_ISR_CHANGES,
    ),
)
