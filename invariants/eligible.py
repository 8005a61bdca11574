"""Who may be in the ISR at all, as the controller of a KRaft cluster sees it."""

from __future__ import annotations

from ..core.layout import members
from ..core.spec import Property
from ..model.broker.bounds import Constants
from ..model.broker.state import BrokerState


def _ineligible(s: BrokerState) -> int:
    """Return the fenced members of the ISR, as a set; a lone one counts for none."""
    isr = s.partition.isr
    return isr & s.partition.fenced if isr & isr - 1 else 0


def eligible_isr(s: BrokerState, k: Constants) -> bool:
    """Whether no fenced broker is in the ISR."""
    return _ineligible(s) == 0


def explain_eligible_isr(s: BrokerState, k: Constants) -> str:
    """Say who is in the ISR and should not be."""
    [broker, *_] = members(_ineligible(s))
    whom = ",".join(map(str, members(s.partition.isr)))
    return (
        f"The controller has fenced broker {broker}, and yet it is in the ISR {{{whom}}}: it "
        "cannot be elected, nobody fences it a second time, and the high watermark waits for it."
    )


PROPERTIES = (
    Property(
        name="EligibleIsr",
        statement="No member of the ISR is fenced, unless it is the only one (told apart with "
        "isr_propagation=kraft; elsewhere nobody is fenced and a member).",
        source="KIP-841 (KAFKA-13916, KAFKA-14140)",
        predicate=eligible_isr,
        explain=explain_eligible_isr,
    ),
)
