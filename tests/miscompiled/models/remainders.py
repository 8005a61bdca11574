"""Quotients and remainders of numbers on both sides of zero."""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(150, 1, 1_000, "largest distance from zero", main=True)
    parts: int = number(7, 2, 20, "parts of a turn")


class State(Record):
    x: int = integer(lambda k: -k.most, lambda k: k.most, "a number")
    y: int = integer(lambda k: -k.most, lambda k: k.most, "another one")
    turn: int = integer(0, lambda k: k.parts - 1, "part of the turn")
    rounds: int = integer(lambda k: -k.most, lambda k: k.most, "whole turns")


model = Model(Bounds, State)


@model.initial
def initial(s: State, k: Bounds):
    """Begin at zero."""
    s.x = s.y = s.turn = s.rounds = 0
    yield


@model.action("counter")
def left(s: State, k: Bounds) -> bool:
    """Go down, and turn."""
    if s.x == -k.most:
        return False
    s.x -= 1
    s.turn = s.x % k.parts
    s.rounds = s.x // k.parts
    return True


@model.action("counter")
def right(s: State, k: Bounds) -> bool:
    """Go up, and turn."""
    if s.x == k.most:
        return False
    s.x += 1
    s.turn = s.x % k.parts
    s.rounds = s.x // k.parts
    return True


@model.action("counter")
def mirror(s: State, k: Bounds) -> bool:
    """Let y follow by a quotient of the difference."""
    step = (s.x - s.y) // 3
    if step == 0 or not -k.most <= s.y + step <= k.most:
        return False
    s.y += step
    return True


@model.invariant("Rounds and turn make up x.")
def whole(s: State, k: Bounds) -> bool:
    return s.rounds * k.parts + s.turn == s.x
