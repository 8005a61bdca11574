"""Eligibility for the ISR, which the controller of a KRaft cluster checks."""

from __future__ import annotations

from ..core.layout import members
from ..core.spec import Property
from ..model.broker.bounds import Constants
from ..model.broker.state import BrokerState


def ineligible(s: BrokerState, k: Constants) -> tuple[int] | None:
    """Return a fenced member of an ISR that has another one, too."""
    isr = s.partition.isr
    if isr & isr - 1:
        for broker in members(isr & s.partition.fenced):
            return (broker,)
    return None


def explain(s: BrokerState, k: Constants, broker: int) -> str:
    """Explain which fenced broker is in the ISR."""
    isr = ",".join(map(str, members(s.partition.isr)))
    return (
        f"The controller has fenced broker {broker}, and yet it is in the ISR {{{isr}}}: it "
        "cannot be elected, it is not fenced again, and the high watermark waits for it."
    )


PROPERTIES = (
    Property(
        name="EligibleIsr",
        statement="No member of the ISR is fenced, unless it is the only one (relevant with "
        "isr_propagation=kraft; otherwise no member is fenced).",
        source="KIP-841 (KAFKA-13916, KAFKA-14140)",
        witness=ineligible,
        explain=explain,
    ),
)
