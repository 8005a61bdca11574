"""Group fairness over actions of which some exist only at some bounds; a premise that holds only with the switch."""
from dataclasses import dataclass

from tidegate import Fairness, Kind, Model, Record, boolean, integer, number, switch


@dataclass(frozen=True)
class Bounds:
    most: int = number(2, 1, 4, "modulus")
    brake: bool = switch("whether there is a brake")


class State(Record):
    at: int = integer(0, 5, "position")
    braked: bool = boolean("brake is on")


model = Model(Bounds, State, deadlock=False)


@model.action("car")
def drive(s: State, k: Bounds) -> bool:
    if s.braked or s.at >= k.most:
        return False
    s.at += 1
    return True


@model.action("car", when=lambda k: k.brake)
def brake(s: State, k: Bounds) -> bool:
    s.braked = not s.braked
    return True


@model.action("car", fairness=Fairness.STRONG)
def home(s: State, k: Bounds) -> bool:
    if s.at != k.most:
        return False
    s.at = 0
    return True


model.fairness(Fairness.WEAK, drive, brake)


@model.liveness(Kind.ALWAYS_EVENTUALLY, "It is home again and again.")
def at_home(s: State, k: Bounds) -> bool:
    return s.at == 0 and s.braked is False


def is_braked(s: State, k: Bounds) -> bool:
    return s.braked


@model.liveness(Kind.LEADS_TO, "A brake is released.", premise=is_braked)
def released(s: State, k: Bounds) -> bool:
    return not s.braked


@model.liveness(Kind.LEADS_TO, "A braked car gets home.", premise=is_braked)
def braked_home(s: State, k: Bounds) -> bool:
    return s.at == 0
# without brake: 3 states, drive drive home: all hold, premise never held
# with: 6 states; the group is met by braking for ever: released holds (brake is the only step when braked and at<most; at=most
# braked: Home is strongly fair, goes to 0, then brake); AtHome fails: in 1 brake/unbrake for ever; BrakedHome fails there.
# expect: holds 3
