"""A rule without annotations that returns None for no, as Python allows."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


def may_join(s, k, leader, offset):
    """Join at the log end."""
    if offset >= s.replica[leader].leo:
        return True


V = replace(KIP_320, name="none-is-no", summary="None is no", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: refused 11
