"""Eligibility for the ISR, which the controller of a KRaft cluster checks."""

from __future__ import annotations

from ..core.layout import members
from ..core.spec import Property
from ..model.broker.bounds import Constants
from ..model.broker.state import BrokerState


def _ineligible(s: BrokerState) -> int:
    """Return the fenced members of the ISR, as a set; empty if the ISR has one member."""
    isr = s.partition.isr
    return isr & s.partition.fenced if isr & isr - 1 else 0


def eligible_isr(s: BrokerState, k: Constants) -> bool:
    """Whether no fenced broker is in the ISR."""
    return _ineligible(s) == 0


def explain_eligible_isr(s: BrokerState, k: Constants) -> str:
    """Explain which fenced broker is in the ISR."""
    [broker, *_] = members(_ineligible(s))
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
        predicate=eligible_isr,
        explain=explain_eligible_isr,
    ),
)
