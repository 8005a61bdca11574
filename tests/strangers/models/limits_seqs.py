# attack: sequences full/empty, slices past the end, swap, del, extend of itself, pop, loop while it changes
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
    p: Seq = sequence_of(integer(-2, 2, "i"), lambda k: k.n, "p")
model = Model(Bounds, State, deadlock=False)
@model.action("x", t=lambda k: range(-1, 2))
def put(s: State, k: Bounds, t: int) -> bool:
    if len(s.q) >= k.n:
        return False
    s.q.append(E(t=t, v=len(s.p) % 3))
    return True
@model.action("x")
def take(s: State, k: Bounds) -> bool:
    if not s.q or len(s.p) == k.n:
        return False
    e = s.q.popleft()
    s.p.append(e.t - (e.v == 1) if e.t > -1 else e.t)
    return True
@model.action("x")
def cut(s: State, k: Bounds) -> bool:
    if len(s.q) < 2:
        return False
    last = s.q[len(s.q) - 1]
    del s.q[1:7]
    if len(s.q) and s.q[0].t == last.t:
        s.q[0].v = (s.q[0].v + last.v) % 3
    return True
@model.action("x", i=lambda k: range(k.n))
def move(s: State, k: Bounds, i: int) -> bool:
    if i + 1 >= len(s.p):
        return False
    s.p[i], s.p[i + 1] = s.p[i + 1], s.p[i]
    rest = s.p[i + 1 :]
    s.p.truncate(i + 1)
    if rest != s.p[0 : len(rest)]:
        s.p.extend(rest)
    return True
@model.action("x")
def grow(s: State, k: Bounds) -> bool:
    if not s.p or s.p[len(s.p) - 1] == s.p[0] or len(s.p) == k.n:
        return False
    n = 0
    for v in s.p:
        n += 1
        if n > 3:
            break
        if len(s.p) < k.n:
            s.p.append(-v if v != -2 else v)
    s.p.pop()
    return True
@model.invariant("x.")
def inv(s: State, k: Bounds) -> bool:
    return not (len(s.p) == k.n and s.p[:2] == s.p[2:4] and sum(v for v in s.p) == -6 and s.q)

# expect: holds 12823
