"""Properties of every state of every protocol."""

from __future__ import annotations

from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.state import BrokerState


@BROKER.invariant(
    "On every replica the high watermark is at most the log end offset.",
    source="KIP-101",
    explain=lambda s, k: "; ".join(
        f"Replica {broker} has high watermark {replica.hw}, but its log ends at {replica.leo}."
        for broker, replica in enumerate(s.replica)
        if replica.hw > replica.leo
    ),
)
def hw_within_log(s: BrokerState, k: Constants) -> bool:
    """Whether every replica's high watermark is at most its log end."""
    return all(replica.hw <= replica.leo for replica in s.replica)
