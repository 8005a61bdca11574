"""A rule that compares Kafka's optional with None through a helper and in."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


def unset(value):
    return value in (None, "")


def may_join(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    if unset(s.replica[leader].leader):
        return False
    return offset >= s.replica[leader].leo


V = replace(KIP_320, name="none2", summary="h", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: refused 10
