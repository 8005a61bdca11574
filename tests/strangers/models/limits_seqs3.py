# attack: a value read from a sequence by a negative index, then the sequence shrinks.  # right: HOLDS (a copy as of that moment)
from dataclasses import dataclass
from tidegate import Model, Record, integer, number, array, sequence_of, Seq
@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 9, "n", main=True)
class E(Record):
    t: int = integer(-1, 1, "t")
    v: int = integer(0, 2, "v")
class State(Record):
    q: Seq[E] = sequence_of(E, lambda k: k.n, "q")
model = Model(Bounds, State, deadlock=False)
@model.action("x", t=lambda k: range(-1, 2))
def put(s: State, k: Bounds, t: int) -> bool:
    if len(s.q) >= k.n:
        return False
    s.q.append(E(t=t, v=len(s.q) % 3))
    return True
@model.action("x")
def cut(s: State, k: Bounds) -> bool:
    if len(s.q) < 2:
        return False
    last = s.q[len(s.q) - 1]
    del s.q[1:]
    if s.q[0].t == last.t:
        s.q[0].v = (s.q[0].v + last.v) % 3
    return True
@model.invariant("x.")
def inv(s: State, k: Bounds) -> bool:
    return len(s.q) < 4

# expect: holds 118
