"""A rule that lets everybody join until history says that something is committed: by natural_set."""
from kafka_history import *


def may_join(s: State, k: Constants, leader: int, offset: int) -> bool:
    committed = set()
    for at in range(k.log_size):
        if s.aux_committed[at].record != NONE:
            committed.add(at)
    return all(at < offset for at in committed)


V = replace(KIP_320, name="r", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: refused 10
