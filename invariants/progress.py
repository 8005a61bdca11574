"""Progress: without new faults a cluster can recover."""

from __future__ import annotations

from ..core.fields import NONE
from ..core.spec import Kind
from ..model.broker.assignment import knows_metadata, reassigning
from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.leadership import acting_leader
from ..model.broker.state import BrokerState


def can_be_led(s: BrokerState, k: Constants) -> bool:
    """Whether a candidate is alive and the bounds allow another election.

    Candidates are the members of the ISR and, with the option ``elr``, eligible leader replicas;
    without any, the last known leader, if the option ``last_known_leader`` is on.
    """
    candidates = s.partition.isr | s.partition.elr
    if not candidates and s.partition.last_known_leader != NONE:
        candidates = 1 << s.partition.last_known_leader
    alive = any(
        candidates >> broker & 1 and s.replica[broker].alive for broker in range(k.replicas)
    )
    return alive and s.partition.epoch < k.elections


def may_end(s: BrokerState, k: Constants) -> bool:
    """Whether the bounds allow a reassignment in progress to end, which begins a leader epoch."""
    return not reassigning(s) or s.partition.epoch < k.elections


def explain(s: BrokerState, k: Constants, leader: int, broker: int) -> str:
    """Explain why the cluster cannot recover."""
    if leader == NONE:
        return (
            "No broker acts as leader although a member of the ISR is alive, and only a new "
            "fault leads to a state in which one does: the cluster cannot recover."
        )
    if broker == NONE:
        return (
            f"Broker {leader} leads epoch {s.partition.epoch} and waits for the response to its "
            "proposed ISR change, which only a new fault or election brings: it cannot change the "
            "ISR any more."
        )
    replica = s.replica[broker]
    if replica.leader != leader or replica.epoch != s.partition.epoch:
        problem = f"has not applied epoch {s.partition.epoch}"
    elif replica.truncating:
        problem = "has not finished truncation"
    else:
        problem = f"has its log end at {replica.leo}, not at {s.replica[leader].leo}"
    return (
        f"Broker {leader} leads epoch {s.partition.epoch}, and replica {broker} is alive but "
        f"{problem}: only new faults or writes lead to a state in which every live replica follows "
        "with the leader's log end."
    )


@BROKER.liveness(
    Kind.STUCK,
    "From every state, recovery steps (all steps but faults and writes) can lead to a "
    "state with an acting leader (if a member of the ISR is alive and the bounds allow an "
    "election) in which every live replica follows with the same log end and no ISR change is "
    "pending.",
    source="KAFKA-10706; ReplicaEventuallyCatchesUp without fairness (TLA+: possibility)",
    explain=explain,
)
def stuck(s: BrokerState, k: Constants) -> tuple[int, int] | None:
    """Return the acting leader and a live replica that does not follow it with its LEO.

    NONE stands for the leader where nobody acts as one although a candidate can be elected, and
    for the replica where only the response to the leader's last proposed ISR change is missing.

    Without a leader the cluster has recovered if none can be elected, because no candidate is alive
    or because the bounds allow no election; the latter says nothing about the protocol.
    """
    leader = acting_leader(s)
    if leader == NONE:
        if can_be_led(s, k):
            return NONE, NONE
        return None
    for broker in range(k.replicas):
        replica = s.replica[broker]
        if not knows_metadata(s, k, broker):
            continue
        if replica.alive and (
            replica.leader != leader
            or replica.epoch != s.partition.epoch
            or replica.truncating
            or replica.leo != s.replica[leader].leo
        ):
            return leader, broker
    if s.replica[leader].proposed != 0 and may_end(s, k):
        return leader, NONE
    return None
