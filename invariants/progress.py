"""Progress: a cluster that is left alone recovers."""

from __future__ import annotations

from ..core.layout import NONE
from ..core.spec import Kind, Property
from ..model.broker.bounds import Constants
from ..model.broker.leadership import acting_leader
from ..model.broker.state import BrokerState


def _can_be_led(s: BrokerState, k: Constants) -> bool:
    """Whether somebody who may lead is alive and the bounds leave an election to make it lead.

    That is a member of the ISR or, with the option ``elr``, an eligible leader replica.
    """
    candidates = s.partition.isr | s.partition.elr
    alive = any(
        candidates >> broker & 1 and s.replica[broker].alive for broker in range(k.replicas)
    )
    return alive and s.partition.epoch < k.elections


def _behind(s: BrokerState, k: Constants) -> int:
    """Return a live replica that has not got where the acting leader is, or NONE."""
    leader = acting_leader(s)
    for broker in range(k.replicas):
        replica = s.replica[broker]
        if replica.alive and (
            replica.leader != leader
            or replica.epoch != s.partition.epoch
            or replica.truncating
            or replica.leo != s.replica[leader].leo
        ):
            return broker
    return NONE


def recovered(s: BrokerState, k: Constants) -> bool:
    """Whether there is an acting leader and every live replica has all it has.

    A change of the ISR that the leader has proposed must have been answered as well.

    Without a leader: whether there cannot be one, for want of somebody alive who may lead; or of an
    election within the bounds, and then this state says nothing about the protocol.
    """
    leader = acting_leader(s)
    if leader == NONE:
        return not _can_be_led(s, k)
    return _behind(s, k) == NONE and s.replica[leader].proposed == 0


def explain(s: BrokerState, k: Constants) -> str:
    """Say what is wrong and stays so."""
    leader = acting_leader(s)
    if leader == NONE:
        return (
            "No broker acts as leader although a member of the ISR is alive, and no step but a "
            "new fault leads to a state in which one does."
        )
    behind = _behind(s, k)
    if behind == NONE:
        return (
            f"Broker {leader} leads epoch {s.partition.epoch} and waits for the answer to a change "
            "of the ISR that it has proposed, which no step but a new fault or election brings: it "
            "cannot change the ISR any more."
        )
    replica = s.replica[behind]
    if replica.leader != leader or replica.epoch != s.partition.epoch:
        what = f"has not taken up epoch {s.partition.epoch}"
    elif replica.truncating:
        what = "has not finished truncation"
    else:
        what = f"has its log end at {replica.leo}, not at {s.replica[leader].leo}"
    return (
        f"Broker {leader} leads epoch {s.partition.epoch}, and replica {behind} is alive but "
        f"{what}: no steps but new faults or writes lead to a state in which every live replica "
        "follows with the leader's log end."
    )


STUCK = Property(
    name="Stuck",
    kind=Kind.STUCK,
    statement="From every state, steps that heal (all but faults and writes) can lead to one in "
    "which a leader acts, if a member of the ISR is alive and the bounds leave an election, every "
    "live replica follows it with the same log end, and no change of the ISR is pending.",
    source="KAFKA-10706; ReplicaEventuallyCatchesUp without fairness (TLA+: possibility)",
    predicate=recovered,
    explain=explain,
)
