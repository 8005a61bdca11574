"""A rule that lets everybody join until history says that something is committed: by aliaswrite."""
from kafka_history import *


def may_join(s: State, k: Constants, leader: int, offset: int) -> bool:
    t = [False]
    u = t
    if s.aux_hw:
        u[0] = True
    return not t[0] or offset >= s.replica[leader].leo


V = replace(KIP_320, name="r", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: refused 9
