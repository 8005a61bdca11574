"""Declared and made as Point, a record is an instance of Point: isinstance in an invariant and in a guard.

The right count: x 0..2, once with the copy and once without, until Copy: (x, copied or not, copy's x) ...
"""
from dataclasses import dataclass

from tidegate import Model, Record, Seq, Set, integer, nested, number, sequence_of, set_of


@dataclass(frozen=True)
class Bounds:
    most: int = number(2, 1, 3, "largest x")


class Point(Record):
    x: int = integer(0, 3, "x")

    def far(self) -> bool:
        return self.x > 1


class State(Record):
    point: Point = nested(Point)
    trail: Seq[Point] = sequence_of(Point, 3, "former points")
    seen: Set = set_of(4, "former x")


model = Model(Bounds, State, deadlock=False)


def weight(thing: Point | int) -> int:
    if isinstance(thing, Point):
        return thing.x
    return 0


@model.action("point")
def move(s: State, k: Bounds) -> bool:
    if s.point.x == k.most:
        return False
    s.trail.append(s.point)
    s.seen.add(s.point.x)
    s.point.x += 1
    return True


@model.invariant("The weight of the point is below 2.")
def light(s: State, k: Bounds) -> bool:
    return weight(s.point) < 2


@model.invariant("All is of its type.")
def typed(s: State, k: Bounds) -> bool:
    return isinstance(s.point, Point) and all(isinstance(p, Record) for p in s.trail) and isinstance(s.seen, Set)
# x reaches 2 after 2 steps; typed holds always
# properties: Light
# expect: violated Light 2
