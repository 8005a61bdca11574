"""A rule that reads history through a helper and an alias."""

from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer, optional
from tidegate.model import KIP_320, KIP_595, HW, BrokerState, Constants, acting_leader, leads, brokers, nobody, pairs


def first_committed(s: BrokerState):
    return s.aux_committed


def may_join(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    committed = first_committed(s)
    return all(offset > at for at in range(k.log_size) if committed[at].record != NONE)


V = replace(KIP_320, name="history", summary="h", parent=KIP_320, story=__doc__, expected=(),
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: refused 15
