"""A function that declares bool returns a set's membership count on a rare path (when the third slot is in use)."""

from dataclasses import dataclass

from tidegate import Model, Record, Set, integer, number, set_of


@dataclass(frozen=True)
class Bounds:
    slots: int = number(3, 1, 5, "slots")


class State(Record):
    used: Set = set_of(lambda k: k.slots, "slots in use")
    full: bool = integer(0, 1, "whether it was full")


model = Model(Bounds, State, participants={"slot": lambda k: k.slots}, deadlock=False)


def busy(s: State, k: Bounds) -> bool:
    if 2 not in s.used:
        return False
    return len(s.used)


@model.action("slot")
def take(s: State, k: Bounds, slot: int) -> bool:
    """Take a slot unless two are taken."""
    if slot in s.used or busy(s, k) == True:  # noqa: E712
        return False
    s.used.add(slot)
    return True


@model.invariant("Never all slots.")
def spare(s: State, k: Bounds) -> bool:
    return len(s.used) <= k.slots

# expect: refused 24
