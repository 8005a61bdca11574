"""The own State overrides a variable of Kafka's: at most one record in all, whatever the bound."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


class State(BrokerState):
    written: int = integer(0, lambda k: min(1, k.records), "records written so far, one at most")


V = replace(KIP_320, name="override", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State)
# bounds: records=1 crashes=1 elections=1
# expect: refused 10
