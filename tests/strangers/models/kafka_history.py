"""What the variants with a rule that reads history share: a state of their own, and helpers."""
from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer
from tidegate.model import KIP_320, BrokerState, Constants, acting_leader, brokers, nobody
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


def count(*args):
    return len(args)
