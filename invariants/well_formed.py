"""Properties of every state of every protocol."""

from __future__ import annotations

from ..core.spec import Property
from ..model.broker.bounds import Constants
from ..model.broker.state import BrokerState


def hw_within_log(s: BrokerState, k: Constants) -> bool:
    """Whether every replica's high watermark is at most its log end."""
    return all(replica.hw <= replica.leo for replica in s.replica)


def explain_hw_within_log(s: BrokerState, k: Constants) -> str:
    """Explain which replica's high watermark is beyond its log end."""
    return "; ".join(
        f"Replica {broker} has high watermark {replica.hw}, but its log ends at {replica.leo}."
        for broker, replica in enumerate(s.replica)
        if replica.hw > replica.leo
    )


HW_WITHIN_LOG = Property(
    name="HwWithinLog",
    statement="On every replica the high watermark is at most the log end offset.",
    source="KIP-101",
    predicate=hw_within_log,
    explain=explain_hw_within_log,
)

PROPERTIES = (HW_WITHIN_LOG,)
