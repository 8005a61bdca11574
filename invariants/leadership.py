"""Leadership: an epoch has one leader."""

from __future__ import annotations

from ..model.broker.bounds import Constants
from ..model.broker.leadership import leads
from ..model.broker.state import BrokerState
from ..spec import Property


def _two_leaders(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return two brokers that lead in one epoch."""
    for first in range(k.replicas - 1):
        if not leads(s, first):
            continue
        for second in range(first + 1, k.replicas):
            if leads(s, second) and s.replica[first].epoch == s.replica[second].epoch:
                return first, second
    return None


def at_most_one_leader_per_epoch(s: BrokerState, k: Constants) -> bool:
    """Whether no two brokers believe that they lead in the same epoch."""
    return _two_leaders(s, k) is None


def explain(s: BrokerState, k: Constants) -> str:
    """Say which two lead in one epoch."""
    two = _two_leaders(s, k)
    if two is None:
        return ""
    first, second = two
    return f"Brokers {first} and {second} both lead in leader epoch {s.replica[first].epoch}."


AT_MOST_ONE_LEADER_PER_EPOCH = Property(
    name="AtMostOneLeaderPerEpoch",
    statement="No two brokers lead in the same leader epoch.",
    source="KIP-101; Election Safety in Ongaro and Ousterhout, Raft (2014)",
    predicate=at_most_one_leader_per_epoch,
    explain=explain,
)

PROPERTIES = (AT_MOST_ONE_LEADER_PER_EPOCH,)
