"""A rule whose result is of another kind: None for unknown instead of (NONE, NONE)."""
from dataclasses import replace

from tidegate import NONE
from tidegate.model import KIP_320, BrokerState, Constants, leads


def rule(s, k, leader, requested):
    for epoch in range(requested, -1, -1):
        if s.replica[leader].epoch_cache[epoch] != NONE:
            return epoch, s.replica[leader].leo
    return None


V = replace(KIP_320, name="r", summary="h", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, end_offset_for_epoch=rule))
# bounds: records=1 crashes=1 elections=1
# expect: refused 12
