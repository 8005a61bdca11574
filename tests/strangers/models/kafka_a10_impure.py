"""A rule that remembers in a module list what it was asked."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


ASKED = []


def may_join(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    ASKED.append(offset)
    return len(ASKED) % 2 == 0 or offset >= s.replica[leader].leo


V = replace(KIP_320, name="impure", summary="h", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: refused 13
