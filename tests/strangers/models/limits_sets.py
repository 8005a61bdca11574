# attack: sets of 63, bag limits, iteration of a set that changes, subset comparisons, masks
from dataclasses import dataclass
from tidegate import Model, Record, integer, number, set_of, bag_of, subset, members, Set, Bag
@dataclass(frozen=True)
class Bounds:
    n: int = number(7, 1, 9, "n", main=True)
class State(Record):
    a: Set = set_of(63, "a")
    b: Set = set_of(63, "b")
    m: int = subset(lambda k: k.n, "m")
    g: Bag = bag_of(3, 2, "g")
model = Model(Bounds, State, deadlock=False)
@model.action("x", i=lambda k: (0, 54, 61))
def add(s: State, k: Bounds, i: int) -> bool:
    if i in s.a or len(s.a) > 2:
        return False
    s.a.add(i)
    if i == 54:
        s.a.add(62)
    s.m ^= 1 << (i % k.n)
    return True
@model.action("x")
def shift(s: State, k: Bounds) -> bool:
    if s.b <= s.a and s.b or len(s.a) < 2:
        return False
    n = 0
    for x in s.a:
        n += 1
        s.a.discard(x)
        if x + 1 < 63 and n < 3 and x % 9 < 3:
            s.a.add(x + 1)
    if not s.b:
        s.b.update(s.a)
    return True
@model.action("x", j=lambda k: range(3))
def bag(s: State, k: Bounds, j: int) -> bool:
    if s.g[j] == 2:
        if (j + 1) % 3 in s.g:
            return False
        s.g.remove(j)
        s.b.clear()
        for r in members(s.m):
            s.b.add(r * 7)
    else:
        if len(s.g) > 2 or s.m >> j & 1:
            return False
        s.g.add(j)
    return True
@model.action("x")
def drop(s: State, k: Bounds) -> bool:
    if len(s.a) < 4 or 62 not in s.a and s.a == s.b:
        return False
    s.a.clear()
    return True
@model.invariant("x.")
def inv(s: State, k: Bounds) -> bool:
    return not (62 in s.b and len(s.g) == 3 and not s.a)

# expect: holds 112736
