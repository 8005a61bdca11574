"""Dining philosophers: two neighbours share a fork, and hand it to each other once it was used.

The solution of Chandy and Misra: a fork is dirty after a meal, is cleaned when it is handed over,
and a philosopher eats with two clean forks only.

Source: Chandy and Misra, The Drinking Philosophers Problem, 1984;
specifications/DiningPhilosophers/DiningPhilosophers.tla in tlaplus/Examples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Kind, Model, Record, array, boolean, enumeration, integer, number


@dataclass(frozen=True)
class Bounds:
    philosophers: int = number(5, 2, 20, "philosophers, and forks", main=True)


class Label(IntEnum):
    LOOP = 0
    EAT = 1
    THINK = 2


class Fork(Record):
    holder: int = integer(0, lambda k: k.philosophers - 1, "philosopher that holds it")
    clean: bool = boolean("whether it was cleaned since the last meal")


class Philosopher(Record):
    hungry: bool = boolean("whether it is hungry")
    pc: Label = enumeration(Label, "what it does next")


def seats(k: Bounds) -> int:
    return k.philosophers


class State(Record):
    forks: list[Fork] = array(seats, Fork, by="fork")
    philosophers: list[Philosopher] = array(seats, Philosopher, by="philosopher")


model = Model(Bounds, State, participants={"philosopher": seats, "fork": seats})


def right(k: Bounds, here: int) -> int:
    """The philosopher, or the fork, to the right of one; the left fork has its own number."""
    return 0 if here == k.philosophers - 1 else here + 1


@model.initial
def dirty(s: State, k: Bounds) -> Iterator[None]:
    """Each philosopher holds its left fork, philosopher 0 both of its forks; all are dirty."""
    for here in range(k.philosophers):
        s.forks[here].holder = 0 if here == 1 else here
        s.philosophers[here].hungry = True
    yield


@model.action("philosopher")
def loop(s: State, k: Bounds, philosopher: int) -> bool:
    """A philosopher hands over a dirty fork if it has one, and may then eat or think."""
    me, near = s.philosophers[philosopher], s.forks[philosopher]
    far = s.forks[right(k, philosopher)]
    if me.pc != Label.LOOP:
        return False
    if not me.hungry:
        me.pc = Label.THINK
    elif near.holder == philosopher == far.holder and near.clean and far.clean:
        me.pc = Label.EAT
    if near.holder == philosopher and not near.clean:
        near.holder = philosopher - 1 if philosopher > 0 else k.philosophers - 1
        near.clean = True
    elif far.holder == philosopher and not far.clean:
        far.holder = right(k, philosopher)
        far.clean = True
    return True


@model.action("philosopher")
def eat(s: State, k: Bounds, philosopher: int) -> bool:
    """A philosopher eats, which leaves both its forks dirty."""
    me = s.philosophers[philosopher]
    if me.pc != Label.EAT:
        return False
    me.hungry = False
    s.forks[philosopher].clean = False
    s.forks[right(k, philosopher)].clean = False
    me.pc = Label.LOOP
    return True


@model.action("philosopher")
def think(s: State, k: Bounds, philosopher: int) -> bool:
    """A philosopher thinks until it is hungry."""
    me = s.philosophers[philosopher]
    if me.pc != Label.THINK:
        return False
    me.hungry = True
    me.pc = Label.LOOP
    return True


@model.invariant("Two philosophers that share a fork do not eat at the same time.")
def exclusive_access(s: State, k: Bounds) -> bool:
    return not any(
        s.philosophers[one].pc == Label.EAT and s.philosophers[right(k, one)].pc == Label.EAT
        for one in range(k.philosophers)
    )


@model.liveness(
    Kind.ALWAYS_EVENTUALLY,
    "Philosopher 0 eats again and again.",
    source="NobodyStarves in DiningPhilosophers.tla",
)
def first_does_not_starve(s: State, k: Bounds) -> bool:
    return not s.philosophers[0].hungry


@model.liveness(
    Kind.EVENTUALLY_ALWAYS,
    "From some state on, philosopher 0 is never hungry again; violated, since it thinks again.",
)
def first_is_satisfied(s: State, k: Bounds) -> bool:
    return not s.philosophers[0].hungry
