"""A rule that lets everybody join until history says that something is committed: by tryelse."""
from kafka_history import *


def may_join(s: State, k: Constants, leader: int, offset: int) -> bool:
    try:
        1 // s.aux_hw
    except ZeroDivisionError:
        free = True
    else:
        free = False
    return free or offset >= s.replica[leader].leo


V = replace(KIP_320, name="r", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: refused 6
