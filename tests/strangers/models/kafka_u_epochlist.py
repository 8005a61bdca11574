"""A rule whose result is of another kind: a list for a tuple."""
from dataclasses import replace

from tidegate import NONE
from tidegate.model import KIP_320, BrokerState, Constants, leads


def rule(s, k, leader, requested):
    return [requested, s.replica[leader].leo]


V = replace(KIP_320, name="r", summary="h", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, end_offset_for_epoch=rule))
# bounds: records=1 crashes=1 elections=1
# expect: holds 343
