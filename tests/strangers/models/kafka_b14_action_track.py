"""An own action that notes history in a variable of its own, if it is tracked, as Kafka's note_committed does."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


class State(BrokerState):
    noted: int = integer(0, 1, "noted")


def note(s: State, k: Constants) -> bool:
    """An operator notes it."""
    if not k.track_committed or s.noted:
        return False
    s.noted = 1
    return True


def unnoted(s: State, k: Constants) -> bool:
    return s.noted == 0


V = replace(KIP_320, name="action-track", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=(*KIP_320.actions, Action("Note", note, "operator", nobody, "mine", Fairness.NONE)),
            properties=(Property("Unnoted", "n.", "mine", predicate=unnoted),), default_properties=("Unnoted",))
# bounds: records=1 crashes=1 elections=1
# expect: refused 16
