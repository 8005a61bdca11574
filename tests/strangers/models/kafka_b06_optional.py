"""An own optional, compared with None, with NONE and by truth."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


class State(BrokerState):
    pinned: int = optional(lambda k: k.replicas - 1, "the broker to which an operator pinned a client")


def pin(s: State, k: Constants, broker: int) -> bool:
    """An operator pins a client to a live broker."""
    if s.pinned is not None and s.pinned == broker:
        return False
    if not s.replica[broker].alive:
        return False
    s.pinned = broker
    return True


V = replace(KIP_320, name="pinned", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=(*KIP_320.actions, Action("Pin", pin, "operator", brokers, "mine", Fairness.NONE)))
# bounds: records=1 crashes=1 elections=1
# expect: refused 15
