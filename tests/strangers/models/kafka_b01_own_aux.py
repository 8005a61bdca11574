"""An own variable named aux_..., as CONTRIBUTING says history is named: the highest log end that any leader had."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Kind, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs

from tidegate.model.broker.actions import leader as original


class State(BrokerState):
    aux_longest: int = integer(0, lambda k: k.log_size, "longest log of any leader so far")


def produce(s: State, k: Constants, broker: int) -> bool:
    if not original.produce(s, k, broker):
        return False
    s.aux_longest = max(s.aux_longest, s.replica[broker].leo)
    return True


def never_longer(s: State, k: Constants) -> bool:
    """A replica that is not the leader is never longer than the longest leader was."""
    return all(replica.leo <= s.aux_longest for replica in s.replica)


V = replace(KIP_320, name="own-aux", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=tuple(replace(a, apply=produce) if a.name == "Produce" else a for a in KIP_320.actions),
            properties=(Property("NeverLonger", "n.", "mine", predicate=never_longer),),
            default_properties=("NeverLonger",))
# bounds: records=1 crashes=1 elections=1
# expect: holds 328
