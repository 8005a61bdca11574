"""A rule that returns a text that says why not: always true in Python."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


def may_join(s: BrokerState, k: Constants, leader: int, offset: int):
    """Join at the log end, or say why not."""
    if offset < s.replica[leader].hw:
        return "below the high watermark"
    return True


V = replace(KIP_320, name="text", summary="text", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: refused 12
