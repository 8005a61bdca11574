"""A rule as functools.partial of a general function, and one that is a callable object."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs

from functools import partial


def joins(s: BrokerState, k: Constants, leader: int, offset: int, slack: int) -> bool:
    return offset + slack >= s.replica[leader].leo


V = replace(KIP_320, name="partial", summary="h", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, has_committed=partial(joins, slack=0)))
# bounds: records=1 crashes=1 elections=1
# expect: holds 343
