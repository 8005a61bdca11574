"""Names that collide: an own action called like Kafka's, an own property called like an action, an own variable like a method."""
from dataclasses import replace

from tidegate import Action, Fairness, Property, integer
from tidegate.model import KIP_320, BrokerState, nobody


class State(BrokerState):
    shown: int = integer(0, 1, "whether somebody assigned")
    taken_Elect: int = integer(0, 1, "looks like a counter of steps")


def crash(s, k) -> bool:
    """Somebody assigns."""
    if s.shown:
        return False
    s.shown = 1
    return True


V = replace(KIP_320, name="names", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=(*KIP_320.actions, Action("assign", crash, "x", nobody, "mine", Fairness.NONE)),
            properties=(Property("Crash", "n.", "mine", predicate=lambda s, k: s.shown == 0),), default_properties=("Crash",))
# bounds: records=1 crashes=1 elections=1
# expect: violated Crash 1
