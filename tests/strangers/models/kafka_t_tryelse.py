"""A rule that lets everybody join until history says that something is committed: by tryelse."""
from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer
from tidegate.kafka import KIP_320, BrokerState, Constants, acting_leader, brokers, nobody
from tidegate.model.broker.actions import leader as original


class State(BrokerState):
    mine: int = integer(0, 3, "an own variable")
    flags: list[bool] = array(4, boolean("own flags"))

    def hw(self) -> int:
        return self.aux_hw



from contextlib import suppress
from functools import cache, reduce
from itertools import accumulate, takewhile


class Committed(Exception):
    """Something is committed."""


class Box:
    def __init__(self):
        self.full = False


def refuse(s):
    if s.aux_hw:
        raise Committed
    return 0


def early(s):
    if s.aux_hw:
        return 1
    return 0


def gen(s):
    yield 1
    if s.aux_hw:
        return
    yield 2


def count(*args):
    return len(args)


def may_join(s: State, k: Constants, leader: int, offset: int) -> bool:
    try:
        1 // s.aux_hw
    except ZeroDivisionError:
        free = True
    else:
        free = False
    return free or offset >= s.replica[leader].leo


V = replace(KIP_320, name="r", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            rules=replace(KIP_320.rules, has_committed=may_join))
# bounds: records=1 crashes=1 elections=1
# expect: refused 62
