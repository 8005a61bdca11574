"""An action of my own, a consumer that stops, is guarded by Kafka's history of committed records."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


class State(BrokerState):
    stopped: bool = boolean("the consumer has stopped")


def stop_consumer(s: State, k: Constants) -> bool:
    """The consumer stops once a record is committed."""
    if s.stopped:
        return False
    if s.aux_committed[0].record == NONE:
        return False
    s.stopped = True
    return True


V = replace(KIP_320, name="guard-history", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=(*KIP_320.actions, Action("StopConsumer", stop_consumer, "client", nobody, "mine", Fairness.NONE)))
# bounds: records=1 crashes=1 elections=1
# expect: refused 18
