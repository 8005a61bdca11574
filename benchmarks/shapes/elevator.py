"""An elevator system: people call, elevators move, stop and open.

Source: MultiCarElevator.tla in tlaplus/Examples.
"""

from dataclasses import dataclass
from enum import IntEnum

from tidegate import (
    NONE,
    Fairness,
    Kind,
    Model,
    Record,
    Set,
    array,
    boolean,
    enumeration,
    integer,
    number,
    optional,
    set_of,
)


class Direction(IntEnum):
    STATIONARY = 0
    UP = 1
    DOWN = 2


@dataclass(frozen=True)
class Bounds:
    people: int = number(1, 1, 4, "people", main=True)
    elevators: int = number(1, 1, 3, "elevators", main=True)
    floors: int = number(3, 2, 6, "floors", main=True)


class Person(Record):
    floor: int = optional(lambda k: k.floors - 1, "floor, or NONE in an elevator", initial=0)
    elevator: int = optional(lambda k: k.elevators - 1, "elevator that it is in")
    destination: int = integer(0, lambda k: k.floors - 1, "where it goes")
    waiting: bool = boolean("whether it waits")


class Elevator(Record):
    floor: int = integer(0, lambda k: k.floors - 1, "floor")
    direction: Direction = enumeration(Direction, "direction")
    doors_open: bool = boolean("whether its doors are open")
    buttons: Set = set_of(lambda k: k.floors, "buttons pressed")


class State(Record):
    person: list[Person] = array(lambda k: k.people, Person, by="person")
    elevator: list[Elevator] = array(lambda k: k.elevators, Elevator, by="elevator")
    up_calls: Set = set_of(lambda k: k.floors, "floors with a call up")
    down_calls: Set = set_of(lambda k: k.floors, "floors with a call down")


model = Model(
    Bounds,
    State,
    participants={"person": lambda k: k.people, "elevator": lambda k: k.elevators},
    deadlock=False,
)


@model.initial
def init(s: State, k: Bounds):
    for floor in range(k.floors):
        for p in s.person:
            p.floor = floor
            p.destination = floor
        yield


def way(origin: int, destination: int) -> Direction:
    return Direction.UP if destination > origin else Direction.DOWN


def calls(s: State, direction: Direction) -> Set:
    return s.up_calls if direction == Direction.UP else s.down_calls


def step_of(direction: Direction) -> int:
    match direction:
        case Direction.UP:
            return 1
        case Direction.DOWN:
            return -1
        case _:
            return 0


@model.action("person", floor=lambda k: range(k.floors), fairness=Fairness.NONE)
def pick_destination(s: State, k: Bounds, person: int, floor: int) -> bool:
    """A person picks a new destination."""
    p = s.person[person]
    if p.waiting or p.floor == NONE or floor == p.floor:
        return False
    p.waiting = True
    p.destination = floor
    return True


@model.action("person")
def call_elevator(s: State, k: Bounds, person: int) -> bool:
    """A waiting person presses the button."""
    p = s.person[person]
    if not p.waiting or p.floor == NONE:
        return False
    direction = way(p.floor, p.destination)
    if p.floor in calls(s, direction):
        return False
    if any(e.doors_open and e.floor == p.floor and e.direction == direction for e in s.elevator):
        return False
    calls(s, direction).add(p.floor)
    return True


@model.action("elevator")
def open_doors(s: State, k: Bounds, elevator: int) -> bool:
    """An elevator opens its doors where it is called or wanted."""
    e = s.elevator[elevator]
    if e.doors_open or e.direction == Direction.STATIONARY:
        return False
    if e.floor not in calls(s, e.direction) and e.floor not in e.buttons:
        return False
    e.doors_open = True
    e.buttons.discard(e.floor)
    calls(s, e.direction).discard(e.floor)
    return True


@model.action("person", elevator="elevator")
def enter(s: State, k: Bounds, person: int, elevator: int) -> bool:
    """A person enters an open elevator that goes its way."""
    p, e = s.person[person], s.elevator[elevator]
    if not e.doors_open or not p.waiting or p.floor != e.floor:
        return False
    if way(p.floor, p.destination) != e.direction:
        return False
    p.floor, p.elevator = NONE, elevator
    e.buttons.add(p.destination)
    return True


@model.action("person")
def leave(s: State, k: Bounds, person: int) -> bool:
    """A person leaves at its destination."""
    p = s.person[person]
    if p.elevator == NONE:
        return False
    e = s.elevator[p.elevator]
    if not e.doors_open or e.floor != p.destination:
        return False
    p.floor = e.floor
    p.elevator = NONE
    p.waiting = False
    return True


def somebody_moves(s: State, e: Elevator, number: int) -> bool:
    leaving = any(p.elevator == number and p.destination == e.floor for p in s.person)
    entering = any(
        p.waiting and p.floor == e.floor and way(p.floor, p.destination) == e.direction
        for p in s.person
    )
    return leaving or entering


@model.action("elevator")
def close_doors(s: State, k: Bounds, elevator: int) -> bool:
    """An elevator closes its doors when nobody moves any more."""
    e = s.elevator[elevator]
    if not e.doors_open or somebody_moves(s, e, elevator):
        return False
    e.doors_open = False
    return True


def ahead(s: State, k: Bounds, e: Elevator) -> list[int]:
    """Floors in front of an elevator."""
    if e.direction == Direction.UP:
        return [f for f in range(k.floors) if f > e.floor]
    return [f for f in range(k.floors) if f < e.floor]


def work_at(s: State, e: Elevator, floor: int) -> bool:
    return floor in e.buttons or floor in s.up_calls or floor in s.down_calls


@model.action("elevator")
def move(s: State, k: Bounds, elevator: int) -> bool:
    """An elevator moves by a floor."""
    e = s.elevator[elevator]
    if e.doors_open or e.direction == Direction.STATIONARY:
        return False
    if e.floor in e.buttons or e.floor in calls(s, e.direction):
        return False
    if not any(work_at(s, e, f) for f in ahead(s, k, e)):
        return False
    e.floor += step_of(e.direction)
    return True


@model.action("elevator")
def turn(s: State, k: Bounds, elevator: int) -> bool:
    """An elevator stops, or turns."""
    e = s.elevator[elevator]
    if e.doors_open or e.direction == Direction.STATIONARY:
        return False
    if e.floor in e.buttons or e.floor in calls(s, e.direction):
        return False
    if any(work_at(s, e, f) for f in ahead(s, k, e)):
        return False
    others = [f for f in range(k.floors) if work_at(s, e, f)]
    if others:
        e.direction = Direction.DOWN if e.direction == Direction.UP else Direction.UP
    else:
        e.direction = Direction.STATIONARY
    return True


@model.action("elevator")
def dispatch(s: State, k: Bounds, elevator: int) -> bool:
    """The nearest idle elevator goes where it is called."""
    e = s.elevator[elevator]
    if e.direction != Direction.STATIONARY or not (s.up_calls or s.down_calls):
        return False
    wanted = min(s.up_calls | s.down_calls, key=lambda f: (abs(f - e.floor), f))
    nearest = min(
        (i for i, x in enumerate(s.elevator) if x.direction == Direction.STATIONARY),
        key=lambda i: abs(s.elevator[i].floor - wanted),
    )
    if nearest != elevator:
        return False
    if wanted == e.floor:
        e.direction = Direction.UP if wanted in s.up_calls else Direction.DOWN
    else:
        e.direction = way(e.floor, wanted)
    return True


@model.invariant("Who is in an elevator is on no floor.")
def somewhere(s: State, k: Bounds) -> bool:
    return all((p.floor == NONE) != (p.elevator == NONE) for p in s.person)


@model.invariant("A stationary elevator is empty.")
def no_prisoner(s: State, k: Bounds) -> bool:
    return not any(
        e.direction == Direction.STATIONARY and any(p.elevator == i for p in s.person)
        for i, e in enumerate(s.elevator)
    )


@model.liveness(
    Kind.LEADS_TO,
    "Who waits arrives.",
    premise=lambda s, k, p: s.person[p].waiting,
    p="person",
)
def arrives(s: State, k: Bounds, p: int) -> bool:
    return not s.person[p].waiting and s.person[p].floor == s.person[p].destination


@model.liveness(
    Kind.LEADS_TO,
    "Every call up is answered.",
    premise=lambda s, k: bool(s.up_calls),
)
def up_answered(s: State, k: Bounds) -> bool:
    return any(e.doors_open and e.direction == Direction.UP for e in s.elevator)


@model.liveness(Kind.INFINITELY_OFTEN, "Doors close again and again.", e="elevator")
def doors_close(s: State, k: Bounds, e: int) -> bool:
    return not s.elevator[e].doors_open


@model.liveness(
    Kind.LEADS_TO, "Every call down is answered.", premise=lambda s, k: bool(s.down_calls)
)
def down_answered(s: State, k: Bounds) -> bool:
    return any(e.doors_open and e.direction == Direction.DOWN for e in s.elevator)


@model.liveness(
    Kind.LEADS_TO,
    "Pressed buttons go out.",
    premise=lambda s, k, e: bool(s.elevator[e].buttons),
    e="elevator",
)
def buttons_go_out(s: State, k: Bounds, e: int) -> bool:
    return not s.elevator[e].buttons


@model.liveness(
    Kind.LEADS_TO,
    "Who is in an elevator gets out.",
    premise=lambda s, k, p: s.person[p].elevator != NONE,
    p="person",
)
def gets_out(s: State, k: Bounds, p: int) -> bool:
    return s.person[p].elevator == NONE


@model.liveness(
    Kind.LEADS_TO,
    "Who waits on a floor gets in.",
    premise=lambda s, k, p: s.person[p].waiting and s.person[p].floor != NONE,
    p="person",
)
def gets_in(s: State, k: Bounds, p: int) -> bool:
    return s.person[p].elevator != NONE


@model.liveness(
    Kind.LEADS_TO,
    "Who moves stops.",
    premise=lambda s, k, e: s.elevator[e].direction != Direction.STATIONARY,
    e="elevator",
)
def stops(s: State, k: Bounds, e: int) -> bool:
    return s.elevator[e].doors_open or s.elevator[e].direction == Direction.STATIONARY
