"""A step wraps one of Kafka's, and its answer is that of an expression."""
from dataclasses import replace

from tidegate.model import KIP_595
from tidegate.model.broker.actions.controller import elect


def elect_one(s, k, broker):
    """Only broker 0 may be elected."""
    return broker == 0 and elect(s, k, broker)


ELECT_ONE = replace(
    KIP_595, name="elect-one", parent=KIP_595, summary="Only broker 0 is elected.", story="", expected=(),
    actions=tuple(replace(a, apply=elect_one) if a.name == "Elect" else a for a in KIP_595.actions),
)

# bounds: records=1 power_losses=1 crashes=0 elections=2 isr_propagation=records moves
# properties: NoAckedRecordLost
# expect: violated NoAckedRecordLost 9
