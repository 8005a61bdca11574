"""What operators mean by an offline partition: nobody can lead it, though one broker is down."""

from __future__ import annotations

from ..core.fields import NONE
from ..model.broker.assignment import assigned
from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.state import BrokerState


@BROKER.invariant(
    "While all replicas but one are alive, one of them is in the ISR or the ELR, so that "
    "it can be elected.",
    source="OfflinePartitionsCount; Kafka promises it only while the ISR has two members",
    explain=lambda s, k, dead: (
        f"Only broker {dead} is dead, and no live replica is in the ISR: the partition has no "
        "leader until that broker restarts, or by an unclean election."
    ),
)
def one_failure_leaves_candidate(s: BrokerState, k: Constants) -> tuple[int] | None:
    """Return the only dead replica, if no live one is in the ISR or the ELR."""
    dead, candidates = NONE, s.partition.isr | s.partition.elr
    for broker in range(k.replicas):
        if not assigned(s, k) >> broker & 1:
            continue
        if s.replica[broker].alive:
            if candidates >> broker & 1:
                return None
        elif dead != NONE:
            return None
        else:
            dead = broker
    return None if dead == NONE else (dead,)
