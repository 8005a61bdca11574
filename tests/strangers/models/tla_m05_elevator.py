"""An elevator that serves requests; every request is served eventually, since it sweeps.

With `greedy` it goes to the nearest request instead, and the top floor may starve.
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Fairness, Kind, Model, Record, Set, boolean, enumeration, integer, number, set_of, switch


@dataclass(frozen=True)
class Bounds:
    floors: int = number(4, 2, 6, "floors", main=True)
    greedy: bool = switch("go to the nearest request")


class Direction(IntEnum):
    UP = 0
    DOWN = 1

    def opposite(self) -> "Direction":
        return Direction.DOWN if self is Direction.UP else Direction.UP


class State(Record):
    floor: int = integer(0, lambda k: k.floors - 1, "where the car is")
    direction: Direction = enumeration(Direction, "where it goes")
    open: bool = boolean("whether the door is open")
    requests: Set = set_of(lambda k: k.floors, "floors that were asked for")


model = Model(Bounds, State, deadlock=False)


def nearest(s: State) -> int:
    return min(s.requests, key=lambda f: (abs(f - s.floor), f))


@model.action("person", fairness=Fairness.NONE, floor=lambda k: range(k.floors))
def press(s: State, k: Bounds, floor: int) -> bool:
    if floor in s.requests or floor == s.floor:
        return False
    s.requests.add(floor)
    return True


@model.action("car")
def serve(s: State, k: Bounds) -> bool:
    """Open the door on a requested floor."""
    if s.open or s.floor not in s.requests:
        return False
    s.open = True
    s.requests.discard(s.floor)
    return True


@model.action("car")
def close(s: State, k: Bounds) -> bool:
    if not s.open:
        return False
    s.open = False
    return True


@model.action("car")
def move(s: State, k: Bounds) -> bool:
    if s.open or not s.requests or s.floor in s.requests:
        return False
    if k.greedy:
        target = nearest(s)
        s.floor += 1 if target > s.floor else -1
        return True
    ahead = {f for f in s.requests if (f > s.floor if s.direction is Direction.UP else f < s.floor)}
    if ahead:
        s.floor += {Direction.UP: 1, Direction.DOWN: -1}[s.direction]
    else:
        s.direction = s.direction.opposite()
    return True


@model.invariant("The car is on a floor.")
def on_floor(s: State, k: Bounds) -> bool:
    return 0 <= s.floor < k.floors


@model.liveness(Kind.LEADS_TO, "Whoever waits on the top floor is served.", premise=lambda s, k: k.floors - 1 in s.requests)
def top_served(s: State, k: Bounds) -> bool:
    return s.open and s.floor == k.floors - 1
# expect: holds 159
