"""Die Hard: how to measure 4 gallons of water with a jug of 5 gallons, one of 3, and a faucet.

That it cannot be done is stated as an invariant; the trace that violates it is how it is done.

Source: Lamport, The TLA+ Video Course, lecture 4, after the film of 1995;
specifications/DieHard/DieHard.tla in tlaplus/Examples.
"""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number

BIG = 5
SMALL = 3


@dataclass(frozen=True)
class Bounds:
    goal: int = number(4, 0, BIG, "gallons to measure", main=True)


class State(Record):
    big: int = integer(0, BIG, "gallons of water in the big jug")
    small: int = integer(0, SMALL, "gallons of water in the small jug")


model = Model(Bounds, State)


@model.action("hero")
def fill_small_jug(s: State, k: Bounds) -> bool:
    """The heroes fill the small jug from the faucet."""
    s.small = SMALL
    return True


@model.action("hero")
def fill_big_jug(s: State, k: Bounds) -> bool:
    """The heroes fill the big jug from the faucet."""
    s.big = BIG
    return True


@model.action("hero")
def empty_small_jug(s: State, k: Bounds) -> bool:
    """The heroes pour the small jug onto the ground."""
    s.small = 0
    return True


@model.action("hero")
def empty_big_jug(s: State, k: Bounds) -> bool:
    """The heroes pour the big jug onto the ground."""
    s.big = 0
    return True


@model.action("hero")
def small_to_big(s: State, k: Bounds) -> bool:
    """The heroes pour from the small jug into the big one, until it is full or theirs is empty."""
    poured = min(s.small, BIG - s.big)
    s.big += poured
    s.small -= poured
    return True


@model.action("hero")
def big_to_small(s: State, k: Bounds) -> bool:
    """The heroes pour from the big jug into the small one, until it is full or theirs is empty."""
    poured = min(s.big, SMALL - s.small)
    s.small += poured
    s.big -= poured
    return True


def explain(s: State, k: Bounds) -> str:
    return f"The big jug holds {s.big} gallons."


@model.invariant("The big jug never holds as much as is to be measured.", explain=explain)
def not_solved(s: State, k: Bounds) -> bool:
    return s.big != k.goal
