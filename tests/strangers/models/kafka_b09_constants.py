"""An own action with choices of offset and a nested helper with default argument, set and sorted, a dict by broker."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs

from collections.abc import Iterator

RACK = {0: "a", 1: "b", 2: "a"}


class State(BrokerState):
    preferred: int = integer(NONE, lambda k: k.replicas - 1, "the replica that the client reads from")


def same_rack(broker: int, rack: str = "a") -> bool:
    return RACK[broker] == rack


def choose(s: State, k: Constants, broker: int) -> bool:
    """A client chooses the live replica in its rack."""
    candidates = sorted(b for b in range(k.replicas) if s.replica[b].alive and same_rack(b))
    if broker not in candidates or s.preferred == broker:
        return False
    s.preferred = broker
    return True


def in_rack(s: State, k: Constants) -> bool:
    return s.preferred == NONE or RACK[s.preferred] == "a"


V = replace(KIP_320, name="rack", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=(*KIP_320.actions, Action("Choose", choose, "client", brokers, "KIP-392", Fairness.NONE)),
            properties=(Property("InRack", "n.", "mine", predicate=in_rack),
                        Property("SomebodyChosen", "s.", "mine", predicate=lambda s, k: s.preferred == 0, kind=Kind.SOMETIMES)),
            default_properties=("InRack", "SomebodyChosen"))
# bounds: records=1 crashes=1 elections=1
# expect: holds 656
