"""An own aux_ variable, always in the state, that decides whether an own action is enabled."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


class State(BrokerState):
    aux_seen: int = integer(0, lambda k: k.log_size, "what an auditor saw")


def audit(s: State, k: Constants, broker: int) -> bool:
    """An auditor notes a longer log."""
    if s.replica[broker].leo <= s.aux_seen:
        return False
    s.aux_seen = s.replica[broker].leo
    return True


def never(s: State, k: Constants) -> bool:
    return s.aux_seen == 0


V = replace(KIP_320, name="own-aux-guard", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=(*KIP_320.actions, Action("Audit", audit, "auditor", brokers, "mine", Fairness.NONE)),
            properties=(Property("Never", "n.", "mine", predicate=never),), default_properties=("TypeOk",))
# bounds: records=1 crashes=1 elections=1
# expect: holds 617
