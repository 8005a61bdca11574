"""A walk over a grid: its rules are asked often, in one state, or never; a variant changes all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tidegate import Model, Record, integer, number


def yes(s: State, k: Bounds) -> bool:
    """Go on."""
    return True


@dataclass(frozen=True)
class Rules:
    """What the variant decides.

    Parameters
    ----------
    always, alone, once, judged, inside
        Asked in every state; as the only guard; in one state; by the invariant; by the constraint.
    beyond, off
        Asked in a state that no search reaches; with a bound that is off.
    """

    always: Callable[[State, Bounds], bool] = yes
    alone: Callable[[State, Bounds], bool] = yes
    once: Callable[[State, Bounds], bool] = yes
    judged: Callable[[State, Bounds], bool] = yes
    inside: Callable[[State, Bounds], bool] = yes
    beyond: Callable[[State, Bounds], bool] = yes
    off: Callable[[State, Bounds], bool] = yes


@dataclass(frozen=True)
class Bounds:
    """The size of the grid."""

    most: int = number(40, 1, 90, "the largest coordinate", main=True)
    wide: int = number(0, 0, 1, "whether the rule off is asked")
    rules: Rules = Rules()


class State(Record):
    """Where the walker is."""

    x: int = integer(0, lambda k: k.most + 1, "east")
    y: int = integer(0, lambda k: k.most + 1, "north")
    lost: int = integer(0, 1, "whether the walker is lost, which never happens")


def near(s: State, k: Bounds) -> bool:
    """Whether the walker is within the grid; at its corner a rule says so."""
    if s.x == k.most and s.y == k.most:
        return k.rules.inside(s, k)
    return s.x <= k.most and s.y <= k.most


model = Model(Bounds, State, name="grid", deadlock=False, constraint=near)


@model.action("walker")
def east(s: State, k: Bounds) -> bool:
    """Go east."""
    if not k.rules.always(s, k):
        return False
    if s.lost and not k.rules.beyond(s, k):
        return False
    if s.x >= k.most:
        return False
    if s.x == 17 and s.y == 23 and not k.rules.once(s, k):
        return False
    if k.wide and not k.rules.off(s, k):
        return False
    s.x += 1
    return True


@model.action("walker")
def north(s: State, k: Bounds) -> bool:
    """Go north."""
    if s.y >= k.most:
        return False
    s.y += 1
    return True


@model.action("walker")
def fly(s: State, k: Bounds) -> bool:
    """Fly to the corner, if the only guard lets it."""
    if not k.rules.alone(s, k):
        return False
    s.x = k.most
    s.y = k.most
    return True


@model.invariant("The walker is where it may be.")
def somewhere(s: State, k: Bounds) -> bool:
    """Whether the rule says so, where x is 20 and y is 21."""
    return s.x != 20 or s.y != 21 or k.rules.judged(s, k)


def stay(s: State, k: Bounds) -> bool:
    """Answer as before, by another function."""
    return True


def never(s: State, k: Bounds) -> bool:
    """Never fly."""
    return False


@model.variant("Decides everything, as before but for flying.")
def own(rules: Rules) -> Rules:
    """Change every rule."""
    return Rules(stay, never, stay, stay, stay, stay, stay)


# A variant has a parent only if it is given one: the model as it is.
OWN = replace(own, parent=model.protocol)
