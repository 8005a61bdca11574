"""A rule, which decides only, writes the state: it counts how often followers joined."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


class State(BrokerState):
    joined: int = integer(0, 20, "joins so far")


def may_join(s: State, k: Constants, leader: int, offset: int) -> bool:
    if offset < s.replica[leader].leo:
        return False
    if s.joined < 3:
        s.joined += 1
    return True


V = replace(KIP_320, name="counting-rule", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: holds 463
