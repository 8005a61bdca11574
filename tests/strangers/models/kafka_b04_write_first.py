"""Wraps HandleFetch and counts before it knows whether Kafka's action is enabled."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs

from tidegate.model.broker.actions import leader as original


class State(BrokerState):
    served: int = integer(0, 3, "fetches served, three at most")


def handle_fetch(s: State, k: Constants, leader: int, follower: int) -> bool:
    if s.served == 3:
        return False
    s.served += 1
    return original.handle_fetch(s, k, leader, follower)


V = replace(KIP_320, name="writes-first", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=tuple(replace(a, apply=handle_fetch) if a.name == "HandleFetch" else a for a in KIP_320.actions))
# bounds: records=1 crashes=1 elections=1
# expect: refused 18
