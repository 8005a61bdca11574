"""Traffic light that stutters: explicit self-loops are not steps, so weak fairness of Noop excuses nothing.

`Blink` changes nothing when it is off: neither enabled nor taken. Turned is reached since Turn is weakly fair.
A flag toggles without fairness; turn needs the flag off, so with weak fairness of Turn alone Turned fails once
the flag may toggle for ever.
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Fairness, Kind, Model, Record, boolean, enumeration, number


class Light(IntEnum):
    RED = 0
    GREEN = 1
    BROKEN = 2


@dataclass(frozen=True)
class Bounds:
    toggles: bool = number(0, 0, 1, "whether somebody holds the button")


class State(Record):
    light: Light = enumeration(Light, "its color")
    button: bool = boolean("held")


model = Model(Bounds, State)


@model.action("light")
def turn(s: State, k: Bounds) -> bool:
    if s.button or s.light is not Light.RED:
        return False
    s.light = Light.GREEN
    return True


@model.action("light", fairness=Fairness.STRONG)
def blink(s: State, k: Bounds) -> bool:
    """Blink: writes what is there."""
    s.light = s.light
    return True


@model.action("hand", fairness=Fairness.NONE)
def toggle(s: State, k: Bounds) -> bool:
    if not k.toggles:
        return False
    s.button = not s.button
    return True


@model.liveness(Kind.EVENTUALLY_ALWAYS, "It is green for ever.")
def turned(s: State, k: Bounds) -> bool:
    match s.light:
        case Light.GREEN:
            return True
    return False


@model.liveness(Kind.EVENTUALLY, "It is green or the button is held.")
def green_or_held(s: State, k: Bounds) -> bool:
    return s.light is Light.GREEN or s.button is True
# expect: holds 2
