"""A rule whose result is of another kind: a difference, as a number."""
from dataclasses import replace

from tidegate import NONE
from tidegate.model import KIP_320, BrokerState, Constants, leads


def rule(s, k, leader, offset):
    return max(0, 1 + offset - s.replica[leader].leo)


V = replace(KIP_320, name="r", summary="h", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, has_committed=rule))
# bounds: records=1 crashes=1 elections=1
# expect: holds 343
