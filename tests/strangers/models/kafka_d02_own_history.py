"""An own history, kept only if committed records are: the highest committed epoch, by a wrapped HandleFetch."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs

from tidegate.model.broker.actions import leader as original


class State(BrokerState):
    aux_newest: int = integer(NONE, lambda k: k.elections if k.track_committed else NONE, "newest epoch that committed")


def handle_fetch(s: State, k: Constants, leader: int, follower: int) -> bool:
    before = s.replica[leader].hw
    if not original.handle_fetch(s, k, leader, follower):
        return False
    if k.track_committed and s.replica[leader].hw > before:
        s.aux_newest = max(s.aux_newest, s.replica[leader].epoch)
    return True


def never_by_fetch(s: State, k: Constants) -> bool:
    return s.aux_newest == NONE


V = replace(KIP_320, name="own-history", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=tuple(replace(a, apply=handle_fetch) if a.name == "HandleFetch" else a for a in KIP_320.actions),
            properties=(Property("NeverByFetch", "n.", "mine", predicate=never_by_fetch),), default_properties=("NeverByFetch",))
# bounds: records=1 crashes=1 elections=1
# expect: violated NeverByFetch 6
