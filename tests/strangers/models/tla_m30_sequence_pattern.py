"""A stack machine: the stack is matched by sequence patterns, as for any sequence of Python.

Add takes the two numbers on top.  Empty and single stacks match [] and [x]; `case [*below, a, b]` matches two or more.
"""
from dataclasses import dataclass

from tidegate import Model, Record, Seq, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    depth: int = number(2, 1, 3, "depth of the stack")


class State(Record):
    stack: Seq[int] = sequence_of(integer(0, 3, "a number"), lambda k: k.depth, "stack")


model = Model(Bounds, State, deadlock=False)


@model.action("machine", value=lambda k: (1, 2))
def push(s: State, k: Bounds, value: int) -> bool:
    if len(s.stack) == k.depth:
        return False
    s.stack.append(value)
    return True


@model.action("machine")
def add(s: State, k: Bounds) -> bool:
    match s.stack:
        case [*_, a, b] if a + b <= 3:
            s.stack.pop()
            s.stack.pop()
            s.stack.append(a + b)
            return True
        case _:
            return False


@model.invariant("Three is never on the stack.")
def small(s: State, k: Bounds) -> bool:
    match s.stack:
        case [*_, 3]:
            return False
        case _:
            return True
# push 1, push 2, add: 3 steps
# expect: refused 33
