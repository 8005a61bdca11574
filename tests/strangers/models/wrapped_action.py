"""An action wraps one of KIP-595, and notes something in a variable of its own."""
from dataclasses import replace

from tidegate import array, boolean
from tidegate.kafka import KIP_595, BrokerState, Constants
from tidegate.model.broker.actions import follower as original


class State(BrokerState):
    heard: list[bool] = array(lambda k: k.replicas, boolean("has received a response"), by_replica=True)


def handle_fetch_response(s: State, k: Constants, leader: int, follower: int) -> bool:
    if not original.handle_fetch_response(s, k, leader, follower):
        return False
    s.heard[follower] = True
    return True


WRAPPED = replace(
    KIP_595,
    name="wrapped",
    summary="an action wraps another",
    parent=KIP_595,
    story=__doc__,
    expected=(),
    state=State,
    actions=tuple(
        replace(a, apply=handle_fetch_response) if a.name == "HandleFetchResponse" else a for a in KIP_595.actions
    ),
)

# bounds: records=1
# expect: holds 912
