"""A rule that forgets to return on one path; it says bool."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


def may_join(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    replica = s.replica[leader]
    if offset >= replica.hw:
        offset >= replica.epoch_start
    else:
        return False


V = replace(KIP_320, name="forgot", summary="forgot a return", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: refused 12
