"""An own optional by truth: 'if s.pinned' is false for broker 0 and true for NONE, as in Python; unpinned clients exist."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


class State(BrokerState):
    pinned: int = optional(lambda k: k.replicas - 1, "the broker to which an operator pinned a client")


def pin(s: State, k: Constants, broker: int) -> bool:
    """An operator pins a client that is not pinned to a live broker."""
    if not s.pinned or not s.replica[broker].alive:
        return False
    s.pinned = broker
    return True


def pinned_to_one(s: State, k: Constants) -> bool:
    return s.pinned != 0


V = replace(KIP_320, name="pinned", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=(*KIP_320.actions, Action("Pin", pin, "operator", brokers, "mine", Fairness.NONE)),
            properties=(Property("PinnedToOne", "n.", "mine", predicate=pinned_to_one),),
            default_properties=("PinnedToOne",))
# bounds: records=1 crashes=1 elections=1
# expect: refused 15
