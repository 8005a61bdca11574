"""An own fair action that re-elects nobody: an operator wipes a dead replica's disk once; KIP-320 with data loss of one copy, then Converges."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs

from tidegate.model.broker.log import truncate_to


class State(BrokerState):
    wiped: int = integer(0, 1, "disks wiped so far")


def wipe(s: State, k: Constants, broker: int) -> bool:
    """An operator replaces the disk of a dead broker outside the ISR."""
    if s.wiped or s.replica[broker].alive or s.partition.isr >> broker & 1:
        return False
    if s.replica[broker].leo == 0:
        return False
    truncate_to(s, k, broker, 0)
    s.replica[broker].hw = 0
    s.wiped = 1
    return True


V = replace(KIP_320, name="wipe", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=(*KIP_320.actions, Action("Wipe", wipe, "fault", brokers, "mine", Fairness.NONE)),
            default_properties=("NoCommittedRecordLost", "NoAckedRecordLost", "Converges"))
# bounds: records=1 crashes=1 elections=1
# expect: holds 448
