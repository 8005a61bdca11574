"""An own action that history decides: exc"""
from dataclasses import replace

from tidegate import NONE, Action, Fairness, Property, array, boolean, integer
from tidegate.model import KIP_320, BrokerState, Constants, acting_leader, brokers, nobody
from tidegate.model.broker.actions import leader as original


class State(BrokerState):
    mine: int = integer(0, 3, "an own variable")
    flags: list[bool] = array(4, boolean("own flags"))

    def hw(self) -> int:
        return self.aux_hw


def act(s: State, k: Constants) -> bool:
    """It acts."""
    if s.mine:
        return False
    s.mine = 1
    try:
        1 // s.aux_hw
        s.mine = 2
    except ZeroDivisionError:
        pass
    return True


V = replace(KIP_320, name="r", summary="h", parent=KIP_320, story=__doc__, expected=(), state=State,
            actions=(*KIP_320.actions, Action("Act", act, "x", nobody, "mine", Fairness.NONE)))
# bounds: records=1 crashes=1 elections=1
# expect: refused 22
