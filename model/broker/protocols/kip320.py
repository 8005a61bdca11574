"""KIP-320 (Kafka 2.1): fetches and epoch requests carry the follower's leader epoch.

A leader serves a request only in its own epoch and answers any other with an error, so neither a
stale leader nor a stale follower is believed.  Holds: no committed record is lost and no logs
diverge with clean elections, acks=all and no power loss.

Source: KIP-320, apache/kafka#5661.
"""

from dataclasses import replace

from ..bounds import Constants
from ..state import BrokerState
from .kip279 import KIP_279


def serve_same_epoch(s: BrokerState, k: Constants, leader: int, epoch: int) -> bool:
    """Serve only whoever is in the leader's own epoch."""
    return s.replica[leader].epoch == epoch


KIP_320 = replace(
    KIP_279,
    name="kip-320",
    summary="Requests are fenced by leader epoch: safe with clean elections and no power loss.",
    rules=replace(
        KIP_279.rules,
        may_serve_fetch=serve_same_epoch,
        may_serve_epoch_request=serve_same_epoch,
    ),
)
