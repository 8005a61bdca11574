"""A family extension: a rule that answers None on a path."""
from dataclasses import replace
from tidegate.model import KIP_320, Constants, BrokerState


def may_join(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    replica = s.replica[leader]
    if offset < replica.hw:
        return False
    if offset >= replica.epoch_start:
        return True


V1 = replace(KIP_320, name="v1", parent=KIP_320, story=__doc__, expected=(), rules=replace(KIP_320.rules, has_committed=may_join))
# expect: refused 10
