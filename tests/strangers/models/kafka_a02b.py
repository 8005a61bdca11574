"""A rule that forgets its return in the first of two branches; the other branch, further down, has one."""
from dataclasses import replace

from tidegate.model import KIP_320, BrokerState, Constants


def may_join(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    if offset >= s.replica[leader].hw:
        joined = offset >= s.replica[leader].epoch_start
    elif offset == 0:
        return False
    else:
        return s.replica[leader].leo == 0


V = replace(KIP_320, name="forgot", summary="forgot", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, has_committed=may_join))
# expect: refused 9
