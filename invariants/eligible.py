"""Eligibility for the ISR, which the controller of a KRaft cluster checks."""

from __future__ import annotations

from ..core.fields import members
from ..model.broker.bounds import Constants
from ..model.broker.family import BROKER
from ..model.broker.state import BrokerState


def explain(s: BrokerState, k: Constants, broker: int) -> str:
    """Explain which fenced broker is in the ISR."""
    why = "it cannot be elected, it is not fenced again, and the high watermark waits for it"
    if s.partition.leader == broker:
        why = "it leads, but brokers name no fenced leader to clients"
    isr = ",".join(map(str, members(s.partition.isr)))
    return f"The controller has fenced broker {broker}, and yet it is in the ISR {{{isr}}}: {why}."


@BROKER.invariant(
    "No member of the ISR is fenced, unless it is the only one and does not lead "
    "(relevant with isr_propagation=kraft; otherwise no member is fenced).",
    source="KIP-841 (KAFKA-13916, KAFKA-14140), KAFKA-19522",
    explain=explain,
)
def eligible_isr(s: BrokerState, k: Constants) -> tuple[int] | None:
    """Return a fenced member of the ISR that leads, or is not the only one."""
    isr = s.partition.isr
    for broker in members(isr & s.partition.fenced):
        if isr & isr - 1 or s.partition.leader == broker:
            return (broker,)
    return None
