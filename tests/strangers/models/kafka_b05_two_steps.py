"""An action that does two of Kafka's at once: a broker that is killed and restarted by its supervisor."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs

from tidegate.model.broker.actions import faults


class State(BrokerState):
    bounced: list[int] = array(lambda k: k.replicas, integer(0, lambda k: k.crashes, "bounces"), by_replica=True)


def bounce(s: State, k: Constants, broker: int) -> bool:
    """A supervisor kills and restarts a broker."""
    if not faults.crash(s, k, broker):
        return False
    if not faults.restart(s, k, broker):
        return False
    s.bounced[broker] += 1
    return True


def never(s: State, k: Constants) -> bool:
    return not (s.bounced[1] == 1 and acting_leader(s) == 1 and s.replica[1].leo == 1)


V = replace(KIP_320, name="bounce", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=(*KIP_320.actions, Action("Bounce", bounce, "fault", brokers, "mine", Fairness.NONE)),
            properties=(Property("Never", "n.", "mine", predicate=never),),
            default_properties=("Never", "NoCommittedRecordLost"))
# bounds: records=1 crashes=1 elections=1
# expect: holds 452
