"""Sessions get a rank in the order in which they were first seen; the ranks live in a dict of a base class.

Reached through super(), the write is not refused. What was seen first depends on the order of the search and
on the engine: states found from the invariant's and the actions' earlier calls, not from the state.
"""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    a: int = integer(0, 9, "a")
    b: int = integer(0, 9, "b")


model = Model(Bounds, State, deadlock=False)


class Ranks:
    seen: dict[int, int] = {}

    def rank(self, session: int) -> int:
        if session not in self.seen:
            self.seen[session] = len(self.seen)
        return self.seen[session]


class Halved(Ranks):
    def rank(self, session: int) -> int:
        return super().rank(session) // 2


@model.action("client")
def first(s: State, k: Bounds) -> bool:
    if s.a == k.most:
        return False
    s.a += 1
    return True


@model.action("client")
def second(s: State, k: Bounds) -> bool:
    if s.b == k.most or Halved().rank(10 * s.a + s.b) > 4:
        return False
    s.b += 1
    return True


@model.invariant("The first one is at most three when the second one is done.")
def few(s: State, k: Bounds) -> bool:
    return not (s.b == k.most and s.a == 3)
# expect: refused 49
