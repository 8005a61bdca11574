"""Leadership: an epoch has one leader.

Properties of every state of every protocol.
"""

from __future__ import annotations

from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.state import BrokerState


def explain(s: BrokerState, k: Constants, first: int, second: int) -> str:
    """Explain which two brokers lead in one epoch."""
    return f"Brokers {first} and {second} both lead in leader epoch {s.replica[first].epoch}."


@BROKER.invariant(
    "No two brokers lead in the same leader epoch.",
    source="KIP-101; Election Safety in Ongaro and Ousterhout, Raft (2014)",
    explain=explain,
    needs=("Elect",),
)
def at_most_one_leader_per_epoch(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return two brokers that lead in one epoch."""
    for first in range(k.replicas):
        if s.replica[first].leader != first:
            continue
        for second in range(k.replicas):
            leads = second != first and s.replica[second].leader == second
            if leads and s.replica[first].epoch == s.replica[second].epoch:
                return first, second
    return None


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
