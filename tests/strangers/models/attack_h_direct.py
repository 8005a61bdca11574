"""A variant of KIP-320 whose consumer reads h_direct."""

from collections.abc import Iterator
from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, integer
from tidegate.model import KIP_320, BrokerState, Constants, acting_leader, nobody


class State(BrokerState):
    position: int = integer(0, 9, "offset of the consumer")


def may_read(s: State, k: Constants, leader: int) -> bool:
    return s.aux_committed[s.position].record == NONE  # HERE


def poll(s: State, k: Constants) -> bool:
    """The consumer polls the leader."""
    leader = acting_leader(s)
    if leader == NONE or s.position >= s.replica[leader].hw:
        return False
    if not may_read(s, k, leader):
        return False
    s.position += 1
    return True


def in_log(s: State, k: Constants) -> bool:
    return s.position <= k.log_size


VARIANT = replace(
    KIP_320,
    name="h_direct",
    parent=KIP_320,
    story=__doc__,
    expected=(),
    state=State,
    actions=(*KIP_320.actions, Action("Poll", poll, "client", nobody, "ours", Fairness.NONE)),
    properties=(*KIP_320.properties, Property("PositionInLog", "The position is in the log.", "ours", in_log)),
    default_properties=("NoCommittedRecordLost", "PositionInLog"),
)

# bounds: records=1 crashes=1
# expect: refused 24
