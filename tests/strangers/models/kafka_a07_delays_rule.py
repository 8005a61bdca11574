"""A rule that asks k.delays_produces, which says whether acked is tracked."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


def may_join(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    if k.delays_produces:
        return offset >= s.replica[leader].leo
    return True


V = replace(KIP_320, name="track", summary="h", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1 acks=all
# expect: refused 11
